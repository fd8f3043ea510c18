"""What a report is wanted for, and where its files go."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec
import typer
from sqlalchemy import Connection, Engine

from benchdb.cli import standard_output
from benchdb.cli.plain import plain
from benchdb.errors import UsageError
from benchdb.report.narrowing import Wanted, selected
from benchdb.report.scope import Scope
from benchdb.report.selection import told, words
from benchdb.report.summary import summarise
from benchdb.report.view.atoms import Room
from benchdb.report.view.page import Report
from benchdb.report.write import FORMATS, Edition, Format, alone, differences, files
from benchdb.report.write import write as write_files
from benchdb.store.database import reading

STANDARD_OUTPUT = Path("-")
_FOLDER = Path("report")


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


def place(output: Path | None, site: Path | None) -> Place:
    """Return where a report goes; raise ``UsageError`` if that is two places."""
    if site is None:
        return Place(output or _FOLDER)
    if output is not None:
        raise UsageError("--site names the folder already; leave out -o")
    return Place(site, site=True)


def formats(asked: Sequence[str]) -> tuple[Format, ...]:
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


def refuse_contradictions(
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


def computed(
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
        database = _database(connection, scope) if "sqlite" in edition.formats else b""
    if found.there:
        nothing = f"no result matches {told(found.chosen)}"
        _warn(f"{nothing}; there are results for: {told(found.there)}")
    if found.room:
        _warn(_told(found.room))
    options = [*marks.words, *words(found.chosen), *_all(wanted)]
    return found, Edition(
        edition.languages, edition.formats, options, database, edition.site
    )


def _database(connection: Connection, scope: Scope) -> bytes:
    from benchdb.report import database_file  # noqa: PLC0415  only this format

    return database_file.content(connection, scope)


def _told(room: Room) -> str:
    kept = f"{room.runs:,} of {room.of_runs:,} runs: the newest of each measurement"
    if room.machines < room.of_machines:
        kept += f", from {room.machines:,} of {room.of_machines:,} machines"
    return f"shows {kept}; filters such as --chip show others, --all shows everything"


def _all(wanted: Wanted) -> list[str]:
    return ["--all"] if wanted.everything else []


def show(report: Report, edition: Edition) -> None:
    """Write the one file that was asked for to standard output."""
    one = Edition(edition.languages[:1], edition.formats, edition.options)
    content = edition.database if edition.formats == ("sqlite",) else alone(report, one)
    standard_output.show([content])


def write(report: Report, edition: Edition, folder: Path) -> None:
    """Write all files; tell each with its size."""
    if "markdown" in edition.formats:
        from benchdb.report.charts.fonts import missing_fonts  # noqa: PLC0415

        if missing := missing_fonts(edition.languages):
            _warn(missing)
    for file in write_files(files(report, edition), folder):
        typer.echo(plain(f"{file.path} ({file.size:,} bytes)"))


def check(report: Report, edition: Edition, folder: Path, command: list[str]) -> bool:
    """Tell of each file that is not as it would be written; True if there is none."""
    again = shlex.join(["benchdb", "report", *command])
    clean = True
    for path, problem in differences(files(report, edition), folder):
        typer.echo(plain(f"{path}: {problem}; run: {again}"))
        clean = False
    return clean


def _warn(text: str) -> None:
    typer.echo(plain(f"benchdb: {text}"), err=True)
