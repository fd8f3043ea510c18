"""``benchdb show``: one run with everything known about it."""

import json
from collections.abc import Iterable, Iterator
from statistics import median
from typing import Annotated, Any

import msgspec
import typer
from sqlalchemy import Connection, select

from benchdb.catalogue import metrics
from benchdb.cli.console import AsJson, counted, label_text, plain
from benchdb.cli.user_database import Db, opened
from benchdb.exchange.messages import Value
from benchdb.exchange.record import Record, content, digest_of
from benchdb.grading import Grade
from benchdb.importing.document import Document
from benchdb.importing.provenance import excerpt
from benchdb.store import documents, duplicates, editions, findings, hearsay, machines
from benchdb.store.database import reading
from benchdb.store.read import find, record
from benchdb.store.run_grades import grade_of
from benchdb.store.tables import source

app = typer.Typer(add_completion=False)

_OF_RUN = ("key", "workload", "label")  # shown above all, or of no use
# The number of processes is told for every grade.
_REASONS = {
    "few-processes": "",
    "imported": "published by others ({})",
    "gate-failed": "failed: {}",
    "implausible": "cannot be true: {}",
    "process-failed": "processes that failed: {}",
    "smoke": "smoke tier",
    "quick": "quick tier",
    "spread": "processes vary by {} %",
    "wide-interval": "interval to +{} %",  # its lower end is nearer: a ratio's
    "unsteady": "drift {} %",
    "shift": "blocks shift by {} %",
    "first-block": "the first block stands apart",
    "steadiness-unknown": "no test for a steady state",
    "noisy-blocks": "blocks vary by {} %",
    "gates-not-checked": "gates not checked: {}",
    "state-unknown": "not known: {}",
    "throttled": "throttled: {}",
    "thermal-pressure": "thermal pressure {}",
    "throttle-events": "throttled {} times",
    "cpu-speed-limit": "CPU slowed down by {} %",
    "busy": "busy before: load {} for each CPU",
    "gpu-shared": "other processes on the GPU: {}",
    "swapping": "{} bytes swapped out",
    "battery": "on battery",
    "low-power-mode": "Low Power Mode",
    "rosetta": "under Rosetta",
    "virtual": "virtual machine",
}


@app.command()
def show(
    run: Annotated[str, typer.Argument(help="A run id, or how it starts.")],
    as_json: AsJson = False,
    db: Db = None,
) -> None:
    """Show one run, down to its place in the source.

    Its figures, its conditions, its machine; its grade with the reasons.
    """
    engine = opened(db)
    with reading(engine) as connection:
        digest = find(connection, run)
        found, grade = record(connection, digest), grade_of(connection, digest)
        beside = provenance(connection, found)
    if as_json:
        typer.echo(json.dumps(_plain(found, grade) | beside, indent=2))
        return
    for line in _lines(found, grade, beside):
        typer.echo(plain(line))


def _plain(found: Record, grade: Grade | None) -> dict[str, Any]:
    return {
        "digest": found.digest,
        "grade": None if grade is None else msgspec.to_builtins(grade),
        "run": content(found.run, drop=("key", "machine", "environment", "source")),
        "end": content(found.end, drop=("run",)),
        "machine": {"digest": digest_of(found.machine), **content(found.machine)},
        "environment": {
            "digest": digest_of(found.environment),
            **content(found.environment),
        },
        "source": None if found.source is None else content(found.source),
        "samples": [
            {"phase": one.phase, "per": one.per, "seconds": one.values}
            for one in found.series
        ],
    }


def _lines(found: Record, grade: Grade | None, beside: dict[str, Any]) -> list[str]:
    run, end = found.run, found.end
    lines = [
        f"run         {found.digest}",
        f"workload    {run.workload} (version {run.workload_version}, {run.setting})",
        f"status      {end.status}" + (f": {end.reason}" if end.reason else ""),
        f"label       {label_text(run.label, mine=beside['mine'])}",
        f"grade       {_grade(grade)}",
    ]
    findings = (
        filter(None, [one["code"], one["metric"], _facts(one["detail"])])
        for one in beside["findings"]
    )
    sections: dict[str, Iterable[str]] = {
        "values": map(_value, end.values),
        "flags": (f"{flag.code} {_facts(flag.detail)}" for flag in end.flags),
        "found implausible": map(" ".join, findings),
        "samples": (
            f"{one.phase}: {len(one.values)} × {one.per} steps, "
            f"median {median(one.values):.6g} s, {min(one.values):.6g} to "
            f"{max(one.values):.6g} s"
            for one in found.series
            if one.values
        ),
        "source": [*_source(found), *_standing(beside)],
        "in the document": (f"{at}: {text}" for at, text in beside["places"].items()),
        "run": _fields(content(run, drop=_OF_RUN)),
        "checks": _fields(dict(end.checks)),
        "machine": _fields(content(found.machine)),
        "environment": _fields(content(found.environment)),
        "conditions after": _fields(dict(end.conditions)),
    }
    for title, rows in sections.items():
        if shown := [f"  {row}" for row in rows]:
            lines += ["", title, *shown]
    return lines


def _grade(grade: Grade | None) -> str:
    if grade is None:
        return "–, there is no figure to judge"
    parts = [counted(grade.processes, "process")]
    for code in grade.reasons:
        figure = grade.figures.get(code)
        shown = f"{figure:.3g}" if isinstance(figure, float) else figure
        parts.append(_REASONS[code].format(shown))
    return f"{grade.letter} ({'; '.join(filter(None, parts))})"


def _fields(facts: dict[str, Any]) -> Iterator[str]:
    for name, fact in facts.items():
        if name not in ("machine", "environment", "source"):
            text = isinstance(fact, str)
            yield f"{name}: {fact if text else json.dumps(fact, ensure_ascii=False)}"


def _facts(detail: dict[str, Any]) -> str:
    return ", ".join(f"{name}={fact}" for name, fact in detail.items())


def _value(value: Value) -> str:
    unit = metrics()[value.metric].unit
    # A plain number has the unit 1, as UCUM writes it.
    sign = "" if unit == "1" else f" {unit}"
    figure = "–" if value.value is None else f"{value.value:.6g}{sign}"
    printed = f"printed as “{value.printed}”" if value.printed else ""
    spread = (
        "" if value.uncertainty is None else f"± {value.uncertainty:.6g} as printed"
    )
    parts = (figure, spread, value.reason, value.derived, printed, value.locator)
    return f"{value.metric}: " + ", ".join(part for part in parts if part)


def _standing(beside: dict[str, Any]) -> Iterator[str]:
    """Say whether the source is out of date, and who tells the same figures."""
    if beside["superseded_by"]:
        yield f"superseded by {beside['superseded_by']}"
    if beside["hearsay"]:
        yield "told by a file from elsewhere only: counts in no comparison"
    for one in beside["same_figures"]:
        kind = "the original" if one["original"] else "a copy"
        yield f"same figures in {one['source']}, {kind}: {one['run'][:12]}"


def _source(found: Record) -> list[str]:
    source = found.source
    if source is None:
        return []
    rows = [
        f"{source.title} ({source.slug})",
        ", ".join(source.authors),
        source.url,
        source.document,
        source.document_sha256 and f"SHA-256 {source.document_sha256}",
        source.importer
        and f"read by importer {source.importer}, version {source.importer_version}",
        source.licence and f"licence: {source.licence}",
        source.published and f"published: {source.published}",
        found.run.locator and f"place: {found.run.locator}",
    ]
    return [row for row in rows if row]


def provenance(connection: Connection, found: Record) -> dict[str, Any]:
    """Return what is known beside the record itself.

    *mine* tells it from what was contributed. *findings* are doubts of the plausibility
    rules, *places* the text at each locator of the run where the document was kept,
    *same_figures* the runs of other sources that tell the same, *superseded_by* the
    title of a newer version of the source. What is *hearsay* only a stranger's file
    tells.
    """
    newer = editions.superseded(connection).get(found.source_digest or "")
    return {
        "mine": machines.is_mine(connection, found.digest),
        "findings": [
            {"code": one.code, "metric": one.metric, "detail": dict(one.detail)}
            for one in findings.findings_of(connection, found.digest)
        ],
        "places": _places(connection, found),
        "same_figures": [
            {
                "run": one.run,
                "original": one.original,
                "source": _title(connection, one.source),
            }
            for one in duplicates.of_run(connection, found.digest)
        ],
        "hearsay": found.digest in hearsay.hearsay(connection),
        "superseded_by": newer and _title(connection, newer),
    }


def _places(connection: Connection, found: Record) -> dict[str, str]:
    known = found.source and found.source.document_sha256
    content = known and documents.kept(connection, known)
    if not content or found.source is None:
        return {}
    document = Document(found.source.document or "", content)
    locators = [found.run.locator, *(value.locator for value in found.end.values)]
    places = {one: excerpt(document, one) for one in locators if one}
    return {one: text for one, text in places.items() if text is not None}


def _title(connection: Connection, digest: str) -> str:
    query = select(source.c.title, source.c.slug).where(source.c.digest == digest)
    row = connection.execute(query).one()
    return f"{row.title} ({row.slug})"
