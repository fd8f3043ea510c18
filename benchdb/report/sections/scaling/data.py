"""Scaling: throughput against GPU cores within one generation of chips."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, linear_regression

import msgspec
from msgspec.structs import replace

from benchdb.conditions import Conditions
from benchdb.report.measurement import Measurement, newest
from benchdb.report.metric_kinds import SPEEDS, workload_of
from benchdb.report.quantities import rate
from benchdb.report.references import Notes
from benchdb.report.sections.apart import apart, is_plain, traits
from benchdb.report.sections.material import Material
from benchdb.report.sections.scaling import Basis, Curve, Generation, Scaling, Step
from benchdb.report.sections.scaling.cores import cores, generation
from benchdb.report.sections.trained import trained
from benchdb.report.view.atoms import System

_LEAST = 3  # core counts: two points are on a line whatever they are
_MOST_CURVES = 5  # marks that readers tell apart
_MOST_GENERATIONS = 4  # panels that fit beside each other

Key = tuple[object, ...]


class _Chip(msgspec.Struct, frozen=True):
    """A measurement with the system, and the GPU cores, that it ran on."""

    system: System
    gpu_cores: int
    basis: Basis
    measurement: Measurement


class _Set(msgspec.Struct, frozen=True):
    """Like measurements on chips of one generation."""

    family: tuple[str, str]
    conditions: Conditions
    chips: tuple[_Chip, ...]

    @property
    def counts(self) -> int:
        return len({one.gpu_cores for one in self.chips})

    @property
    def work(self) -> Key:
        own = self.conditions
        task = own.workload, own.version, own.setting, own.framework
        alike = own.batch_size, own.precision, own.compiler
        return self.family, *task, *alike, own.parameters, own.choices


def section(material: Material) -> Scaling | None:
    """Return the section, or ``None`` without three core counts of any generation."""
    chosen = _chosen(_sets(material))
    if not chosen:
        return None
    families: defaultdict[tuple[str, str], list[_Set]] = defaultdict(list)
    for one in chosen:
        families[one.family].append(one)
    generations = [
        Generation(name, _curves(found, material.notes))
        for (_, name), found in families.items()
    ]
    used = [one.measurement.place.source for each in chosen for one in each.chips]
    return Scaling(_charted(generations), material.sources.keys(used))


def _sets(material: Material) -> list[_Set]:
    """Return what ran alike with Metal on at least three core counts."""
    known = cores(material.connection)
    cells: defaultdict[tuple[tuple[str, str], Conditions], list[_Chip]]
    cells = defaultdict(list)
    for each in trained(material):
        one = each.measurement
        family, size = generation(one.place), known.of(one.place)
        if one.place.device == "metal" and family and size:
            chip = _Chip(each.system, *size, one)
            cells[family, one.conditions].append(chip)
    found = (_Set(*key, _newest(chips)) for key, chips in cells.items())
    return [one for one in found if one.counts >= _LEAST]


def _newest(chips: Iterable[_Chip]) -> tuple[_Chip, ...]:
    """Return one of each system and core count, fewest cores first."""
    same: defaultdict[tuple[System, int], list[_Chip]] = defaultdict(list)
    for one in chips:
        same[one.system, one.gpu_cores].append(one)
    found = []
    for twins in same.values():
        last = newest(one.measurement for one in twins)
        found += [one for one in twins if one.measurement == last][:1]
    return tuple(sorted(found, key=lambda one: (one.gpu_cores, one.system.key)))


def _chosen(sets: Sequence[_Set]) -> list[_Set]:
    """Return one set for each work: of several metrics that with most core counts."""

    def preference(one: _Set) -> tuple[object, ...]:
        own = one.conditions
        return -one.counts, SPEEDS.index(own.metric), -len(one.chips), repr(own)

    best: dict[Key, _Set] = {}
    for one in sorted(sets, key=preference):
        best.setdefault(one.work, one)
    return sorted(best.values(), key=lambda one: repr(one.work))


def _curves(sets: Iterable[_Set], notes: Notes) -> tuple[Curve, ...]:
    """Return the curves, fastest first; the plainest of each workload is in a chart."""
    same: defaultdict[str, list[_Set]] = defaultdict(list)
    for one in sorted(sets, key=_plainness):
        same[one.conditions.workload].append(one)
    shown = sorted(same.values(), key=lambda found: _plainness(found[0])[1:])
    curves = [
        replace(curve, quiet=rank > 0 or place >= _MOST_CURVES)
        for place, found in enumerate(shown)
        for rank, curve in enumerate(_of_one_workload(found, notes))
    ]
    return tuple(
        sorted(curves, key=lambda one: (-one.steps[-1].quantity.value, repr(one)))
    )


def _plainness(one: _Set) -> tuple[object, ...]:
    own = one.conditions
    return not is_plain(own), -one.counts, own.compiler or "", repr(own)


def _of_one_workload(sets: Sequence[_Set], notes: Notes) -> list[Curve]:
    names = apart(traits([one.conditions for one in sets]))
    return [
        replace(_curve(one, notes), apart=own)
        for one, own in zip(sets, names, strict=True)
    ]


def _curve(one: _Set, notes: Notes) -> Curve:
    steps = tuple(
        Step(each.system, each.gpu_cores, each.basis, rate(each.measurement, notes))
        for each in one.chips
    )
    good = [step for step in steps if not step.quantity.notes]
    fitted = len({step.gpu_cores for step in good})
    exponent = _slope(good) if fitted >= _LEAST else None
    return Curve(
        workload=workload_of(one.conditions.workload),
        framework=one.conditions.framework,
        batch_size=one.conditions.batch_size,
        steps=steps,
        exponent=exponent,
        fitted=fitted,
        fit=() if exponent is None else _ends(good, exponent),
    )


def _slope(steps: Iterable[Step]) -> float:
    """Return the least squares slope of throughput over cores, both in logs."""
    points = [(math.log(s.gpu_cores), math.log(s.quantity.value)) for s in steps]
    slope, _ = linear_regression(*zip(*points, strict=True))
    return slope


def _ends(steps: Sequence[Step], slope: float) -> tuple[tuple[float, float], ...]:
    """Return the ends of the line with that *slope* through the middle of *steps*."""
    middle = fmean(math.log(step.gpu_cores) for step in steps)
    height = fmean(math.log(step.quantity.value) for step in steps)
    return tuple(
        (cores, math.exp(height + slope * (math.log(cores) - middle)))
        for cores in (steps[0].gpu_cores, steps[-1].gpu_cores)
    )


def _charted(generations: Iterable[Generation]) -> tuple[Generation, ...]:
    """Return the generations by name; those with most curves are in the chart."""

    def interest(one: Generation) -> tuple[object, ...]:
        return -len(one.curves), _order(one)

    ordered = sorted(generations, key=interest)
    marked = [
        replace(one, charted=place < _MOST_GENERATIONS)
        for place, one in enumerate(ordered)
    ]
    return tuple(sorted(marked, key=lambda one: (not one.charted, _order(one))))


def _order(one: Generation) -> tuple[str, int]:
    return one.name[:1], int(one.name[1:])
