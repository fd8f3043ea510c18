"""What is said and drawn of machines with one chip, and where the marked one stands."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchdb.metric_kinds import TOKENS
from benchdb.report.charts.spec import (
    Chart,
    Key,
    Look,
    Panel,
    Point,
    Row,
    Rows,
    Scale,
    Stroke,
    Tick,
)
from benchdb.report.language import Language
from benchdb.report.language.arguments import Argument, Name, Share, Times
from benchdb.report.sections.normal import Dot, Normal, Strip
from benchdb.report.wording import cells, terms
from benchdb.report.wording.grades import grades
from benchdb.report.wording.metrics import metric_text
from benchdb.statistics import comparison
from benchdb.statistics.ticks import axis_ticks

_MOST = 0.75  # of the others: so many are most of them
_HALF = 0.2  # of a row: the median's line
_NARROWEST = 1.25  # an axis that ends nearer to 1 would enlarge chance
_MARGIN = 1.05
_FAR = 6  # the fastest over the slowest, from which on round numbers are close enough
_CLOSE = (*(tenths / 10 for tenths in range(2, 13)), 1.5, 2.0, 3.0, 4.0, 5.0)


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
    """Return the sentences under the heading: what is usual, or where mine stands."""
    said = language.gettext(
        "The same work on machines with the same chip, GPU cores and memory: a mark is "
        "one result, the line their median."
    )
    if section.asked and not section.mine:
        mine = language.gettext(
            "The marked machine has run nothing of which there are four results of "
            "others like it."
        )
        return language.sentences([said, mine])
    first = section.mine[0] if section.asked else section.strips[0]
    named = Name(language.comma.join((work(language, first), place(language, first))))
    usual = language.gettext(
        "%(work)s: half of the results lie within %(middle)s the median, all within "
        "%(range)s (machines: %(machines)s).",
        work=named,
        middle=Times(*first.middle),
        range=Times(first.dots[0].share, first.dots[-1].share),
        machines=machines(language, first),
    )
    if not section.asked:
        return language.sentences([said, usual])
    own = language.gettext(
        "This machine: %(standing)s.", standing=standing(language, first)
    )
    return language.sentences([said, usual, own])


def machines(language: Language, strip: Strip) -> str:
    """Count the machines; where not all are told apart, the least that they can be."""
    count = language.number(strip.machines)
    return language.isolate(f"≥ {count}" if strip.at_least else count)


def standing(language: Language, strip: Strip) -> str:
    """Say where the marked machine stands among the others; nothing without it."""
    if strip.mine is None:
        return ""
    own = strip.standing
    if own is None:
        return language.pgettext("standing", "flagged, see the note")
    alike = language.npgettext(
        "standing",
        "even or unclear beside %(n)s other result",
        "even or unclear beside %(n)s other results",
        own.others,
    )
    slower = language.npgettext(
        "standing",
        "slower than %(k)s of %(n)s other result",
        "slower than %(k)s of %(n)s other results",
        own.others,
        k=own.faster,
    )
    faster = language.npgettext(
        "standing",
        "faster than %(k)s of %(n)s other result",
        "faster than %(k)s of %(n)s other results",
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
    if not (own.faster or own.slower):
        parts = [alike]
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
        "machines": machines(language, strip),
    }
    said = language.ngettext(
        "%(work)s: %(n)s result (machines: %(machines)s), from %(slowest)s to "
        "%(fastest)s, median %(median)s.",
        "%(work)s: %(n)s results (machines: %(machines)s), from %(slowest)s to "
        "%(fastest)s, median %(median)s.",
        strip.results,
        **facts,
    )
    own = standing(language, strip)
    mine = language.gettext("This machine: %(standing)s.", standing=own)
    return language.sentences([said, mine if own else ""])


def remarks(language: Language, section: Normal) -> list[str]:
    """Say how machines were counted, what is not alike, and what is not drawn."""
    strips = (*section.strips, *section.rest)
    counted = language.gettext(
        "Machines that are the same, by their id or merged by hand, count once, and so "
        "do sources that repeat each other's figures. A flagged figure is hollow and "
        "counts in no median."
    )
    least = language.gettext(
        "≥: a source that does not identify its machines may tell of one several times."
    )
    differs = terms.named_text(language, {n for one in strips for n in one.differs})
    more = language.ngettext(
        "%(n)s more comparison is in the table only.",
        "%(n)s more comparisons are in the table only.",
        len(section.rest),
    )
    return [
        counted,
        least if any(one.at_least for one in strips) else "",
        differs,
        more if section.rest else "",
    ]


def work(language: Language, strip: Strip) -> str:
    """Name the work: the workload with its batch size, and a language model's facts."""
    named = terms.title_text(language, strip.workload)
    said = terms.workload_text(language, named, strip.batch_size)
    more = terms.model_text(language, dict(strip.facts)) if _is_of_model(strip) else ""
    return " · ".join(filter(None, (said, more)))


def _is_of_model(strip: Strip) -> bool:
    return strip.metric in TOKENS or strip.workload.kind == "operation"


def place(language: Language, strip: Strip) -> str:
    """Name the bin, device and framework, and a source's own protocol."""
    known = filter(None, _facts(language, strip)[:6])
    return " · ".join(map(language.isolate, known))


def conditions(language: Language, strip: Strip) -> str:
    """Return what was measured and how, as far as known."""
    known = (metric_text(language, strip.metric), strip.precision, strip.compiler)
    return language.comma.join(map(language.isolate, filter(None, known)))


def names(language: Language, strips: Sequence[Strip]) -> list[str]:
    """Name each strip of one chart: what the strips do not share, else its work."""
    rows = [_named(language, strip) for strip in strips]
    telling = [len(set(column)) > 1 for column in zip(*rows, strict=True)]
    kept = [
        [it for it, tells in zip(row, telling, strict=True) if it and tells]
        for row in rows
    ]
    return [
        " · ".join(map(language.isolate, parts)) or row[-1]
        for parts, row in zip(kept, rows, strict=True)
    ]


def shared(language: Language, strips: Sequence[Strip]) -> str:
    """Name what all strips of one chart share: chip, device, framework and so on."""
    columns = [*zip(*(_named(language, strip) for strip in strips), strict=True)]
    alike = [it[0] for it in columns if len(set(it)) == 1]
    # What is shared entirely stands in each row's name.
    kept = alike[:-1] if len(alike) == len(columns) else alike
    return " · ".join(map(language.isolate, filter(None, kept)))


def _named(language: Language, strip: Strip) -> tuple[str, ...]:
    return (*_facts(language, strip), work(language, strip))


def _facts(language: Language, strip: Strip) -> tuple[str, ...]:
    return (
        terms.chip_text(language, strip.chip),
        terms.cores_text(language, strip.gpu_cores) if strip.gpu_cores else "",
        terms.memory_text(language, *strip.memory) if strip.memory else "",
        terms.device_text(language, strip.device),
        terms.framework_text(language, strip.framework),
        strip.setting if strip.setting != "standard" else "",
        strip.precision or "",
        strip.compiler or "",
    )


def tables(language: Language, section: Normal) -> list[cells.Table]:
    """Return the Markdown tables, at most eight columns wide."""
    head = (
        language.pgettext("table header", "Workload"),
        language.pgettext("table header", "System"),
        language.pgettext("table header", "Measured"),
        language.comma.join(
            (
                language.pgettext("table header", "Results"),
                language.pgettext("table header", "Machines"),
            )
        ),
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
            language.comma.join(
                (language.number(strip.results), machines(language, strip))
            ),
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


def chart(language: Language, sections: Mapping[str, Any]) -> Chart:
    """Return a row of results for each work."""
    section = sections["normal"]
    strips = section.strips
    dots = [dot for strip in strips for dot in strip.dots]
    panel = Panel(
        title=shared(language, strips),
        x=_shares(language, [dot.share for dot in dots]),
        y=Rows(tuple(map(Row, names(language, strips)))),
        points=tuple(
            Point(
                x=dot.share,
                y=row,
                look="mine" if dot.mine else "quiet" if strip.mine else "0",
                run=dot.quantity.run,
                hollow=bool(dot.quantity.notes),
            )
            for row, strip in enumerate(strips)
            for dot in strip.dots
        ),
        strokes=tuple(
            Stroke(((1.0, row + _HALF), (1.0, row - _HALF)), "reference")
            for row in range(len(strips))
        ),
    )
    return Chart(
        name="normal",
        title=title(language, section),
        alt=alt(language, section),
        panels=(panel,),
        keys=tuple(_keys(language, dots)),
    )


def _shares(language: Language, shares: Sequence[float]) -> Scale:
    """Return the axis of speeds over the median's; 1 is always on it."""
    low = min(1 / _NARROWEST, min(shares) / _MARGIN)
    high = max(_NARROWEST, max(shares) * _MARGIN)
    # Round factors, closer ones where all machines are nearly alike.
    factors = {*axis_ticks(low, high), 1.0} if high / low > _FAR else _CLOSE
    values = [value for value in sorted(factors) if low <= value <= high]
    major = (1, values[0], values[-1])
    ticks = tuple(
        Tick(value, language.isolate(language.times(value)), minor=value not in major)
        for value in values
    )
    title = language.pgettext("axis", "times as fast as the median")
    return Scale(low, high, ticks, title)


def _keys(language: Language, dots: Sequence[Dot]) -> Iterator[Key]:
    others: Look = "0"
    if any(dot.mine for dot in dots):
        others = "quiet"
        yield Key("mine", language.pgettext("badge", "this machine"))
        yield Key("quiet", language.pgettext("legend", "another result"))
    else:
        yield Key("0", language.pgettext("legend", "one result"))
    yield Key("reference", language.pgettext("legend", "median"))
    if any(dot.quantity.notes for dot in dots):
        text = language.pgettext("legend", "flagged: see the note")
        yield Key(others, text, hollow=True)
