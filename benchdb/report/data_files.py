"""A report as data for programs: its table of values as CSV, all of it as JSON."""

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from benchdb.report import untrusted
from benchdb.report.view.atoms import field_names
from benchdb.report.view.listed import SourceRow, ValueRow
from benchdb.report.view.report_view import Report

JSON_FORMAT = 3
# The wide ones are signs of formulas too, where people write Japanese or Chinese.
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
_NUMBER = re.compile(r"-?\d[\d.]*(e[+-]?\d+)?", re.IGNORECASE)
# The columns, invariant, and what each means: scripts read them, whatever the language
# of the page.
COLUMNS = {
    "workload": "name of the work, as `benchdb workloads` lists it",
    "setting": "the way in which a source runs the workload",
    "batch_or_size": "samples of a step, or the size of an operation",
    "parameters": "what else was set: `name: value`, with semicolons between",
    "conditions": "versions and load that figures must share to be alike",
    "precision": "number format of the arithmetic",
    "compiler": "how the framework ran it: eager, graph, compiled …",
    "framework": "framework that computed, or the program of others that did",
    "chip": "chip that did the work",
    "device": "interface that the work ran through: cpu, cuda, metal …",
    "machine": "model of the machine, as its maker calls it",
    "metric": "name of the figure, as in schema/metrics.json",
    "unit": "unit of value, low and high, as on the page",
    "value": "the figure: as its source prints it, else with all its digits",
    "uncertainty": "what a source prints after ±",
    "n": "processes behind the figure",
    "low": "lower end of the 95 % interval, for n of 2 or more",
    "high": "upper end of it",
    "sessions": "sessions behind the figure",
    "status": "how the run ended: ok, failed, oom, unsupported …",
    "reason": "why there is no figure",
    "kind": "label: measured, imported, aggregate, transcribed or claimed",
    "grade": "how far to trust it: A, B, C measured, I published, X not to be used",
    "against": "checks and rules that speak against a figure of grade X",
    "whose": "mine, or contributed by others",
    "tier": "how thorough the collection was: smoke, quick, standard, reference",
    "trials": "repetitions that a source says stand behind its figure",
    "started": "when the first process began",
    "source": "short name of the source that published it",
    "url": "where the source is",
    "place": "where in the document the figure stands",
    "made": "from what a transcriber computed the figure",
    "runs": "digests of its runs, for `benchdb show`, with spaces between",
    "notes": "codes of what there is to note, with spaces between",
}

Cell = str | int | float | None


def csv_table(report: Report) -> bytes:
    """Return the values of *report* as CSV: RFC 4180, UTF-8, a row for each figure.

    The names of ``COLUMNS`` are in the first line. A value has the characters of its
    source, else all its digits; *unit* is as on the page, *low* and *high* bound the
    interval of *n* processes. What there is not is empty. *kind* is the label of the
    figure, *grade* its letter, and *against* are the checks and rules that speak
    against one of grade X. *parameters* were set, *conditions* are versions and load.
    *runs* are digests and *notes* codes, with spaces between. A spreadsheet would
    calculate text that starts like a formula: such a cell starts with '.
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for cells in figure_rows(report):
        writer.writerow([_inert(cells.get(name)) for name in COLUMNS])
    return written.getvalue().encode()


def figure_rows(report: Report) -> list[dict[str, Cell]]:
    """Return the values of *report* by the names of ``COLUMNS``, a row for each."""
    report = untrusted.cleaned(report)
    sources = {source.key: source for source in report.sources}
    codes = {note.key: note.code for note in report.notes}
    return [_cells(row, sources.get(row.source or ""), codes) for row in report.values]


def _cells(
    row: ValueRow, source: SourceRow | None, codes: Mapping[str, str]
) -> dict[str, Cell]:
    cells: dict[str, Cell] = {
        name: getattr(row, name)
        for name in (
            *("setting", "precision", "compiler", "metric", "status", "reason"),
            *("tier", "trials", "started", "made"),
        )
    }
    cells |= {
        "workload": row.workload.name,
        "batch_or_size": row.size or row.batch_size,
        "parameters": _pairs(row.parameters),
        "conditions": _pairs(row.conditions),
        "framework": row.system.framework,
        "chip": row.system.chip,
        "device": row.system.device,
        "machine": row.system.model,
        "kind": row.label,
        "against": " ".join(f"{ground.code}: {ground.about}" for ground in row.against),
        "whose": "mine" if row.system.mine else "contributed",
        "source": source.slug if source else None,
        "url": source.url if source else None,
        "place": row.locator,
        "runs": " ".join(row.runs or (row.run,)),
    }
    if (quantity := row.quantity) is not None:
        several = quantity.n >= 2
        cells |= {
            "unit": quantity.unit,
            "value": quantity.value if quantity.printed is None else quantity.printed,
            "uncertainty": quantity.uncertainty,
            "n": quantity.n,
            "low": quantity.low if several else None,
            "high": quantity.high if several else None,
            "sessions": quantity.sessions,
            "grade": quantity.grade,
            "notes": " ".join(dict.fromkeys(codes.get(k, k) for k in quantity.notes)),
        }
    return cells


def _pairs(facts: Iterable[tuple[str, str]]) -> str:
    return "; ".join(f"{name}: {fact}" for name, fact in facts if fact)


def _inert(cell: Cell) -> str:
    if cell is None:
        return ""
    text = cell if isinstance(cell, str) else repr(cell)
    formula = text.startswith(_FORMULA) and not _NUMBER.fullmatch(text)
    return f"'{text}" if formula else text


def json_document(report: Report) -> bytes:
    """Return *report* as one JSON object: UTF-8, strict, its members in fixed order.

    ``format`` is 3, ``producer`` is ``benchdb``. All other members are those of
    ``benchdb.report.view.report_view.Report``, by their names there:

    * ``values_count``, ``systems_count``, ``sources_count``, ``newest`` (a day, or
      null) and ``database_digest`` (SHA-256 over the whole database's contents);
    * ``values``: the table of values. ``quantity`` is null for what was not measured,
      else ``value`` in ``unit``, ``printed`` as the source has it, ``n`` processes,
      the interval from ``low`` to ``high`` within one of ``sessions`` or over all,
      ``grade``, a letter, ``label``, how it came here, and ``notes``, keys of the
      member of that name. ``against`` says why the grade is X: ``code`` and ``about``.
      ``run``, or ``runs`` of several processes, are digests of ``benchdb show``;
      ``source`` is a ``key`` of ``sources``;
    * ``machines``, ``notes`` (``code`` and ``detail``) and ``sources`` with claims;
    * ``chosen``: the filters, ``there``: where they leave nothing, what there is; both
      lists of ``option`` and ``names``;
    * ``room``: ``runs`` of ``of_runs`` that it is made of where a database is large,
      else null; ``everything``: whether all of it was asked for.

    Sizes are in bytes; ratios are factors of speed. No number is NaN or infinite: such
    a one is null. New members may come; one that goes makes another ``format``.
    """
    clean = untrusted.cleaned(report)
    whole: dict[str, Any] = {"format": JSON_FORMAT, "producer": "benchdb"}
    whole |= {name: _plain(getattr(clean, name)) for name in field_names(Report)}
    text = json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=1)
    return f"{text}\n".encode()


def _plain(value: Any) -> Any:
    if names := field_names(type(value)):
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {str(name): _plain(result) for name, result in sorted(value.items())}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
