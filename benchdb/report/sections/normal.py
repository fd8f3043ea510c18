"""Is a result normal? All runs of the same work on the same chip, one marked."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

import msgspec
from msgspec.structs import replace

from benchdb.conditions import Conditions
from benchdb.exchange.messages import Device
from benchdb.metric_kinds import BESIDE_THEIR_RATE, RATES, SPEEDS
from benchdb.report.language import Language
from benchdb.report.language.arguments import Argument, Name, Share, Times
from benchdb.report.measurement import Measurement, newest
from benchdb.report.quantities import quantity
from benchdb.report.sections.inputs import SectionInput
from benchdb.report.systems import is_here
from benchdb.report.view.atoms import Quantity, Workload
from benchdb.report.wording import cells, terms
from benchdb.report.wording.grades import grades
from benchdb.report.wording.metrics import metric_text
from benchdb.report.workloads import workload_of
from benchdb.statistics import comparison
from benchdb.store.machines import canonical
from benchdb.store.places import Place, chip_at_work, is_known

_ENOUGH = 5  # independent machines; of fewer nobody can say what is normal
_FOR_PERCENTILES = 20
_DRAWN = 6
_MOST = 0.75  # of the others: so many are most of them
# Names that many different chips share: "Xeon", "Core i7", "Ryzen 9".
_FAMILY = re.compile(r"\D*|(?:Core(?: Ultra)?|Ryzen(?: AI)?|EPYC) ?i?\d", re.IGNORECASE)

Owner = tuple[str, bool, bool, str | None]
Cell = tuple[str, Device, Conditions]
Machines = dict[Owner, Measurement]


class Dot(msgspec.Struct, frozen=True):
    """The newest figure of one machine; *share* is its speed over the median's."""

    quantity: Quantity
    share: float
    mine: bool = False


class Standing(msgspec.Struct, frozen=True):
    """Of *others*, how many are clearly faster and slower than the marked machine.

    *below* is the share of all machines that is slower by the figures alone, where
    there are enough for a percentile.
    """

    others: int
    faster: int
    slower: int
    below: float | None = None

    @property
    def even(self) -> int:
        """Return from how many there is no clear difference."""
        return self.others - self.faster - self.slower


class Strip(msgspec.Struct, frozen=True):
    """One work on one chip under like conditions: a dot for each machine, by speed.

    *median*, *slowest* and *fastest* are those of the *machines* whose figures nothing
    is noted about; between two machines the median is derived from both. *standing* is
    the marked machine's, unless there is none or its own figure is doubtful.
    """

    chip: str
    device: Device
    framework: str
    workload: Workload
    batch_size: int | None
    precision: str | None
    compiler: str | None
    metric: str
    dots: tuple[Dot, ...]
    machines: int
    median: Quantity
    slowest: Quantity
    fastest: Quantity
    standing: Standing | None = None

    @property
    def mine(self) -> Dot | None:
        """Return the dot of the marked machine."""
        return next((dot for dot in self.dots if dot.mine), None)

    @property
    def spread(self) -> float:
        """Return how many times as fast the fastest of the machines is."""
        sound = [dot.share for dot in self.dots if not dot.quantity.notes]
        return max(sound) / min(sound)


class Normal(msgspec.Struct, frozen=True):
    """What is normal for a chip? The strips to draw, and the *rest* for the table.

    *asked*: a machine is marked. Where it has strips, they are the ones that are drawn.
    """

    strips: tuple[Strip, ...]
    rest: tuple[Strip, ...]
    asked: bool
    sources: tuple[str, ...]

    @property
    def mine(self) -> tuple[Strip, ...]:
        """Return the strips that the marked machine is in."""
        return tuple(one for one in (*self.strips, *self.rest) if one.mine)


def section(inputs: SectionInput) -> Normal | None:
    """Return the section, or ``None`` without a cell that enough machines ran."""
    sizes = Counter(canonical(inputs.connection).values())
    # Whatever is the same machine as a marked one is marked.
    mine = frozenset(
        _owner(one.place, sizes)
        for one in inputs.steady
        if is_here(one.place, inputs.here)
    )
    pairs = [
        (strip, machines)
        for machines in _cells(inputs, sizes)
        if len(machines) >= _ENOUGH and (strip := _strip(machines, inputs, mine))
    ]
    if not pairs:
        return None
    pairs.sort(key=lambda pair: _interest(pair[0]))
    strips = [strip for strip, _ in pairs]
    marked = [strip for strip in strips if strip.mine]
    drawn = (marked or strips)[:_DRAWN]
    return Normal(
        strips=tuple(drawn),
        rest=tuple(one for one in strips if all(one is not it for it in drawn)),
        asked=inputs.here is not None or bool(mine),
        sources=inputs.sources.keys(
            one.place.source for _, machines in pairs for one in machines.values()
        ),
    )


def _interest(strip: Strip) -> tuple[object, ...]:
    """Put first what most machines ran."""
    about = strip.chip, strip.device, strip.workload.name, strip.batch_size or 0
    return -strip.machines, *about, strip.dots[0].quantity.run


def _owner(place: Place, sizes: Mapping[str, int]) -> Owner:
    """Return what is equal for results of one machine, of which so many are merged.

    Merged ones are one, however many sources tell of them. Two documents that describe
    their machines in the same words tell of two, unless a person has said otherwise.
    """
    own = place.measured or place.anonymous_id is not None
    merged = sizes.get(place.machine, 1) > 1
    source = None if own or merged else place.source
    return place.machine, place.mine, place.shipped, source


def _cells(inputs: SectionInput, sizes: Mapping[str, int]) -> list[Machines]:
    """Return the newest figure of each machine, by chip, device and conditions.

    Of several figures of the same work, the one that most machines have stands; of as
    many, the best defined.
    """
    found: defaultdict[Cell, defaultdict[Owner, list[Measurement]]]
    found = defaultdict(lambda: defaultdict(list))
    for one in inputs.steady:
        chip = chip_at_work(one.place)
        named = is_known(one.place) and not _FAMILY.fullmatch(chip)
        if named and one.conditions.metric not in BESIDE_THEIR_RATE:
            cell = chip.casefold(), one.place.device, one.conditions
            found[cell][_owner(one.place, sizes)].append(one)
    tasks: defaultdict[Cell, list[Cell]] = defaultdict(list)
    for cell in sorted(found, key=repr):
        work = replace(cell[2], metric="", extent=None, told_by=None)
        tasks[cell[0], cell[1], work].append(cell)
    best = (
        max(same, key=lambda cell: (len(found[cell]), -SPEEDS.index(cell[2].metric)))
        for same in tasks.values()
    )
    return [{who: newest(some) for who, some in found[cell].items()} for cell in best]


def _strip(
    machines: Machines, inputs: SectionInput, mine: frozenset[Owner]
) -> Strip | None:
    """Return the strip, or ``None`` where too few figures are beyond doubt."""
    shown = {one.runs: quantity(one, inputs.notes) for one in machines.values()}
    ordered = sorted(machines.values(), key=lambda one: (_speed(one), one.runs))
    sound = [one for one in ordered if not shown[one.runs].notes]
    if len(sound) < _ENOUGH:
        return None
    middle = median(map(_speed, sound))
    own = next((one for owner, one in machines.items() if owner in mine), None)
    first = ordered[0]
    return Strip(
        chip=chip_at_work(first.place),
        device=first.place.device,
        framework=first.conditions.framework,
        workload=workload_of(first.conditions.workload),
        batch_size=first.conditions.batch_size,
        precision=first.conditions.precision,
        compiler=first.conditions.compiler,
        metric=first.conditions.metric,
        dots=tuple(
            Dot(shown[one.runs], _speed(one) / middle, mine=one is own)
            for one in ordered
        ),
        machines=len(sound),
        median=_middle(sound, middle, [shown[one.runs] for one in sound]),
        slowest=shown[sound[0].runs],
        fastest=shown[sound[-1].runs],
        standing=_standing(own, sound),
    )


def _speed(one: Measurement) -> float:
    return comparison.geometric_mean(one.speeds)


def _middle(
    sound: Sequence[Measurement], speed: float, shown: Sequence[Quantity]
) -> Quantity:
    """Return the median; where no machine is in the middle, from the two beside it."""
    nearest, above = shown[(len(shown) - 1) // 2], shown[len(shown) // 2]
    if len(sound) % 2:
        return nearest
    value = speed if sound[0].conditions.metric in RATES else 1 / speed
    return replace(
        nearest,
        value=value,
        printed=None,
        low=None,
        high=None,
        n=1,
        derived=True,
        grade=max(filter(None, (nearest.grade, above.grade)), default=None),
        label=nearest.label if nearest.label == above.label else None,
        mine=nearest.mine and above.mine,
        sessions=1,
    )


def _standing(own: Measurement | None, sound: Sequence[Measurement]) -> Standing | None:
    others = [one for one in sound if one is not own]
    if own is None or len(others) == len(sound):
        return None
    verdicts = [
        comparison.verdict([(one.sampled(one.speeds), own.sampled(own.speeds))])
        for one in others
    ]
    behind = sum(_speed(one) < _speed(own) for one in others)
    return Standing(
        others=len(others),
        faster=verdicts.count("faster"),
        slower=verdicts.count("slower"),
        below=behind / len(sound) if len(sound) >= _FOR_PERCENTILES else None,
    )


def title(language: Language, section: Normal | None) -> str:
    """Return the heading, with the finding where there is one."""
    question = language.pgettext("heading", "Is my result normal?")
    if section is None:
        return question
    if not section.asked:
        spread = max(one.spread for one in section.strips)
        if spread <= 1 + comparison.SINGLE_THRESHOLD:
            return language.gettext("Machines with the same chip are equally fast")
        return language.gettext(
            "Machines with the same chip differ by up to %(times)s", times=Times(spread)
        )
    standings = [one.standing for one in section.mine if one.standing]
    slow = sum(one.faster >= _MOST * one.others for one in standings)
    fast = sum(one.slower >= _MOST * one.others for one in standings)
    if not standings or (slow and fast):
        return question
    if slow or fast:
        return _rarely(language, slow or fast, len(standings), slower=slow > 0)
    return language.gettext("This machine is as fast as others with its chip")


def _rarely(language: Language, k: int, n: int, *, slower: bool) -> str:
    """Say in how many comparisons the marked machine is slower, or else faster."""
    if slower:
        always = language.gettext("This machine is slower than most with its chip")
        some = language.ngettext(
            "This machine is slower than most with its chip in %(k)s of %(n)s "
            "comparison",
            "This machine is slower than most with its chip in %(k)s of %(n)s "
            "comparisons",
            n,
            k=k,
        )
    else:
        always = language.gettext("This machine is faster than most with its chip")
        some = language.ngettext(
            "This machine is faster than most with its chip in %(k)s of %(n)s "
            "comparison",
            "This machine is faster than most with its chip in %(k)s of %(n)s "
            "comparisons",
            n,
            k=k,
        )
    return always if k == n else some


def lead(language: Language, section: Normal) -> str:
    """Return the sentence or two under the heading: where the marked machine stands."""
    said = language.gettext(
        "The same work under like conditions on machines with the same chip: a mark is "
        "the newest figure of one machine, the line their median."
    )
    if not section.asked:
        return said
    if not section.mine:
        mine = language.gettext(
            "The marked machine has run nothing that four others with its chip have."
        )
    else:
        mine = language.gettext(
            "This machine, %(work)s: %(standing)s.",
            work=Name(work(language, section.mine[0])),
            standing=standing(language, section.mine[0]),
        )
    return language.sentences([said, mine])


def standing(language: Language, strip: Strip) -> str:
    """Say where the marked machine stands among the others; nothing without it."""
    if strip.mine is None:
        return ""
    own = strip.standing
    if own is None:
        return language.pgettext("standing", "flagged, see the note")
    if not (own.faster or own.slower):
        return language.npgettext(
            "standing",
            "even or unclear beside %(n)s other machine",
            "even or unclear beside %(n)s other machines",
            own.others,
        )
    slower = language.npgettext(
        "standing",
        "slower than %(k)s of %(n)s other machine",
        "slower than %(k)s of %(n)s other machines",
        own.others,
        k=own.faster,
    )
    faster = language.npgettext(
        "standing",
        "faster than %(k)s of %(n)s other machine",
        "faster than %(k)s of %(n)s other machines",
        own.others,
        k=own.slower,
    )
    even = language.npgettext(
        "standing",
        "even or unclear beside %(k)s",
        "even or unclear beside %(k)s",
        own.even,
        k=own.even,
    )
    parts = [slower if own.faster >= own.slower else faster, even if own.even else ""]
    if own.below is not None:
        percentile = language.pgettext(
            "standing", "%(share)s of all are slower", share=Share(own.below)
        )
        parts.append(percentile)
    return language.semicolon.join(filter(None, parts))


def alt(language: Language, section: Normal) -> str:
    """Tell the chart's finding: the range of each strip, and where mine stands."""
    said = [_range(language, strip) for strip in section.strips]
    finding = terms.sentence(language, title(language, section))
    return language.sentences([finding, *said])


def _range(language: Language, strip: Strip) -> str:
    facts: dict[str, Argument] = {
        "work": Name(
            language.comma.join((work(language, strip), place(language, strip)))
        ),
        "slowest": strip.slowest,
        "fastest": strip.fastest,
        "median": strip.median,
    }
    said = language.ngettext(
        "%(work)s: %(n)s machine, from %(slowest)s to %(fastest)s, median %(median)s.",
        "%(work)s: %(n)s machines, from %(slowest)s to %(fastest)s, median %(median)s.",
        strip.machines,
        **facts,
    )
    own = standing(language, strip)
    mine = language.gettext("This machine: %(standing)s.", standing=own)
    return language.sentences([said, mine if own else ""])


def remarks(language: Language, section: Normal) -> list[str]:
    """Say how machines were counted, and what is not drawn."""
    counted = language.gettext(
        "Machines that are the same, by their id or merged by hand, count once, and so "
        "do sources that repeat each other's figures. A flagged figure is hollow and "
        "counts in no median."
    )
    more = language.ngettext(
        "%(n)s more comparison is in the table only.",
        "%(n)s more comparisons are in the table only.",
        len(section.rest),
    )
    return [counted, more if section.rest else ""]


def work(language: Language, strip: Strip) -> str:
    """Name the work: the workload with its batch size."""
    named = terms.title_text(language, strip.workload)
    return terms.workload_text(language, named, strip.batch_size)


def place(language: Language, strip: Strip) -> str:
    """Name the chip, device and framework."""
    return " · ".join(_facts(language, strip)[:3])


def conditions(language: Language, strip: Strip) -> str:
    """Return what was measured and how, as far as known."""
    known = (metric_text(language, strip.metric), strip.precision, strip.compiler)
    return language.comma.join(map(language.isolate, filter(None, known)))


def names(language: Language, strips: Sequence[Strip]) -> list[str]:
    """Name each strip of one chart: the work, and what the strips do not share."""
    every = [_facts(language, strip) for strip in strips]
    telling = [len(set(column)) > 1 for column in zip(*every, strict=True)]
    return [
        " · ".join(
            [work(language, strip)]
            + [it for it, tells in zip(facts, telling, strict=True) if it and tells]
        )
        for strip, facts in zip(strips, every, strict=True)
    ]


def shared(language: Language, strips: Sequence[Strip]) -> str:
    """Name what all strips of one chart share: chip, device, framework and so on."""
    columns = zip(*(_facts(language, strip) for strip in strips), strict=True)
    return " · ".join(filter(None, (it[0] for it in columns if len(set(it)) == 1)))


def _facts(language: Language, strip: Strip) -> tuple[str, ...]:
    return (
        terms.chip_text(language, strip.chip),
        terms.device_text(language, strip.device),
        terms.framework_text(language, strip.framework),
        strip.precision or "",
        strip.compiler or "",
    )


def tables(language: Language, section: Normal) -> list[cells.Table]:
    """Return the Markdown tables, at most eight columns wide."""
    head = (
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "System"),
        language.pgettext("table header", "Measured"),
        language.pgettext("table header", "Machines"),
        language.pgettext("table header", "Slowest"),
        language.pgettext("table header", "Median"),
        language.pgettext("table header", "Fastest"),
        language.pgettext("table header", "This machine"),
    )
    known = grades(section)
    rows = [
        (
            work(language, strip),
            language.isolate(place(language, strip)),
            conditions(language, strip),
            language.number(strip.machines),
            cells.figure(language, strip.slowest, known),
            cells.figure(language, strip.median, known),
            cells.figure(language, strip.fastest, known),
            language.comma.join(
                (
                    cells.figure(language, strip.mine.quantity, known),
                    standing(language, strip),
                )
            )
            if strip.mine
            else cells.DASH,
        )
        for strip in (*section.strips, *section.rest)
    ]
    return [cells.Table(head, rows, frozenset({3, 4, 5, 6}))]
