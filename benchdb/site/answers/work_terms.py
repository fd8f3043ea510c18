"""Terms of answers: kinds of work, works, ranges, what is not alike."""

from collections.abc import Iterable, Sequence

from benchdb.report.language import Language
from benchdb.report.language.arguments import Name
from benchdb.report.wording import terms
from benchdb.report.workloads import workload_of
from benchdb.site.answers.facts import Group, Held

_DIGITS = 2
_LISTED = 4  # works that a sentence names


def group_text(language: Language, group: Group) -> str:
    """Name a kind of work."""
    pgettext = language.pgettext
    return {
        "training": pgettext("kind of work", "training"),
        "decode": pgettext("kind of work", "LLM decode"),
        "prefill": pgettext("kind of work", "LLM prefill"),
        "inference": pgettext("kind of work", "inference"),
        "operations": pgettext("kind of work", "single operations"),
    }[group]


def work_text(language: Language, name: str) -> str:
    """Name a work: a workload by its title, a model by its own name."""
    workload = workload_of(name)
    if workload.title == name:
        return language.isolate(name)
    return terms.title_text(language, workload)


def works_text(language: Language, names: Sequence[str]) -> str:
    """Enumerate works, or say how many they are."""
    if len(names) > _LISTED:
        return language.ngettext("%(n)s work", "%(n)s works", len(names))
    return language.listing([work_text(language, name) for name in names])


def counted(language: Language, pair: Held) -> str:
    """Say over how many works a range goes, in the word for that kind."""
    n = len(pair.names)
    if pair.group == "training":
        return language.ngettext("%(n)s network", "%(n)s networks", n)
    if pair.group in ("decode", "prefill"):
        return language.ngettext("%(n)s model", "%(n)s models", n)
    return language.ngettext("%(n)s work", "%(n)s works", n)


def step_text(language: Language, pair: Held, *, short: bool = False) -> str:
    """Return a pair with its factor: ``M1 Max over M1 Pro 1.6× (1.2–2.0×)``.

    A *short* one leaves the range out where there is a mean.
    """
    brief = language.isolate(language.times(pair.mean)) if short and pair.mean else ""
    return language.pgettext(
        "two systems and a factor",
        "%(other)s over %(base)s %(times)s",
        other=Name(pair.other.chip),
        base=Name(pair.base.chip),
        times=brief or factor_text(language, pair),
    )


def factor_text(language: Language, pair: Held) -> str:
    """Return the mean with its range, or that range alone; roughly if unlike."""
    if pair.evidence == "unlike":
        return language.isolate(rough(language, pair.low, pair.high))
    return terms.mean_text(language, pair.mean, (pair.low, pair.high))


def over_text(language: Language, pair: Held) -> str:
    """Name a pair: ``M1 Ultra over M1 Max``."""
    return language.pgettext(
        "two systems",
        "%(other)s over %(base)s",
        other=Name(pair.other.chip),
        base=Name(pair.base.chip),
    )


def rough(language: Language, low: float, high: float) -> str:
    """Return a range of unlike figures, with a sign that it is rough."""
    ends = (float(f"{end:.2g}") for end in (low, high))
    return language.pgettext(
        "bounded figure", "≈ %(range)s", range=language.times_range(*ends)
    )


def number_range(language: Language, low: float, high: float) -> str:
    """Return ``9.1–55``, or one number where both read the same."""
    first, last = (
        language.number(end)
        if isinstance(end, int)
        else language.significant(end, _DIGITS)
        for end in (low, high)
    )
    if first == last:
        return first
    return language.pgettext("interval", "%(low)s–%(high)s", low=first, high=last)


def ways_text(language: Language, names: Iterable[str]) -> str:
    """Name the conditions that are not alike, for a tag."""
    phrase = [terms.condition(language, name) for name in names]
    return language.comma.join(dict.fromkeys(phrase))
