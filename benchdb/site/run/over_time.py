"""How long the speed of a run lasts: its rates, and clock, power and heat over time."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from benchdb.metric_kinds import LASTING, STAYS
from benchdb.report.language import Language
from benchdb.report.view.atoms import Quantity
from benchdb.report.wording.facts import reason_text
from benchdb.site.run import RunFacts
from benchdb.site.run.named_facts import marked

_PARTS = ("burst", "sustained")  # of a stretch, with their own clock and power
_HEIGHT = 100.0


class Track(msgspec.Struct, frozen=True):
    """A line over the time of a run: *points* of an SVG, and from what to what it went.

    The box of the points is *width* by 100.
    """

    name: str
    points: str
    width: int
    text: str


def lasts(language: Language, facts: RunFacts) -> Iterator[tuple[str, str]]:
    """Yield what stays of the first seconds' speed, or why that is not known."""
    name = language.pgettext("run", "Sustained / burst")
    known = {
        figure.metric: language.compact(Quantity(figure.value, figure.unit, ""))
        for figure in facts.figures
        if figure.metric in LASTING
    }
    rates = [known[metric] for metric in LASTING[1:] if metric in known]
    if STAYS in known and len(rates) == len(_PARTS):
        first, held = rates
        text = language.pgettext(
            "run",
            "%(share)s: from %(burst)s to %(sustained)s",
            share=known[STAYS],
            burst=first,
            sustained=held,
        )
        yield name, text
    elif facts.unsettled:
        yield name, "–"


def tracks(language: Language, over_time: Mapping[str, Any]) -> Iterator[Track]:
    """Yield clock, power and temperature over the time without a pause."""
    for key, name, unit, digits in (
        ("clock_mhz", language.pgettext("run", "Clock"), "MHz", 4),
        ("power_watts", language.pgettext("run", "Power"), "W", 3),
        ("temperature_celsius", language.pgettext("run", "Temperature"), "°C", 2),
    ):
        course = over_time.get(key)
        values = list(course) if isinstance(course, list | tuple) else []
        known = [
            (place, float(value))
            for place, value in enumerate(values)
            if isinstance(value, int | float)
        ]
        if len(known) < 2 or not (most := max(value for _, value in known)) > 0:
            continue
        points = " ".join(
            f"{place},{_HEIGHT * (1 - 0.9 * value / most):.1f}"
            for place, value in known
        )
        ends = [language.significant(known[at][1], digits) for at in (0, -1)]
        text = language.measure("–".join(dict.fromkeys(ends)), unit)
        yield Track(name, points, len(values) - 1, text)


def counterpart(facts: RunFacts) -> str | None:
    """Return the command that measures a launch-bound cell compiled, if any can."""
    bound = any(note.code == "launch-bound" for note in facts.notes)
    return facts.counterpart if bound else None


def around(language: Language, facts: RunFacts) -> Iterator[tuple[str, str]]:
    """Yield the state in burst and sustained end, the path, and what did not settle."""
    for name, known in (
        (language.pgettext("run", "Burst"), facts.over_time.get("burst")),
        (language.pgettext("run", "Sustained"), facts.over_time.get("sustained")),
        # TRANSLATORS: which of several ways a computation took: kernels, libraries
        (language.pgettext("run", "Path that ran"), facts.path),
    ):
        if isinstance(known, Mapping) and known:
            yield name, marked(language, known)
    if facts.unsettled:
        why = reason_text(language, facts.unsettled)
        yield language.pgettext("run", "No sustained rate"), why
