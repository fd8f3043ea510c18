"""Lines and panels of the sweep: rates by size, beside the peak of the chip."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import Chip, chips
from benchdb.conditions import Conditions, difference
from benchdb.report.products import TERA, Held, Product, products
from benchdb.report.quantities import as_printed
from benchdb.report.references import Notes
from benchdb.report.sections.inputs import SectionInput
from benchdb.report.systems import party, resolve
from benchdb.report.view.atoms import Quantity, System
from benchdb.statistics import comparison
from benchdb.store.places import Place, chip_at_work, is_known, tidy
from benchdb.titles import PRECISIONS

_ENOUGH = 4  # sizes; fewer show no course
_LINES = 5  # in a panel: more cannot be told apart
# On a linear axis, what is slower by more than this lies on the bottom.
_BAND = 20
_PEAK_IN_SIGHT = 4  # times the fastest figure; a higher one would flatten all lines
# The catalogue has the rates of GPUs, none of processors.
_VENDORS = {"metal": "Apple", "cuda": "NVIDIA"}
_SURE = ("high", "medium")


class Peak(msgspec.Struct, frozen=True):
    """The most that a chip computes in one precision, in TFLOPS, by the catalogue.

    *largest*: nobody says which variant of the chip it is; this is the largest one's.
    *clock_mhz* is the clock at which it computes that much.
    """

    teraflops: float
    chip: str
    basis: str
    confidence: str
    largest: bool = False
    clock_mhz: int | None = None


class SweepPoint(msgspec.Struct, frozen=True):
    """The rate at one size, the number of rows; *above* the peak of its precision.

    *held* is the clock, where it was stored. One that does not *lead* has not the
    evidence that a headline needs.
    """

    size: int
    quantity: Quantity
    above: bool = False
    held: Held | None = None
    leads: bool = True

    @property
    def doubtful(self) -> bool:
        """Tell whether it leads no headline."""
        return self.above or bool(self.quantity.notes)


class SweepLine(msgspec.Struct, frozen=True):
    """One system in one precision: its sizes in order, all under like conditions.

    *variant* are the conditions that tell it from the system's other lines, *differs*
    names those in which it is unlike the first line of its precision. *guided*: its
    peak is near enough to its figures to stand in their chart.
    """

    system: System
    precision: str | None
    points: tuple[SweepPoint, ...]
    variant: tuple[tuple[str, str], ...] = ()
    differs: tuple[str, ...] = ()
    peak: Peak | None = None
    guided: bool = False

    def at(self, size: int) -> SweepPoint | None:
        """Return the point at *size*."""
        return next((one for one in self.points if one.size == size), None)


class SweepPanel(msgspec.Struct, frozen=True):
    """The lines of one precision whose rates fit on one linear axis, fastest first."""

    precision: str | None
    lines: tuple[SweepLine, ...]


class Sweep(msgspec.Struct, frozen=True):
    """How fast are matrix products? *rest* are the lines that no panel has room for.

    *unlike* are the sets of differing conditions, in order of appearance.
    """

    panels: tuple[SweepPanel, ...]
    rest: tuple[SweepLine, ...]
    unlike: tuple[tuple[str, ...], ...]
    sources: tuple[str, ...]

    @property
    def drawn(self) -> tuple[SweepLine, ...]:
        """Return the lines of all panels."""
        return tuple(line for panel in self.panels for line in panel.lines)

    @property
    def lines(self) -> tuple[SweepLine, ...]:
        """Return all lines, those of the panels first."""
        return (*self.drawn, *self.rest)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return every size that any line has, in order."""
        return tuple(sorted({one.size for line in self.lines for one in line.points}))


class _Series(msgspec.Struct, frozen=True):
    """What one system did in one precision, newest first of each size, by size."""

    system: System
    conditions: Conditions
    products: tuple[Product, ...]

    @property
    def best(self) -> float:
        return max(comparison.geometric_mean(one.rates) for one in self.products)

    @property
    def rank(self) -> tuple[object, ...]:
        """Return what is smaller the more sizes there are, and the faster they are."""
        own = self.system.key, repr(self.conditions)
        return -len(self.products), -self.best, *own

    @property
    def order(self) -> tuple[object, ...]:
        """Return its place in the section: by precision, the fastest first."""
        precision = self.conditions.precision or ""
        known = precision in PRECISIONS
        place = PRECISIONS.index(precision) if known else len(PRECISIONS)
        unsaid = self.conditions.precision is None
        return unsaid, place, precision, -self.best, self.rank


def section(inputs: SectionInput) -> Sweep | None:
    """Return the section, or ``None`` where nothing ran with enough sizes."""
    found = products(inputs.connection, inputs.runs)
    every = _series([one for one in found if is_known(one.place)], inputs.here)
    every.sort(key=lambda one: one.order)
    ranked = sorted(every, key=lambda one: one.rank, reverse=True)
    first = {one.conditions.precision: one for one in ranked}
    panels, drawn = [], []
    for band in _bands(every):
        if any(len(one.products) >= _ENOUGH for one in band):
            # Those with most sizes, then the fastest; in the order of speed.
            most = sorted(band, key=lambda one: one.rank)[:_LINES]
            most.sort(key=lambda one: one.order)
            drawn += most
            panels.append(_panel(most, first, inputs.notes))
    if not panels:
        return None
    rest = tuple(
        _line(one, first, inputs.notes)
        for one in every
        if all(one is not other for other in drawn)
    )
    lines = [*(line for panel in panels for line in panel.lines), *rest]
    return Sweep(
        panels=tuple(panels),
        rest=rest,
        unlike=tuple(dict.fromkeys(line.differs for line in lines if line.differs)),
        sources=inputs.sources.keys(
            product.place.source for one in every for product in one.products
        ),
    )


def _series(found: Sequence[Product], here: str | None) -> list[_Series]:
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


def _bands(ordered: Iterable[_Series]) -> Iterator[list[_Series]]:
    """Yield what fits on one linear axis: of one precision, the fastest first."""
    band: list[_Series] = []
    for one in ordered:
        if band and (
            one.conditions.precision != band[0].conditions.precision
            or one.best * _BAND < band[0].best
        ):
            yield band
            band = []
        band.append(one)
    if band:
        yield band


def _panel(
    drawn: Sequence[_Series], first: dict[str | None, _Series], notes: Notes
) -> SweepPanel:
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
    own, product = one.conditions, one.products[0]
    other = first[own.precision]
    same = product.place.source == other.products[0].place.source
    unlike = difference(own, other.conditions, same_source=same).unlike
    peak = _peak(product.place, product.gpu_cores, own.precision)
    limit = peak.teraflops if peak else float("inf")
    variant: dict[str, object] = {
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
    return SweepLine(
        system=one.system,
        precision=own.precision,
        points=tuple(_point(product, limit, notes) for product in one.products),
        variant=tuple((name, str(fact)) for name, fact in variant.items() if fact),
        differs=tuple(sorted(unlike)),
        peak=peak,
    )


def _point(product: Product, limit: float, notes: Notes) -> SweepPoint:
    rate = comparison.estimate(product.rates)
    quantity = Quantity(
        value=rate.value,
        unit="TFLOPS",
        run=product.runs[0],
        n=len(product.rates),
        printed=as_printed(product.printed, rate.value, derived=product.derived),
        low=rate.low,
        high=rate.high,
        notes=notes.on(product.runs, product.conditions.metric),
        derived=product.derived,
        grade=product.grade,
        label=product.label,
        sessions=product.sessions,
        mine=product.place.mine,
    )
    above = rate.value > limit
    return SweepPoint(product.size, quantity, above, product.held, product.leads)


def _peak(place: Place, gpu_cores: int | None, precision: str | None) -> Peak | None:
    """Return the most that one chip at *place* does; None where nobody is sure."""
    vendor = _VENDORS.get(place.device)
    if vendor is None or precision is None:
        return None
    # The chips that bear all words of the name, or just these.
    wanted = _words(place.chip if vendor == "Apple" else chip_at_work(place))
    ours = [chip for chip in chips() if chip.vendor == vendor]
    alike = [chip for chip in ours if wanted == _words(chip.name)]
    if not alike and vendor != "Apple" and any(re.search(r"\d", w) for w in wanted):
        alike = [chip for chip in ours if wanted <= _words(chip.name)]
    exact = [chip for chip in alike if gpu_cores in (None, chip.gpu_cores)]
    return highest(exact or alike, precision)


def _words(name: str) -> set[str]:
    bare = tidy(name.removesuffix(" (Virtual)"))
    return set(re.split(r"[\s-]+", bare.casefold()))


def highest(variants: Sequence[Chip], precision: str) -> Peak | None:
    """Return the peak of the largest of the *variants* that a name may mean.

    One whose rate nobody is sure of leaves the peak open: it may be that one.
    """
    known = [(one.peaks[precision], one) for one in variants if precision in one.peaks]
    sure = all(rate.confidence in _SURE for rate, _ in known)
    if not known or len(known) < len(variants) or not sure:
        return None
    most, chip = max(known, key=lambda pair: pair[0].flops_per_second)
    # The lanes of a GPU run at its clock; units for products may have another.
    by_lanes = "ALUs" in most.basis
    return Peak(
        teraflops=most.flops_per_second / TERA,
        chip=tidy(chip.name),
        basis=most.basis,
        confidence=most.confidence,
        largest=len({rate.flops_per_second for rate, _ in known}) > 1,
        clock_mhz=most.clock_mhz or (chip.gpu_clock_mhz if by_lanes else None),
    )
