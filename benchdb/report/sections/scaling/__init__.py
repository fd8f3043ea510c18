"""Scaling: throughput against GPU cores within one generation of chips."""

import re
from collections import defaultdict
from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from benchdb.conditions import Conditions
from benchdb.metric_kinds import SPEEDS
from benchdb.report.bins import Basis, Bins
from benchdb.report.measurement import Measurement, newest
from benchdb.report.quantities import rate
from benchdb.report.references import Notes
from benchdb.report.sections.inputs import SectionInput
from benchdb.report.sections.labels import distinctions, is_plain
from benchdb.report.sections.scaling.laws import Laws, fitted, laws
from benchdb.report.view.atoms import Quantity, System, Workload
from benchdb.report.workloads import workload_of
from benchdb.store.places import Place, chip_at_work, tidy

# "M1", "M1 Max", "A18 Pro": a letter and a number, then what tells the variants apart.
_FAMILY = re.compile(r"([A-Z]\d{1,2})(?: [A-Z][a-z]+)?")
_LEAST = 3  # core counts: two points are on a line whatever they are
_MOST_CURVES = 5  # marks that readers tell apart
_MOST_GENERATIONS = 4  # panels that fit beside each other


class Step(msgspec.Struct, frozen=True):
    """One chip: its GPU cores, and its throughput in samples per second."""

    system: System
    gpu_cores: int
    basis: Basis
    quantity: Quantity


class Curve(msgspec.Struct, frozen=True):
    """The same work on chips with at least three GPU core counts, fewest first.

    *exponent* is the slope of throughput over cores in logs, 1 where it is in
    proportion, over *fitted* core counts: flagged figures are not among them, and
    with fewer than three there is no exponent. *fit* are the ends of that slope, as
    cores and throughput. *apart* tells curves of one workload from each other. A
    *quiet* curve is in no chart.
    """

    workload: Workload
    framework: str
    batch_size: int | None
    steps: tuple[Step, ...]
    exponent: float | None
    fitted: int
    fit: tuple[tuple[float, float], ...] = ()
    apart: tuple[str, ...] = ()
    quiet: bool = False


class Generation(msgspec.Struct, frozen=True):
    """The curves of one generation of chips, such as M1 to M1 Ultra.

    One not *charted* stands in the table only.
    """

    name: str
    curves: tuple[Curve, ...]
    charted: bool = True


class Scaling(msgspec.Struct, frozen=True):
    """Throughput against GPU cores, one generation after the other, and tokens."""

    generations: tuple[Generation, ...]
    sources: tuple[str, ...]
    laws: Laws = Laws((), 0, ())

    @property
    def curves(self) -> list[Curve]:
        """Return the curves of all generations."""
        return [curve for one in self.generations for curve in one.curves]


class _Chip(msgspec.Struct, frozen=True):
    """A measurement with the system, and the GPU cores, that it ran on."""

    system: System
    gpu_cores: int
    basis: Basis
    measurement: Measurement


class _Set(msgspec.Struct, frozen=True):
    """Like measurements on chips of one generation, fewest cores first."""

    family: tuple[str, str]
    conditions: Conditions
    chips: tuple[_Chip, ...]

    @property
    def counts(self) -> int:
        return len({one.gpu_cores for one in self.chips})

    @property
    def work(self) -> tuple[object, ...]:
        own = self.conditions
        task = own.workload, own.version, own.setting, own.framework
        alike = own.batch_size, own.precision, own.compiler
        return self.family, *task, *alike, own.parameters, own.choices

    @property
    def plainness(self) -> tuple[object, ...]:
        own = self.conditions
        return not is_plain(own), -self.counts, own.compiler or "", repr(own)


def section(inputs: SectionInput) -> Scaling | None:
    """Return the section, or ``None`` without three core counts of any generation.

    Nor with a law of language models, which are of all generations.
    """
    bins = Bins(inputs.connection)

    def preference(one: _Set) -> tuple[object, ...]:
        own = one.conditions
        return -one.counts, SPEEDS.index(own.metric), -len(one.chips), repr(own)

    # Of several metrics of the same work, that with most core counts.
    best: dict[tuple[object, ...], _Set] = {}
    for one in sorted(_sets(inputs, bins), key=preference):
        best.setdefault(one.work, one)
    families: defaultdict[tuple[str, str], list[_Set]] = defaultdict(list)
    for one in sorted(best.values(), key=lambda one: repr(one.work)):
        families[one.family].append(one)
    found = laws(inputs, bins)
    if not families and not found.shown:
        return None
    generations = [
        Generation(name, _curves(sets, inputs.notes))
        for (_, name), sets in families.items()
    ]
    used = [
        each.measurement.place.source
        for sets in families.values()
        for one in sets
        for each in one.chips
    ]
    sources = inputs.sources.keys((*used, *found.sources))
    return Scaling(_charted(generations), sources, found)


def _charted(generations: Iterable[Generation]) -> tuple[Generation, ...]:
    """Return the generations by name; those with most curves are in the chart."""

    def order(one: Generation) -> tuple[str, int]:
        return one.name[:1], int(one.name[1:])

    ranked = sorted(generations, key=lambda one: (-len(one.curves), order(one)))
    marked = [
        replace(one, charted=place < _MOST_GENERATIONS)
        for place, one in enumerate(ranked)
    ]
    return tuple(sorted(marked, key=lambda one: (not one.charted, order(one))))


def _sets(inputs: SectionInput, bins: Bins) -> list[_Set]:
    """Return what ran alike with Metal on at least three core counts."""
    found: defaultdict[
        tuple[tuple[str, str], Conditions], defaultdict[tuple[System, int], list[_Chip]]
    ]
    found = defaultdict(lambda: defaultdict(list))
    for system, one in inputs.throughputs():
        family, cores = generation(one.place), bins.cores(one.place)
        if one.place.device == "metal" and family and cores:
            same = found[family, one.conditions][system, cores[0]]
            same.append(_Chip(system, *cores, one))
    sets = []
    for key, systems in found.items():
        chips = []
        for twins in systems.values():
            last = newest(one.measurement for one in twins)
            chips += [one for one in twins if one.measurement == last][:1]
        chips.sort(key=lambda one: (one.gpu_cores, one.system.key))
        sets.append(_Set(*key, tuple(chips)))
    return [one for one in sets if one.counts >= _LEAST]


def generation(place: Place) -> tuple[str, str] | None:
    """Return vendor and generation of the chip at work, ``None`` for one without."""
    found = _FAMILY.fullmatch(chip_at_work(place))
    if found is None or tidy(place.chip) != found[0]:
        return None
    return place.vendor, found[1]


def _curves(sets: Iterable[_Set], notes: Notes) -> tuple[Curve, ...]:
    """Return the curves, fastest first; the plainest of each workload is in a chart."""
    same: defaultdict[str, list[_Set]] = defaultdict(list)
    for one in sorted(sets, key=lambda one: one.plainness):
        same[one.conditions.workload].append(one)
    curves = []
    for place, alike in enumerate(
        sorted(same.values(), key=lambda s: s[0].plainness[1:])
    ):
        names = distinctions([one.conditions for one in alike])
        for rank, (one, apart) in enumerate(zip(alike, names, strict=True)):
            quiet = rank > 0 or place >= _MOST_CURVES
            curves.append(replace(_curve(one, notes), apart=apart, quiet=quiet))
    return tuple(
        sorted(curves, key=lambda one: (-one.steps[-1].quantity.value, repr(one)))
    )


def _curve(one: _Set, notes: Notes) -> Curve:
    steps = tuple(
        Step(each.system, each.gpu_cores, each.basis, rate(each.measurement, notes))
        for each in one.chips
    )
    good = [step for step in steps if not step.quantity.notes]
    counts = len({step.gpu_cores for step in good})
    points = [(step.gpu_cores, step.quantity.value) for step in good]
    exponent, _, fit = fitted(points) if counts >= _LEAST else (None, 0, ())
    return Curve(
        workload=workload_of(one.conditions.workload),
        framework=one.conditions.framework,
        batch_size=one.conditions.batch_size,
        steps=steps,
        exponent=exponent,
        fitted=counts,
        fit=fit,
    )
