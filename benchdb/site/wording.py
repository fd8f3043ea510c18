"""What pages of chips and workloads say of figures, systems and work, in words."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from benchdb.report.language import Language
from benchdb.report.view.atoms import Quantity, Ratio
from benchdb.report.wording import cells, terms
from benchdb.report.wording.ladder import trust_text
from benchdb.report.wording.metrics import metric_text
from benchdb.report.wording.parameters import parameter_text
from benchdb.report.workloads import workload_of
from benchdb.steps import STEPS

if TYPE_CHECKING:  # words of kept facts need no database
    from benchdb.compare.cell_rows import CellRow
    from benchdb.compare.sides import Figure
    from benchdb.site.content import Site

_EVEN = math.log(1.1)  # single runs nearer to each other are about even
# What a size of a sweep calls these: their names alone say it.
_BADGES = ("cpu", "metal", "cuda")


class FigureCell(msgspec.Struct, frozen=True):
    """A figure in a table: where it leads, how good it is, what it rests on."""

    text: str
    address: str
    grade: str
    trust: str  # the class of its bars
    label: str
    limits: str
    counts: str  # of runs and machines


def capital(text: str) -> str:
    """Begin *text* as a sentence or a heading does, where letters have two sizes."""
    return text[:1].upper() + text[1:]


def figure_cell(language: Language, site: "Site", figure: "Figure") -> FigureCell:
    """Return what a table shows of the figure of one system."""
    return quantity_cell(language, site.runs, figure.quantity, figure.machines)


def quantity_cell(
    language: Language,
    runs: Mapping[str, str],
    quantity: Quantity,
    machines: int = 1,
) -> FigureCell:
    """Return what a table shows of a *quantity* that is of so many *machines*.

    *runs* are the addresses of pages of runs.
    """
    label = quantity.label or ""
    return FigureCell(
        text=language.figure(language.compact(quantity)),
        address=runs.get(quantity.run, ""),
        grade=quantity.grade or "",
        trust=f"t{bars(quantity.trust)}",
        label=trust_text(language, quantity.trust, label, mine=quantity.mine)
        if label
        else "",
        limits=cells.interval(language, quantity),
        counts=_counts(language, quantity, machines),
    )


class Shared(msgspec.Struct, frozen=True):
    """What all figures of a table rest on, which its heading says once: "" if not."""

    label: str
    counts: str

    @property
    def text(self) -> str:
        """Return it as a heading says it."""
        return " · ".join(filter(None, (self.counts, self.label)))


def shared(figures: Iterable[FigureCell]) -> Shared:
    """Return what all *figures* rest on."""
    known = list(figures)
    labels = {figure.label for figure in known}
    counts = {figure.counts for figure in known}
    return Shared(
        labels.pop() if len(labels) == 1 else "",
        counts.pop() if len(counts) == 1 else "",
    )


def basis(figure: FigureCell, alike: Shared) -> str:
    """Return what a figure rests on, but what the heading says."""
    parts = (
        "" if alike.counts else figure.counts,
        "" if alike.label else figure.label,
    )
    return " · ".join(filter(None, parts))


def _counts(language: Language, quantity: Quantity, machines: int) -> str:
    """Say how many runs a figure rests on, and machines where it is several."""
    several = language.npgettext(
        "evidence", "%(n)s machine", "%(n)s machines", machines
    )
    parts = [
        terms.repeats_text(language, quantity),
        several if machines > 1 else "",
    ]
    return " · ".join(filter(None, parts))


def bars(step: str | None) -> int:
    """Return the number of a step, from 1, by which tables draw bars and sort."""
    return STEPS.index(step) + 1 if step in STEPS else 1


def badge(device: str) -> str:
    """Return the class of the badge of a device."""
    return device if device in _BADGES else "other"


def work(language: Language, cell: "CellRow") -> tuple[str, str]:
    """Name the work of a pair, and what tells it from other work of that name."""
    title = terms.title_text(language, workload_of(cell.workload))
    return title, details(language, cell.size, cell.batch_size)


def details(language: Language, size: str, batch_size: int | None) -> str:
    """Name the point of a sweep, ``prompt_tokens 512, model A``, and the batch size."""
    parts = (part.partition(" ") for part in filter(None, size.split(", ")))
    facts = ((name, fact) for name, _, fact in parts)
    return point_text(language, facts, batch_size)


def point_text(
    language: Language, facts: Iterable[tuple[str, str]], batch_size: int | None
) -> str:
    """Name the parameters of a point of a sweep, and the batch size."""
    parts = [parameter_text(language, name, fact) for name, fact in facts]
    if batch_size is not None:
        parts.append(language.pgettext("work", "batch %(n)s", n=batch_size))
    return " · ".join(map(language.isolate, parts))


class Verdict(msgspec.Struct, frozen=True):
    """A ratio in words; *tone* is its class: faster, slower, dim or none of them."""

    text: str
    tone: str = ""


def verdict(language: Language, ratio: Ratio, *, flagged: bool = False) -> Verdict:
    """Say a ratio as its evidence allows: a finding, a bound, or a figure in doubt.

    Single runs of work whose spread nobody knows are no finding, and have no colour.
    """
    if ratio.differs or ratio.verdict == "insufficient":
        return Verdict(terms.verdict_text(language, ratio), "dim")
    holds = ratio.verdict in ("faster", "slower")
    if not holds and abs(math.log(ratio.value)) < _EVEN:
        return Verdict(language.pgettext("verdict", "about even"))
    slower = ratio.value < 1
    times = terms.times_text(language, 1 / ratio.value if slower else ratio.value)
    text = (
        language.pgettext("verdict", "%(times)s as long", times=times)
        if slower
        else language.pgettext("verdict", "%(times)s as fast", times=times)
    )
    if flagged:
        return Verdict(f"⚑ {text}", "dim")
    return Verdict(text, ratio.verdict if holds else "")


def axis_title(language: Language, unit: str) -> str:
    """Name the unit of an axis, and which way is faster."""
    better = (
        language.pgettext("legend", "shorter is better")
        if unit == "s"
        else language.pgettext("legend", "more is better")
    )
    symbol = language.unit(unit) if unit else ""
    return language.semicolon.join(filter(None, (symbol, better)))


def differences(language: Language, names: Iterable[str]) -> str:
    """Name the conditions that are not alike."""
    return terms.conditions(language, list(names))


def protocol(language: Language, metric: str, origin: Sequence[str]) -> str:
    """Name what was timed, and by whose protocol unless it is our own."""
    parts = metric_text(language, metric), *(it for it in origin if it != "standard")
    return " · ".join(language.isolate(part) for part in parts if part)


def years(language: Language, span: Sequence[str]) -> str:
    """Write the first and the last year of what was measured; "" without one."""
    if not span:
        return ""
    return language.isolate("–".join(dict.fromkeys(span)))
