"""A few minutes of everything that only this machine can show: ``doctor --try``.

Each step says what it does, then what held and what did not. A ``Trial`` is filled on
the way, so that what was cut off is written as well.
"""

import io
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import msgspec

from benchdb import __version__
from benchdb.catalogue import find_chip
from benchdb.collecting.preflight import spoilers
from benchdb.collecting.processes import Isolation, asking, manner, refusal
from benchdb.collecting.programs import (
    Description,
    ask_machine,
    frameworks,
    program,
    publishable,
    start,
    survey,
)
from benchdb.errors import BenchdbError, ExchangeError
from benchdb.exchange import reader
from benchdb.exchange.record import Record
from benchdb.grading import BUSY_LOAD, load_per_cpu

Facts = Mapping[str, Any]

FORMAT = 1
# After so many seconds no small collection begins: the burst takes over a minute.
_SMALL_UNTIL = 190.0
_LIMIT_SECONDS = 60  # of a small collection
_WORKLOADS = ("matmul", "mnist")
_ACCELERATORS = ("metal", "cuda")
# Long enough for a GPU to be at its clock; a CPU takes seconds for more.
_SIZES = {"cpu": 1024, "metal": 4096, "cuda": 4096}
# Ten blocks, the least of tier quick, are then most of a minute.
_BLOCK_SECONDS = 5.0
_UNTIL_WARM = 20.0  # seconds; a framework has been imported, its warm-up is over
_FALLS = 0.9  # of the speed of the first seconds
_LEAST_WATTS, _MOST_WATTS = 0.01, 2000.0
_ALIKE = 0.3  # how far two meters of a chip may differ, relative to the larger
_ASLEEP_SECONDS = 2.0


class Check(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that was tried; *holds* is None where it could not be, or is a note."""

    name: str
    holds: bool | None
    text: str


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One small collection: what it was, how it ended, its figures and gates by name.

    *during* is what was seen of the machine meanwhile, *meter* what counted energy.
    """

    framework: str
    version: str | None
    device: str
    device_name: str | None
    workload: str
    status: str
    reason: str | None
    compiler: str | None
    packages: Mapping[str, str]
    values: Mapping[str, float]
    gates: Mapping[str, str]
    during: Mapping[str, int | float | str]
    meter: str | None


class Trial(msgspec.Struct, forbid_unknown_fields=True):
    """All that was tried, and nothing else may stand in the file.

    *fingerprint* has machine, system and conditions, *sources* what each source says
    of a fact, *answers* what commands printed; *watts* go by device, then "rest" or
    "work", then meter. *course* are seconds and speed, relative to the first seconds.
    """

    format: int = FORMAT
    benchdb: str = __version__
    python: str = ".".join(map(str, sys.version_info[:3]))
    seconds: float = 0.0
    complete: bool = False
    checks: list[Check] = []
    fingerprint: dict[str, dict[str, Any]] = {}
    sources: dict[str, dict[str, str | int | float | bool]] = {}
    answers: dict[str, str] = {}
    frameworks: dict[str, str | None] = {}
    runs: list[Measured] = []
    watts: dict[str, dict[str, dict[str, dict[str, Any]]]] = {}
    course: list[tuple[float, float]] = []


class How(msgspec.Struct, frozen=True):
    """How to try: collectors in environments of their own, powermetrics by sudo."""

    isolated: Isolation = False
    powermetrics: bool = False


def steps(trial: Trial, how: How) -> Iterator[str | Check]:
    """Try everything, into *trial*; yield what is begun, and each check as it is known.

    Whatever fails is a check that did not hold; nothing is raised but ``UsageError``
    of a missing uv.
    """
    began, offset = time.monotonic(), time.time() - time.monotonic()
    for event in _steps(trial, how, began):
        checked = _without_private(event) if isinstance(event, Check) else event
        if isinstance(checked, Check):
            trial.checks.append(checked)
        trial.seconds = round(time.monotonic() - began, 1)
        yield checked
    asleep = time.time() - time.monotonic() - offset
    awake = Check(
        "awake",
        asleep < _ASLEEP_SECONDS,
        "the machine did not sleep meanwhile"
        if asleep < _ASLEEP_SECONDS
        else f"clocks differ by {asleep:.0f} s: the machine slept, or was set right",
    )
    trial.checks.append(awake)
    trial.complete = True
    yield awake


def _without_private(check: Check) -> Check:
    """Return *check* with what a program said as it may be shared."""
    text = " ".join(check.text.split())
    shared = publishable(text) if check.holds is not True else text
    return Check(check.name, check.holds, shared or "(its words cannot be shared)")


def _steps(trial: Trial, how: How, began: float) -> Iterator[str | Check]:
    yield "what each source says of this machine"
    yield from _fingerprint(trial, how)
    yield "which frameworks are here"
    described = survey(frameworks(), isolated=how.isolated)
    yield from _frameworks(trial, described)
    for framework, device, workload in _small(described):
        if time.monotonic() - began > _SMALL_UNTIL:
            text = f"left out: {_SMALL_UNTIL:.0f} s are over"
            yield Check(f"{framework.framework}, {device}, {workload}", None, text)
            continue
        yield f"{framework.framework} on {device}: {workload}"
        yield _collected(trial, how, framework.framework, device, workload)
    best = _best(trial.runs)
    device = best.device if best else "cpu"
    yield f"energy meters of {device} at rest"
    _watts(trial, how, device, "rest")
    if best is None:
        yield Check("burst", None, "nothing measured a product")
    else:
        yield f"a minute of products by {best.framework} on {device}, with the meters"
        yield from _burst(trial, how, best)
    yield from _meters(trial, device)


def _fingerprint(trial: Trial, how: How) -> Iterator[Check]:
    asked = ["--sources", *(["--powermetrics"] if how.powermetrics else [])]
    try:
        facts = ask_machine(asked)
    except BenchdbError as error:
        yield Check("fingerprint", holds=False, text=str(error))
        return
    names = ("machine", "system", "conditions")
    trial.fingerprint = {name: facts[name] for name in names}
    trial.sources, trial.answers = facts["sources"], facts["answers"]
    yield from fingerprint_checks(trial.fingerprint, trial.sources)
    spoiling = spoilers(trial.fingerprint)
    for spoiler in spoiling:
        yield Check("state", None, f"{spoiler.what}; {spoiler.advice}")
    if not spoiling:
        text = "nothing that can be seen would spoil a measurement"
        yield Check("state", holds=True, text=text)


def fingerprint_checks(fingerprint: Facts, sources: Facts) -> Iterator[Check]:
    """Yield where sources agree on a fact and where not, and what nobody knows."""
    for fact, answers in sources.items():
        name, values = fact.replace("_", " "), list(answers.values())
        if all(value == values[0] for value in values):
            alone = len(values) < 2
            by = ", ".join(answers) + (" alone" if alone else " agree")
            yield Check(name, None if alone else True, f"{_shown(values[0])}: {by}")
        else:
            each = (
                f"{source} says {_shown(value)}" for source, value in answers.items()
            )
            yield Check(name, holds=False, text=", ".join(each))
    chip = fingerprint.get("machine", {}).get("chip", {})
    if chip.get("vendor") == "Apple":
        name, cores = chip["name"], chip.get("gpu_cores")
        known = find_chip("Apple", name, cores) is not None
        what = f"{name} with {cores or 'unknown'} GPU cores"
        where = "is" if known else "is not"
        yield Check("catalogue", known, f"{what} {where} in collectors/catalogue")
    lacking = fingerprint.get("machine", {}).get("missing", {})
    for fact, why in lacking.items():
        if fact != "memory_bandwidth_bytes_per_second":  # of the catalogue, if at all
            yield Check(fact.replace("_", " "), None, f"not known: {why}")


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and value > 9999 else str(value)


def _frameworks(trial: Trial, described: Sequence[Description]) -> Iterator[Check]:
    for framework in described:
        trial.frameworks[framework.framework] = framework.version
        if framework.version is None:
            yield Check(framework.framework, None, f"not here: {framework.why}")
            continue
        there = [name for name, device in framework.devices.items() if device.available]
        text = f"{framework.version}, on {', '.join(there) or 'nothing'}"
        yield Check(framework.framework, holds=True, text=text)
        for name in _ACCELERATORS:
            device = framework.devices.get(name)
            if device is not None and not device.available and _may_have(trial, name):
                title = f"{framework.framework}, {name}"
                yield Check(title, None, f"not here: {device.why}; {device.install}")


def _may_have(trial: Trial, device: str) -> bool:
    is_mac = trial.fingerprint.get("system", {}).get("os_name") == "macOS"
    return (device == "metal") == is_mac


def _small(described: Sequence[Description]) -> list[tuple[Description, str, str]]:
    """Return the small collections: those on accelerators first, then by workload."""
    every = [
        (framework, name, workload)
        for framework in described
        for name, device in framework.devices.items()
        for workload in _WORKLOADS
        if device.available and workload in framework.workloads
    ]
    return sorted(
        every, key=lambda it: (it[1] not in _ACCELERATORS, _WORKLOADS.index(it[2]))
    )


def _collected(
    trial: Trial, how: How, framework: str, device: str, workload: str
) -> Check:
    name = f"{framework}, {device}, {workload}"
    sized = ["--size", str(_SIZES[device])] if workload == "matmul" else []
    limit = str(_LIMIT_SECONDS)
    options = [workload, *sized, "--tier", "smoke", "--time-limit", limit]
    try:
        record = _record(how, framework, device, options)
    except BenchdbError as error:
        return Check(name, holds=False, text=str(error))
    run = measured(record)
    trial.runs.append(run)
    return run_check(name, run)


def _record(
    how: How,
    framework: str,
    device: str,
    options: Sequence[str],
    meanwhile: Callable[[], None] = lambda: None,
) -> Record:
    """Run a collector once; return its record, or raise ``BenchdbError``."""
    command = [*start(framework, isolated=how.isolated), *options, "--device", device]
    powered = ["--powermetrics"] if how.powermetrics else []
    isolated = how.isolated and program(framework).ours
    with asking([*command, *powered], isolated=isolated) as question:
        meanwhile()
        reply = question.reply()
    try:
        every = [*reader.read(io.BytesIO(reply.out.encode()))] if reply.out else []
    except ExchangeError as error:
        raise BenchdbError(f"{question.name}: {error}") from error
    records = [record for record in every if isinstance(record, Record)]
    if not records:
        why = refusal(reply.err, question.name) or f"it {manner(reply.status)}"
        raise BenchdbError(f"{question.name} gave no run: {why}")
    return records[0]


def measured(record: Record) -> Measured:
    """Return of *record* what the file has of it."""
    run, end, checks = record.run, record.end, record.end.checks
    gates = {name: gate["status"] for name, gate in checks.get("gates", {}).items()}
    plain = (int, float, str)
    during = {k: v for k, v in checks.get("during", {}).items() if isinstance(v, plain)}
    numbers = {value.metric: value.value for value in end.values}
    return Measured(
        framework=run.framework,
        version=record.environment.framework_version,
        device=run.device,
        device_name=run.device_name,
        workload=run.workload,
        status=end.status,
        reason=end.reason,
        compiler=run.compiler,
        packages=dict(record.environment.packages),
        values={k: v for k, v in numbers.items() if v is not None},
        gates=gates,
        during=during,
        meter=checks.get("energy", {}).get("source"),
    )


def run_check(name: str, run: Measured) -> Check:
    """Say how a collection ended, its figure and its gates."""
    if run.status != "ok":
        holds = None if run.status == "unsupported" else False
        return Check(name, holds, f"{run.status}: {run.reason}")
    statuses = list(run.gates.values())
    gates = f"{statuses.count('passed')} gates passed"
    rate = run.values.get("teraflops")
    figure = f"{rate:.3g} TFLOPS" if rate else ""
    if not rate and (rate := run.values.get("samples_per_second")):
        figure = f"{rate:.4g} samples/s"
    return Check(name, holds=True, text=", ".join(filter(None, (figure, gates))))


def _best(runs: Sequence[Measured]) -> Measured | None:
    """Return the fastest product: what works is on the best device of this machine."""
    products = [run for run in runs if run.status == "ok" and "teraflops" in run.values]
    return max(products, key=lambda it: it.values["teraflops"], default=None)


def _watts(trial: Trial, how: How, device: str, state: str) -> None:
    asked = ["--watts", device, *(["--powermetrics"] if how.powermetrics else [])]
    try:
        watts = ask_machine(asked, isolated=how.isolated)
    except BenchdbError as error:
        watts = {"all": {"why": str(error)}}
    trial.watts.setdefault(device, {})[state] = watts


def _meters(trial: Trial, device: str) -> Iterator[Check]:
    """Yield which meters answer, whether with watts that can be, and whether alike."""
    states = trial.watts.get(device, {})
    rest, work = states.get("rest", {}), states.get("work", {})
    for name in {**rest, **work}:
        idle, busy = (groups.get(name, {}).get("watts") for groups in (rest, work))
        title = f"meter {name}, {device}"
        if idle is None and busy is None:
            why = {**work, **rest}[name].get("why")
            yield Check(title, None, f"does not answer: {why}")
            continue
        parts = [
            f"{watts:.3g} W {when}"
            for watts, when in ((idle, "at rest"), (busy, "at work"))
            if watts is not None
        ]
        every = [watts for watts in (idle, busy) if watts is not None]
        if not all(_LEAST_WATTS <= watts <= _MOST_WATTS for watts in every):
            parts.append("which no machine draws")
        if idle is not None and busy is not None and busy <= idle:
            parts.append("so it does not see the work")
        yield Check(title, len(parts) == len(every), ", ".join(parts))
    busy = {name: result["watts"] for name, result in work.items() if "watts" in result}
    if len(busy) > 1:
        low, high = min(busy.values()), max(busy.values())
        each = ", ".join(f"{name} {watts:.3g} W" for name, watts in busy.items())
        difference = f": {100 * (high - low) / high:.0f} % apart"
        yield Check("meters alike", (high - low) / high <= _ALIKE, each + difference)


def _burst(trial: Trial, how: How, best: Measured) -> Iterator[Check]:
    step = best.values["step_seconds"]
    options = ["matmul", "--size", str(_SIZES[best.device]), "--tier", "quick"]
    block = str(max(1, math.ceil(_BLOCK_SECONDS / step)))
    options += ["--blocks-only", "--steps-per-block", block, "--time-limit", "150"]
    # The second process of two: the gates of the first would double such a block.
    options += ["--replicates", "2", "--replicate", "1"]

    def look() -> None:
        time.sleep(_UNTIL_WARM)
        _watts(trial, how, best.device, "work")

    try:
        record = _record(how, best.framework, best.device, options, look)
    except BenchdbError as error:
        yield Check("burst", holds=False, text=str(error))
        return
    run = measured(record)
    trial.runs.append(run)
    trial.course = course(record)
    if run.status != "ok":
        yield Check("burst", holds=False, text=f"{run.status}: {run.reason}")
        return
    conditions = trial.fingerprint.get("conditions", {})
    is_busy = (load_per_cpu(conditions) or 0) > BUSY_LOAD
    yield burst_check(trial.course, run, is_busy=is_busy)


def course(record: Record) -> list[tuple[float, float]]:
    """Return seconds since the warm-up began, and the speed relative to its first ones.

    The times of the warm-up are joined to a second each.
    """
    times = [
        (seconds, series.per / seconds)
        for series in record.series
        for seconds in series.values
        if series.phase in ("warmup", "measure") and seconds > 0
    ]
    joined: list[tuple[float, float]] = []
    passed = since = work = 0.0
    for seconds, rate in times:
        passed, work = passed + seconds, work + rate * seconds
        if passed - since >= 1:
            joined.append((passed, work / (passed - since)))
            since, work = passed, 0.0
    # Not the first second, in which clocks still rise.
    first = [rate for _, rate in joined[1:4]] or [rate for _, rate in joined]
    usual = median(first) if first else 1.0
    return [(round(at, 1), round(rate / usual, 4)) for at, rate in joined]


def burst_check(
    speeds: Sequence[tuple[float, float]], run: Measured, *, is_busy: bool = False
) -> Check:
    """Say whether the speed of the first seconds lasts.

    On a machine that *is_busy* with other work a fall tells nothing.
    """
    if len(speeds) < 6:
        return Check("burst", None, f"only {len(speeds)} s were long enough to compare")
    last = median(rate for _, rate in speeds[-max(1, len(speeds) // 4) :])
    text = f"after {speeds[-1][0]:.0f} s {100 * last:.0f} % of the first seconds' speed"
    seen = {
        "thermal_pressure_max": "thermal pressure {}",
        "temperature_celsius_max": "{} °C",
        "throttle_reasons": "held back by {}",
    }
    beside = [
        words.format(run.during[name])
        for name, words in seen.items()
        if run.during.get(name) not in (None, "none")
    ]
    if last < _FALLS and is_busy:
        return Check("burst", None, f"{text}, beside other work; try it at rest")
    return Check("burst", last >= _FALLS, ", ".join([text, *beside]))
