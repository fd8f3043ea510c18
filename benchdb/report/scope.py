"""The runs that a report is about: all of them, or those that were selected.

The database holds their digests for as long as the report is made, so that every
query can be limited before it picks the newest campaign or counts anything.
"""

from typing import Any

import msgspec
from sqlalchemy import Column, ColumnElement, MetaData, Select, Table, select, true

from benchdb.report.chosen import Chosen
from benchdb.report.view.atoms import Room
from benchdb.store.tables import Digest, run

SELECTED = Table(
    "benchdb_selected",
    MetaData(),
    Column("digest", Digest, primary_key=True),
    prefixes=["TEMPORARY"],
)


def those() -> Select[Any]:
    """Return the query of the digests that were selected."""
    return select(SELECTED.c.digest)


class Scope(msgspec.Struct, frozen=True):
    """Which runs count; *runs* and *sources* are digests, None for all.

    *chosen* are the filters; *there* is what one may choose from where they leave
    nothing. *room* tells how much of it has room, where that is not all.
    """

    runs: frozenset[str] | None = None
    sources: frozenset[str] | None = None
    chosen: tuple[Chosen, ...] = ()
    there: tuple[Chosen, ...] = ()
    room: Room | None = None

    def has(self, digest: ColumnElement[Any]) -> ColumnElement[bool]:
        """Return the condition that a run's *digest* is among them."""
        if self.runs is None:
            return true()
        return digest.in_(those())

    def digests(self) -> Select[Any]:
        """Return the query of the digests of the runs among them."""
        return select(run.c.digest) if self.runs is None else those()

    def tells(self, digest: ColumnElement[Any]) -> ColumnElement[bool]:
        """Return the condition that a source's *digest* is to be listed."""
        if self.sources is None:
            return true()
        return digest.in_(sorted(self.sources))


EVERYTHING = Scope()
