"""``benchdb report``: write comparison reports."""

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace
from sqlalchemy import Engine

from benchdb.cli.console import plain, print_bytes, tell
from benchdb.cli.user_database import Db, opened
from benchdb.errors import UsageError, suggestion
from benchdb.report.filters import as_line, words
from benchdb.report.language import negotiate
from benchdb.report.scope import Wanted, selected
from benchdb.report.view.page import Report
from benchdb.site.content import Site, content
from benchdb.site.files import FORMATS, Edition, File, Format, differences, files
from benchdb.site.files import write as write_files
from benchdb.store.database import reading
from benchdb.store.machines import find_by_id

app = typer.Typer(add_completion=False)

_STDOUT = Path("-")
_FILTERS = (
    *("chip", "workload", "framework", "device"),
    *("precision", "source", "campaign", "grade"),
)


def _formats(asked: Sequence[str]) -> tuple[Format, ...]:
    """Return the formats asked for, in a fixed order; raise ``UsageError`` for others.

    They may be given several times, or with commas.
    """
    given = [name.strip() for value in asked for name in value.split(",")]
    for name in given:
        if name not in (*FORMATS, "all"):
            raise UsageError(f"no format {name!r}{suggestion(name, [*FORMATS, 'all'])}")
    everything = not given or "all" in given
    return tuple(name for name in FORMATS if everything or name in given)


def _refuse_contradictions(
    output: Path | None,
    languages: Sequence[str],
    formats: Sequence[Format],
    *,
    check: bool,
) -> None:
    """Raise ``UsageError`` if the place cannot take what is wanted."""
    if output != _STDOUT:
        return
    if check:
        raise UsageError("standard output has nothing to check; name a folder with -o")
    if len(formats) > 1:
        raise UsageError(
            "standard output takes one format; choose it with --format: "
            f"{', '.join(formats)}"
        )
    if len(languages) > 1 and formats[0] in ("html", "markdown", "snippet"):
        raise UsageError(
            "standard output takes one language; choose it with --lang: "
            f"{', '.join(languages)}"
        )


@contextmanager
def _computed(
    engine: Engine, wanted: Wanted, highlight: str | None, edition: Edition
) -> Iterator[tuple[Site, Edition]]:
    """Give the site of the runs *wanted*, and the edition with what it needs.

    Where no run is left the report says what there is, and so does standard error; so
    it does where there is no room for all runs.
    """
    with reading(engine) as connection, selected(connection, wanted) as scope:
        database = b""
        if "sqlite" in edition.formats:
            from benchdb.report import database_file  # noqa: PLC0415  only this format

            database = database_file.content(connection, scope)
        if scope.there:
            nothing = f"no result matches {as_line(scope.chosen)}"
            tell(f"benchdb: {nothing}; there are results for: {as_line(scope.there)}")
        if room := scope.room:
            kept = f"{room.runs:,} of {room.of_runs:,} runs: the newest of each"
            tell(
                f"benchdb: shows {kept} measurement; filters such as --chip show "
                "others, --all shows everything"
            )
        options = ["--highlight", highlight] if highlight else []
        options += words(scope.chosen)
        options += ["--all"] if wanted.everything else []
        site = content(connection, scope, wanted.here)
        yield site, replace(edition, options=options, database=database)


def _refuse_beside_site(options: Mapping[str, object]) -> None:
    """Raise ``UsageError`` for an option that a site cannot follow."""
    for name, value in options.items():
        if value:
            raise UsageError(f"a site has no use for {name}; leave it out")


def _refuse_beside_run(
    options: Mapping[str, object], formats: Sequence[Format]
) -> None:
    """Raise ``UsageError`` for an option that the page of a run cannot follow."""
    for name, value in options.items():
        if value:
            raise UsageError(f"--run is of one run; leave --{name} out")
    if formats != ("html",):
        raise UsageError("the page of a run is HTML; leave --format out")


def _write_site(
    engine: Engine,
    wanted: Wanted,
    languages: Sequence[str],
    folder: Path,
    base_url: str | None,
) -> None:
    """Write the site of the runs *wanted*; say how much of it is new."""
    from benchdb.site import whole  # noqa: PLC0415  one page needs none of it
    from benchdb.site.pages import Frame, checked_base  # noqa: PLC0415

    frame = Frame(tuple(languages), checked_base(base_url))
    with reading(engine) as connection, selected(connection, wanted) as scope:
        if scope.there:
            raise UsageError(
                f"no result matches {as_line(scope.chosen)}; there are results for: "
                f"{as_line(scope.there)}"
            )
        done = whole.renew(connection, scope, frame, folder, wanted.here)
    if room := scope.room:
        kept = f"{room.runs:,} of {room.of_runs:,} runs: the newest of each measurement"
        tell(f"benchdb: the site has {kept}; 'benchdb report --run ID' shows any other")
    typer.echo(
        plain(
            f"{folder / 'index.html'} ({done.written:,} files written, {done.kept:,} "
            f"as they were, {done.removed:,} removed; {done.size / 1e6:,.1f} MB)"
        )
    )


def _write(site: Site, edition: Edition, folder: Path) -> None:
    """Write all files; tell each with its size."""
    if "markdown" in edition.formats:
        from benchdb.report.charts.fonts import missing_fonts  # noqa: PLC0415

        if missing := missing_fonts(edition.languages):
            tell(f"benchdb: {missing}")
    for path, size in write_files(files(site, edition), folder):
        typer.echo(plain(f"{path} ({size:,} bytes)"))


def _write_run(
    engine: Engine, run: str, codes: Sequence[str], output: Path | None
) -> None:
    """Write the page of one run, in each language, or to standard output."""
    from benchdb.site.run.page import files as pages_of  # noqa: PLC0415

    with reading(engine) as connection:
        found = list(pages_of(connection, run, codes))
    if output == _STDOUT:
        print_bytes([found[0].content])
        return
    for path, size in write_files(found, output or Path("report")):
        typer.echo(plain(f"{path} ({size:,} bytes)"))


def _require_machine(found: Report, highlight: str | None) -> None:
    """Raise ``UsageError`` if the machine to *highlight* is not there, but for ours."""
    if highlight is None or found.there or any(one.here for one in found.machines):
        return
    if highlight != "here":
        raise UsageError(
            f"no result of machine {highlight!r} is in this report; nothing to "
            "highlight"
        )
    tell(
        "benchdb: no result of this machine is in this report, so nothing is "
        "highlighted; 'benchdb collect' measures it"
    )


@app.command()
def report(
    context: typer.Context,
    lang: Annotated[
        list[str] | None,
        typer.Option(help="Languages: de, fr, ko …, several or all [default: yours]"),
    ] = None,
    format_: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            help="html, markdown, snippet, csv, json, sqlite, several or all "
            "[default: all]",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Folder to write into; - writes one file to standard output. "
            "[default: report]",
            show_default=False,
        ),
    ] = None,
    site: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write a site of static pages into DIR: answers, chips, workloads, "
            "runs; in all languages or those of --lang.",
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Where the site will be, for its sitemap and links between languages.",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Write nothing; fail if a file is not as it would be written.",
        ),
    ] = False,
    run: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="Write the page of one run: an id, or how it starts."
        ),
    ] = None,
    highlight: Annotated[
        str | None,
        typer.Option(
            help="Machine to mark in place of yours: its anonymous id, or a run of it; "
            "6 letters do."
        ),
    ] = None,
    chip: Annotated[
        list[str] | None, typer.Option(help="Only what ran on this chip; repeatable.")
    ] = None,
    workload: Annotated[
        list[str] | None, typer.Option(help="Only this workload; repeatable.")
    ] = None,
    framework: Annotated[
        list[str] | None, typer.Option(help="Only this framework; repeatable.")
    ] = None,
    device: Annotated[
        list[str] | None, typer.Option(help="Only cpu, metal, cuda …; repeatable.")
    ] = None,
    precision: Annotated[
        list[str] | None, typer.Option(help="Only fp32, bf16 …; repeatable.")
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option(help="Only this source; repeatable.")
    ] = None,
    campaign: Annotated[
        list[str] | None, typer.Option(help="Only this campaign; repeatable.")
    ] = None,
    grade: Annotated[
        list[str] | None,
        typer.Option(help="Only runs graded A, B, C, I or X; repeatable, or A,B."),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="All runs of a large database, not only the newest that have room.",
        ),
    ] = False,
    db: Db = None,
) -> None:
    """Write a short report, a whole site, or the page of a run.

    One self-contained HTML file that prints on two sheets, and Markdown with charts;
    beside them the same values as CSV, JSON and SQLite. The same database and options
    give the same bytes. Filters limit all of it; one that names nothing that is known
    is an error, and where they leave nothing the page says what there is. Of a large
    database it shows the newest of each measurement, as far as there is room.
    """
    if site is not None:
        others = {"-o": output, "--format": format_, "--run": run}
        _refuse_beside_site({**others, "--check": check, "--all": everything})
    elif base_url is not None:
        raise UsageError("--base-url is of a site; name its folder with --site")
    languages = negotiate(lang or (["all"] if site else ()), os.environ)
    formats = _formats(format_ or (["html"] if run else ()))
    _refuse_contradictions(output, languages, formats, check=check)
    filters = {name: context.params[name] or () for name in _FILTERS}
    engine = opened(db)
    here = None  # the machine to mark; None marks what is mine
    if highlight not in (None, "here"):
        with reading(engine) as connection:
            here = find_by_id(connection, str(highlight))
    if run is not None:
        _refuse_beside_run({**filters, "highlight": highlight, "check": check}, formats)
        _write_run(engine, run, languages, output)
        return
    wanted = Wanted(filters, everything, here)
    if site is not None:
        _write_site(engine, wanted, languages, site, base_url)
        return
    edition = Edition(languages, formats)
    folder = output or Path("report")
    with _computed(engine, wanted, highlight, edition) as (found, edition):
        _require_machine(found.report, highlight)
        if output == _STDOUT:
            single = replace(edition, languages=languages[:1], alone=True)
            print_bytes([next(files(found, single)).content])
        elif check:
            again = _again(edition, lang, format_, output, db)
            _compare(files(found, edition), folder, again)
        else:
            _write(found, edition, folder)


def _again(
    edition: Edition,
    lang: Sequence[str] | None,
    formats: Sequence[str] | None,
    output: Path | None,
    db: str | None,
) -> str:
    """Return the command that writes what is checked."""
    command = ["benchdb", "report"]
    for option, values in (
        ("--lang", lang or ()),
        ("--format", formats or ()),
        ("-o", [output] if output else ()),
    ):
        command += [word for each in values for word in (option, str(each))]
    # An address may hold a password.
    place = [] if db is None or "://" in db else ["--db", db]
    return shlex.join([*command, *edition.options, *place])


def _compare(found: Iterable[File], folder: Path, again: str) -> None:
    """Tell each file that is not as it would be written, and fail if there is one."""
    problems = list(differences(found, folder))
    for path, problem in problems:
        typer.echo(plain(f"{path}: {problem}; run: {again}"))
    if problems:
        raise typer.Exit(1)
