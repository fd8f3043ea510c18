"""Comparisons in words and tables, as the report words them; in English."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from benchdb.compare.cells import CellRow, Comparison, Figure
from benchdb.report.language import Language
from benchdb.report.wording import terms
from benchdb.report.wording.cells import DASH, Table, interval
from benchdb.report.workloads import workload_of

_EACH = ("value", "low", "high", "unit", "n", "grade", "label", "run")


def table(comparison: Comparison, language: Language) -> Table:
    """Return a row for each cell: both figures, their ratio and its verdict."""
    remarks = _remarks(comparison, language)
    last = ("",) if len(set(remarks)) > 1 else ()
    head = ("work", "how", "A", "B", "B against A", "95 % interval", *last)
    rows = [
        (
            _work(row, language),
            _how(row, language),
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
        said = f"{comparison.other}: {terms.verdict_text(language, mean)} ({over}"
        if mean.low is not None and mean.high is not None:
            said += f", 95 % interval {language.times_range(mean.low, mean.high)}"
        if counted > 1:
            said += (
                f", cells from {language.times(least)} to {language.times(greatest)}"
            )
        yield f"{said})"
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
        {
            "workload": row.workload,
            "size": row.size,
            "batch_size": row.batch_size,
            "metric": row.metric,
            "ratio": row.ratio.value,
            "low": row.ratio.low,
            "high": row.ratio.high,
            "verdict": row.ratio.verdict,
            "differs": " ".join(row.ratio.differs),
            **_flat_side("base", row.base),
            **_flat_side("other", row.other),
        }
        for row in comparison.cells
    ]


def data(comparison: Comparison) -> dict[str, Any]:
    """Return everything that is known of a comparison, as JSON has it."""
    return {
        "base": comparison.base,
        "other": comparison.other,
        "cells": flat(comparison),
        "mean": msgspec.to_builtins(comparison.mean),
        "spread": comparison.spread,
        "differs": [msgspec.to_builtins(fact) for fact in comparison.facts],
        "only_base": comparison.only_base,
        "only_other": comparison.only_other,
        "reason": comparison.reason,
    }


def _flat_side(name: str, figure: Figure) -> dict[str, Any]:
    own = figure.quantity
    return {
        **{f"{name}_{part}": getattr(own, part) for part in _EACH},
        f"{name}_machines": figure.machines,
        f"{name}_accelerator": figure.accelerator,
        f"{name}_device": figure.device,
        f"{name}_framework": figure.framework,
        f"{name}_precision": figure.precision,
    }


def _work(row: CellRow, language: Language) -> str:
    title = terms.title_text(language, workload_of(row.workload))
    operation = workload_of(row.workload).kind == "operation"
    batch = None if operation and row.batch_size == 1 else row.batch_size
    text = terms.workload_text(language, title, batch)
    return f"{text}, {row.size}" if row.size else text


def _how(row: CellRow, language: Language) -> str:
    """Return device, framework and precision; of both sides where they differ."""
    parts = []
    for name in ("device", "framework", "precision"):
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
    if row.ratio.low is None or row.ratio.high is None:
        return "none"
    return language.times_range(row.ratio.low, row.ratio.high)


def _remarks(comparison: Comparison, language: Language) -> list[str]:
    return [_remark(row, language) for row in comparison.cells]


def _remark(row: CellRow, language: Language) -> str:
    """Return what keeps the sides from being alike, and what is noted on them."""
    parts: Sequence[str] = (
        f"differs: {terms.conditions(language, row.ratio.differs)}"
        if row.ratio.differs
        else "",
        f"not stated: {terms.conditions(language, row.ratio.unstated)}"
        if row.ratio.unstated
        else "",
        "flagged" if row.base.quantity.notes or row.other.quantity.notes else "",
    )
    return "; ".join(filter(None, parts))
