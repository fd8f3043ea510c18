"""The table of values as CSV: RFC 4180, UTF-8, a row for each figure of the page."""

import csv
import io
import re
from collections.abc import Iterable

from benchdb.report import untrusted
from benchdb.report.view.listed import SourceRow, ValueRow
from benchdb.report.view.page import Report

# Invariant: scripts read them, whatever the language of the page.
COLUMNS = (
    "workload",
    "setting",
    "batch_or_size",
    "parameters",
    "conditions",
    "precision",
    "compiler",
    "framework",
    "chip",
    "device",
    "machine",
    "metric",
    "unit",
    "value",
    "uncertainty",
    "n",
    "low",
    "high",
    "sessions",
    "status",
    "reason",
    "kind",
    "grade",
    "against",
    "whose",
    "tier",
    "trials",
    "started",
    "source",
    "url",
    "place",
    "made",
    "runs",
    "notes",
)
# The wide ones are signs of formulas too, where people write Japanese or Chinese.
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
_NUMBER = re.compile(r"-?\d[\d.]*(e[+-]?\d+)?", re.IGNORECASE)

Cell = str | int | float | None


def table(report: Report) -> bytes:
    """Return the values of *report*, the names of ``COLUMNS`` in the first line.

    A value has the characters of its source, else all its digits; *unit* is as on the
    page, *low* and *high* bound the interval of *n* processes. What there is not is
    empty. *kind* is the label of the figure, *grade* its letter, and *against* are the
    checks and rules that speak against one of grade X. *parameters* were set,
    *conditions* are versions and load. *runs* are digests and *notes* codes, with
    spaces between. A spreadsheet would calculate text that starts like a formula: such
    a cell starts with '.
    """
    report = untrusted.cleaned(report)
    sources = {source.key: source for source in report.sources}
    codes = {note.key: note.code for note in report.notes}
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in report.values:
        cells = _cells(row, sources.get(row.source or ""), codes)
        writer.writerow([_inert(cells[name]) for name in COLUMNS])
    return written.getvalue().encode()


def _cells(
    row: ValueRow, source: SourceRow | None, codes: dict[str, str]
) -> dict[str, Cell]:
    return {
        "workload": row.workload.name,
        "setting": row.setting,
        "batch_or_size": row.size or row.batch_size,
        "parameters": _pairs(row.parameters),
        "conditions": _pairs(row.conditions),
        "precision": row.precision,
        "compiler": row.compiler,
        "framework": row.system.framework,
        "chip": row.system.chip,
        "device": row.system.device,
        "machine": row.system.model,
        "metric": row.metric,
        "status": row.status,
        "reason": row.reason,
        "kind": row.label,
        "against": " ".join(f"{one.code}: {one.about}" for one in row.against),
        "whose": "mine" if row.system.mine else "contributed",
        "tier": row.tier,
        "trials": row.trials,
        "started": row.started,
        "source": source.slug if source else None,
        "url": source.url if source else None,
        "place": row.locator,
        "made": row.made,
        "runs": " ".join(row.runs or (row.run,)),
        **_figure(row, codes),
    }


def _pairs(facts: Iterable[tuple[str, str]]) -> str:
    return "; ".join(f"{name}: {fact}" for name, fact in facts if fact)


def _figure(row: ValueRow, codes: dict[str, str]) -> dict[str, Cell]:
    found = row.quantity
    if found is None:
        return dict.fromkeys(
            (
                "unit",
                "value",
                "uncertainty",
                "n",
                "low",
                "high",
                "sessions",
                "grade",
                "notes",
            )
        )
    noted = dict.fromkeys(codes.get(key, key) for key in found.notes)
    several = found.n >= 2
    return {
        "unit": found.unit,
        "value": found.value if found.printed is None else found.printed,
        "uncertainty": found.uncertainty,
        "n": found.n,
        "low": found.low if several else None,
        "high": found.high if several else None,
        "sessions": found.sessions,
        "grade": found.grade,
        "notes": " ".join(noted),
    }


def _inert(cell: Cell) -> str:
    if cell is None:
        return ""
    text = cell if isinstance(cell, str) else repr(cell)
    formula = text.startswith(_FORMULA) and not _NUMBER.fullmatch(text)
    return f"'{text}" if formula else text
