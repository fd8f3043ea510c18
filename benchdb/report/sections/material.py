"""What the sections of a report are computed from."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from benchdb.report.doubts import LeftOut
from benchdb.report.measurement import Measurement
from benchdb.report.notes import Notes
from benchdb.report.scope import Scope
from benchdb.report.sources import Sources


@dataclass(frozen=True)
class Material:
    """The database with the runs in *scope*, and what all sections share.

    *steady* are the newest measurements of every cell, smoke runs not among them.
    *left_out* runs are in no comparison. *here* is the anonymous id of the machine to
    mark. Notes and sources are numbered in the order in which they are asked for.
    """

    connection: Connection
    scope: Scope
    left_out: LeftOut
    steady: Sequence[Measurement]
    here: str | None
    notes: Notes
    sources: Sources
