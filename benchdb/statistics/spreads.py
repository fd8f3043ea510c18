"""The spread that a class of work has shown: of processes, and of sessions.

A step that is shorter than a host takes to launch its kernels is bound by these
launches: it waits for the host, and hosts waver; a long one is the device's own. That
follows from the work and not from the chip, so a class holds on any device of its
family, and is known of figures of others as well. An operation alone is one launch.
Whatever passes through a network is many, training or not: a token that a language
model writes takes some 30 launches a layer, a training step up to 5,000 in all.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from statistics import fmean
from typing import Literal

import msgspec

from benchdb.resources import folder
from benchdb.statistics.comparison import (
    SEEN_FACTOR,
    Sample,
    Spread,
    deviance,
    logs,
)
from benchdb.statistics.student import t_quantile

WorkClass = Literal["cpu", "launch-bound", "long-steps", "short-steps", "whole-runs"]

_LAUNCHED_BY_A_HOST = frozenset({"cuda", "metal", "opencl", "rocm", "sycl", "vulkan"})
# A launch takes some 10 µs. What is shorter than all of its launches, be they one or
# the 5,000 of a network, is bound by them; what takes twice as long is not.
_LAUNCH = 10e-6
_LAUNCHES = 5000
_FEWEST = 3  # degrees of freedom; below that the spread of a class is not known


class Seen(msgspec.Struct, frozen=True):
    """What a class has shown: standard deviations of logs, each with its freedom.

    *values* are figures, one for each process and metric. *process_freedom* is how many
    there are beyond the first of their session, *session_freedom* how many sessions
    beyond the first of their cell.
    """

    values: int
    cells: int
    process: float | None
    process_freedom: int
    session: float | None
    session_freedom: int


def work_class(
    device: str, seconds: float | None, *, operation: bool, whole_run: bool = False
) -> WorkClass | None:
    """Return the class of work whose steps take *seconds* on that kind of *device*.

    A *whole_run* is timed from its start: a script, or an epoch with its loading. A
    kind of device that nobody has measured has no class, nor has an unknown step.
    """
    if device not in _LAUNCHED_BY_A_HOST | {"cpu"}:
        return None
    if whole_run:
        return "whole-runs"
    if device == "cpu":
        return "cpu"
    if seconds is None:
        return None
    launching = _LAUNCH * (1 if operation else _LAUNCHES)
    if seconds >= 2 * launching:
        return "long-steps"
    return "launch-bound" if seconds < launching else "short-steps"


def seen(samples: Iterable[tuple[WorkClass, Sample]]) -> dict[WorkClass, Seen]:
    """Return what each class has shown in *samples*, one for each cell."""
    classes: defaultdict[WorkClass, list[Sample]] = defaultdict(list)
    for name, sample in samples:
        classes[name].append(sample)
    return {name: _seen(classes[name]) for name in sorted(classes)}


def spread_of(
    name: WorkClass | None, *known: Mapping[WorkClass, Seen]
) -> Spread | None:
    """Return the spread of the class: from the first of *known* that has enough of it.

    That of processes and that of sessions are looked for one by one. Short steps may be
    bound by launches or not, and are judged as those that surely are.
    """
    name = "launch-bound" if name == "short-steps" else name
    shown = [classes[name] for classes in known if name in classes] if name else []
    process = [_upper(facts.process, facts.process_freedom) for facts in shown]
    session = [_upper(facts.session, facts.session_freedom) for facts in shown]
    spread = Spread(
        next((spread for spread in process if spread is not None), None),
        next((spread for spread in session if spread is not None), None),
    )
    return None if spread == Spread() else spread


@cache
def shipped() -> Mapping[WorkClass, Seen]:
    """Return what the classes have shown in the database that benchdb ships."""
    content = (folder("schema") / "spreads.json").read_bytes()
    return msgspec.json.decode(content, type=dict[WorkClass, Seen])


def _seen(cells: list[Sample]) -> Seen:
    """Return the pooled spreads of *cells*: variances, weighted by their freedom.

    Session means differ by what their processes do as well. That is taken off, down to
    one standard error of what remains: as much may hide behind the processes.
    """
    sessions = [session for cell in cells for session in cell.sessions]
    of_processes = math.fsum(map(deviance, map(logs, sessions)))
    freedom = sum(len(session) - 1 for session in sessions)
    process = of_processes / freedom if freedom else None
    repeated = [cell for cell in cells if len(cell.sessions) > 1]
    session_freedom = sum(len(cell.sessions) - 1 for cell in repeated)
    session = _between(repeated, session_freedom, process or 0.0)
    return Seen(
        values=sum(cell.count for cell in cells),
        cells=len(cells),
        process=None if process is None else math.sqrt(process),
        process_freedom=freedom,
        session=None if session is None else math.sqrt(session),
        session_freedom=session_freedom,
    )


def _between(repeated: list[Sample], freedom: int, process: float) -> float | None:
    if not freedom:
        return None
    means = [[fmean(logs(session)) for session in cell.sessions] for cell in repeated]
    share = math.fsum(
        (len(cell.sessions) - 1) * fmean(1 / len(session) for session in cell.sessions)
        for cell in repeated
    )
    variance = math.fsum(map(deviance, means)) / freedom
    error = variance * math.sqrt(2 / freedom)
    return max(error, variance - process * share / freedom)


def _upper(spread: float | None, freedom: int) -> float | None:
    """Widen what few runs have shown, as much as Student's t asks for."""
    if spread is None or freedom < _FEWEST:
        return None
    return spread * max(1.0, t_quantile(0.975, freedom) / SEEN_FACTOR)
