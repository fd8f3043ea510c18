"""What the sections of a report are computed from."""

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection

from benchdb.report.measurement import Gap, Measurement
from benchdb.report.references import Notes, Sources
from benchdb.report.runs import StoredRun


class Material(msgspec.Struct, frozen=True):
    """The database with the *runs* of the report, and what all sections share.

    *measured* are the newest measurements of every cell, *steady* those that are no
    smoke runs, *missing* what was tried and gave none. *baseline* names the system that
    the ranking compares with, *here* is as ``systems.is_here`` has it. Notes and
    sources are numbered in the order in which they are asked for.
    """

    connection: Connection
    runs: Sequence[StoredRun]
    measured: Sequence[Measurement]
    steady: Sequence[Measurement]
    missing: Sequence[Gap]
    baseline: str | None
    here: str | None
    notes: Notes
    sources: Sources
