"""How what an import brings stands beside what a database knows of the same work.

It is for whoever imports a document to look at: 3.1 times the highest that was ever
told of a chip is more often a slip of a unit than a record.
"""

from collections.abc import Collection, Mapping
from statistics import median
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, select

from benchdb.store.places import worked
from benchdb.store.tables import chip, machine, run, value

_RUN = {name: n for n, name in enumerate(run.c.keys())}
_VALUE = {name: n for n, name in enumerate(value.c.keys())}
_WORKS = 500  # of one file that are told apart
_FIGURES = 100_000  # of a workload that are looked at
# What others set besides these (threads, layers on the GPU …) makes no other work.
_WORK = (
    *("model", "quantization", "prompt_tokens", "generated_tokens", "depth"),
    *("image_size", "steps", "sequence_length", "audio_seconds", "trainable"),
    *("size", "operation"),
)


class Work(NamedTuple):
    """What is compared: a metric of a workload on a chip, and *which* work it is."""

    chip: str
    workload: str
    metric: str
    which: tuple[Any, ...]


class Span(msgspec.Struct, frozen=True):
    """So many figures, the lowest and the highest of them."""

    count: int
    low: float
    high: float

    def with_(self, other: "Span | None") -> "Span":
        """Return that of both."""
        if other is None:
            return self
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Span(self.count + other.count, low, high)


class Known(msgspec.Struct, frozen=True):
    """So many figures of the same work, on the same chip or *anywhere*."""

    count: int
    low: float
    middle: float
    high: float
    anywhere: bool


Spans = Mapping[Work, Span]


class Experience:
    """What a database knows of workloads, as that was when it was first asked."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._figures: dict[str, dict[Work, list[float]]] = {}

    def look(self, connection: Connection, rows: Mapping[str, list[Any]]) -> None:
        """Learn what is known of the workloads of the runs in *rows*."""
        named = {row[_RUN["workload"]] for row in rows.get("run", ())}
        for workload in sorted(named - self._figures.keys()):
            self._figures[workload] = _figures(connection, workload)

    def of(self, work: Work) -> Known | None:
        """Return what is known of *work*, if anything is."""
        figures = self._figures.get(work.workload, {})
        alike = figures.get(work, [])
        if not alike:
            same = work._replace(chip="")
            alike = [
                figure
                for other, some in figures.items()
                if other._replace(chip="") == same
                for figure in some
            ]
            if not alike:
                return None
        middle = median(alike)
        anywhere = work not in figures
        return Known(len(alike), min(alike), middle, max(alike), anywhere)


def _figures(connection: Connection, workload: str) -> dict[Work, list[float]]:
    query = (
        select(
            *(run.c[name] for name in ("device", "device_name", "parameters")),
            *(run.c.batch_size, chip.c.name, chip.c.accelerators),
            *(value.c.metric, value.c.value),
        )
        .join_from(run, value, value.c.run == run.c.digest)
        .join(machine, run.c.machine == machine.c.digest)
        .join(chip, machine.c.chip == chip.c.digest)
        .where(run.c.workload == workload, run.c.status == "ok")
        .where(value.c.value.is_not(None))
        .limit(_FIGURES)
    )
    figures: dict[Work, list[float]] = {}
    for row in connection.execute(query):
        name = _chip(row.device, row.device_name, row.name, row.accelerators)
        which = _which(row.parameters, row.batch_size)
        work = Work(name, workload, row.metric, which)
        figures.setdefault(work, []).append(row.value)
    return figures


class Brought:
    """What the runs of one file say, beside what *experience* there is."""

    def __init__(self, experience: Experience) -> None:
        """Begin with no run."""
        self._experience = experience
        self._chips: dict[str, tuple[str, Any]] = {}
        self._machines: dict[str, str] = {}
        self.spans: dict[Work, Span] = {}

    def prepare(self, connection: Connection, rows: Mapping[str, list[Any]]) -> None:
        """Look at what is known of the work in *rows*, before they are written."""
        self._experience.look(connection, rows)
        for row in rows.get("chip", ()):
            self._chips[row["digest"]] = row["name"], row["accelerators"]
        for row in rows.get("machine", ()):
            self._machines[row["digest"]] = row["chip"]

    def note(self, rows: Mapping[str, list[Any]], without: Collection[str]) -> None:
        """Take in what the runs in *rows* say, but for those *without*."""
        figures: dict[str, list[tuple[str, float]]] = {}
        for row in rows.get("value", ()):
            if row[_VALUE["value"]] is not None:
                figure = row[_VALUE["metric"]], row[_VALUE["value"]]
                figures.setdefault(row[_VALUE["run"]], []).append(figure)
        for row in rows.get("run", ()):
            if row[0] not in without:
                self._note(row, figures.get(row[0], []))

    def _note(self, row: Any, figures: list[tuple[str, float]]) -> None:
        digest = self._machines.get(row[_RUN["machine"]], "")
        name, cards = self._chips.get(digest, ("unknown", []))
        chip_ = _chip(row[_RUN["device"]], row[_RUN["device_name"]], name, cards)
        parameters = msgspec.json.decode(row[_RUN["parameters"]])
        which = _which(parameters, row[_RUN["batch_size"]])
        for metric, figure in figures:
            work = Work(chip_, row[_RUN["workload"]], metric, which)
            if work not in self.spans and len(self.spans) >= _WORKS:
                work = work._replace(which=())
            span = Span(1, figure, figure).with_(self.spans.get(work))
            self.spans[work] = span


def _chip(device: str, own: str | None, name: str, accelerators: Any) -> str:
    card = str(accelerators[0]["name"]) if accelerators else None
    return worked(own, device, card, name)


def _which(parameters: Mapping[str, Any], batch: int | None) -> tuple[Any, ...]:
    return (batch, *(str(parameters.get(name, "")) for name in _WORK))
