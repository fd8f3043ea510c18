"""Is a result normal? All runs of the same work on the same chip, one marked."""

from collections.abc import Sequence

from benchdb.report.language import Language
from benchdb.report.language.arguments import Argument, Name, Share, Times
from benchdb.report.sections.normal import Normal, Standing, Strip
from benchdb.report.view.atoms import Quantity
from benchdb.report.view.page import Report
from benchdb.report.wording.metrics import metric_text
from benchdb.report.wording.terms import (
    chip_text,
    device_text,
    framework_text,
    sentence,
    title_text,
    workload_text,
)
from benchdb.statistics.comparison import SINGLE_THRESHOLD

_MOST = 0.75  # of the others: so many are most of them


def title(language: Language, report: Report) -> str:
    """Return the heading, with the finding where there is one."""
    question = language.pgettext("heading", "Is my result normal?")
    if report.normal is None:
        return question
    if not report.normal.asked:
        return _difference(language, max(one.spread for one in report.normal.strips))
    standings = [one.standing for one in report.normal.mine if one.standing]
    slow = sum(one.faster >= _MOST * one.others for one in standings)
    fast = sum(one.slower >= _MOST * one.others for one in standings)
    if not standings or (slow and fast):
        return question
    if slow:
        return _rarely(language, slow, len(standings), slower=True)
    if fast:
        return _rarely(language, fast, len(standings), slower=False)
    return language.gettext("This machine is as fast as others with its chip")


def _difference(language: Language, spread: float) -> str:
    if spread <= 1 + SINGLE_THRESHOLD:
        return language.gettext("Machines with the same chip are equally fast")
    return language.gettext(
        "Machines with the same chip differ by up to %(times)s", times=Times(spread)
    )


def _rarely(language: Language, k: int, n: int, *, slower: bool) -> str:
    if k == n and slower:
        return language.gettext("This machine is slower than most with its chip")
    if k == n:
        return language.gettext("This machine is faster than most with its chip")
    if slower:
        return language.ngettext(
            "This machine is slower than most with its chip in %(k)s of %(n)s "
            "comparison",
            "This machine is slower than most with its chip in %(k)s of %(n)s "
            "comparisons",
            n,
            k=k,
        )
    return language.ngettext(
        "This machine is faster than most with its chip in %(k)s of %(n)s comparison",
        "This machine is faster than most with its chip in %(k)s of %(n)s comparisons",
        n,
        k=k,
    )


def lead(language: Language, report: Report) -> str:
    """Return the sentence or two under the heading, or nothing."""
    if report.normal is None:
        return ""
    said = language.gettext(
        "The same work under like conditions on machines with the same chip: a mark is "
        "the newest figure of one machine, the line their median."
    )
    return language.sentences([said, _about_mine(language, report.normal)])


def _about_mine(language: Language, normal: Normal) -> str:
    """Say the standing in the first comparison, or why there is none."""
    if not normal.asked:
        return ""
    if not normal.mine:
        return language.gettext(
            "The marked machine has run nothing that four others with its chip have."
        )
    first = normal.mine[0]
    return language.gettext(
        "This machine, %(work)s: %(standing)s.",
        work=Name(work(language, first)),
        standing=standing(language, first),
    )


def standing(language: Language, strip: Strip) -> str:
    """Say where the marked machine stands among the others; nothing without it."""
    if strip.mine is None:
        return ""
    found = strip.standing
    if found is None:
        return language.pgettext("standing", "flagged, see the note")
    if not (found.faster or found.slower):
        return language.npgettext(
            "standing",
            "even or unclear beside %(n)s other machine",
            "even or unclear beside %(n)s other machines",
            found.others,
        )
    even = language.npgettext(
        "standing",
        "even or unclear beside %(k)s",
        "even or unclear beside %(k)s",
        found.even,
        k=found.even,
    )
    parts = [_against(language, found), even if found.even else ""]
    return language.semicolon.join(filter(None, (*parts, _percentile(language, found))))


def _against(language: Language, found: Standing) -> str:
    n = found.others
    if found.faster >= found.slower:
        return language.npgettext(
            "standing",
            "slower than %(k)s of %(n)s other machine",
            "slower than %(k)s of %(n)s other machines",
            n,
            k=found.faster,
        )
    return language.npgettext(
        "standing",
        "faster than %(k)s of %(n)s other machine",
        "faster than %(k)s of %(n)s other machines",
        n,
        k=found.slower,
    )


def _percentile(language: Language, found: Standing) -> str:
    if found.below is None:
        return ""
    return language.pgettext(
        "standing", "%(share)s of all are slower", share=Share(found.below)
    )


def alt(language: Language, report: Report) -> str:
    """Tell the chart's finding: the range of each strip, and where mine stands."""
    if report.normal is None:
        return ""
    said = [_range(language, strip) for strip in report.normal.strips]
    return language.sentences([sentence(language, title(language, report)), *said])


def _range(language: Language, strip: Strip) -> str:
    n = strip.machines
    facts: dict[str, Argument] = {
        "work": Name(
            language.comma.join((work(language, strip), place(language, strip)))
        ),
        "n": n,
        "slowest": strip.slowest,
        "fastest": strip.fastest,
        "median": strip.median,
    }
    said = language.ngettext(
        "%(work)s: %(n)s machine, from %(slowest)s to %(fastest)s, median %(median)s.",
        "%(work)s: %(n)s machines, from %(slowest)s to %(fastest)s, median %(median)s.",
        n,
        **facts,
    )
    own = standing(language, strip)
    if not own:
        return said
    mine = language.gettext("This machine: %(standing)s.", standing=own)
    return language.sentences([said, mine])


def figures(report: Report) -> list[tuple[Quantity, None]]:
    """Return the figures of the chart; each is like the others of its strip."""
    strips = report.normal.strips if report.normal else ()
    return [(dot.quantity, None) for strip in strips for dot in strip.dots]


def remarks(language: Language, report: Report) -> str:
    """Say how machines were counted, and what is not drawn."""
    if report.normal is None:
        return ""
    counted = language.gettext(
        "Machines that are the same, by their id or merged by hand, count once, and so "
        "do sources that repeat each other's figures. A flagged figure is hollow and "
        "counts in no median."
    )
    n = len(report.normal.rest)
    more = language.ngettext(
        "%(n)s more comparison is in the table only.",
        "%(n)s more comparisons are in the table only.",
        n,
    )
    return language.sentences([counted, more if n else ""])


def work(language: Language, strip: Strip) -> str:
    """Name the work: the workload with its batch size."""
    named = title_text(language, strip.workload)
    return workload_text(language, named, strip.batch_size)


def place(language: Language, strip: Strip) -> str:
    """Name the chip, device and framework."""
    chip = chip_text(language, strip.chip)
    device = device_text(language, strip.device)
    return f"{chip} · {device} · {framework_text(language, strip.framework)}"


def conditions(language: Language, strip: Strip) -> str:
    """Return what was measured and how, as far as known."""
    known = (metric_text(language, strip.metric), strip.precision, strip.compiler)
    return language.comma.join(map(language.isolate, filter(None, known)))


def names(language: Language, strips: Sequence[Strip]) -> list[str]:
    """Name each strip of one chart: the work, and what the strips do not share."""
    telling = [fact for fact in _facts(language, strips) if len(set(fact)) > 1]
    return [
        " · ".join(filter(None, (work(language, one), *(fact[at] for fact in telling))))
        for at, one in enumerate(strips)
    ]


def shared(language: Language, strips: Sequence[Strip]) -> str:
    """Name what all strips of one chart share: chip, device, framework and so on."""
    facts = [fact for fact in _facts(language, strips) if len(set(fact)) == 1]
    return " · ".join(filter(None, (fact[0] for fact in facts)))


def _facts(language: Language, strips: Sequence[Strip]) -> list[list[str]]:
    return [
        [chip_text(language, one.chip) for one in strips],
        [device_text(language, one.device) for one in strips],
        [framework_text(language, one.framework) for one in strips],
        [one.precision or "" for one in strips],
        [one.compiler or "" for one in strips],
    ]
