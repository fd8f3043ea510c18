"""A table of a map in the making: its columns, and what stands above its rows."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import get_args

from msgspec.structs import replace

from benchdb.importing import naming
from benchdb.importing.guess.column_profile import (
    ColumnProfile,
    header_terms,
    pattern,
    profile,
    unit_in,
    words,
)
from benchdb.importing.guess.column_rules import (
    MACHINES,
    THINGS,
    cells_doubt,
    device_doubts,
    enter_hardware,
    enter_words,
    field,
    fields_of,
    headers_doubts,
    test_facts,
)
from benchdb.importing.guess.figures import (
    CLEAR_TERMS,
    CLEAR_UNITS,
    CODED,
    FIGURE_TERMS,
    FINAL,
    RATIO,
    Around,
    ColumnDraft,
    counted,
    enter_language_model,
    figure_doubts,
    speaks_of_figures,
    stem_of,
)
from benchdb.importing.guess.questions import Doubt
from benchdb.importing.mapping.fields import slug
from benchdb.importing.mapping.language import Column, Fields, Named, Table
from benchdb.importing.mapping.recognition import COMPARED, NAME_LIMIT, recognised
from benchdb.importing.sheet import Reader, Sheet

Segment = tuple[str, ...]
ALL_NAMES: tuple[Named, ...] = get_args(Named)
_READERS = {str(name): name for name in get_args(Reader)}
_KEYED = ("key-value", "bullets")
_ABOVE = (FIGURE_TERMS | {"idle", "lower", "operation"}) - {"throughput", "ratio"}
# Headers that speak of these name no side: "GPU memory" is no run on a GPU.
_NOT_PIVOTED = {"memory", "power", "energy", "utilisation", "ratio", "ram", "cores"}
_NOT_PIVOTED |= {"score", "spec"}
_OF_PARTS = {"W", "J", "B"}  # of a part of the machine, whatever ran
_SPECIFIED = re.compile(r"(?i)(?<![a-z])(?:spec(?:s|ification\w*)?|theoretical)(?!\w)")
_RATES = frozenset(("FLOP/s", "B/s", "B", "W"))
_SIDES = ALL_NAMES.index("workload")  # names before it are of any work
_NETWORK = {"network": "parameters.model", "quantization": "parameters.quantization"}
_NUMBER = re.compile(r"\d{1,6}")
# What a sentence or a comparison above a table does not say of all its rows.
_OF_ALL = ("device", "precision", "quantization")
_PROSE = re.compile(
    r"\u3002|[.!?;\uff01\uff1f\uff1b]$|[a-zäöü]{2}[.!?;]\s|(?:\S+\s+){11}"
    r"|\w{2}:\s+(?:\S+\s+){4}\S"
)
_RESULTS = ("value", "samples", "ratio")
BILLIONS = r"(?<![\w.])(?P<parameters__model_size>\d{1,4}(?:\.\d{1,2})?)B(?![A-Za-z])"
_LOGGED = ("parameters.epoch", "parameters.step")
_LABELS = 200  # rows that may be named after metrics
_CELLS = 20  # of words that are looked at for names
_SECTIONS = 100  # headings inside a table that are looked at


class TableDraft:
    """Sheets with one header, and what each of their columns is taken to be.

    *set* holds for all of it, *context* are expressions for its headings, *names* what
    these name; *contested* is what a heading gives which may not hold for it.
    """

    def __init__(
        self,
        sheets: Sequence[Sheet],
        looks: Sequence[ColumnProfile],
        *,
        alone: bool,
        contested: frozenset[str],
    ) -> None:
        """Begin with how the columns look."""
        self.sheets, self.alone, self.contested = sheets, alone, contested
        self.line = sheets[0].line
        self.drafts = [ColumnDraft(one, self.line) for one in looks]
        self.rows: list[ColumnDraft] = []  # those named after metrics
        self.segments = list(dict.fromkeys(_segments(sheets)))
        self.set: Fields = {}
        self.context: list[str] = []
        self.names: set[str] = set()
        self.asked = False  # what its headings tell apart
        self.around = self._around()

    def column_doubts(self) -> list[Doubt]:
        """Return what is in doubt of the columns; enter what is not."""
        self._enter_known()
        for one in self.drafts:
            if one.looks.several and one.column is None:
                text = one.looks.texts[0][:40]
                one.leave(f"{one.header!r}: more than a figure in a cell: {text!r}")
            elif one.looks.parts and one.column is None:
                one.parts = {name: words().roles[name] for name in one.looks.parts}
        self.set |= enter_hardware(self.drafts)
        figures = [one for one in self.drafts if one.holds_figures and not one.parts]
        self._enter_pivots(figures)
        doubts = device_doubts(self.drafts) + self._label_doubts()
        logged = any(
            (one.column is not None and one.column.field in _LOGGED)
            for one in self.drafts
        )
        for one in self.rows or figures:
            doubts += figure_doubts(one, self.around)
            if logged and one.metric in FINAL and "final" not in one.looks.terms:
                one.leave(f"{one.header!r}: of each step, which is no final figure")
        enter_words(self.drafts)
        for one in self.drafts:  # of an object beside the rows, perhaps
            beside = "." in one.header and one.header in self.sheets[0].inherited
            if beside and one.column and one.column.field == "parameters.model":
                one.become_field(f"parameters.{slug(one.header)}")
        return doubts

    def figures(self) -> dict[int, int]:
        """Return how many figures each column may have."""
        return counted(self.rows or self.drafts)

    def weighed(self, doubts: Iterable[Doubt]) -> list[Doubt]:
        """Return *doubts*, about all figures where they name no columns."""
        return [
            one if one.columns else replace(one, columns=self.figures) for one in doubts
        ]

    def _around(self) -> Around:
        context = [t for t in self.sheets[0].context[-2:] if len(t) <= NAME_LIMIT]
        terms = {term for text in context for term in header_terms(text)} & _ABOVE
        unit = next((one for text in reversed(context) if (one := unit_in(text))), None)
        looks = [one.looks for one in self.drafts]
        if looks and not looks[0].figures:  # the corner of a pivot
            terms |= looks[0].terms & _ABOVE
            unit = unit_in(looks[0].header) or unit
        texts = [*context, *self.sheets[0].header]
        if any(naming.workload(text) == "matmul" for text in texts):
            terms |= {"operation"}
        measured = [one for one in looks if one.figures and "cores" not in one.terms]
        rated = all(any(unit in _RATES for unit, _ in one.kinds) for one in measured)
        specified = (
            any(map(_SPECIFIED.search, context))
            or any("spec" in one.terms and one.figures for one in looks)
            or (rated and any("cores" in one.terms for one in looks))
        )
        clear = any(
            one.terms & CLEAR_TERMS or {unit for unit, _ in one.kinds} & CLEAR_UNITS
            for one in measured
        )
        return Around(frozenset(terms), unit, specified, clear)

    def _enter_known(self) -> None:
        """Enter columns that a reader settles, or that surely tell a field, once."""
        names = [name.casefold() for name in self.sheets[0].header]
        taken = set[str]()
        for n, one in enumerate(self.drafts):
            known = _of_reader(n, names, self.sheets[0].kind) or field(one.looks)
            if isinstance(known, str):
                one.leave(known)
            elif known is not None and known.field not in taken:
                one.column = known
                taken |= {known.field} if known.field else set()
            elif known is not None and (known.field or "").startswith("parameters."):
                one.become_field(f"parameters.{slug(one.header)}")
        inherited = self.sheets[0].inherited
        above = [
            it for it in self.drafts if it.holds_figures and it.header in inherited
        ]
        listed = ", ".join(repr(one.header) for one in above)
        for one in above:
            one.column = Column(is_="ignore")
        for one in above[:1]:
            one.left = f"figures of what holds the rows, not of them: {listed}"

    def _enter_pivots(self, figures: Sequence[ColumnDraft]) -> None:
        """Enter what headers of figures stand for: machines, sides, precisions."""
        for one in figures:
            if not one.looks.terms & _NOT_PIVOTED:
                header = one.bare
                one.fields = test_facts(header) or {
                    **recognised(header, ALL_NAMES[: _SIDES + 1]).set
                }
            units = {unit for unit, _ in one.looks.kinds}
            if units and units <= _OF_PARTS:
                one.fields.pop("device", None)
        modes = [_mode(one.header) for one in figures]
        if {*modes} >= {"training", "inference"}:  # beside each other
            for one, mode in zip(figures, modes, strict=True):
                one.fields |= {"parameters.mode": mode} if mode else {}
        if {one.fields.get("device") for one in figures} <= {"cpu", None}:
            for one in figures:  # "CPU time" may be that of the processor
                if one.fields.keys() == {"device"} and "time" in one.looks.terms:
                    one.fields = {}
        self._enter_numbers(figures)

    def _enter_numbers(self, figures: Sequence[ColumnDraft]) -> None:
        """Enter columns that are headed by batch sizes, or by numbers of cards."""
        batches = any("batchsize" in one.looks.terms for one in self.drafts)
        machines = any(one.fields.keys() & MACHINES for one in figures)
        for one in figures:
            card = naming.chip(one.bare, numbers=True) if machines else None
            if batches and _NUMBER.fullmatch(one.header):
                one.fields = {"parameters.batch_size": int(one.header)}
            elif not one.fields and card and card.accelerator:
                one.fields = {"accelerator": one.header}

    def _label_doubts(self) -> list[Doubt]:
        """Enter rows that are named after metrics; return what other labels may be."""
        corner = next((one for one in self.drafts if not one.looks.figures), None)
        keyed = self.sheets[0].kind in _KEYED
        if corner is None or corner.column or not corner.looks.texts:
            return []
        labels = corner.looks.texts[:_LABELS]
        speaking = [label for label in labels if speaks_of_figures(label)]
        units = {unit for one in self.drafts for unit, _ in one.looks.kinds}
        alike = len(speaking) == len(labels) or len(units - {"x", "%"}) > 1
        if (len(speaking) > 1 and alike) or (keyed and speaking):
            cells = _cells_by_label(self.sheets, self.drafts.index(corner))
            rows = (profile(label, cells[label]) for label in speaking)
            self.rows = [ColumnDraft(one, self.line) for one in rows if one.figures]
        if self.rows:
            corner.column = Column(is_="metric", values={"*": ""})
        if self.rows or not keyed:
            return []

        return [cells_doubt(corner, "What do {} name?", THINGS)]

    def pivot_doubts(self) -> list[Doubt]:
        """Return the doubts what columns of one kind of figure stand for."""
        for one in self.drafts:
            enter_language_model(one)
        by_kind: dict[object, list[ColumnDraft]] = {}
        for one in self.drafts if not self.rows else ():
            compared = one.metric == RATIO  # a claim, which its header tells apart
            if one.holds_figures and not (one.aside or one.rated or compared):
                terms = one.looks.terms & FIGURE_TERMS
                alike = one.looks.integers if not terms and one.bases == {"1"} else None
                coded = one.bases == {"s"} and CODED.search(one.header)
                stem = stem_of(one.header) if coded else None
                kind = one.metric or (one.kinds, terms, alike, stem)
                by_kind.setdefault((kind, *one.parts.values()), []).append(one)
        doubts: list[Doubt] = []
        left = any(one.left and one.looks.several for one in self.drafts)
        for group in by_kind.values():
            sets = Counter(repr(sorted(one.fields.items())) for one in group)
            doubled = [o for o in group if sets[repr(sorted(o.fields.items()))] > 1]
            # Beside a column that is left out, a header may name what runs too.
            nameless = [
                one
                for one in group
                if not one.fields
                and (len(group) > 1 or (left and not one.looks.terms & FIGURE_TERMS))
            ]
            if mixed := list(dict.fromkeys([*doubled, *nameless])):
                beside = [one for one in group if one not in mixed]
                doubts += headers_doubts(mixed, beside)
        return doubts

    def told_by_columns(self, name: str) -> bool:
        """Tell whether columns, or what was answered, tell *name* of all figures."""
        told = set(self.set)
        for expression in self.context:
            told |= {g.replace("__", ".") for g in re.compile(expression).groupindex}
        fields = MACHINES if name == "machine" else {name}
        for one in self.drafts:
            if one.column is not None and one.column.is_ == "field":
                told |= fields_of(one.column)
        figures = [o for o in self.drafts if o.holds_figures and o.metric != RATIO]
        sets = [o.fields.keys() & fields for o in figures if name not in o.asked]
        return bool(told & fields) or (bool(figures) and all(sets))

    def names_in_columns(self, name: str) -> bool:
        """Tell whether some column may speak of *name*: none above may then hold."""
        fields = MACHINES if name == "machine" else {name}
        for one in self.drafts:
            told = fields_of(one.column) if one.column else set(one.fields)
            if told & fields or (name == "machine" and name in one.asked):
                return True
            if one.looks.figures or name not in ("machine", "device", "framework"):
                continue
            headed = name == "machine" and "device" in one.looks.terms
            if headed and not told & {"device", "framework"}:
                return True
            cells = (recognised(text, [name]) for text in one.looks.texts[:_CELLS])
            if any(facts.set or facts.missing for facts in cells):
                return True
        return False

    def is_asked(self, name: str) -> bool:
        """Tell whether the answer to an open question may tell *name*."""
        figures = [one for one in self.drafts if one.holds_figures]
        rated = bool(figures) and all(one.rated for one in figures)
        return self.asked or rated or any(name in one.asked for one in self.drafts)

    def is_told(self, name: str) -> bool:
        """Tell whether each figure has *name*, by its column, row or headings."""
        return self.told_by_columns(name) or (
            name in self.names
            and all(origin(one, name) is not None for one in self.segments)
        )

    def enter_names(self) -> None:
        """Enter what headings name in words that we know, where nothing nearer does."""
        for name in ALL_NAMES[:_SIDES]:
            if name not in self.contested:
                said = any(origin(one, name) is not None for one in self.segments)
                if said and not self.names_in_columns(name):
                    self.names.add(name)

    def enter_network(self, stem: str) -> None:
        """Enter the language model that a heading names, or the file's name *stem*."""
        works = [str(it.fields.get("workload")) for it in self.drafts]
        if not any(
            one.startswith("llm-") for one in [*works, str(self.set.get("workload"))]
        ):
            return
        told = {one.column.field for one in self.drafts if one.column}
        for name, parameter in _NETWORK.items():
            if parameter not in told and any(
                origin(it, name) is not None for it in self.segments
            ):
                self.names.add(name)
            elif parameter not in told:
                self.set |= recognised(stem, [name]).set
        known = (
            told | self.set.keys() | {_NETWORK[n] for n in _NETWORK if n in self.names}
        )
        headed = any(map(re.compile(BILLIONS).search, chain(*self.segments)))
        if headed and not known & {"parameters.model", "parameters.model_size"}:
            self.context.append(BILLIONS)

    def has_figures(self) -> bool:
        """Tell whether the map takes figures of it, as far as it is known."""
        if self.rows and all(one.metric is None for one in self.rows):
            return False
        return any(self._column(one).is_ in _RESULTS for one in self.drafts)

    def may_have_figures(self) -> bool:
        """Tell whether a column holds figures, whatever they are."""
        return any(one.holds_figures for one in self.drafts) or self.has_figures()

    def has_results(self) -> bool:
        """Tell whether it may have figures beside ratios."""
        return any(one.holds_figures and one.metric != RATIO for one in self.drafts)

    def repeated(self) -> int | None:
        """Return the line of a row whose settings are those of a row above it."""
        settings = [
            n
            for n, one in enumerate(self.drafts)
            if one.column is not None and one.column.is_ == "field"
        ]
        figures = [n for n, one in enumerate(self.drafts) if one.metric is not None]
        known = set[object]()
        for sheet in self.sheets:
            for row in sheet.rows:
                texts = [cell.text.casefold() for cell in row.cells]
                key = (sheet.context, *(texts[n] for n in settings))
                full = any(texts[n] for n in figures)
                if full and key in known:
                    return row.line
                known |= {key} if full else set()
        return None

    def mode(self, *names: str) -> str | None:
        """Return ``training`` or ``inference``, where the words about it say which."""
        texts = [*self.sheets[0].header, *names]
        texts += [text for segment in self.segments for text in segment]
        return _mode(*texts)

    def table(self) -> Table:
        """Return the table of the map."""
        sheet = self.sheets[0]
        return Table(
            lines=(sheet.line, sheet.line) if self.alone else None,
            read=_READERS.get(sheet.kind),
            names=tuple(name for name in ALL_NAMES if name in self.names),
            context=tuple(self.context),
            columns={one.header: self._column(one) for one in self.drafts},
            set=self.set,
        )

    def _column(self, one: ColumnDraft) -> Column:
        if one.column is not None and one.column.is_ == "metric":
            labels = {row.header: row.metric for row in self.rows if row.metric}
            units = {row.unit for row in self.rows if not row.looks.unit and row.unit}
            unit = units.pop() if len(units) == 1 else None
            return Column(is_="metric", values={**labels, "*": ""}, unit=unit)
        if self.rows and one.holds_figures:
            if "ratio" in one.looks.terms:
                return Column(is_="ignore")
            return Column(is_="value", set=one.fields)
        return one.finished()


def _mode(*texts: str) -> str | None:
    kinds = ("training", "inference")
    known = {k for k in kinds if any(pattern(k).search(t[:1000]) for t in texts)}
    return known.pop() if len(known) == 1 else None


def _of_reader(n: int, names: Sequence[str], kind: str) -> Column | str | None:
    """Return what a column of a reader of logs is known to be, or why it is left."""
    name = names[n]
    column = words().logs.get(kind, {}).get(name)
    if kind == "keras" and "epoch" not in names and column and column.metric:
        return None  # times of an evaluation
    return column


def _cells_by_label(sheets: Sequence[Sheet], index: int) -> Mapping[str, list[str]]:
    cells: dict[str, list[str]] = {}
    for row in (row for sheet in sheets for row in sheet.rows):
        more = [cell.text for n, cell in enumerate(row.cells) if n != index]
        cells.setdefault(row.cells[index].text.strip(), []).extend(more)
    return cells


def _segments(sheets: Iterable[Sheet]) -> Iterator[Segment]:
    """Yield the texts that stand above rows, with the headings inside a table."""
    sections = 0
    for sheet in sheets:
        inside: Segment | None = ()
        for row in sheet.rows:
            first = row.cells[0].text.strip() if row.cells else ""
            alone = first and not any(cell.text.strip() for cell in row.cells[1:])
            if alone and len(row.cells) > 1 and sections < _SECTIONS:
                inside, sections = (first,), sections + 1
            elif inside is not None:
                yield (*sheet.context, *inside)
                inside = None


def _is_prose(text: str) -> bool:
    """Tell whether *text* says something of some rows, or compares: a caption."""
    return bool(_PROSE.search(text) or COMPARED.search(text))


def origin(segment: Segment, name: str) -> int | None:
    """Return which text of *segment* gives *name*: the innermost that speaks of it.

    ``None`` where none does, where that one names several, or is no heading.
    """
    for n in reversed(range(len(segment))):
        facts = recognised(segment[n], [name])
        if facts.set:
            doubtful = name in _OF_ALL and _is_prose(segment[n])
            return None if doubtful else n
        if facts.missing:
            return None
    return None
