"""A pair as the page shows it without its script, which makes the same of the data."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from benchdb.report.language import Language, fixed
from benchdb.site.compare.system_files import (
    KINDS,
    Card,
    Cell,
    Entry,
    Known,
    SystemData,
    Work,
)
from benchdb.site.compare.words import TICKS, Say

_DASH = "–"
_BY_MODEL = ("decode", "prefill")
_MARGIN = 1.08
_LEAST = 1.6  # from end to end: a narrower axis would enlarge chance
_NEAR = 17.0  # per cent between two labels


class FigureView(msgspec.Struct, frozen=True):
    """A figure with its grade, trust and what it rests on."""

    text: str
    run: str
    grade: str
    bars: int
    label: str
    limits: str
    rests: str


class RowView(msgspec.Struct, frozen=True):
    """A cell in words; places on the plot are in per cent."""

    like: bool
    title: str
    about: str
    how: str
    base: FigureView
    other: FigureView
    look: str
    at: str
    span: tuple[str, ...]
    verdict: str
    tone: str
    interval: str
    remarks: str


class GroupView(msgspec.Struct, frozen=True):
    """Cells of a kind; *shared* is what keeps all of them from being sure.

    *unlike* is one without any that is like for like.
    """

    title: str
    unlike: bool
    like: str
    shared: str
    rows: tuple[RowView, ...]


class CardView(msgspec.Struct, frozen=True):
    """What a kind of work says, with its evidence."""

    title: str
    about: str
    look: str
    figure: str
    over: str
    text: str
    tags: tuple[tuple[str, str], ...]


class FactView(msgspec.Struct, frozen=True):
    """What is known of both sides, under a name."""

    name: str
    base: str
    other: str


class PairView(msgspec.Struct, frozen=True):
    """Two systems held against each other, in words."""

    title: str
    over: str
    base: str
    other: str
    command: str
    even: str
    ticks: tuple[tuple[str, str], ...]
    cards: tuple[CardView, ...]
    groups: tuple[GroupView, ...]
    differing: tuple[FactView, ...]
    same: str
    only: tuple[tuple[str, str], ...]
    reading: str
    empty: str


class Writer:
    """Writes what the data of pairs say in one language, with the words of the page."""

    def __init__(self, language: Language, say: Say) -> None:
        """Take the *say* that ``words`` returns for *language*."""
        self._language, self._say = language, say

    def pair(self, base: SystemData, other: SystemData) -> PairView:
        """Return what *other* does beside *base*, which comes first in the list."""
        cells = base.cells.get(other.name, [])
        cards = base.cards.get(other.name, [])
        names = self._names(base, other)
        axis = _Axis(cells)
        known = [
            FactView(
                self._say["facts"][left.name], self._known(left), self._known(right)
            )
            for left, right in zip(base.known, other.known, strict=True)
            if left.items or right.items
        ]
        same = [f"{it.name} {it.base}" for it in known if it.base == it.other]
        return PairView(
            title=_fill(self._say["title"], names),
            over=_fill(self._say["over"], names),
            base=self._system(base),
            other=self._system(other),
            command=""
            if base.asked == other.asked
            else f"benchdb compare {base.asked} {other.asked}",
            even=axis.at(1),
            ticks=tuple((axis.at(it), self._factor(f"{it:g}")) for it in axis.ticks),
            cards=tuple(self._cards(cards, names)),
            groups=tuple(
                self._group(kind, own, base, other, axis)
                for kind in KINDS
                if (own := [cell for cell in cells if cell.kind == kind])
            ),
            differing=tuple(it for it in known if it.base != it.other),
            same=_fill(self._say["same"], {"": " · ".join(same)}) if same else "",
            only=(
                (self._system(base), self._only(base, other)),
                (self._system(other), self._only(other, base)),
            ),
            reading=_fill(self._say["reading"], names),
            empty="" if cells else _fill(self._say["empty"], names),
        )

    def _system(self, data: SystemData) -> str:
        return f"{data.chip} · {self._say['devices'][data.device]}"

    def _names(self, base: SystemData, other: SystemData) -> Mapping[str, str]:
        """Name both by their chips, unless it takes more to tell them apart."""
        if base.device == other.device:
            return {"base": base.chip, "other": other.chip}
        return {"base": self._system(base), "other": self._system(other)}

    def _local(self, digits: str) -> str:
        return fixed(self._language.locale, digits)

    def _factor(self, digits: str) -> str:
        return _fill(self._say["factor"], {"": self._local(digits)})

    def _factors(self, ends: Sequence[str]) -> str:
        if len(ends) < 2:
            return self._factor(ends[0]) if ends else ""
        return self._between("factors", ends)

    def _between(self, name: str, ends: Sequence[str]) -> str:
        low, high = map(self._local, ends)
        first, middle, last = self._say[name].split("{}")
        return f"{first}{low}{middle}{high}{last}"

    def _plural(self, name: str, n: int, **more: str) -> str:
        form = str(self._language.locale.plural_form(n))
        return _fill(self._say[name][form], {"n": self._local(str(n)), **more})

    def _isolated(self, text: str) -> str:
        before, after = self._say["isolates"]
        return f"{before}{text}{after}"

    def _known(self, known: Known) -> str:
        if not known.items:
            return _DASH
        if not known.unit:
            return str(self._say["comma"]).join(map(self._isolated, known.items))
        ends = known.items if len(known.items) > 1 else (known.items[0],)
        text = self._between("interval", ends) if ends[1:] else self._local(ends[0])
        if known.unit != "#":
            text = _fill(self._say["units"][known.unit], {"": text})
        return self._isolated(text)

    def _only(self, data: SystemData, other: SystemData) -> str:
        parts = []
        for workload, works in data.own.items():
            if count := len(set(works) - set(other.own.get(workload, ()))):
                title = self._isolated(self._title(workload))
                parts.append(f"{title} ({self._local(str(count))})")
        return " · ".join(parts) or self._say["nothing"]

    def _title(self, workload: str) -> str:
        titles: Mapping[str, str] = self._say["titles"]
        return titles.get(workload, workload)

    def _cards(self, cards: Sequence[Card], names: Mapping[str, str]) -> Any:
        known = {card.kind: card for card in cards}
        for kind in KINDS:
            if card := known.get(kind):
                yield self._card(card, names)
            elif kind in KINDS[:3]:
                title = self._say["kinds"][kind]
                yield CardView(title, "", "none", self._say["none"], "", "", ())

    def _card(self, card: Card, names: Mapping[str, str]) -> CardView:
        sides = names
        if card.lead < 0:
            sides = {"base": names["other"], "other": names["base"]}
        rough = card.evidence == "unlike"
        name = "rough" if rough else "mean" if card.mean else "ranging"
        mean = self._factor(card.mean) if card.mean else ""
        kept = "unlike" if rough else "like" if card.evidence == "repeated" else ""
        tag = _fill(
            self._say["tags"][card.evidence], {"": self._local(str(card.processes))}
        )
        if rough and card.differs:
            tag = self._say["conditions"][card.differs]
        tags = [(kept, tag)]
        if card.flagged:
            tags.append(("flag", self._plural("flagged", card.flagged)))
        figure = self._factors(card.ends)
        return CardView(
            title=self._say["kinds"][card.kind],
            about=card.framework,
            look="unlike" if rough else "like",
            figure=f"≈ {figure}" if rough else figure,
            over=_fill(self._say["over"], sides),
            text=self._plural(name, card.cells, mean=mean),
            tags=tuple(tags),
        )

    def _group(
        self,
        kind: str,
        cells: Sequence[Cell],
        base: SystemData,
        other: SystemData,
        axis: "_Axis",
    ) -> GroupView:
        texts = [self._remarks(cell, base, other) for cell in cells]
        alike = {
            it for cell, it in zip(cells, texts, strict=True) if not cell.differs
        } or set(texts)
        shared = alike.pop() if len(alike) == 1 else ""
        like = sum(not cell.differs for cell in cells)
        counted = {"like": self._local(str(like)), "n": self._local(str(len(cells)))}
        return GroupView(
            title=self._say["kinds"][kind],
            unlike=like == 0,
            like=_fill(self._say["like"], counted),
            shared=shared,
            rows=tuple(
                self._row(cell, base, other, axis, "" if remark == shared else remark)
                for cell, remark in zip(cells, texts, strict=True)
            ),
        )

    def _row(
        self,
        cell: Cell,
        base: SystemData,
        other: SystemData,
        axis: "_Axis",
        remarks: str,
    ) -> RowView:
        work, left, right = (
            base.works[cell.work],
            base.figures[cell.base],
            other.figures[cell.other],
        )
        title, about = self._work(cell.kind, work)
        how = [left.framework, left.precision]
        for n, text in enumerate((right.framework, right.precision)):
            if text != how[n]:
                how[n] = f"{how[n] or _DASH} → {text or _DASH}"
        pattern = self._say["verdicts"][cell.word][cell.value >= 1]
        return RowView(
            like=not cell.differs,
            title=title,
            about=about,
            how=" · ".join(map(self._isolated, filter(None, how))),
            base=self._figure(left),
            other=self._figure(right),
            look=_look(cell),
            at=axis.at(cell.value),
            span=tuple(map(axis.at, cell.span)),
            verdict=_fill(pattern, {"": self._local(cell.times)}),
            tone=_tone(cell),
            interval=self._factors(cell.ends),
            remarks=remarks,
        )

    def _work(self, kind: str, work: Work) -> tuple[str, str]:
        """Name work, and what tells it apart: among language models by the model."""
        parts = []
        for fact in work.about:
            name, _, number = fact.partition("=")
            pattern = self._say["parameters"].get(name)
            parts.append(_fill(pattern, {"": number}) if pattern else fact)
        if work.batch:
            parts.append(_fill(self._say["batch"], {"": self._local(str(work.batch))}))
        is_named = kind in _BY_MODEL and work.about
        title = parts.pop(0) if is_named else self._title(work.workload)
        return title, " · ".join(map(self._isolated, filter(None, parts)))

    def _figure(self, entry: Entry) -> FigureView:
        text = _fill(self._say["units"][entry.unit], {"": self._local(entry.digits)})
        bars, label = self._say["labels"][entry.label]
        rests = [_fill(self._say["n"], {"": self._local(str(entry.n))})]
        if entry.machines > 1:
            rests.append(self._plural("machines", entry.machines))
        limits = self._factor(entry.low) if entry.low else ""
        if entry.high:
            limits = self._between("interval", (entry.low, entry.high))
        below = " · ".join(rests)
        return FigureView(text, entry.run, entry.grade, bars, label, limits, below)

    def _remarks(self, cell: Cell, base: SystemData, other: SystemData) -> str:
        parts = []
        for name, names in (("differs", cell.differs), ("unstated", cell.unstated)):
            if names:
                listed = self._say["conditions"][names]
                parts.append(_fill(self._say[name], {"": listed}))
        codes = (
            f"{base.figures[cell.base].flags} {other.figures[cell.other].flags}"
        ).split()
        if codes:
            listed = (self._say["flags"][code] for code in sorted(set(codes)))
            parts.append(f"⚑ {self._say['comma'].join(listed)}")
        return " · ".join(parts)


class _Axis:
    """A logarithmic axis on which everything of *cells* has room, and 1 as well."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        values = [1.0, *(it for cell in cells for it in (cell.value, *cell.span))]
        low, high = min(values) / _MARGIN, max(values) * _MARGIN
        if high / low < _LEAST:
            low, high = low / _LEAST**0.5, high * _LEAST**0.5
        self._low, self._width = math.log(low), math.log(high) - math.log(low)
        self.ticks = [1.0]
        for tick in TICKS:
            place = self._place(tick)
            if 0 <= place <= 100 and all(
                abs(place - self._place(it)) >= _NEAR for it in self.ticks
            ):
                self.ticks.append(tick)

    def _place(self, value: float) -> float:
        return 100 * (math.log(value) - self._low) / self._width

    def at(self, value: float) -> str:
        """Return where *value* stands, in per cent."""
        return f"{self._place(value):.1f}"


def _look(cell: Cell) -> str:
    if cell.noted:
        return "flagged"
    if cell.differs:
        return "unlike"
    if cell.word in ("even", "insufficient") or cell.value == 1:
        return "level"
    return "up" if cell.value > 1 else "down"


def _tone(cell: Cell) -> str:
    if cell.noted or cell.differs or cell.word == "insufficient":
        return "dim"
    if cell.word != "found":
        return ""
    return "faster" if cell.value > 1 else "slower"


def _fill(pattern: str, facts: Mapping[str, str]) -> str:
    """Put *facts* into the places of a *pattern*, ``{}`` or ``{name}``."""
    for name, text in facts.items():
        pattern = pattern.replace(f"{{{name}}}", text)
    return pattern
