"""Proposing a map: printed with its assumptions, used only when that is wanted."""

from collections.abc import Sequence
from pathlib import Path

import typer

from benchdb.cli.console import plain
from benchdb.errors import BenchdbError, UsageError
from benchdb.files import replacing
from benchdb.importing.document import SIZE_LIMIT, Document
from benchdb.importing.guess.draft import Proposal, propose
from benchdb.importing.mapping import maps
from benchdb.importing.mapping.maps import LoadedMap
from benchdb.importing.sheet import Reader, Sheet
from benchdb.importing.sheets import READERS, sheets


def agreed(chosen: Sequence[Path], *, save: Path | None, yes: bool) -> LoadedMap | None:
    """Print or *save* the map proposed for one file; return it if it is to be used."""
    if len(chosen) != 1:
        raise UsageError("--guess takes one file at a time: each may want its own map")
    proposal = _proposal(chosen[0])
    if save is not None:
        with replacing(save) as stream:
            stream.write(proposal.toml.encode())
        typer.echo(f"saved {save}; look at it, then: benchdb import --map {save} …")
    elif not yes:
        for line in proposal.toml.splitlines():
            typer.echo(plain(line))
    for open_ in proposal.undecided:
        typer.echo(plain(f"benchdb: undecided: {open_}"), err=True)
    if not yes:
        if save is None:
            typer.echo(
                "benchdb: nothing imported; --save FILE.toml keeps this map to look at "
                "and edit, --yes imports with it",
                err=True,
            )
        return None
    if proposal.undecided:
        raise UsageError("the map is not complete; save it, decide, and use --map")
    return maps.parse(proposal.toml.encode(), "guess")


def _proposal(path: Path) -> Proposal:
    try:
        with path.open("rb") as stream:
            content = stream.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise BenchdbError(f"cannot read {path}: {error.strerror}") from error
    document = Document(path.name, content)
    try:
        found = sheets(document) or _of_text(document)
    except BenchdbError as error:
        raise BenchdbError(f"{path}: {error}") from error
    if not found:
        raise BenchdbError(f"{path}: neither a table nor a log of a known habit")
    return propose(document, found)


# Readers overlap: what says more of a line comes first.
_HABITS: tuple[Reader, ...] = (
    *("keras", "tqdm", "epochs"),
    *("fixed-width", "bullets", "key-value"),
)


def _of_text(document: Document) -> tuple[Sheet, ...]:
    """Return what the first reader of running text finds that finds anything."""
    found = (READERS[name](document) for name in _HABITS)
    return next((some for some in found if some), ())
