"""What runs say of themselves and their machines, with their figures and places.

All that compares figures begins here: a report, and the results that are kept.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Text,
    func,
    or_,
    select,
    true,
    type_coerce,
)

from benchdb import conditions
from benchdb.exchange.messages import Device
from benchdb.grading import Figure as Ground
from benchdb.grading import Grade, Letter
from benchdb.sessions import Session
from benchdb.sorted_json import sorted_json
from benchdb.steps import Step
from benchdb.store import gpu_selection
from benchdb.store.dates import STARTED
from benchdb.store.hearsay import shipped_runs
from benchdb.store.newest import SPELLED
from benchdb.store.places import Place, Places
from benchdb.store.retractions import withdrawn
from benchdb.store.run_grades import Graded, grades
from benchdb.store.tables import (
    WITHDRAWN,
    chip,
    environment,
    machine,
    run,
    value,
)


class Figure(msgspec.Struct, frozen=True):
    """A metric of a run as it is stored; *value* is None for *reason*."""

    metric: str = ""
    value: float | None = None
    reason: str | None = None
    printed: str | None = None
    uncertainty: float | None = None
    derived: str | None = None
    locator: str | None = None


NO_FIGURE = Figure()


class Software(msgspec.Struct, frozen=True):
    """What a run was surrounded by, "" where it is not stated.

    *version* is major.minor of its framework, *system* has the major version of its
    operating system, *driver* is that of its card. *settings* are equal for equal modes
    of arithmetic and variables, *variables* are those that change what runs. *limit*
    are the watts that its cards may draw, where all have the same.
    """

    version: str = ""
    system: str = ""
    driver: str = ""
    settings: str = ""
    variables: str = ""
    limit: float | None = None


class Facts(msgspec.Struct, frozen=True, dict=True):
    """What a run says of itself and its machine.

    *spelled* are its parameters as text, alike where they are. *environment* is the one
    that stands for those alike. *why* there is no result of it.
    *cpu_cores* and *cpu_levels* are its machine's own words. *session* and *grade* are
    those of the processes of its cell; *against* is what disqualifies them: the reasons
    of a grade X. It is *sampled* if its own samples are kept, *proven* unless gates are
    absent that say what it did, and *shipped* if it was measured for benchdb itself.
    *path* is what computed inside, such as a kernel or a graph, where that is told.
    *trust* is the step of the ladder that the run reaches.
    """

    digest: str
    machine: str
    source: str | None
    workload: str
    workload_version: int
    setting: str
    framework: str
    device: Device
    precision: str | None
    compiler: str | None
    batch_size: int | None
    spelled: str
    mine: bool
    campaign: str | None
    replicate: int | None
    tier: str | None
    started: str | None
    label: str
    status: str
    why: str | None
    locator: str | None
    cpu_cores: int | None
    cpu_levels: Any
    gpu_cores: int | None
    collector: str | None
    collector_version: str | None
    seed: int | None
    reproduces: str | None
    environment: str
    software: Software = Software()
    session: Session = Session("", None)
    grade: Letter | None = None
    against: Mapping[str, Ground] = {}
    sampled: bool = False
    proven: bool = True
    shipped: bool = False
    path: str = ""
    trust: Step | None = None

    @property
    def disqualified(self) -> bool:
        """Tell whether a check of our own collectors failed: it was not this work.

        What others published stays visible, with a note on what speaks against it.
        """
        return self.label == "measured" and self.grade == "X"

    @property
    def leads(self) -> bool:
        """Tell whether a headline may rest on it.

        What was measured needs samples of its own and gates that held, what others
        published a source that bears its name.
        """
        if self.label == "measured":
            return self.grade in ("A", "B", "C") and self.sampled
        named = self.source is not None and self.label != "claimed"
        return self.grade == "I" and named

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Return its parameters."""
        return conditions.parsed(self.spelled)

    def whole(self, parameter: str) -> int | None:
        """Return what a parameter says, if it is a whole number."""
        fact = self.parameters.get(parameter)
        return fact if isinstance(fact, int) and not isinstance(fact, bool) else None

    @cached_property
    def surroundings(self) -> tuple[tuple[str, str], ...]:
        """Return what it did not choose, as ``Conditions`` has it."""
        around = self.software
        known = [("version", around.version), ("system", around.system)]
        if self.device in ("cuda", "rocm"):  # a Mac's driver is part of its system
            known.append(("driver", around.driver))
        known.append(("load", self.session.state))
        known += [
            pair
            for pair in (
                ("threads", self._threads),
                ("variables", around.variables),
                ("path", self.path),
            )
            if pair[1]
        ]
        return _shared(tuple(known))

    @property
    def _threads(self) -> str:
        """Return how many threads of a CPU computed, "" if that is as many as cores.

        Of a chip with cores of several levels its fastest ones are enough. Where nobody
        knows its cores, as many threads as it has are told.
        """
        threads = self.parameters.get("threads")
        counted = isinstance(threads, int) and not isinstance(threads, bool)
        if self.device != "cpu" or not counted:
            return ""
        levels = self.cpu_levels if isinstance(self.cpu_levels, list) else []
        fastest = [level["cores"] for level in levels[:1]]
        cores = min(filter(None, (*fastest, self.cpu_cores)), default=None)
        return str(threads) if cores is None or threads < cores else ""

    @property
    def program(self) -> str | None:
        """Return the program that measured, unless it is one of our own collectors.

        Nobody here knows how another one, or another version of it, takes its times.
        """
        name = self.collector
        if self.label != "measured" or name is None or name.startswith("with_"):
            return None
        return f"{name} {conditions.minor(self.collector_version)}"

    @property
    def limit(self) -> float | None:
        """Return the watts that the card which ran it may draw, where it is told."""
        return self.software.limit if self.device in ("cuda", "rocm") else None

    @cached_property
    def alike(self) -> tuple[object, ...]:
        """Return what is equal for the processes of one measurement of any metric.

        What may lead nothing would take the headline from what it is pooled with, and
        what bears no gates the grade.
        """
        around = self.software.settings, self.surroundings
        return self.cell, around, self.program, self.leads, self.proven

    @cached_property
    def cell(self) -> tuple[object, ...]:
        """Return what is equal for the processes of one cell, in every campaign.

        What strangers add to the campaigns that benchdb ships is no process of them.
        """
        return _cell_of(self)


_NAMES = ("spelled" if it == "parameters" else it for it in conditions.COLUMNS)
_cell_of: Callable[[Facts], tuple[object, ...]]
_cell_of = attrgetter(*_NAMES, "label", "tier", "shipped")


@lru_cache(maxsize=4096)
def _shared(pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the same object for the same text: thousands of runs have it in common."""
    return pairs


_AT_ONCE = 1000  # rows
_MOST = 1000  # versions of a protocol; more are a stranger's words
_COLUMNS = Facts.__struct_fields__.index("environment")  # before it, of the query


class KnownRun(msgspec.Struct, frozen=True):
    """One run: what it says, its figures and its place.

    *plan* is the seed's protocol that it followed, *metered* what a meter of its power
    counted in, *grade* that of the processes of its cell, with its reasons.
    """

    facts: Facts
    figures: tuple[Figure, ...]
    place: Place
    plan: Mapping[str, Any] | None = None
    metered: str | None = None
    grade: Grade | None = None

    @property
    def protocol_version(self) -> int:
        """Return which version of the seed's protocol; the first did not say it."""
        version = (self.plan or {}).get("version")
        return version if isinstance(version, int) and 0 < version < _MOST else 1


class Around(msgspec.Struct, frozen=True):
    """What stands around all runs: their places, and the software that they ran on.

    *same* is the environment that stands for each of those that are alike.
    """

    places: Places
    same: Mapping[str, str]
    software: Mapping[str, Software]


def around(connection: Connection) -> Around:
    """Return what stands around the runs of a database."""
    same = gpu_selection.same_environments(connection)
    return Around(Places(connection), same, _software(connection))


def known_runs(
    connection: Connection,
    among: Select[Any] | None,
    metrics: Collection[str],
    surroundings: Around,
) -> Iterator[KnownRun]:
    """Yield the runs *among* these digests in their order, with figures of *metrics*.

    ``None`` stands for all of them. What was withdrawn has no figures, and is why.
    """
    # An index of runs and metrics would be asked for every metric of each run: most
    # have few. What is coalesced has none.
    listed = func.coalesce(value.c.metric, "").in_(metrics)
    columns = [value.c[name] for name in ("run", *Figure.__struct_fields__)]
    query = select(*columns).where(listed, _among(value.c.run, among))
    figures = defaultdict[str, list[Figure]](list)
    for row in _rows(connection, query):
        figures[row.run].append(Figure(*row[1:]))
    checks, paths = _checks(connection, among), _paths(connection, among)
    gone = withdrawn(connection)
    known = grades(connection, select(run.c.digest) if among is None else among)
    for row in _rows(connection, _query(among)):
        path = paths.get(row.digest, "")
        facts = _facts(row, known[row.digest], surroundings, path)
        if row.digest in gone:
            facts = replace(facts, status=WITHDRAWN, why=gone[row.digest])
            figures.pop(row.digest, None)
        yield KnownRun(
            facts,
            tuple(figures.get(row.digest, ())),
            surroundings.places.of(row, shipped=facts.shipped),
            *checks.get(row.digest, (None, None)),
            grade=known[row.digest].grade,
        )


def _rows(connection: Connection, query: Select[Any]) -> Iterator[Row[Any]]:
    """Yield rows; to take them one by one would cost as much again."""
    for some in connection.execute(query).partitions(_AT_ONCE):
        yield from some


def _facts(row: Row[Any], graded: Graded, surroundings: Around, path: str) -> Facts:
    grade = graded.grade
    letter = grade.letter if grade else None
    facts: tuple[Any, ...] = (
        *row[:_COLUMNS],
        surroundings.same.get(row.environment, row.environment),
        surroundings.software[row.environment],
        graded.session,
        letter,
        grade.figures if grade and letter == "X" else {},
        graded.sampled,
        grade is None or "gates-not-checked" not in grade.reasons,
        row.label == "measured" and row.digest in shipped_runs(),
        path,
        graded.step,
    )
    return Facts(*facts)


def _among(
    digest: ColumnElement[Any], among: Select[Any] | None
) -> ColumnElement[bool]:
    return true() if among is None else digest.in_(among)


def _query(among: Select[Any] | None) -> Select[Any]:
    of_machine = machine.c.model, machine.c.anonymous_id
    of_chip = "vendor", "ram_bytes", "accelerators"
    return (
        select(
            run.c.digest,
            *SPELLED,
            run.c.campaign,
            run.c.replicate,
            run.c.tier,
            STARTED,
            run.c.label,
            run.c.status,
            run.c.reason,
            run.c.locator,
            chip.c.cpu_cores,
            chip.c.cpu_levels,
            chip.c.gpu_cores,
            run.c.collector,
            run.c.collector_version,
            run.c.seed,
            run.c.reproduces,
            run.c.environment,
            run.c.device_name,
            *of_machine,
            chip.c.name.label("chip"),
            *(chip.c[name] for name in of_chip),
        )
        .join_from(run, machine, run.c.machine == machine.c.digest)
        .join(chip, machine.c.chip == chip.c.digest)
        .where(_among(run.c.digest, among))
        .order_by(run.c.digest)
    )


def _software(connection: Connection) -> dict[str, Software]:
    query = select(
        environment.c.digest,
        environment.c.framework_version,
        environment.c.os_name,
        environment.c.os_version,
        environment.c.devices,
        environment.c.math,
        environment.c.variables,
    )
    result = {}
    for row in connection.execute(query):
        every = row.devices if isinstance(row.devices, list) else []
        devices = [item for item in every if isinstance(item, dict)]
        drivers = [device.get("driver") for device in devices]
        watts: list[Any] = [device.get("power_limit_watts") for device in devices]
        limits = {float(w) for w in watts if type(w) in (int, float) and 0 < w < 1e4}
        settings = [row.math, gpu_selection.without_one_gpu(row.variables)]
        result[row.digest] = Software(
            conditions.minor(row.framework_version),
            conditions.system(row.os_name, row.os_version),
            next((driver for driver in drivers if isinstance(driver, str)), ""),
            sorted_json(settings) or "",
            conditions.variables(row.variables),
            limits.pop() if len(limits) == 1 else None,
        )
    return result


def _paths(connection: Connection, among: Select[Any] | None) -> dict[str, str]:
    """Return what computed inside, of each run whose conditions tell the path.

    Those of others tell it from the start, our own collectors once it has been taken.
    """
    paths: dict[str, str] = {}
    for column in (run.c.conditions_before, run.c.conditions_after):
        text = type_coerce(column, Text)
        query = select(run.c.digest, text).where(
            text.contains('"path"'), _among(run.c.digest, among)
        )
        for name, conditions_text in connection.execute(query):
            path = json.loads(conditions_text).get("path")
            if isinstance(path, str):
                paths[name] = path
    return paths


_Checked = tuple[Mapping[str, Any] | None, str | None]


def _checks(connection: Connection, among: Select[Any] | None) -> dict[str, _Checked]:
    """Return of each run its plan, and what its meter counted in, where it says so."""
    checks_text = type_coerce(run.c.checks, Text)
    # They are long, and few have either.
    either = or_(
        checks_text.contains('"seed_protocol"'), checks_text.contains('"energy"')
    )
    query = select(run.c.digest, checks_text).where(either, _among(run.c.digest, among))
    result: dict[str, _Checked] = {}
    for name, text in connection.execute(query):
        checks = json.loads(text)
        plan, energy = checks.get("seed_protocol"), checks.get("energy")
        scoped = energy.get("scope") if isinstance(energy, dict) else None
        result[name] = (
            plan if isinstance(plan, dict) else None,
            scoped if isinstance(scoped, str) else None,
        )
    return result
