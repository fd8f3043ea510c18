"""The sweep of matrix products: TFLOPS against size, with the peak of the chip."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from benchdb.conditions import Conditions, difference
from benchdb.report.quantities import as_printed
from benchdb.report.references import Notes
from benchdb.report.sections.material import Material
from benchdb.report.sections.sweep import Sweep, SweepLine, SweepPanel, SweepPoint
from benchdb.report.sections.sweep.peaks import peak
from benchdb.report.sections.sweep.products import Product, products
from benchdb.report.systems import is_known, party, resolve
from benchdb.report.view.atoms import Quantity, System
from benchdb.statistics import comparison

_ENOUGH = 4  # sizes; fewer show no course
_LINES = 5  # in a panel: more cannot be told apart
# On a linear axis, what is slower by more than this lies on the bottom.
_BAND = 20
_PEAK_IN_SIGHT = 4  # times the fastest figure; a higher one would flatten all lines
_PRECISIONS = ("fp64", "fp32", "tf32", "bf16", "fp16")


class _Series(msgspec.Struct, frozen=True):
    """What one system did in one precision, newest first of each size, by size."""

    system: System
    conditions: Conditions
    found: tuple[Product, ...]

    @property
    def best(self) -> float:
        return max(comparison.geometric_mean(one.rates) for one in self.found)

    @property
    def rank(self) -> tuple[object, ...]:
        """Return what is smaller the more sizes there are, and the faster they are."""
        return -len(self.found), -self.best, self.system.key, repr(self.conditions)


def section(material: Material) -> Sweep | None:
    """Return the section, or ``None`` where nothing ran with enough sizes."""
    found = products(material.connection, material.runs)
    series = _series([one for one in found if is_known(one.place)], material.here)
    first = {one.conditions.precision: one for one in sorted(series, key=_rank)[::-1]}
    bands = [band for band in _bands(series) if _shows(band)]
    if not bands:
        return None
    panels = tuple(_panel(band, first, material.notes) for band in bands)
    there = {id(one) for band in bands for one in _drawn(band)}
    left = sorted((one for one in series if id(one) not in there), key=_order)
    rest = tuple(_line(one, first, material.notes) for one in left)
    lines = [*(line for panel in panels for line in panel.lines), *rest]
    return Sweep(
        panels=panels,
        rest=rest,
        unlike=tuple(dict.fromkeys(line.differs for line in lines if line.differs)),
        sources=material.sources.keys(
            product.place.source for one in series for product in one.found
        ),
    )


def _series(found: Iterable[Product], here: str | None) -> list[_Series]:
    found = list(found)
    parties = [party(one.place, one.conditions.framework, here) for one in found]
    systems = resolve(parties)
    newest: defaultdict[tuple[System, Conditions], dict[int, Product]]
    newest = defaultdict(dict)
    for who, one in zip(parties, found, strict=True):
        sizes = newest[systems[who], one.conditions]
        if one.size not in sizes or one.age > sizes[one.size].age:
            sizes[one.size] = one
    return [
        _Series(system, own, tuple(sizes[size] for size in sorted(sizes)))
        for (system, own), sizes in newest.items()
    ]


def _bands(series: Iterable[_Series]) -> Iterator[list[_Series]]:
    """Yield what fits on one linear axis: by precision, the fastest first."""
    band: list[_Series] = []
    for one in sorted(series, key=_order):
        if band and (
            one.conditions.precision != band[0].conditions.precision
            or one.best * _BAND < band[0].best
        ):
            yield band
            band = []
        band.append(one)
    if band:
        yield band


def _order(one: _Series) -> tuple[object, ...]:
    precision = one.conditions.precision
    known = precision in _PRECISIONS
    place = _PRECISIONS.index(precision) if known and precision else len(_PRECISIONS)
    return precision is None, place, precision or "", -one.best, one.rank


def _rank(one: _Series) -> tuple[object, ...]:
    return one.rank


def _shows(band: Iterable[_Series]) -> bool:
    return any(len(one.found) >= _ENOUGH for one in band)


def _drawn(band: Iterable[_Series]) -> list[_Series]:
    """Return those with most sizes, then the fastest; in the order of speed."""
    return sorted(sorted(band, key=_rank)[:_LINES], key=_order)


def _panel(
    band: Sequence[_Series], first: dict[str | None, _Series], notes: Notes
) -> SweepPanel:
    drawn = _drawn(band)
    limit = _PEAK_IN_SIGHT * max(one.best for one in drawn)
    lines = [_line(one, first, notes) for one in drawn]
    return SweepPanel(
        precision=drawn[0].conditions.precision,
        lines=tuple(
            replace(line, guided=line.peak is not None and line.peak.teraflops <= limit)
            for line in lines
        ),
    )


def _line(one: _Series, first: dict[str | None, _Series], notes: Notes) -> SweepLine:
    place, own = one.found[0].place, one.conditions
    most = peak(place, one.found[0].gpu_cores, own.precision)
    limit = most.teraflops if most else float("inf")
    return SweepLine(
        system=one.system,
        precision=own.precision,
        points=tuple(_point(product, limit, notes) for product in one.found),
        variant=_variant(own),
        differs=_differs(one, first[own.precision]),
        peak=most,
    )


def _point(product: Product, limit: float, notes: Notes) -> SweepPoint:
    found = comparison.estimate(product.rates)
    printed = as_printed(product.printed, found.value, derived=product.derived)
    quantity = Quantity(
        value=found.value,
        unit="TFLOPS",
        run=product.runs[0],
        n=len(product.rates),
        printed=printed,
        low=found.low,
        high=found.high,
        notes=notes.on(product.runs, product.conditions.metric),
        derived=product.derived,
        grade=product.grade,
        label=product.label,
        sessions=product.sessions,
        mine=product.place.mine,
    )
    above = found.value > limit
    return SweepPoint(product.size, quantity, above, product.held, product.leads)


def _variant(own: Conditions) -> tuple[tuple[str, str], ...]:
    facts: dict[str, object] = {
        "compiler": own.compiler,
        "protocol": own.setting,
        "workload": own.version,
        "batch": own.batch_size,
        **own.facts,
        **dict(own.choices),
        **dict(own.surroundings),
        "tier": own.tier,
        "metric": own.metric,
    }
    return tuple((name, str(fact)) for name, fact in facts.items() if fact)


def _differs(one: _Series, other: _Series) -> tuple[str, ...]:
    """Name the conditions in which two lines are not alike, in order."""
    same = one.found[0].place.source == other.found[0].place.source
    found = difference(one.conditions, other.conditions, same_source=same)
    return tuple(sorted(found.unlike))
