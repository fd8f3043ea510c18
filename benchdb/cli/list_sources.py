"""``benchdb sources``: whose results these are, and which of them are out of date."""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import typer

from benchdb.cli.application import Group
from benchdb.cli.console import NAME_LIMIT, AsJson, counted, plain, print_list
from benchdb.cli.user_database import Db, opened
from benchdb.store import editions
from benchdb.store.database import reading, writing
from benchdb.store.documents import ListedSource, listed_sources
from benchdb.store.editions import DATED, HEARD, NAMED, READ_AGAIN, Proposal

_WHY = {
    NAMED: "it names this document as an earlier version",
    DATED: "it has the same origin and a later date",
    READ_AGAIN: "it says that a newer importer read the same document",
}
_HEARD = (
    "its figures would count; so far they are in no comparison, for only a file of "
    "others tells them, and known documents are about the same work"
)
_HOW = (
    "a proposal counts when you accept it: 'benchdb sources accept ID', or "
    "'reject ID'; 'undo ID' opens it again"
)


class _Listing(Group):
    """Commands of which the list is the one that needs no name."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        named = any(arg in self.commands or arg == "--help" for arg in args[:1])
        return super().parse_args(ctx, args if named else ["list", *args])


app = typer.Typer(
    cls=_Listing,
    add_completion=False,
    help="See whose results these are; decide which are out of date.",
)

Id = Annotated[str, typer.Argument(help="The id of a proposal, or how it starts.")]


@app.command("list")
def list_sources(db: Db = None, as_json: AsJson = False) -> None:
    """List the sources, and what others say about which of them are out of date."""
    with reading(opened(db)) as connection:
        sources = listed_sources(connection)
    if as_json:
        print_list(list(map(_facts, sources)), str, as_json=True)
        return
    slugs = {source.digest: f"{source.digest[:12]} {source.slug}" for source in sources}
    for source in sources:
        for line in _lines(source, slugs):
            typer.echo(line)
    if any(
        about.accepted is None
        for listed_source in sources
        for about in listed_source.proposals
    ):
        typer.echo(_HOW)


@app.command()
def accept(proposal: Id, db: Db = None) -> None:
    """Let a proposal count: a newer source, or figures that only a stranger tells."""
    decision = _decided(proposal, db, accepted=True)
    if decision.why == HEARD:
        typer.echo(f"the figures of {decision.newer[:12]} count")
        return
    typer.echo(
        f"{decision.outdated[:12]} is out of date, {decision.newer[:12]} counts instead"
    )


@app.command()
def reject(proposal: Id, db: Db = None) -> None:
    """Let all stay as it is."""
    decision = _decided(proposal, db, accepted=False)
    if decision.why == HEARD:
        typer.echo(f"the figures of {decision.newer[:12]} stay out of comparisons")
        return
    typer.echo(f"{decision.outdated[:12]} stays beside {decision.newer[:12]}")


@app.command()
def undo(proposal: Id, db: Db = None) -> None:
    """Take a decision back: the proposal is open again, and has no effect."""
    with writing(opened(db, create=True)) as connection:
        result = editions.find_proposal(connection, proposal)
        editions.undo_decision(connection, result)
    typer.echo(f"nothing is decided about proposal {result.id[:12]}")


def _decided(proposal: str, db: str | None, *, accepted: bool) -> Proposal:
    with writing(opened(db, create=True)) as connection:
        result = editions.find_proposal(connection, proposal)
        editions.decide(connection, result, accepted=accepted)
    return result


def _facts(source: ListedSource) -> dict[str, Any]:
    about = [
        {"id": each.id, "newer": each.newer, "why": each.why, "state": each.state}
        for each in source.proposals
    ]
    facts: dict[str, Any] = msgspec.to_builtins(source)
    return {**facts, "proposals": about}


def _lines(source: ListedSource, slugs: dict[str, str]) -> Iterator[str]:
    """Yield a line about a source, and those about what would take its place."""
    runs = ", ".join(
        f"{counted(count, 'run')} {label}" for label, count in source.runs.items()
    )
    facts = (
        source.document,
        f"published {source.published}" if source.published else None,
        f"licence {source.licence}" if source.licence else "no licence given",
        f"from {', '.join(source.files)}" if source.files else None,
    )
    named = " · ".join(plain(fact, NAME_LIMIT) for fact in facts if fact)
    slug = plain(source.slug, NAME_LIMIT)
    yield f"{source.digest[:12]}  {slug}  {runs or 'no runs'}  {named}"
    if source.superseded_by is not None:
        newer = plain(slugs[source.superseded_by], NAME_LIMIT)
        yield f"  out of date: {newer} counts instead"
    for about in source.proposals:
        newer = plain(slugs[about.newer], NAME_LIMIT)
        would = f"{newer} would replace it, {_WHY.get(about.why, about.why)}"
        would = _HEARD if about.why == HEARD else would
        yield f"  {about.id[:12]} {about.state}: {would}"
