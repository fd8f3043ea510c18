"""What ``benchdb report`` makes of a database; what it has kept needs none of it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer
from msgspec.structs import replace
from sqlalchemy import Engine

from benchdb.cli.console import plain, tell
from benchdb.cli.user_database import opened
from benchdb.cli.waiting_line import waiting
from benchdb.errors import UsageError
from benchdb.report.filters import as_line, words
from benchdb.report.scope import Wanted, selected
from benchdb.report.view.report_view import Report
from benchdb.site.content import Site, content
from benchdb.site.output import File
from benchdb.site.report_files import Edition, files
from benchdb.site.short_facts import single
from benchdb.site.single import Single
from benchdb.store import contents
from benchdb.store.database import reading
from benchdb.store.machines import find_by_id

__all__ = [  # what a report is made with, as well as what is here
    "Edition",
    "Wanted",
    "computed",
    "facts",
    "files",
    "files_of_run",
    "machine_of",
    "opened",
    "published",
    "tell_missing_fonts",
    "write_site",
]


@contextmanager
def computed(
    engine: Engine, wanted: Wanted, highlight: str | None, edition: Edition
) -> Iterator[tuple[Site, Edition]]:
    """Give the site of the runs *wanted*, and the edition with what it needs.

    Where no run is left the report says what there is, and so does standard error; so
    it does where there is no room for all runs.
    """
    with (
        waiting("reading the results"),
        reading(engine) as connection,
        selected(connection, wanted) as scope,
    ):
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
        _require_machine(site.report, highlight)
        yield site, replace(edition, options=options, database=database)


def published() -> bytes:
    """Make the user's own database, which is not there; return its contents' state."""
    engine = opened(None)
    with reading(engine) as connection:
        text = contents.state(connection)
    engine.dispose()
    return text.encode()


def facts(db: str | None, wanted: Wanted) -> Single:
    """Return what the one page shows of the runs *wanted* in a database."""
    engine = opened(db)
    with computed(engine, wanted, None, Edition((), ())) as (site, _):
        result = single(site)
    engine.dispose()
    return result


def write_site(
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
        with waiting(f"writing the site into {folder}"):
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


def tell_missing_fonts(edition: Edition) -> None:
    """Say in which languages charts beside a page lack letters."""
    if "markdown" in edition.formats and not edition.alone:
        from benchdb.report.charts.fonts import missing_fonts  # noqa: PLC0415

        if missing := missing_fonts(edition.languages):
            tell(f"benchdb: {missing}")


def files_of_run(engine: Engine, run: str, codes: Sequence[str]) -> list[File]:
    """Return the page of one run in each language."""
    from benchdb.site.run.page import files as pages_of  # noqa: PLC0415

    with reading(engine) as connection:
        return list(pages_of(connection, run, codes))


def machine_of(engine: Engine, highlight: str | None) -> str | None:
    """Return the anonymous id of the machine to mark; ``None`` marks what is mine."""
    if highlight in (None, "here"):
        return None
    with reading(engine) as connection:
        return find_by_id(connection, str(highlight))


def _require_machine(report: Report, highlight: str | None) -> None:
    """Raise ``UsageError`` if the machine to *highlight* is not there, but for ours."""
    if (
        highlight is None
        or report.there
        or any(machine.here for machine in report.machines)
    ):
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
