"""What a site is made of: the report of everything, by chip, workload and source."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, Select, select

from benchdb import catalogue
from benchdb.grading import Grade
from benchdb.report import untrusted
from benchdb.report.bins import Bins
from benchdb.report.class_spreads import class_spreads
from benchdb.report.inputs import Inputs
from benchdb.report.measurement import ClassSpreads, seen_in
from benchdb.report.scope import WHOLE, Scope
from benchdb.report.summary import gather, report_of
from benchdb.report.value_table import per_run
from benchdb.report.view.listed import Note, SourceRow, ValueRow
from benchdb.report.view.report_view import Report
from benchdb.site.addresses import RUN_LETTERS, addresses
from benchdb.site.system_pairs import Systems
from benchdb.store.memo import Memo
from benchdb.store.places import Place
from benchdb.store.replications import (
    Replication,
    replications,
    replications_beside,
    replications_of,
)
from benchdb.store.retractions import Known, all_known
from benchdb.store.tables import source

Line = tuple[ValueRow, ...]  # the figures of a run, or of all processes of its cell


class Site(msgspec.Struct, frozen=True, dict=True):
    """Everything that pages show.

    *report* is clean of what strangers may write; *inputs* are as they are stored.
    *lines* are the figures of each cell on each machine, in the order of the report.
    *kept* are digests of the runs that have room, where not all have. *alone* is the
    run that the only page is of, *published* are dates of sources by their digests.
    """

    report: Report
    inputs: Inputs
    lines: tuple[Line, ...]
    bins: Bins
    kept: Select[Any] | None = None
    alone: str | None = None
    published: Mapping[str, str] = {}

    @cached_property
    def chips(self) -> Mapping[str, str]:
        """Return the address of each chip that did any work, by its name."""
        known = {chip.name for chip in catalogue.chips()}
        return addresses("chip", self.by_chip, known)

    @cached_property
    def workloads(self) -> Mapping[str, str]:
        """Return the address of each workload that ran, by its name."""
        return addresses("workload", self.by_workload, catalogue.workloads())

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """Return the address of each source by its slug: all its documents."""
        slugs = {row.slug for row in self.report.sources if row.slug}
        return addresses("source", slugs, slugs)

    @cached_property
    def runs(self) -> Mapping[str, str]:
        """Return the address of the page that shows a run, by digest.

        All processes of a cell on a machine share one.
        """
        return {
            run: f"run/{line[0].run[:RUN_LETTERS]}"
            for line in self.lines
            for row in line
            for run in (row.run, *row.runs)
        }

    @cached_property
    def rows(self) -> Mapping[str, ValueRow]:
        """Return the headline of the line that shows a run, by the run's digest."""
        return {
            run: line[0]
            for line in self.lines
            for row in line
            for run in (row.run, *row.runs)
        }

    @cached_property
    def machines(self) -> Mapping[str, str]:
        """Return the address of each machine that benchdb measured, by its digest."""
        measured = {place.machine for place in self.places.values() if place.measured}
        short = {text: text[:RUN_LETTERS] for text in sorted(measured)}
        return {text: f"machine/{name}" for text, name in short.items()}

    @cached_property
    def systems(self) -> Systems:
        """Return what each chip measured on each device."""
        return Systems(self.inputs)

    @cached_property
    def common(self) -> object:
        """Return what is the same object as long as all is that any page may look up.

        That is everything small: addresses, notes and documents, sizes of machines,
        dates of sources. Lines, and sides of systems, are told apart by whoever asks.
        """
        around = (
            *(self.chips, self.workloads, self.sources, self.machines),
            *(self.systems.slugs, self.report.notes, self.bins.known),
            tuple((row.key, row.slug) for row in self.report.sources),
            self.published,
        )
        return self.inputs.memo.each("common", {"": around}, lambda _: [object()])[0]

    @cached_property
    def table_rows(self) -> dict[str, tuple[object, Sequence[Any]]]:
        """Keep the rows that tables of figures have of a line, and what they are of.

        They go by the first run of the line.
        """
        return self.inputs.memo.table("rows of tables")

    @cached_property
    def by_chip(self) -> Mapping[str, list[Line]]:
        """Return the lines of each chip."""
        return _grouped(self.lines, lambda row: row.system.chip)

    @cached_property
    def by_workload(self) -> Mapping[str, list[Line]]:
        """Return the lines of each workload."""
        return _grouped(self.lines, lambda row: row.workload.name)

    @cached_property
    def by_source(self) -> Mapping[str, list[Line]]:
        """Return the lines of each source, by its slug; of none by ""."""
        return _grouped(self.lines, self.source_of)

    @cached_property
    def documents(self) -> Mapping[str, SourceRow]:
        """Return the documents of sources by the number that rows cite."""
        return {row.key: row for row in self.report.sources}

    @cached_property
    def notes(self) -> Mapping[str, Note]:
        """Return what speaks against figures, by the letters that they carry."""
        return {note.key: note for note in self.report.notes}

    @cached_property
    def places(self) -> Mapping[str, Place]:
        """Return where each run ran, by its digest."""
        return {run.facts.digest: run.place for run in self.inputs.runs}

    @cached_property
    def replications(self) -> Mapping[str, Replication]:
        """Return what measured a run again, by the run's digest."""
        connection = self.inputs.connection
        if self.alone is not None:
            return replications_of(connection, self.alone, class_spreads)
        if self.kept is None:
            return replications(connection, None, self.class_spreads)
        return replications_beside(connection, self.kept, class_spreads)

    def class_spreads(self, connection: Connection) -> ClassSpreads:
        """Return what classes of work have shown of chance, of what was read already.

        The database is read again where some of it was not, or is left out here.
        """
        runs, report = self.inputs.runs, self.report
        if report.chosen or report.room or len(runs) > WHOLE:
            return class_spreads(connection)
        if any(run.left_out and run.place.measured for run in runs):
            return class_spreads(connection)
        return seen_in(self.inputs.measured)

    @cached_property
    def grades(self) -> Mapping[str, Grade | None]:
        """Return the grade of each run, with its reasons, by the run's digest."""
        return {run.facts.digest: run.grade for run in self.inputs.runs}

    @cached_property
    def retractions(self) -> Mapping[str, Sequence[Known]]:
        """Return what is said of each run that somebody withdrew, by its digest."""
        return all_known(self.inputs.connection)

    def source_of(self, row: ValueRow) -> str:
        """Return the slug of the source of a row, "" where it has none."""
        document = self.documents.get(row.source or "")
        return document.slug if document else ""

    def notes_of(self, lines: Iterable[Line]) -> tuple[Note, ...]:
        """Return the notes on figures in *lines*, in the order of the report."""
        keys = {
            key
            for line in lines
            for row in line
            for key in (row.quantity.notes if row.quantity else ())
        }
        return tuple(note for note in self.report.notes if note.key in keys)


def _grouped(
    lines: Iterable[Line], name: Callable[[ValueRow], str]
) -> Mapping[str, list[Line]]:
    groups = defaultdict[str, list[Line]](list)
    for line in lines:
        groups[name(line[0])].append(line)
    return groups


def content(
    connection: Connection,
    scope: Scope,
    here: str | None = None,
    alone: str | None = None,
    memo: Memo | None = None,
) -> Site:
    """Return the site of the runs in *scope*.

    *alone* is a run, where its page is all that is wanted; all else is as for
    ``summary.gather``.
    """
    inputs = gather(connection, here=here, scope=scope, memo=memo)
    stored = report_of(inputs, scope)
    dirty = {(row.run, row.metric): row for row in stored.values}
    rows = inputs.memo.each(
        "clean", dirty, lambda keys: untrusted.cleaned([dirty[it] for it in keys])
    )
    report = untrusted.cleaned(replace(stored, values=()))
    report = replace(report, values=tuple(rows))
    lines, _ = per_run(report.values)
    kept = scope.among if scope.room else None
    query = select(source.c.digest, source.c.published)
    dates = {row.digest: row.published for row in connection.execute(query)}
    known = {digest: date for digest, date in dates.items() if date}
    return Site(report, inputs, tuple(lines), Bins(connection), kept, alone, known)
