"""``benchdb report``: write comparison reports."""

import os
from collections.abc import Sequence

import typer
from sqlalchemy import Engine

from benchdb.cli import report_options as given
from benchdb.cli import reporting
from benchdb.cli.options import Db, opened
from benchdb.cli.reporting import Marks, Place
from benchdb.errors import UsageError
from benchdb.report.language import negotiate
from benchdb.report.narrowing import Wanted
from benchdb.report.view.page import Report
from benchdb.report.write import Edition
from benchdb.store.database import reading
from benchdb.store.machines import find_by_id

app = typer.Typer(add_completion=False)


@app.command()
def report(
    lang: given.Lang = None,
    format_: given.Formats = None,
    output: given.Output = None,
    site: given.Site = None,
    check: given.Check = False,
    baseline: given.Baseline = None,
    highlight: given.Highlight = None,
    chip: given.Chip = None,
    workload: given.Workload = None,
    framework: given.Framework = None,
    device: given.Device = None,
    precision: given.Precision = None,
    source: given.Source = None,
    grade: given.Grade = None,
    everything: given.Everything = False,
    db: Db = None,
) -> None:
    """Write comparison reports as HTML and Markdown.

    One self-contained HTML page, and Markdown with charts; beside them the same values
    as CSV, JSON and SQLite. The same database and options give the same bytes. Filters
    limit all of it; one that names nothing that is known is an error, and where they
    leave nothing the page says what there is. Of a large database it shows the newest
    of each measurement, as far as there is room.
    """
    where = reporting.place(output, site)
    languages = negotiate(lang or (["all"] if where.site else ()), os.environ)
    wanted = reporting.formats(format_ or ())
    reporting.refuse_contradictions(where, languages, wanted, check=check)
    asked = {
        "chip": chip or (),
        "workload": workload or (),
        "framework": framework or (),
        "device": device or (),
        "precision": precision or (),
        "source": source or (),
        "grade": grade or (),
    }
    engine = opened(db)
    marks = Marks(baseline, highlight, _machine(engine, highlight))
    found, edition = reporting.computed(
        engine,
        Wanted(asked, everything, marks.here, marks.baseline),
        marks,
        Edition(languages, wanted, site=where.site),
    )
    _require_machine(found, highlight)
    if where.is_output:
        reporting.show(found, edition)
    elif not check:
        reporting.write(found, edition, where.folder)
    else:
        command = [*_named("--lang", lang), *_named("--format", format_)]
        command += [*_place(where, output), *edition.options, *_database(db)]
        if not reporting.check(found, edition, where.folder, command):
            raise typer.Exit(1)


def _machine(engine: Engine, highlight: str | None) -> str | None:
    """Return the anonymous id of the machine to mark; None marks what is mine."""
    if highlight in (None, "here"):
        return None
    with reading(engine) as connection:
        return find_by_id(connection, str(highlight))


def _require_machine(found: Report, highlight: str | None) -> None:
    if highlight is None or found.there:
        return
    if any(machine.here for machine in found.machines):
        return
    if highlight != "here":
        raise UsageError(
            f"no result of machine {highlight!r} is in this report; nothing to "
            "highlight"
        )
    typer.echo(
        "benchdb: no result of this machine is in this report, so nothing is "
        "highlighted; 'benchdb collect' measures it",
        err=True,
    )


def _named(option: str, values: Sequence[str] | None) -> list[str]:
    return [word for value in values or () for word in (option, value)]


def _place(where: Place, output: object) -> list[str]:
    if where.site:
        return ["--site", str(where.folder)]
    return [] if output is None else ["-o", str(where.folder)]


def _database(db: str | None) -> list[str]:
    # An address may hold a password.
    return [] if db is None or "://" in db else ["--db", db]
