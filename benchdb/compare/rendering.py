"""Comparisons in words and tables, as the report words them; in English."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from benchdb.compare.cell_rows import CellRow, Comparison
from benchdb.compare.sides import Figure
from benchdb.report.language import Language
from benchdb.report.wording import terms
from benchdb.report.wording.cells import DASH, Table, interval, wide
from benchdb.report.workloads import trains, workload_of

_OF_CELL = ("workload", "size", "batch_size", "metric")
_OF_RATIO = ("value", "low", "high", "verdict")
_OF_QUANTITY = ("value", "low", "high", "unit", "n", "grade", "label", "run")
_OF_FIGURE = (
    *("machines", "accelerator", "device", "framework", "precision", "compiler"),
)
# Of a cell in CSV, JSON and data frames.
COLUMNS = (
    *(*_OF_CELL, "ratio", *_OF_RATIO[1:], "differs", "unstated"),
    *(
        f"{side}_{name}"
        for side in ("base", "other")
        for name in (*_OF_QUANTITY, *_OF_FIGURE, "flags")
    ),
)
_NEAR = 0.9  # from here to its inverse two digits may read the same


def table(comparison: Comparison, language: Language) -> Table:
    """Return a row for each cell: both figures, their ratio and its verdict."""
    remarks = _remarks(comparison, language)
    last = ("",) if len(set(remarks)) > 1 else ()
    head = ("work", "how", "A", "B", "B against A", "95 % interval", *last)
    # A source may have several chips; elsewhere the names of the sides say it.
    several = any(
        len({getattr(row, side).accelerator for row in comparison.cells}) > 1
        for side in ("base", "other")
    )
    rows = [
        (
            _work(row, language),
            _how(row, language, chips=several),
            _figure(row.base, language),
            _figure(row.other, language),
            terms.verdict_text(language, row.ratio),
            _interval(row, language),
            *((remark,) if last else ()),
        )
        for row, remark in zip(comparison.cells, remarks, strict=True)
    ]
    return Table(head, rows, frozenset({2, 3}))


def facts(comparison: Comparison) -> Table:
    """Return the columns in which the sides differ."""
    rows = [(fact.name, fact.base, fact.other) for fact in comparison.facts]
    return Table(("differs", "A", "B"), rows)


def sentences(comparison: Comparison, language: Language) -> Iterator[str]:
    """Yield what a reader should know beside the tables, the answer first."""
    mean, counted = comparison.mean, sum(row.counts for row in comparison.cells)
    if mean is None or comparison.spread is None:
        yield f"nothing can be compared: {comparison.reason}"
    else:
        over = "the only cell" if counted == 1 else f"{counted} cells, geometric mean"
        least, greatest = comparison.spread
        sentence = f"{comparison.other}: {terms.verdict_text(language, mean)} ({over}"
        if mean.low is not None and mean.high is not None:
            sentence += f", 95 % interval {_range(mean.low, mean.high, language)}"
        if counted > 1:
            sentence += f", cells {_range(least, greatest, language)}"
        yield f"{sentence})"
    if any(row.ratio.low is None for row in comparison.cells):
        yield "a side with a single run (n = 1) leaves its ratio without an interval"
    remarks = set(_remarks(comparison, language))
    if len(remarks) == 1 and (remark := remarks.pop()):
        yield f"all cells: {remark}"
    for name, missing in (
        (comparison.base, comparison.only_base),
        (comparison.other, comparison.only_other),
    ):
        if missing:
            listed = (f"{work} ({cells})" for work, cells in missing.items())
            yield f"cells of {name} alone: {', '.join(listed)}"


def flat(comparison: Comparison) -> list[dict[str, Any]]:
    """Return a flat dictionary for each cell, as CSV and data frames have it."""
    return [
        dict(
            zip(
                COLUMNS, (*_cell(row), *_side(row.base), *_side(row.other)), strict=True
            )
        )
        for row in comparison.cells
    ]


def data(comparison: Comparison) -> dict[str, Any]:
    """Return everything that is known of a comparison, as JSON has it."""
    mean = comparison.mean
    return {
        "base": comparison.base,
        "other": comparison.other,
        "cells": flat(comparison),
        "mean": mean and {name: getattr(mean, name) for name in _OF_RATIO},
        "spread": comparison.spread,
        "differs": [msgspec.to_builtins(fact) for fact in comparison.facts],
        "only_base": comparison.only_base,
        "only_other": comparison.only_other,
        "reason": comparison.reason,
    }


def _cell(row: CellRow) -> Iterator[Any]:
    yield from (getattr(row, name) for name in _OF_CELL)
    yield from (getattr(row.ratio, name) for name in _OF_RATIO)
    yield " ".join(row.ratio.differs)
    yield " ".join(row.ratio.unstated)


def _side(figure: Figure) -> Iterator[Any]:
    yield from (getattr(figure.quantity, name) for name in _OF_QUANTITY)
    yield from (getattr(figure, name) for name in _OF_FIGURE)
    yield " ".join(figure.flags)


def cell_text(row: CellRow) -> str:
    """Return the work of a cell in the words of commands."""
    batch = f"batch {row.batch_size}" if row.batch_size else ""
    return " ".join(filter(None, (row.workload, row.size, batch, row.base.device)))


def _work(row: CellRow, language: Language) -> str:
    title = terms.title_text(language, workload_of(row.workload))
    alone = row.batch_size == 1 and not trains(row.workload)
    batch = None if alone else row.batch_size
    text = terms.workload_text(language, title, batch)
    return f"{text}, {row.size}" if row.size else text


def _how(row: CellRow, language: Language, *, chips: bool) -> str:
    """Return device, framework and precision; of both sides where they differ.

    With *chips* the chip that worked comes first.
    """
    parts = []
    for name in ("accelerator", "device", "framework", "precision")[not chips :]:
        pair = [
            _named(getattr(it, name), name, language) for it in (row.base, row.other)
        ]
        parts.append(pair[0] if pair[0] == pair[1] else " → ".join(pair))
    return " · ".join(parts)


def _named(value: str | None, name: str, language: Language) -> str:
    if name == "device":
        return terms.device_text(language, value or "unknown")
    if name == "framework":
        return terms.framework_text(language, value or "unknown")
    return value or DASH


def _figure(figure: Figure, language: Language) -> str:
    own = figure.quantity
    text = language.compact(own)
    if bounds := interval(language, own):
        text += f" ({bounds})"
    counted = [f"n = {own.n}"]
    if figure.machines > 1:
        counted.append(f"{figure.machines} machines")
    if own.grade:
        counted.append(own.grade)
    return f"{text}; {', '.join(counted)}"


def _interval(row: CellRow, language: Language) -> str:
    ends = row.ratio.interval
    if ends is None:
        return "none"
    return wide(language) if ends.wide else _range(ends.low, ends.high, language)


def _range(low: float, high: float, language: Language) -> str:
    """Return a range of factors; near 1 with digits that tell its ends apart."""
    if low > _NEAR and high < 1 / _NEAR:
        return f"{low:.3f}–{high:.3f}×"
    return language.times_range(low, high)


def _remarks(comparison: Comparison, language: Language) -> list[str]:
    return [_remark(row, language) for row in comparison.cells]


def _remark(row: CellRow, language: Language) -> str:
    """Return what keeps the sides from being alike, and what is noted on them."""
    flags = sorted({*row.base.flags, *row.other.flags})
    parts: Sequence[str] = (
        f"differs: {terms.conditions(language, row.ratio.differs)}"
        if row.ratio.differs
        else "",
        f"not stated: {terms.conditions(language, row.ratio.unstated)}"
        if row.ratio.unstated
        else "",
        f"flagged: {', '.join(flags)}" if flags else "",
    )
    return "; ".join(filter(None, parts))
