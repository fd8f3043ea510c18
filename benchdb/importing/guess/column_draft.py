"""A column in the making, and the questions about columns."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import metrics
from benchdb.exchange.messages import Scalar
from benchdb.importing import naming
from benchdb.importing.guess.column_profile import (
    ColumnProfile,
    Kind,
    fold,
    header_terms,
    pattern,
    profile,
    statistic,
    words,
)
from benchdb.importing.guess.doubts import Doubt
from benchdb.importing.guess.facts import setting_field
from benchdb.importing.guess.questions import (
    LEAVE_OUT,
    NOT_SAID,
)
from benchdb.importing.mapping.fields import GROUPED, slug
from benchdb.importing.mapping.language import PREFIXES, Column, Fields
from benchdb.importing.quantities.missing_values import missing_of
from benchdb.importing.quantities.tokens import Mark
from benchdb.importing.quantities.unit_names import COUNTED, understood
from benchdb.importing.sheet import Sheet

RATIO = "ratio"  # no metric: what a source computed from two figures
_BRACKET = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_LABEL = re.compile(r"\d{1,9}|[^\W\d].*")
SHOWN = 2  # cells that a question quotes
_QUOTED = 40  # characters of one
FIGURE_TERMS = frozenset(words().kinds["figure"].split())
CLEAR_TERMS = FIGURE_TERMS - frozenset(words().kinds["unclear"].split())
_PAIRED = r"^(?P<{}>\d[\d.,]*)\s*/\s*(?P<{}>\d[\d.,]*)(?:\s+\(?\+\s?\d.*)?$"
_PAIRS = {  # "second" would be a unit
    "left": _PAIRED.format("value", "other"),
    "right": _PAIRED.format("other", "value"),
}
CODED = re.compile(r"[^\W_][._][^\W_]")
VARIANT = "parameters.variant"  # what tells columns of figures apart
STATISTIC = "parameters.statistic"  # what no metric says: the least, a percentile
RUN = "conditions.repeat"  # which of several runs in one row
STATISTICS = {"mean", "peak", "used", "median", "percentile"}


class ColumnDraft(msgspec.Struct, eq=False):
    """A column in the making; *column* is there once it is known to be no figures.

    *fields* are what it stands for, *metric* and *unit* what its figures are,
    *left* why it is left out. *asked* tells that it is asked what it names, *given*
    that it may be a specification or an input, *rated* that nothing says whether these
    are results at all; *aside* that others are; *kept* that somebody said that it is a
    setting, or nothing; *sampled* that equal rows are repetitions of one run (samples,
    or one figure that is printed once more in each).
    *pattern* finds the figure in a cell that has two. It is run number *nth* of what
    *runs_of* is the first run of. *varied* is the setting that numbers are, more
    likely, which count up left of the figures; *path* is the whole name of a column
    that looks as the last part of it says.
    """

    looks: ColumnProfile
    line: int
    column: Column | None = None
    fields: Fields = {}
    metric: str | None = None
    unit: str | None = None
    decimal: Mark | None = None
    missing: dict[str, str] = {}
    kinds: frozenset[Kind] = frozenset()
    left: str | None = None
    asked: bool = False
    given: bool = False
    rated: bool = False
    aside: bool = False
    kept: bool = False
    sampled: Literal["samples", "once"] | None = None
    pattern: str = ""
    nth: int = 0
    runs_of: "ColumnDraft | None" = None
    varied: str | None = None
    path: str = ""

    @property
    def header(self) -> str:
        """Return the name of the column."""
        return self.path or self.looks.header

    @property
    def bare(self) -> str:
        """Return the name of the column without its unit, where more is left."""
        return without_unit(self.header, self.looks.unit)

    @property
    def holds_figures(self) -> bool:
        """Tell whether it is a column of figures, as far as that is known."""
        return self.column is None and (self.looks.figures or bool(self.parts))

    @property
    def is_count(self) -> bool:
        """Tell whether it has whole numbers, and nothing says that they are results."""
        looks = self.looks
        return looks.integers and looks.unit is None and not looks.terms & CLEAR_TERMS

    @property
    def holds_words(self) -> bool:
        """Tell whether it is a column of words of which nothing is known."""
        looks = self.looks
        return self.column is None and not looks.figures and not looks.parts

    @property
    def parts(self) -> dict[str, str]:
        """Return the metrics of what ``time`` printed in each cell, by their words."""
        return {name: words().roles[name] for name in self.looks.parts}

    @property
    def bases(self) -> set[str]:
        """Return the base units of the figures; ``1`` for numbers without any."""
        return {unit for unit, _ in self.kinds} - {"1"} or {"1"}

    def add(self, **fields: Scalar) -> None:
        """Make the column stand for *fields* as well."""
        self.fields = {**self.fields, **fields}

    def leave(self, why: str) -> None:
        """Leave the column out."""
        self.left, self.metric, self.column = why, None, Column(is_="ignore")

    def become_field(self, field: str) -> None:
        """Make its cells set *field*."""
        self.column = Column(field=field)

    def become_figures(self, known: Column) -> None:
        """Make its cells the figures that a reader of logs knows them to be."""
        unit = understood(known.unit or self.looks.unit or "")
        self.metric, self.unit, self.fields = known.metric, known.unit, known.set
        self.kinds = frozenset([(unit.base, unit.per)]) if unit else self.looks.kinds
        self.decimal = self.looks.decimal if self.looks.decimal == "," else None

    def take(self, answer: str) -> bool:
        """Enter an answer by which it has no figures of a unit; tell whether it is."""
        if self.column is not None:
            return True
        # Whole numbers, words beside them aside, may be words themselves.
        labels = self.bases == {"1"} and all(map(_LABEL.fullmatch, self.looks.texts))
        if answer == NOT_SAID and labels:
            self.become_field(f"conditions.{slug(self.header)}")
        elif answer in (LEAVE_OUT, NOT_SAID):
            why = "as answered" if answer == LEAVE_OUT else "what it is, is not said"
            self.leave(f"{self.header!r}: {why}")
        elif answer == "setting":
            self.become_field(self.varied or f"parameters.{slug(self.header)}")
        elif name := setting_field(answer):
            self.become_field(name)
        elif answer in ("figure", "score"):
            self.metric = "score" if answer == "score" else "reported_value"
            self.unit, self.kinds = None, frozenset([("1", None)])  # no time any more
            if answer == "figure":
                self.fields = {**named_figure(self.bare), **self.fields}
        else:
            return False
        return True

    def take_unit(self, text: str) -> None:
        """Make the bare numbers figures in the unit *text*."""
        unit = understood("%" if text == "share" else text)
        if unit is not None:
            self.unit = "1" if text == "share" else text
            self.kinds = frozenset([(unit.base, unit.per)])

    def take_metric(self, metric: str) -> None:
        """Make the figures those of *metric*, which says what it counts.

        What statistic they are is a setting where the metric does not say it: most are
        of a mean, and of sizes the largest is what one has.
        """
        self.metric = metric
        name = called(self.header) or ("peak" if "peak" in self.looks.terms else "")
        minutes = name == "min" and self.looks.unit == "min"
        usual = ("max", "peak") if self.bases == {"B"} else ("mean",)
        implied = minutes or name in usual or f"{name}_" in metric
        if name and metric in metrics():
            self.fields = {n: it for n, it in self.fields.items() if n != STATISTIC}
            self.fields |= {} if implied else {STATISTIC: name}
        if (unit := counted_as(metric, self.unit)) and unit != self.unit:
            self.take_unit(unit)

    def finished(self) -> Column:
        """Return the column as the map has it; what stays open is left out."""
        if self.column is not None:
            setting = (self.column.field or "").startswith(PREFIXES)
            grouped = setting and any(map(GROUPED.fullmatch, self.looks.texts))
            decimal = self.looks.decimal if grouped else self.column.decimal
            crosses = {it: it for it in self.looks.texts if setting and missing_of(it)}
            values = {**self.column.values, **crosses}
            return replace(self.column, decimal=decimal, values=values)
        if self.parts:
            return Column(is_="value", parts=self.parts, set=self.fields)
        if self.metric is None:
            return Column(is_="ignore")
        if self.metric == RATIO:
            return Column(is_="ratio", unit=self.unit, set=self.fields)
        middle = self.sampled == "samples" and self.metric == "latency_mean_seconds"
        middle = middle and not called(self.header)  # else they are means of runs
        return Column(
            is_=self.sampled or "value",
            # What stands for samples is their median.
            metric="latency_median_seconds" if middle else self.metric,
            unit=self.unit,
            decimal=self.decimal,
            set=self.fields,
            missing=self.missing,
            pattern=self.pattern or (),
        )


def shorten_paths(drafts: Iterable[ColumnDraft], sheet: Sheet) -> None:
    """Let columns of a list that holds the rows be what their last part says.

    Above the rows of ``runs[].cold[]``, ``runs.model`` is a model and counts none.
    """
    way = sheet.context[-1].split(".") if sheet.context else []
    for draft in (it for it in drafts if it.header in sheet.inherited):
        holder, _, last = draft.header.rpartition(".")
        if f"{holder}[]" in way and last not in sheet.header:
            draft.path = draft.header
            draft.looks = replace(draft.looks, header=last, terms=header_terms(last))


def pair_doubt(
    draft: ColumnDraft, cells: Iterable[str], decimal: Mark | None
) -> Doubt | None:
    """Return the doubt which of two numbers is the figure of *cells*: ``13.9 / 56.1``.

    They are figures where the header names their unit; *decimal* is the mark of the
    table. Of cells that are not all pairs there is no such doubt.
    """
    texts = [text.strip() for text in cells if missing_of(text) is None]
    if not draft.looks.several or draft.looks.unit is None:
        return None
    if not all(re.match(_PAIRS["left"], text) for text in texts):
        return None

    def settle(answer: str) -> None:
        if answer in _PAIRS:
            draft.pattern = _PAIRS[answer]
            matches = (re.match(draft.pattern, text) for text in texts)
            values = [match["value"] for match in matches if match]
            looks = profile(
                _header_of(draft.header, answer), values, decimal, draft.looks.unit
            )
            draft.looks = replace(looks, header=draft.header)

    choices = {
        LEAVE_OUT: words().choices[LEAVE_OUT],
        "left": "the left number",
        "right": "the right number",
    }
    text = "Which of the two numbers in {} is the figure?"
    return column_doubt([draft], "pairs", text, choices, settle=settle, guess=LEAVE_OUT)


def _header_of(header: str, which: str) -> str:
    """Return what *header* says of a number: ``Latency p99 (ms)`` in ``mean / p99``."""
    left, _, right = header.partition("/")
    (name, of), (other, rest) = statistic(left), statistic(right)
    if not (name and other):
        return header
    return f"{left} {rest}" if which == "left" else f"{of} {right}"


def counted_as(metric: str, unit: str | None) -> str | None:
    """Return *unit* as *metric* counts, where it counts what nobody knows: ``token/s``
    of ``prompt_per_second``. Numbers without a unit may be factors.
    """
    counts = metrics()[metric].counts if metric in metrics() else ()
    if unit is None and metric in metrics() and metrics()[metric].unit == "x":
        return "x"
    known = understood(unit or "")
    if not counts or known is None or known.per in (None, *COUNTED):
        return unit
    if not known.base.startswith("1/"):  # a time, of something else
        return unit
    return f"{counts[0]}{known.base.removeprefix('1')}"


def called(header: str) -> str:
    """Return what *header* calls its statistic: the best of rates is no minimum.

    "M1 Max" is the name of a chip.
    """
    bare = naming.without_chips(header)
    ranked = pattern("ranked").search(fold(bare))
    return ranked[0] if ranked else statistic(bare)[0]


def without_unit(header: str, unit: str | None) -> str:
    """Return *header* without its *unit*, or without one that stands alone below it."""
    above, _, below = header.rpartition(" / ")
    if above and understood(below):
        return above
    if not unit:
        return header
    stated = _BRACKET.sub("", header).rstrip()
    beside = header.removeprefix(stated).strip()
    bare = stated.removesuffix(unit).rstrip(" _-")
    if bare == stated:  # which was in the bracket
        return stated
    # In "peak t/s (req)" it tells this column from "peak t/s".
    return f"{bare} {beside}".strip() if bare else beside.strip("()[] ") or stated


def samples_of(figures: Sequence[ColumnDraft]) -> str:
    """Return what is kept of repetitions: times as samples, of all else the median."""
    others = [repr(it.header[:40]) for it in figures if it.bases != {"s"}]
    median = f"the median of {', '.join(others)}, without the samples" * bool(others)
    times = "its samples" * (len(others) < len(figures))
    return " and ".join(filter(None, (times, median)))


def named_figure(name: str) -> Fields:
    """Return what tells figures without a unit of a column *name* from others.

    Their metric does not say what they are; a reader's own "value" does not either.
    """
    return {} if name == "value" else {VARIANT: name}


def quoted(draft: ColumnDraft) -> str:
    """Return a column as a question names it: ``'Time' (3.2, 4.5 …)``."""
    texts = draft.looks.texts
    shown = ", ".join(text[:_QUOTED] for text in texts[:SHOWN])
    more = " …" if len(texts) > SHOWN else ""
    return f"{draft.header[:80]!r} ({shown}{more})" if shown else f"{draft.header!r}"


def column_doubt(
    drafts: Sequence[ColumnDraft],
    topic: str,
    text: str,
    choices: Mapping[str, str] | Iterable[str],
    **more: object,
) -> Doubt:
    """Return a doubt about columns; *choices* without words of their own have ours."""
    first = drafts[0]
    subject = ", ".join(f"{draft.header[:40]!r}" for draft in drafts[:4])
    subject += f" and {len(drafts) - 4} more" if len(drafts) > 4 else ""
    named = choices if isinstance(choices, Mapping) else {}
    facts = {
        "name": first.header[:30],
        "subject": quoted(first) if len(drafts) == 1 else subject,
        "line": first.line,
        "choices": named or {key: _title(key) for key in choices},
    }
    if any(draft.holds_figures for draft in drafts):
        facts["figures"] = lambda: any(draft.holds_figures for draft in drafts)
    return Doubt(topic=topic, text=text, **{**facts, **more})  # type: ignore[arg-type]


def _title(key: str) -> str:
    return metrics()[key].title if key in metrics() else words().choices.get(key, key)
