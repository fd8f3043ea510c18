"""``benchdb report``: write comparison reports."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from msgspec.structs import replace
from sqlalchemy import Engine

from benchdb.cli.console import plain, print_bytes
from benchdb.cli.database import Db, opened
from benchdb.errors import UsageError
from benchdb.report.filters import as_line, words
from benchdb.report.language import negotiate
from benchdb.report.report_files import (
    FORMATS,
    Edition,
    Format,
    differences,
    files,
)
from benchdb.report.report_files import write as write_files
from benchdb.report.scope import Wanted, selected
from benchdb.report.summary import summarise
from benchdb.report.view.atoms import Room
from benchdb.report.view.page import Report
from benchdb.store.database import reading
from benchdb.store.machines import find_by_id

app = typer.Typer(add_completion=False)

STANDARD_OUTPUT = Path("-")
_FOLDER = Path("report")
_FILTERS = (
    *("chip", "workload", "framework", "device"),
    *("precision", "source", "grade"),
)

Lang = Annotated[
    list[str] | None,
    typer.Option(help="Languages: de, fr, ko …, several or all [default: yours]"),
]
Formats = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        help="html, markdown, csv, json, sqlite, several or all [default: all]",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        help="Folder to write into; - writes one file to standard output. "
        "[default: report]",
        show_default=False,
    ),
]
Site = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Write all languages for a static host into DIR, with an index.html.",
    ),
]
Check = Annotated[
    bool,
    typer.Option(
        "--check", help="Write nothing; fail if a file is not as it would be written."
    ),
]
Baseline = Annotated[
    str | None, typer.Option(help="System that the ranking compares with.")
]
Highlight = Annotated[
    str | None,
    typer.Option(
        help="Machine to mark in place of yours: its anonymous id, or a run of it; "
        "6 letters do."
    ),
]
Chip = Annotated[
    list[str] | None, typer.Option(help="Only what ran on this chip; repeatable.")
]
Workload = Annotated[
    list[str] | None, typer.Option(help="Only this workload; repeatable.")
]
Framework = Annotated[
    list[str] | None, typer.Option(help="Only this framework; repeatable.")
]
Device = Annotated[
    list[str] | None, typer.Option(help="Only cpu, metal, cuda …; repeatable.")
]
Precision = Annotated[
    list[str] | None, typer.Option(help="Only fp32, bf16 …; repeatable.")
]
Source = Annotated[list[str] | None, typer.Option(help="Only this source; repeatable.")]
Grade = Annotated[
    list[str] | None,
    typer.Option(help="Only runs graded A, B, C, I or X; repeatable, or A,B."),
]
Everything = Annotated[
    bool,
    typer.Option(
        "--all",
        help="All runs of a large database, not only the newest that have room.",
    ),
]


class Place(msgspec.Struct, frozen=True):
    """Where a report goes: a folder, that of a *site*, or standard output."""

    folder: Path
    site: bool = False

    @property
    def is_output(self) -> bool:
        """Tell whether it is standard output."""
        return not self.site and self.folder == STANDARD_OUTPUT


class Marks(msgspec.Struct, frozen=True):
    """What a page compares with and marks; *here* as ``summarise`` has it."""

    baseline: str | None
    highlight: str | None
    here: str | None

    @property
    def words(self) -> list[str]:
        """Return them as words of a command line."""
        named = {"--baseline": self.baseline, "--highlight": self.highlight}
        return [word for name, one in named.items() if one for word in (name, one)]


def _place(output: Path | None, site: Path | None) -> Place:
    """Return where a report goes; raise ``UsageError`` if that is two places."""
    if site is None:
        return Place(output or _FOLDER)
    if output is not None:
        raise UsageError("--site names the folder already; leave out -o")
    return Place(site, site=True)


def _formats(asked: Sequence[str]) -> tuple[Format, ...]:
    """Return the formats asked for, in a fixed order; raise ``UsageError`` for others.

    They may be given several times, or with commas.
    """
    given = [name.strip() for value in asked for name in value.split(",")]
    for name in given:
        if name not in (*FORMATS, "all"):
            raise UsageError(
                f"no format {name!r}; there are: {', '.join(FORMATS)}, all"
            )
    everything = not given or "all" in given
    return tuple(name for name in FORMATS if everything or name in given)


def _refuse_contradictions(
    where: Place, languages: Sequence[str], wanted: Sequence[Format], *, check: bool
) -> None:
    """Raise ``UsageError`` if *where* cannot take what is wanted."""
    if where.site and "html" not in wanted:
        raise UsageError("a site needs the format html")
    if not where.is_output:
        return
    if check:
        raise UsageError("standard output has nothing to check; name a folder with -o")
    if len(wanted) > 1:
        raise UsageError(
            "standard output takes one format; choose it with --format: "
            f"{', '.join(wanted)}"
        )
    if len(languages) > 1 and wanted[0] in ("html", "markdown"):
        raise UsageError(
            "standard output takes one language; choose it with --lang: "
            f"{', '.join(languages)}"
        )


def _computed(
    engine: Engine, wanted: Wanted, marks: Marks, edition: Edition
) -> tuple[Report, Edition]:
    """Return the report of the runs *wanted*, and its edition with what it needs.

    Where no run is left the report says what there is, and so does standard error; so
    it does where the page has no room for all runs.
    """
    with reading(engine) as connection, selected(connection, wanted) as scope:
        # A baseline that the filters take away is no mistake where they take all.
        baseline = None if scope.there else marks.baseline
        found = summarise(connection, baseline=baseline, here=marks.here, scope=scope)
        database = b""
        if "sqlite" in edition.formats:
            from benchdb.report import database_file  # noqa: PLC0415  only this format

            database = database_file.content(connection, scope)
    if found.there:
        nothing = f"no result matches {as_line(found.chosen)}"
        _warn(f"{nothing}; there are results for: {as_line(found.there)}")
    if found.room:
        _warn(_told(found.room))
    everything = ["--all"] if wanted.everything else []
    options = [*marks.words, *words(found.chosen), *everything]
    return found, replace(edition, options=options, database=database)


def _told(room: Room) -> str:
    kept = f"{room.runs:,} of {room.of_runs:,} runs: the newest of each measurement"
    if room.machines < room.of_machines:
        kept += f", from {room.machines:,} of {room.of_machines:,} machines"
    return f"shows {kept}; filters such as --chip show others, --all shows everything"


def _print_file(report: Report, edition: Edition) -> None:
    """Write the one file that was asked for to standard output."""
    alone = replace(edition, languages=edition.languages[:1], alone=True)
    print_bytes([next(files(report, alone)).content])


def _write(report: Report, edition: Edition, folder: Path) -> None:
    """Write all files; tell each with its size."""
    if "markdown" in edition.formats:
        from benchdb.report.charts.fonts import missing_fonts  # noqa: PLC0415

        if missing := missing_fonts(edition.languages):
            _warn(missing)
    for path, size in write_files(files(report, edition), folder):
        typer.echo(plain(f"{path} ({size:,} bytes)"))


def _clean(report: Report, edition: Edition, folder: Path, command: list[str]) -> bool:
    """Tell of each file that is not as it would be written; True if there is none."""
    again = shlex.join(["benchdb", "report", *command])
    clean = True
    for path, problem in differences(files(report, edition), folder):
        typer.echo(plain(f"{path}: {problem}; run: {again}"))
        clean = False
    return clean


def _warn(text: str) -> None:
    typer.echo(plain(f"benchdb: {text}"), err=True)


@app.command()
def report(
    context: typer.Context,
    lang: Lang = None,
    format_: Formats = None,
    output: Output = None,
    site: Site = None,
    check: Check = False,
    baseline: Baseline = None,
    highlight: Highlight = None,
    chip: Chip = None,
    workload: Workload = None,
    framework: Framework = None,
    device: Device = None,
    precision: Precision = None,
    source: Source = None,
    grade: Grade = None,
    everything: Everything = False,
    db: Db = None,
) -> None:
    """Write comparison reports as HTML and Markdown.

    One self-contained HTML page, and Markdown with charts; beside them the same values
    as CSV, JSON and SQLite. The same database and options give the same bytes. Filters
    limit all of it; one that names nothing that is known is an error, and where they
    leave nothing the page says what there is. Of a large database it shows the newest
    of each measurement, as far as there is room.
    """
    where = _place(output, site)
    languages = negotiate(lang or (["all"] if where.site else ()), os.environ)
    wanted = _formats(format_ or ())
    _refuse_contradictions(where, languages, wanted, check=check)
    filters = {name: context.params[name] or () for name in _FILTERS}
    engine = opened(db)
    marks = Marks(baseline, highlight, _machine(engine, highlight))
    found, edition = _computed(
        engine,
        Wanted(filters, everything, marks.here, marks.baseline),
        marks,
        Edition(languages, wanted, site=where.site),
    )
    _require_machine(found, highlight)
    if where.is_output:
        _print_file(found, edition)
    elif not check:
        _write(found, edition, where.folder)
    else:
        command = [*_named("--lang", lang), *_named("--format", format_)]
        command += [
            *_place_option(where, output),
            *edition.options,
            *_database_option(db),
        ]
        if not _clean(found, edition, where.folder, command):
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


def _place_option(where: Place, output: object) -> list[str]:
    if where.site:
        return ["--site", str(where.folder)]
    return [] if output is None else ["-o", str(where.folder)]


def _database_option(db: str | None) -> list[str]:
    # An address may hold a password.
    return [] if db is None or "://" in db else ["--db", db]
