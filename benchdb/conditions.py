"""Cells: what makes the work of two runs another, and what makes conditions unlike.

Database, grades and reports all use this one definition. Figures of other work never
meet as if they were the same. Figures of the same work under unlike conditions meet
with the names of what differs, and are never pooled.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from benchdb.catalogue import workloads
from benchdb.sorted_json import sorted_json

# The columns of a run that are equal for all processes of one cell.
COLUMNS = (
    "machine",
    "source",
    "workload",
    "workload_version",
    "setting",
    "framework",
    "device",
    "precision",
    "compiler",
    "batch_size",
    "parameters",
    "mine",
)

# Parameters that say how the work was done, with the names of these conditions. All
# others say what it was: those that nobody here knows as well, or a sweep over one of
# them would be pooled.
_CHOICES = {
    "attention": "attention",
    "data": "data",
    "loader_processes": "loader",
    "memory_format": "layout",
    "optimizer_implementation": "optimizer",
}
# Parameters that tell figures of one work from each other.
VARIANTS = ("variant", "variant_2", "statistic")
# How long a run was: the extent of a time of the whole, and nothing to a rate.
LENGTHS = frozenset(
    {
        "epochs",
        "images",
        "samples_total",
        "steps_per_epoch",
        "trials",
        "warmup_epochs",
    }
)
# They change the numbers and not what it costs to compute them, go with the precision,
# or are told elsewhere.
_INDIFFERENT = frozenset(
    {"batch_size", "grad_scaler", "learning_rate", "pretrained", "threads"}
    | {"model_size", "model_n_params"}
)
_WEIGHTS = "quantization"
# Asked for one answer at a time, unless it is told.
ALONE = frozenset({"llm-prefill", "llm-decode"})
_MANY_TOKENS = 10**9  # of one prompt: what strangers state beyond is no length
_BITS = re.compile(
    r"(?:i?q|w|int|fp|mxfp|nvfp)([2-8])(?!\d)|\b([2-8])[- ]?bit"
    r"|(?:bf|fp|f)(16|32)|\b(16)[- ]?bit",
    re.IGNORECASE,
)
_HALF = frozenset({"fp16", "bf16", "fp16-mixed", "bf16-mixed"})
_MINOR = re.compile(r"(\d+)\.(\d+)")
_MAJOR = re.compile(r"\d+")
_ELSEWHERE = re.compile(
    "THREADS|AFFINITY|PROC_BIND|PLACES|DYNAMIC|DEVICES|DEVICE_ORDER|LOADING|^KMP_"
)
_UNSET = {"TF_ENABLE_ONEDNN_OPTS": "1"}  # oneDNN is on unless it is turned off
# All names that ``difference`` gives; ``options`` stands for those of a runtime that a
# side leaves out, one that both have bears its own name.
NAMES = (
    *(
        "precision",
        "compiler",
        "batch",
        "framework",
        "protocol",
        "tier",
        "work",
        "weights",
        "options",
    ),
    *_CHOICES.values(),
    *("threads", "variables", "version", "system", "driver", "load", "path", "source"),
)
_FAMILIES = ("macOS", "Windows")  # every other system is a Linux

Pairs = tuple[tuple[str, str], ...]


class Conditions(msgspec.Struct, frozen=True, cache_hash=True):
    """What must be equal for two figures to compare; machine and device are not in it.

    *parameters* are those that change what a step computes, as sorted JSON. *extent* is
    how many samples a time covers; a rate has none. *tier* says how thorough our own
    collectors were, ``None`` for what others published. *told_by* is the source of a
    figure, or the program, of which only its author knows what was timed; of ours the
    version in which a source's protocol was followed (``statistics.protocols``).

    *choices* say how the work was done. *surroundings* are what a run does not choose:
    the versions of framework, system and driver, and load; "" is what is not stated.
    Threads, if a CPU was not given all, environment variables and the path that ran
    are there if set.
    """

    workload: str
    version: int
    setting: str
    framework: str
    batch_size: int | None
    precision: str | None
    compiler: str | None
    metric: str
    extent: float | None
    tier: str | None = None
    told_by: str | None = None
    parameters: str = "{}"
    choices: Pairs = ()
    surroundings: Pairs = ()

    @property
    def smoke(self) -> bool:
        """Tell whether it shows that something works, not how fast: like no other."""
        return self.tier == "smoke"

    @property
    def work(self) -> tuple[str, str]:
        """Return what was computed, for any batch size and any storage of weights."""
        return self.workload, _without_weights(self.parameters)

    @property
    def weights(self) -> str | None:
        """Return how the weights of a model are stored, such as "bf16" or "Q4_K_M"."""
        stated = parsed(self.parameters).get(_WEIGHTS)
        return None if stated is None else str(stated)

    @property
    def batch(self) -> int | None:
        """Return the batch size; a language model is asked alone unless it is told."""
        alone = self.workload in ALONE and self.batch_size is None
        return 1 if alone else self.batch_size

    @property
    def tokens_of_a_step(self) -> int | None:
        """Return the tokens that a language model takes at once, where that is stated.

        It writes one for each text, and reads a prompt whole.
        """
        facts = parsed(self.parameters) if self.workload == "llm-prefill" else {}
        length = 1 if self.workload == "llm-decode" else facts.get("prompt_tokens")
        if not isinstance(length, int) or not 0 < length < _MANY_TOKENS:
            return None
        return None if self.batch is None else self.batch * length

    @property
    def precision_class(self) -> str | None:
        """Return the precision; training in fp16 and in bf16 is of one class."""
        known = workloads().get(self.workload)
        trains = known is not None and known.kind != "operation"
        mixed = trains and self.precision in _HALF
        return "16-bit mixed" if mixed else self.precision

    @property
    def facts(self) -> Mapping[str, str]:
        """Return the parameters that change what a step computes, by name."""
        return _texts(self.parameters)

    @property
    def protocol(self) -> tuple[object, ...]:
        """Return what was timed, and by which definition of the workload."""
        return self.version, self.setting, self.metric, self.extent, self.told_by


class Difference(msgspec.Struct, frozen=True):
    """What keeps two figures from being alike.

    *unlike* names the conditions that differ, *unstated* those that a side leaves out.
    Within one source what is unstated is allowed: its author compared like with like.
    Between sources it bounds the comparison: ``source`` is *unlike* if nothing else is.
    """

    unlike: tuple[str, ...] = ()
    unstated: tuple[str, ...] = ()


ALIKE = Difference()


@lru_cache(maxsize=65_536)  # of all pairs of systems, hundreds have the same two
def difference(
    left: Conditions, right: Conditions, *, same_source: bool = True
) -> Difference:
    """Name the conditions in which two figures of one workload are not alike."""
    unlike: list[str] = []
    unstated: list[str] = []
    for name, mine, other in _pairs(left, right):
        if mine in (None, "") or other in (None, ""):
            chosen = mine != other and name not in _SURROUNDINGS
            known = name if name in NAMES or name in LENGTHS else "options"
            (unlike if chosen and same_source else unstated).append(known)
        elif mine != other:
            unlike.append(name)
    if unstated and not unlike and not same_source:
        unlike.append("source")
    return Difference(tuple(dict.fromkeys(unlike)), tuple(dict.fromkeys(unstated)))


_SURROUNDINGS = ("version", "system", "driver", "load", "path")
_IF_SET = {"threads": "none", "variables": "none", "path": ""}


def _pairs(left: Conditions, right: Conditions) -> Iterator[tuple[str, object, object]]:
    yield "precision", left.precision_class, right.precision_class
    yield "compiler", left.compiler, right.compiler
    if left.batch != right.batch:  # some work has none
        yield "batch", left.batch or 0, right.batch or 0
    yield "framework", left.framework, right.framework
    yield "protocol", left.protocol, right.protocol
    if left.smoke or right.smoke or (left.tier and right.tier):  # others have none
        yield "tier", left.tier or "none", right.tier or "none"
    yield "work", left.work, right.work
    if left.weights != right.weights:  # most work has no model to choose
        yield "weights", left.weights, right.weights
    chosen, other_chosen = dict(left.choices), dict(right.choices)
    for name in sorted(chosen.keys() | other_chosen.keys()):
        yield name, chosen.get(name), other_chosen.get(name)
    around, other_around = dict(left.surroundings), dict(right.surroundings)
    for name, unset in _IF_SET.items():
        if name in around or name in other_around:
            yield name, around.get(name, unset), other_around.get(name, unset)
    for name in _SURROUNDINGS:
        # Of another framework the version, of another family the system says nothing;
        # what one side cannot have is no difference either.
        if name in around and name in other_around:
            own, other = around[name], other_around[name]
            if not (name == "version" and left.framework != right.framework) and not (
                name == "system" and own and other and _family(own) != _family(other)
            ):
                yield name, own, other


@lru_cache(maxsize=4096)  # thousands of figures share them
def divided(workload: str, parameters: str) -> tuple[str, Pairs, Mapping[str, Any]]:
    """Divide *parameters*, sorted JSON, into those of the work, choices and lengths.

    Where the catalogue says which make the work, all others are choices.
    """
    every, known = parsed(parameters), workloads().get(workload)
    cell = known.cell if known else ()
    own = {
        name: fact
        for name, fact in every.items()
        if name in cell or name not in LENGTHS | _INDIFFERENT
    }
    work = {
        name: fact
        for name, fact in own.items()
        if (name in cell if cell else name not in _CHOICES)
    }
    choices = tuple(
        (_CHOICES.get(name, name), str(fact))
        for name, fact in own.items()
        if name not in work
    )
    work.pop("batch_size", None)  # it stands beside the parameters
    lengths = {name: fact for name, fact in every.items() if name in LENGTHS}
    return sorted_json(work) or "{}", choices, lengths


def weight_bits(weights: str) -> int | None:
    """Return the bits of most weights, at least; None where the name does not tell."""
    match = _BITS.search(weights)
    return int(next(filter(None, match.groups()))) if match else None


def minor(version: str | None) -> str:
    """Return major and minor number of a framework's *version*, "" if not stated."""
    numbers = _MINOR.match(version or "")
    return ".".join(numbers.groups()) if numbers else version or ""


def system(name: str | None, version: str | None) -> str:
    """Return a system with its major version, "" if either is not stated."""
    major = _MAJOR.match(version or "")
    return f"{name} {major[0]}" if name and major else ""


def variables(every: Mapping[str, str]) -> str:
    """Return the environment variables that change what runs; "" if none is set.

    Threads are told by their number, cards by their names. 0 is as good as not set.
    """
    return " ".join(
        f"{name}={value}"
        for name, value in sorted(every.items())
        if value not in ("", _UNSET.get(name, "0")) and not _ELSEWHERE.search(name)
    )


def _family(name: str) -> str:
    return next((f for f in _FAMILIES if name.startswith(f)), "Linux")


@lru_cache(maxsize=4096)  # as below
def _without_weights(parameters: str) -> str:
    facts = dict(parsed(parameters))
    if facts.pop(_WEIGHTS, None) is None:
        return parameters
    return sorted_json(facts) or "{}"


@lru_cache(maxsize=4096)  # as below
def _texts(parameters: str) -> Mapping[str, str]:
    return {name: str(fact) for name, fact in parsed(parameters).items()}


@lru_cache(maxsize=4096)  # thousands of runs share them
def parsed(text: str) -> Mapping[str, Any]:
    """Return the parameters of a run from their JSON."""
    facts: Mapping[str, Any] = json.loads(text)
    return facts
