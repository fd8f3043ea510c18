"""The command that measures a stored run again: its options follow from what it says.

A collector gives each process the seed of the campaign and its own number.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import Workload, collected
from benchdb.collecting.programs import TIERS, own_frameworks
from benchdb.conditions import LENGTHS
from benchdb.exchange.messages import Environment, Run
from benchdb.exchange.record import Record

PROCESSES = TIERS  # of each tier, as collectors have them
# What a framework does unasked.
_COMPILERS = {"numpy": "none", "tensorflow": "graph"}  # all others run eagerly
_CHOICES = {"memory_format": "contiguous", "optimizer_implementation": "default"}
_TOLD = LENGTHS | {"attention", "cpus", "grad_scaler", "loader_processes", "threads"}
_OPTIONS = ("batch_size", "size")


class Why(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why no command measures a run again: *text* with places for *facts*."""

    text: str
    facts: dict[str, str] = {}

    def __str__(self) -> str:
        """Say it in English."""
        return self.text % self.facts


class _UnlikeError(Exception):
    """No option asks for what was done."""

    def __init__(self, text: str, **facts: str) -> None:
        super().__init__(text)
        self.why = Why(text, facts)


def N_(message: str) -> str:  # noqa: N802  known to Babel
    """Return *message*, which is translated where it is shown."""
    return message


PUBLISHED = Why(N_("others published it, and measured in their own way"))


def command(run: Run, environment: Environment) -> list[str] | Why:
    """Return the words of the command that measures *run* again, or why none does.

    Options that would be so anyway are left out.
    """
    known = collected().get(run.workload)
    name = run.collector.name if run.collector else ""
    if run.label != "measured":
        return PUBLISHED
    if known is None or name != f"with_{run.framework}":
        return Why(N_("no collector of benchdb measured it"))
    if run.framework not in own_frameworks() or run.device not in (
        "cpu",
        "metal",
        "cuda",
    ):
        return Why(N_("no collector of benchdb measures that"))
    if run.workload_version != known.version:
        text = N_("%(workload)s is version %(version)s by now")
        return Why(text, {"workload": run.workload, "version": str(known.version)})
    try:
        words = [
            *("benchdb", "collect", run.workload, "--framework", run.framework),
            *_on(run.device, environment.os_name),
            *_work(run, known),
        ]
    except _UnlikeError as error:
        return error.why
    return [*words, *_manner(run, known.precision)]


def command_of_others(
    run: Run, environment: Environment, axes: Collection[str]
) -> list[str]:
    """Return the words that ask somebody's collector, which has *axes*, for *run*."""
    points = (
        ("--set", f"{name}={value}")
        for name, value in run.parameters.items()
        if name in axes
    )
    nothing = {
        name: None for name in ("precision", "compiler") if getattr(run, name) == "none"
    }
    return [
        *("benchdb", "collect", run.workload, "--framework", run.framework),
        *_on(run.device, environment.os_name),
        *(word for point in points for word in point),
        *_manner(replace(run, **nothing), ""),
    ]


def compiled(record: Record) -> list[str] | None:
    """Return the command for the compiled counterpart of *record*, if it has one."""
    compiler = record.end.checks.get("counterpart")
    if not isinstance(compiler, str):
        return None
    words = command(replace(record.run, compiler=compiler), record.environment)
    return words if isinstance(words, list) else None


def _on(device: str, system: str | None) -> list[str]:
    if device == "cpu":
        return ["--no-metal" if system == "macOS" else "--no-cuda"]
    return [f"--{device}"]


def _work(run: Run, known: Workload) -> Iterator[str]:
    """Yield the options for the setting and the parameters."""
    own: dict[str, Any] = {"grid": known.grid, "smoke": known.smoke}
    if run.setting != known.setting:
        if run.setting not in known.settings:
            raise _UnlikeError(
                N_("%(workload)s has no setting %(setting)s by now"),
                workload=run.workload,
                setting=run.setting,
            )
        yield from ("--setting", run.setting)
        own = {**known.settings[run.setting]}
    usual, grid = own.get("parameters", known.parameters), own.get("grid", {})
    extent = "size" if "size" in {**usual, **grid} else "batch_size"
    axes = {extent, *grid, *known.choices}
    points = {**usual, **grid, **(own.get("smoke", {}) if run.tier == "smoke" else {})}
    there = run.parameters
    if there.get("quantization") == run.precision:  # as it is where nothing is asked
        there = {**there, "quantization": "none"}
    for axis in sorted(axes, key=lambda name: (name not in _OPTIONS, name)):
        # A language model without a context before it is told without a depth.
        nothing = 0 if axis == "depth" else None
        value, point = there.get(axis, nothing), points.get(axis)
        if value is not None and point not in (value, [value]):
            yield from _chosen(axis, value)
    rest = {name: fact for name, fact in there.items() if name not in axes | _TOLD}
    _refuse(rest, usual)
    # Others tell the order of images as well, and have no choice of it.
    for name, usually in _CHOICES.items() if run.framework == "torch" else ():
        if there.get(name, usually) != usually:
            yield from (f"--{name.replace('_', '-')}", str(there[name]))
    if there.get("data", "synthetic") != "synthetic":
        yield from ("--data", "DIR")


def _refuse(there: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
    """Raise _UnlikeError for what is no choice: all else belongs to the work."""
    for name, value in there.items():
        own = usual.get(name) == value
        if not own and (name in usual or name not in ("data", *_CHOICES)):
            raise _UnlikeError(
                N_("no option asks for %(name)s %(value)s"), name=name, value=str(value)
            )


def _chosen(axis: str, value: object) -> tuple[str, str]:
    if axis in _OPTIONS:
        return f"--{axis.replace('_', '-')}", str(value)
    return "--set", f"{axis}={value}"


def _manner(run: Run, usual_precision: str) -> Iterator[str]:
    """Yield the options for how it was computed, and how thoroughly measured."""
    facts: Mapping[str, tuple[object, object]] = {
        "precision": (run.precision, usual_precision),
        "compiler": (run.compiler, _COMPILERS.get(run.framework, "eager")),
        "tier": (run.tier, "quick"),
        "replicates": (run.replicates, PROCESSES.get(run.tier or "")),
        "seed": (None if run.seed is None else run.seed - (run.replicate or 0), 0),
    }
    for name, (fact, usual) in facts.items():
        if fact not in (None, usual):
            yield from (f"--{name}", str(fact))
