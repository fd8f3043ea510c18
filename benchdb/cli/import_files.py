"""``benchdb import``: merge results that others shared or published."""

import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import partial
from pathlib import Path

import msgspec
import typer
from msgspec.structs import replace
from sqlalchemy import Engine

from benchdb.cli.console import (
    NAME_LIMIT,
    PROSE_LIMIT,
    argument,
    counted,
    flag,
    option,
    plain,
    tell,
)
from benchdb.cli.import_summary import Summary
from benchdb.cli.user_database import Db, opened, renewed
from benchdb.cli.verify import signer_text
from benchdb.cli.waiting_line import awaited
from benchdb.collecting.plan_files import Plans
from benchdb.errors import BenchdbError, UsageError
from benchdb.importing.intake import files, intake, open_file
from benchdb.importing.mapping import maps
from benchdb.importing.mapping.maps import LoadedMap
from benchdb.importing.provenance import About
from benchdb.merge import BAD_KEPT, How, Outcome, import_files, import_together
from benchdb.store import import_history, sqlite
from benchdb.store.database import open_database, rehearsing, writing
from benchdb.store.postgresql.server import is_address
from benchdb.user_data import data_folder, location_of

app = typer.Typer(add_completion=False)

_OTHERWISE = (
    "read otherwise before by an equal version, and both readings stay; 'version = 2' "
    "at the top of a corrected map lets it take the place of the first"
)
_TABLE = "What a table means"
_table, _flag = partial(option, panel=_TABLE), partial(flag, panel=_TABLE)
_source = partial(option, panel="Where it comes from")
_SOURCES = 3  # that are named in one line
_DECIDE = "decide with: benchdb sources"
_HEARD = "for only this file tells what known documents tell otherwise"
_TOLD = 100  # bad lines of one file; the rest is counted


def _date(text: str | None) -> str | None:
    """Return a day, month or year as it was given; what is none is wrong use."""
    if text is None:
        return None
    with suppress(ValueError):
        if re.fullmatch(r"[0-9]{4}(-[0-9]{2}){0,2}", text):
            date.fromisoformat(text + "0000-01-01"[len(text) :])
            return text
    raise UsageError(f"{text!r} is no date; give it as 2026, 2026-11 or 2026-11-22")


@app.command()
def import_command(
    paths: list[Path] | None = argument(
        "Bundles, exchange files, tables, logs, results of other tools, folders; - is "
        "standard input.",
        "PATH…",
        default=None,
    ),
    db: Db = None,
    map_: str | None = _table(
        "Use this map, which says what the columns mean.",
        *("FILE.toml|NAME", "--map"),
        show_default=False,
    ),
    guess: bool = _flag(
        "Import nothing; print map, rows and open questions.", "--guess"
    ),
    answer: list[str] | None = _table(
        "Answer a card, or give a line with names in braces; repeatable.", "KEY=CHOICE"
    ),
    save: Path | None = _table("Save the map that was agreed on.", "FILE.toml"),
    yes: bool = _flag("Ask nothing; take tables without open questions.", "--yes"),
    strict: bool = flag("Take all of it, or nothing at all.", "--strict"),
    dry_run: bool = flag("Say what would happen, and keep nothing.", "--dry-run"),
    undo: bool = flag("Take back the whole last import.", "--undo"),
    require_signature: bool = flag(
        "Take only what a known key signed.", "--require-signature"
    ),
    url: str | None = _source("Address of the page or file.", "URL"),
    author: list[str] | None = _source("Who published it; repeatable.", "NAME"),
    licence: str | None = _source("Licence, such as MIT.", "NAME"),
    title: str | None = _source("Title.", "TEXT"),
    published: str | None = _source("When it was published.", "DATE", callback=_date),
    retrieved: str | None = _source("When you downloaded it.", "DATE", callback=_date),
) -> None:
    """Take in results that others shared or published.

    Import twice, or in any order: the outcome is the same. What cannot be understood is
    said with its place and kept in quarantine, and the rest is taken; the exit status
    is then 1.
    """
    if undo:
        if paths:
            raise UsageError("--undo takes the last import back; leave out the files")
        _undo(opened(db), rehearse=dry_run)
        return
    if not paths:
        raise UsageError("name files or folders to import, or - for standard input")
    # Before a database is made for nothing.
    chosen = files(paths, lambda line: tell(f"benchdb: {line}"))
    about = About(
        url=url,
        authors=tuple(author or ()),
        licence=licence,
        title=title,
        published=published,
        retrieved=retrieved,
    )
    loaded = None if map_ is None else maps.find(map_)
    agreed = _agreed_maps()
    tables = _Tables(answer or (), save, yes, None if dry_run else agreed)
    tables.check(chosen, guess=guess, mapped=loaded is not None)
    if guess and not yes:
        tables.describe(chosen[0])
        return
    plans = Plans(data_folder() / "planned", data_folder() / "campaigns")
    summary = Summary()
    how = How(
        loaded,
        about,
        plans.answers,
        import_history.begin(),
        summary.experience,
        agreed=agreed,
        known=not (answer or guess),  # which make a map
        signed=require_signature,
    )
    run = _Run(chosen, how, tables, strict or dry_run, dry_run)
    clean = True
    with _database(db, dry_run=dry_run) as engine:
        for outcome in run.outcomes(engine):
            _tell(outcome)
            summary.add(outcome)
            clean = clean and outcome.clean
    for line in summary.lines():
        typer.echo(line)
    if dry_run or (strict and not clean):
        typer.echo("nothing was kept" + (" (--dry-run)" if dry_run else " (--strict)"))
    if not clean:
        raise typer.Exit(1)


def _agreed_maps() -> Path:
    """Return the folder of the maps that were agreed on, by document."""
    return data_folder() / "maps"


class _Tables(msgspec.Struct, frozen=True):
    """What to do about tables that no map explains, by the options of the command.

    What is agreed on is kept in the folder *agreed*, unless that is None.
    """

    answers: Sequence[str]
    save: Path | None
    yes: bool
    agreed: Path | None

    @property
    def settling(self) -> bool:
        """Tell whether a table without a map may be imported."""
        return self.yes or (sys.stdin.isatty() and sys.stderr.isatty())

    def check(self, chosen: Sequence[Path], *, guess: bool, mapped: bool) -> None:
        """Raise ``UsageError`` for options that contradict each other."""
        about_one = bool(self.answers) or self.save is not None
        if mapped and (guess or about_one or self.yes):
            raise UsageError("--guess proposes a map; leave out --map")
        if (guess or about_one) and len(chosen) != 1:
            raise UsageError(
                "--guess, --answer and --save take one file at a time: each may want "
                "its own map"
            )
        if about_one and not (guess or self.settling):
            raise UsageError("there is no terminal to ask on; add --guess or --yes")

    def describe(self, path: Path) -> None:
        """Print the map that is proposed, with all that is open."""
        # Words of many languages, half of what all of an import needs.
        from benchdb.cli import conversation  # noqa: PLC0415  heavy

        given = conversation.given(self.answers)
        _tell_known(path)
        toml = conversation.describe(conversation.opened(path, given))
        if self.save is None:
            tell("benchdb: nothing imported; --yes imports where no question is open")
        else:
            conversation.write(self.save, toml)
            tell(f"benchdb: nothing imported; next: benchdb import --map {self.save} …")

    def settle(self, failed: Outcome, *, several: bool) -> LoadedMap | Outcome:
        """Return the map of a table, else what became of its file without one."""
        from benchdb.cli import conversation  # noqa: PLC0415  heavy

        given = conversation.given(self.answers)
        if given:
            _tell_known(failed.path)
        try:
            unexplained = conversation.opened(failed.path, given)
        except UsageError:
            raise
        except BenchdbError:  # what is wrong was said already
            return failed
        try:
            map_ = (
                conversation.settled(unexplained)
                if self.yes
                else conversation.agreed(unexplained, several=several)
            )
        except UsageError:
            raise
        except BenchdbError as error:
            return replace(failed, error=str(error))
        if map_ is None:
            return Outcome(failed.path, nothing="nothing was imported, as you said")
        if self.agreed is not None:
            map_ = conversation.kept(unexplained, map_, self.agreed)
        if self.save is not None:
            conversation.write(self.save, map_.text)
        return map_


def _tell_known(path: Path) -> None:
    """Say how a document is read where it is neither guessed nor answered for."""
    try:
        with open_file(path) as stream:
            importer = intake(stream, path.name).importer
    except (BenchdbError, OSError):  # nothing reads it
        return
    tell(f"benchdb: {path}: read by {importer} otherwise; here guess and answers hold")


class _Run(msgspec.Struct, frozen=True):
    """Files to import: as each can be, or all together where *whole* or *rehearse*."""

    chosen: Sequence[Path]
    how: How
    tables: _Tables
    whole: bool
    rehearse: bool

    def outcomes(self, engine: Engine) -> Iterator[Outcome]:
        """Yield what became of each file, last of those that had to be asked about."""
        asked: list[Outcome] = []
        for outcome in self._import(engine, self.chosen, {}):
            if outcome.unexplained and self.tables.settling:
                asked.append(outcome)
            elif not self.whole:
                yield outcome
        several = len(self.chosen) > 1
        given = {item.path: self.tables.settle(item, several=several) for item in asked}
        maps_ = {
            path: loaded_map
            for path, loaded_map in given.items()
            if isinstance(loaded_map, LoadedMap)
        }
        yield from (
            loaded_map
            for loaded_map in given.values()
            if isinstance(loaded_map, Outcome)
        )
        again = list(maps_)
        if self.whole:
            again = [path for path in self.chosen if path in maps_ or path not in given]
        if again:
            yield from self._import(engine, again, maps_)

    def _import(
        self, engine: Engine, some: Sequence[Path], maps_: dict[Path, LoadedMap]
    ) -> Iterable[Outcome]:
        how = replace(self.how, maps=maps_)
        result: Iterable[Outcome]
        if self.whole:
            result = import_together(engine, some, how, rehearse=self.rehearse)
        else:
            result = import_files(engine, some, how)

        def what(number: int) -> str:
            if number == len(some):
                return "working out what follows from it"
            return f"reading {some[number].name}, {number + 1} of {len(some)}"

        return awaited(result, what)


@contextmanager
def _database(db: str | None, *, dry_run: bool) -> Iterator[Engine]:
    """Give the database; a rehearsal takes a copy, or an empty one in place of none."""
    location = location_of(db)
    if not dry_run or is_address(location):
        yield opened(db, create=not dry_run)
        return
    with tempfile.TemporaryDirectory() as room:
        copy = Path(room) / "rehearsal.sqlite"
        if Path(location).exists():
            sqlite.copy(Path(location), copy)
        engine = open_database(str(copy), create=True, renew=renewed)
        yield engine
        engine.dispose()


def _undo(engine: Engine, *, rehearse: bool) -> None:
    with rehearsing(engine) if rehearse else writing(engine) as connection:
        undone = import_history.undo(connection)
    names, removed = undone.names, undone.removed
    more = f" and {counted(len(names) - 1, 'more file')}" if names[1:] else ""
    counts = [
        counted(getattr(removed, f"{kind}s"), kind)
        for kind in ("run", "claim", "source", "machine", "environment")
        if getattr(removed, f"{kind}s") or kind == "run"
    ]
    if undone.refused:
        counts.append(counted(undone.refused, "refused record"))
    also = f"; {counted(undone.staying, 'run')} that came another way stay"
    did = "would take back" if rehearse else "took back"
    when = undone.began.replace("T", " ").replace("Z", " UTC")
    typer.echo(
        plain(
            f"{did} the import of {names[0][:NAME_LIMIT]}{more} ({when}): "
            f"{', '.join(counts)}{also if undone.staying else ''}"
        )
    )
    if rehearse:
        typer.echo("nothing was changed (--dry-run)")
        return
    folder = _agreed_maps()
    agreed = [maps.remembered_files(folder, sha256) for sha256 in undone.documents]
    for path in (path for some in agreed for path in some):
        path.unlink(missing_ok=True)
    if any(agreed):
        typer.echo("what was agreed on about its tables is forgotten as well")


def _tell(outcome: Outcome) -> None:
    if outcome.error is not None:
        typer.echo(plain(f"benchdb: {outcome.path}: {outcome.error}"), err=True)
        return
    for bad in outcome.bad[:_TOLD]:
        where = f"{outcome.path}:{bad.number}" if bad.number else str(outcome.path)
        place = f"{bad.locator}: " if bad.locator and not bad.number else ""
        reason = plain(f"{place}{bad.reason}", PROSE_LIMIT)
        typer.echo(f"{plain(f'benchdb: {where}: ')}{reason}", err=True)
    if outcome.bad_count > _TOLD:
        more = outcome.bad_count - _TOLD
        kept = f"; the first {BAD_KEPT} are kept" if more > BAD_KEPT - _TOLD else ""
        typer.echo(f"benchdb: {outcome.path}: and {more} more bad{kept}", err=True)
    known = " (file imported before)" if outcome.known else ""
    by = "" if outcome.importer in (None, "benchdb") else f" [{outcome.importer}]"
    runs = counted(outcome.runs, "run")
    also = counted(outcome.retractions, "new retraction")
    withdrawn = f", {also}" if outcome.retractions else ""
    line = f"{outcome.path}: {runs}, {outcome.added:,} new{withdrawn}{known}{by}"
    typer.echo(plain(line))
    if (bundle := outcome.bundle) is not None:
        own = None if bundle.seal is None else bundle.seal.key.fingerprint
        by_whom = signer_text(own, bundle.name, bundle.trust)
        note = f"; {bundle.note}" if bundle.note else ""
        typer.echo(plain(f"{outcome.path}: {by_whom}{note}"))
    if outcome.otherwise:
        typer.echo(plain(f"benchdb: {outcome.path}: {_OTHERWISE}"), err=True)
    if outcome.outdates:
        what = f"proposes to mark {_of_sources(outcome.outdates)} as outdated"
        typer.echo(plain(f"benchdb: {outcome.path} {what}; {_DECIDE}"), err=True)
    if outcome.heard:
        what = f"{_of_sources(outcome.heard)} count in no comparison yet, {_HEARD}"
        typer.echo(plain(f"benchdb: {outcome.path}: {what}; {_DECIDE}"), err=True)
    if any(outcome.forgotten):
        runs_, sources = outcome.forgotten
        what = counted(runs_, "run") if runs_ else counted(sources, "source")
        were = "was" if (runs_ or sources) == 1 else "were"
        forgotten = f"{what} {were} forgotten here, left out ('benchdb forget --list')"
        typer.echo(plain(f"{outcome.path}: {forgotten}"))
    if outcome.nothing is not None:
        typer.echo(plain(f"{outcome.path}: {outcome.nothing}"))


def _of_sources(values: Mapping[str, int]) -> str:
    """Say how many runs of which sources."""
    some = [
        f"{counted(runs, 'run')} of {plain(slug, NAME_LIMIT)}"
        for slug, runs in values.items()
    ]
    if more := some[_SOURCES:]:
        some = [*some[:_SOURCES], f"those of {counted(len(more), 'other source')}"]
    return " and ".join(filter(None, [", ".join(some[:-1]), some[-1]]))
