"""``benchdb show``: one run with everything known about it."""

import json
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator
from statistics import median
from typing import Any

import msgspec
import typer
from sqlalchemy import Connection, select

from benchdb.catalogue import metrics
from benchdb.cli.console import (
    AsJson,
    argument,
    counted,
    flag,
    label_text,
    plain,
    wrapped,
)
from benchdb.cli.figure_text import figure, interval
from benchdb.cli.list_runs import work
from benchdb.cli.user_database import Db, opened
from benchdb.collecting.reproducing import words as words_of
from benchdb.exchange.messages import Value
from benchdb.exchange.record import Record, content, digest_of
from benchdb.grading import Grade
from benchdb.importing.document import Document
from benchdb.importing.provenance import excerpt
from benchdb.metric_kinds import listed
from benchdb.store import (
    documents,
    duplicates,
    editions,
    findings,
    hearsay,
    machines,
    retractions,
)
from benchdb.store.database import reading
from benchdb.store.listing import standing
from benchdb.store.read import find, record
from benchdb.store.replications import ClassSpreads, Replication, replications_of
from benchdb.store.run_grades import grade_of
from benchdb.store.signers import vouching
from benchdb.store.tables import source
from benchdb.titles import system_title

app = typer.Typer(add_completion=False)

_OF_RUN = ("key", "workload", "label")  # shown above all, or of no use
# What comes before the work itself, and stands behind its figures.
_WARM_UP = (
    *("import_seconds", "build_seconds", "data_seconds", "load_seconds"),
    *("compile_seconds", "first_operation_seconds", "first_step_seconds"),
)
_PHASES = ("burst", "measure", "settle", "step", "seed", "warmup")


@app.command()
def show(
    run: str = argument("A run id, or how it starts."),
    everything: bool = flag(
        "Its evidence as well: samples, conditions, checks, machine.", "--all"
    ),
    as_json: AsJson = False,
    db: Db = None,
) -> None:
    """Show one run: its figure, how sure it is, where it comes from.

    The figure of its cell and session first, with the grade and its reasons; then its
    own figures, and the command that measures it again.
    """
    engine = opened(db)
    with reading(engine) as connection:
        digest = find(connection, run)
        whole, grade = record(connection, digest), grade_of(connection, digest)
        stands = standing(connection, digest)
        beside = provenance(connection, whole)
        again = replications_of(connection, digest, _spreads).get(digest)
    if as_json:
        facts = _plain(whole, grade) | beside | {"result": _result(stands)}
        facts["replication"] = again and msgspec.to_builtins(again)
        typer.echo(json.dumps(facts, indent=2))
        return
    lines = [*_head(whole, grade, stands, beside)]
    lines += _again(again)
    for title, rows in _sections(whole, beside, stands, everything=everything).items():
        if shown := [f"  {row}" for row in rows]:
            lines += ["", title, *shown]
    for line in lines:
        for part in wrapped(plain(line), 12 if line[:1].strip() else 4):
            typer.echo(part)


def _spreads(connection: Connection) -> ClassSpreads:
    from benchdb.report.class_spreads import class_spreads  # noqa: PLC0415  heavy

    return class_spreads(connection)


def _again(replication: Replication | None) -> Iterator[str]:
    if replication is not None:
        from benchdb.report.language import load  # noqa: PLC0415  heavy
        from benchdb.report.wording.measured_again import (  # noqa: PLC0415  heavy
            replication_texts,
        )

        yield f"confirmed   {' '.join(replication_texts(load('en'), replication))}"


def _result(stands: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the figure of the cell and session as JSON has it."""
    if stands is None or stands["value"] is None:
        return None
    names = ("metric", "value", "low", "high", "n", "grade", "trust", "system")
    return {"run": stands["digest"], **{name: stands[name] for name in names}}


def _plain(stored: Record, grade: Grade | None) -> dict[str, Any]:
    return {
        "digest": stored.digest,
        "grade": None if grade is None else msgspec.to_builtins(grade),
        "run": content(stored.run, drop=("key", "machine", "environment", "source")),
        "end": content(stored.end, drop=("run",)),
        "machine": {"digest": digest_of(stored.machine), **content(stored.machine)},
        "environment": {
            "digest": digest_of(stored.environment),
            **content(stored.environment),
        },
        "source": None if stored.source is None else content(stored.source),
        "samples": [
            {"phase": series.phase, "per": series.per, "seconds": series.values}
            for series in stored.series
        ],
    }


def _head(
    stored: Record,
    grade: Grade | None,
    stands: dict[str, Any] | None,
    beside: dict[str, Any],
) -> Iterator[str]:
    """Yield what is asked for first: the figure, how far to trust it, what it is of."""
    run = stored.run
    yield from _figures(stored, stands)
    yield f"grade       {_grade(grade)}"
    yield f"trust       {_trust(stored, beside)}"
    asked = stands or {"batch_size": run.parameters.get("batch_size"), "size": None}
    facts = {"workload": run.workload, "setting": run.setting, "source": None}
    version = f"version {run.workload_version}, {run.setting}"
    yield f"workload    {work({**asked, **facts, 'setting': 'standard'})} ({version})"
    yield f"system      {_system(stored, stands)}"
    yield from _status(stored, beside)
    yield f"label       {label_text(run.label, mine=beside['mine'])}"
    turn = run.replicate
    of = [
        (run.started or "")[:16].replace("T", " "),
        run.campaign and f"campaign {run.campaign}",
        None
        if turn is None
        else f"process {turn + 1} of {run.replicates or 'several'}",
    ]
    if any(of):
        yield f"measured    {', '.join(filter(None, of))}"
    yield f"run         {stored.digest}"
    words = words_of(stored)
    again = shlex.join(words) if isinstance(words, list) else f"–, {words}"
    yield f"again       {again}"
    if run.reproduces:
        yield f"reproduces  {run.reproduces}"


def _status(result: Record, beside: dict[str, Any]) -> Iterator[str]:
    """Yield how it ended, or that it was withdrawn, and who else says that it was."""
    end = result.end
    gone = [line for line in beside["retractions"] if line["effect"]]
    for line in gone[:1]:
        yield f"status      withdrawn on {line['retracted']}: {line['reason']}"
    if not gone:
        yield f"status      {end.status}" + (f": {end.reason}" if end.reason else "")
    for line in beside["retractions"]:
        if not line["effect"]:
            who = line["fingerprint"] or "somebody without a key"
            yield (
                f"proposal    {who} says on {line['retracted']} that it is withdrawn, "
                f"which has no effect: {line['reason']}"
            )


def _trust(stored: Record, beside: dict[str, Any]) -> str:
    """Return the step of the ladder, and what the next one asks for."""
    step = beside["trust"]
    if step is None:
        return "–, there is no figure"
    from benchdb.report.language import load  # noqa: PLC0415  heavy
    from benchdb.report.wording.ladder import next_text  # noqa: PLC0415  heavy

    wanted = next_text(load("en"), step, stored.digest, stored.run.workload)
    return f"{step} ({wanted})" if wanted else step


def _figures(stored: Record, stands: dict[str, Any] | None) -> Iterator[str]:
    """Yield the figure of the cell and session, and this process's own of several."""
    if stands is None or stands["value"] is None:
        yield "figure      –"
        return
    metric, workload, value = stands["metric"], stored.run.workload, stands["value"]
    parts = [f"{figure(value, metric, workload)} ({metrics()[metric].short})"]
    ends = stands["low"], stands["high"]
    if None not in ends:
        parts.append(f"95 % interval {interval(value, ends, metric, workload)}")
    parts.append(f"n = {stands['n']}")
    yield f"figure      {', '.join(parts)}"
    if stands["n"] > 1:
        own = next((v.value for v in stored.end.values if v.metric == metric), None)
        yield f"this run    {figure(own, metric, workload)}"


def _system(result: Record, stands: dict[str, Any] | None) -> str:
    run, version = result.run, result.environment.framework_version
    chip = stands and stands["accelerator"]
    title = system_title(chip or None, run.device, run.framework)
    compiler = None if run.compiler in (None, "none") else run.compiler
    title += f" {version}" if version else ""
    return ", ".join(filter(None, (title, run.precision, compiler)))


def _sections(
    stored: Record,
    beside: dict[str, Any],
    stands: dict[str, Any] | None,
    *,
    everything: bool,
) -> dict[str, Iterable[str]]:
    run, end = stored.run, stored.end
    doubts = (
        filter(None, [item["code"], item["metric"], _facts(item["detail"])])
        for item in beside["findings"]
    )
    headline = stands["metric"] if stands else None
    sections: dict[str, Iterable[str]] = {
        "values": _values(stored, headline, exact=everything),
        "flags": (f"{flag.code} {_facts(flag.detail)}" for flag in end.flags),
        "worth a second look": map(" ".join, doubts),
        "signatures": (_signature(item) for item in beside["signatures"]),
        "source": [*_source(stored), *_standing(beside)],
        "in the document": (f"{at}: {text}" for at, text in beside["places"].items()),
    }
    if everything:
        sections |= {
            "samples": _samples(stored),
            "run": _fields(content(run, drop=_OF_RUN)),
            "checks": _fields(dict(end.checks)),
            "machine": _fields(content(stored.machine)),
            "environment": _fields(content(stored.environment)),
            "conditions after": _fields(dict(end.conditions)),
        }
    return sections


def _signature(result: dict[str, Any]) -> str:
    who = (
        f"{result['name']} ({result['fingerprint']})"
        if result["name"]
        else result["fingerprint"]
    )
    return f"{who}: {result['trust']} key, imported on {result['imported']}"


def _samples(stored: Record) -> Iterator[str]:
    for series in sorted(stored.series, key=lambda series: _PHASES.index(series.phase)):
        if series.values:
            yield (
                f"{series.phase}: {len(series.values)} × {series.per} steps, "
                f"median {median(series.values):.6g} s, {min(series.values):.6g} to "
                f"{max(series.values):.6g} s"
            )


def _grade(grade: Grade | None) -> str:
    if grade is None:
        return "–, there is no figure to judge"
    from benchdb.report.language import load  # noqa: PLC0415  heavy
    from benchdb.report.wording.grades import ground_text  # noqa: PLC0415  heavy

    english = load("en")
    parts = [counted(grade.processes, "process")]
    parts += (
        ground_text(english, code, grade.figures.get(code)) for code in grade.reasons
    )
    return f"{grade.letter} ({'; '.join(filter(None, parts))})"


def _fields(facts: dict[str, Any]) -> Iterator[str]:
    for name, fact in facts.items():
        if name not in ("machine", "environment", "source"):
            text = isinstance(fact, str)
            yield f"{name}: {fact if text else json.dumps(fact, ensure_ascii=False)}"


def _facts(detail: dict[str, Any]) -> str:
    return ", ".join(f"{name}={fact}" for name, fact in detail.items())


def _values(stored: Record, headline: str | None, *, exact: bool) -> Iterator[str]:
    """Yield its figures: the headline first, the warm-up behind; then what is missing.

    What several lack for one reason is a line.
    """

    def turn(value: Value) -> tuple[bool, bool, int, str]:
        name = value.metric
        place = listed().index(name) if name in listed() else len(listed())
        return name != headline, name in _WARM_UP, place, name

    missing = defaultdict[str, list[str]](list)
    for value in sorted(stored.end.values, key=turn):
        if value.value is None:
            missing[value.reason or "no reason is given"].append(value.metric)
        else:
            yield _value(value, stored.run.workload, exact=exact)
    for reason, names in missing.items():
        yield f"without a figure, {reason}: {', '.join(names)}"


def _value(value: Value, workload: str, *, exact: bool) -> str:
    def shown(number: float) -> str:
        if not exact:
            return figure(number, value.metric, workload)
        unit = metrics()[value.metric].unit
        # A plain number has the unit 1, as UCUM writes it.
        return f"{number:.6g}" + ("" if unit == "1" else f" {unit}")

    parts = (
        shown(value.value or 0.0),
        "" if value.uncertainty is None else f"± {shown(value.uncertainty)} as printed",
        value.derived,
        f"printed as “{value.printed}”" if value.printed else "",
        value.locator,
    )
    return f"{value.metric}: " + ", ".join(part for part in parts if part)


def _standing(beside: dict[str, Any]) -> Iterator[str]:
    """Say whether the source is out of date, and who tells the same figures."""
    if beside["superseded_by"]:
        yield f"superseded by {beside['superseded_by']}"
    if beside["hearsay"]:
        yield "told by a file from elsewhere only: counts in no comparison"
    for item in beside["same_figures"]:
        kind = "the original" if item["original"] else "a copy"
        yield f"same figures in {item['source']}, {kind}: {item['run'][:12]}"


def _source(stored: Record) -> list[str]:
    source = stored.source
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
        stored.run.locator and f"place: {stored.run.locator}",
    ]
    return [row for row in rows if row]


def provenance(connection: Connection, stored: Record) -> dict[str, Any]:
    """Return what is known beside the record itself.

    *mine* tells it from what was contributed. *findings* are doubts of the plausibility
    rules, *places* the text at each locator of the run where the document was kept,
    *same_figures* the runs of other sources that tell the same, *superseded_by* the
    title of a newer version of the source, *signatures* who signed it, as far as that
    was known when the bundle came. What is *hearsay* only a stranger's file tells.
    *trust* is its step of the ladder, *retractions* are what is said of it.
    """
    stands = standing(connection, stored.digest)
    newer = editions.superseded(connection).get(stored.source_digest or "")
    return {
        "mine": machines.is_mine(connection, stored.digest),
        "findings": [
            {
                "code": finding.code,
                "metric": finding.metric,
                "detail": dict(finding.detail),
            }
            for finding in findings.findings_of(connection, stored.digest)
        ],
        "places": _places(connection, stored),
        "same_figures": [
            {
                "run": edition.run,
                "original": edition.original,
                "source": _title(connection, edition.source),
            }
            for edition in duplicates.of_run(connection, stored.digest)
        ],
        "trust": stands and stands["trust"],
        "retractions": [
            msgspec.to_builtins(known)
            for known in retractions.of_run(connection, stored.digest)
        ],
        "signatures": [
            msgspec.to_builtins(item) for item in vouching(connection, stored.digest)
        ],
        "hearsay": stored.digest in hearsay.hearsay(connection),
        "superseded_by": newer and _title(connection, newer),
    }


def _places(connection: Connection, stored: Record) -> dict[str, str]:
    known = stored.source and stored.source.document_sha256
    content = known and documents.kept(connection, known)
    if not content or stored.source is None:
        return {}
    document = Document(stored.source.document or "", content)
    locators = [stored.run.locator, *(value.locator for value in stored.end.values)]
    places = {locator: excerpt(document, locator) for locator in locators if locator}
    return {result: text for result, text in places.items() if text is not None}


def _title(connection: Connection, digest: str) -> str:
    query = select(source.c.title, source.c.slug).where(source.c.digest == digest)
    row = connection.execute(query).one()
    return f"{row.title} ({row.slug})"
