"""A table of a map in the making: its columns, and what stands above its rows."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import get_args

from msgspec.structs import replace

from benchdb.importing.guess import pivots
from benchdb.importing.guess import sibling_columns as siblings
from benchdb.importing.guess.column_draft import (
    CLEAR_TERMS,
    RATIO,
    VARIANT,
    ColumnDraft,
    pair_doubt,
    shorten_paths,
)
from benchdb.importing.guess.column_profile import (
    ColumnProfile,
    fold,
    pattern,
    words,
)
from benchdb.importing.guess.column_rules import (
    MACHINES,
    enter_hardware,
    enter_words,
    field,
    fields_of,
    is_of_sizes,
    leave_versions,
)
from benchdb.importing.guess.doubts import Doubt
from benchdb.importing.guess.figure_columns import (
    FINAL,
    figure_doubts,
    speaks_of_figures,
)
from benchdb.importing.guess.headings import (
    BILLIONS,
    around,
    device_of_another,
    expression_of,
    fields_in,
    mode_of,
    origin,
    segments,
    weights_in,
)
from benchdb.importing.guess.map_columns import column_of_map
from benchdb.importing.guess.row_labels import KEYED, LABELS, device_doubts, named_rows
from benchdb.importing.mapping.fields import slug
from benchdb.importing.mapping.language import RESULTS, Column, Fields, Meaning, Table
from benchdb.importing.mapping.recognition import (
    GPU,
    NAME_LIMIT,
    recognised,
)
from benchdb.importing.naming.names import way
from benchdb.importing.quantities.tokens import Mark
from benchdb.importing.sheet import Reader, Sheet

_READERS = {str(name): name for name in get_args(Reader)}
_NETWORK = {"network": "parameters.model", "quantization": "parameters.quantization"}
# What several columns tell: the first is it, the others are settings.
_OF_SEVERAL = ("parameters.", "framework_version", "os_version")
_LOGGED = ("parameters.epoch", "parameters.step")
_COUNTED = ("epoch", "step", "iteration", "iter", "global step")
_MEASURED = CLEAR_TERMS | {"prefill", "decode"}
_BY_CELLS = ("machine", "device", "framework", "quantization")
_CELLS = 20  # of words that are looked at for names


class TableDraft:
    """Sheets with one header, and what each of their columns is taken to be.

    *set* holds for all of it, *context* are expressions for its headings, *names* what
    these name.
    """

    def __init__(
        self,
        sheets: Sequence[Sheet],
        looks: Sequence[ColumnProfile],
        *,
        alone: bool,
        decimal: Mark | None,
    ) -> None:
        """Begin with how the columns look; *decimal* is the mark of other tables."""
        self.sheets, self.alone, self.decimal = sheets, alone, decimal
        self.number, self.line = 0, sheets[0].line
        self.drafts = [ColumnDraft(look, self.line) for look in looks]
        shorten_paths(self.drafts, sheets[0])
        self.rows: list[ColumnDraft] = []  # those named after metrics
        self.segments = list(dict.fromkeys(segments(sheets)))
        self.set: Fields = {}
        self.context: list[str] = []
        self.names: set[str] = set()
        self.notes: list[str] = []  # what is taken for granted
        self.sources: dict[str, str] = {}  # where it has what holds for all of it
        texts = [
            text
            for draft in self.drafts
            if draft.looks.figures
            for text in draft.looks.texts
        ]
        if decimal == "." and (
            grouped := next(filter(pattern("grouped").search, texts), None)
        ):
            self.notes.append(
                f"line {self.line}: {grouped!r}: a comma groups digits, as decimals "
                "have a point"
            )
        training = self.mode() == "training"
        self.around = around(sheets[0], looks, training=training)

    @property
    def called(self) -> str:
        """Return what messages call it by, as answers may: its number and its line."""
        return f"table {self.number} at line {self.line}"

    def pair_doubts(self) -> Iterator[Doubt]:
        """Yield the doubts about cells with two numbers, and columns without a heading.

        These come before all others.
        """
        yield from siblings.run_doubts(self.drafts)
        for n, draft in enumerate(self.drafts):
            cells = (row.cells[n].text for sheet in self.sheets for row in sheet.rows)
            if field(draft.looks) is None and (
                doubt := pair_doubt(draft, cells, self.decimal)
            ):
                yield doubt

    def column_doubts(self) -> list[Doubt]:
        """Return what is in doubt of the columns; enter what is not."""
        self._enter_known()
        siblings.enter_units(self.drafts, self.around)
        facts, header = enter_hardware(self.drafts)
        self.set |= facts
        self.sources |= dict.fromkeys(facts, f"the column {header!r}")
        figures = [
            draft
            for draft in self.drafts
            if draft.holds_figures and not draft.parts and draft.metric is None
        ]
        pivots.enter_pivots(figures, self.drafts)
        siblings.enter_varied(self.sheets, self.drafts)
        leave_versions(self.drafts)
        doubts = device_doubts(self.drafts)
        self.rows, label_doubts = named_rows(self.sheets, self.drafts, self.line)
        for draft in self.rows:
            if isinstance(why := field(draft.looks), str):
                draft.leave(why)
        pivots.enter_pivots(self.rows, [])
        siblings.settle(self.rows or figures, self.around)
        doubts += label_doubts + self._figure_doubts(self.rows or figures)
        enter_words(self.drafts)
        for draft in self.drafts:  # of an object beside the rows, perhaps
            beside = "." in draft.header and draft.header in self.sheets[0].inherited
            model = draft.column and draft.column.field == "parameters.model"
            if beside and model and not draft.path:
                draft.become_field(f"parameters.{slug(draft.header)}")
        return doubts

    def _figure_doubts(self, figures: Iterable[ColumnDraft]) -> list[Doubt]:
        """Return what is in doubt of *figures*; leave out those of steps."""
        logged = any(
            (draft.column is not None and draft.column.field in _LOGGED)
            or (draft.looks.integers and fold(draft.header) in _COUNTED)
            for draft in self.drafts
        ) or (  # a bar of training, as it has a validation; of which epoch, is not said
            self.sheets[0].kind == "keras"
            and any(draft.header.startswith("val_") for draft in self.drafts)
        )
        doubts: list[Doubt] = []
        for figure in (it for it in figures if it.column is None):
            new = figure_doubts(figure, self.around)
            final = figure.metric in FINAL or figure.looks.terms & {"accuracy", "loss"}
            if logged and final and "final" not in figure.looks.terms:
                figure.leave(
                    f"{figure.header!r}: of each step, which is no final figure"
                )
            doubts += new if figure.left is None else []
            if self.rows and figure.metric == RATIO:
                figure.leave(f"{figure.header!r}: a ratio that the source computed")
                figure.metric = None
        return doubts

    def looks_like(self, other: "TableDraft") -> bool:
        """Tell whether nothing but what stands above may tell its rows from others."""
        mine, others = (
            {draft.metric for draft in it.rows or it.drafts if draft.holds_figures}
            for it in (self, other)
        )
        headers = (tuple(map(fold, it.sheets[0].header)) for it in (self, other))
        return self is other or (bool(mine & others) and len({*headers}) == 1)

    def weighed(self, doubts: Iterable[Doubt]) -> list[Doubt]:
        """Return *doubts* of it, about all figures where they name no columns."""

        def figures() -> bool:
            return any(draft.holds_figures for draft in self.rows or self.drafts)

        return [
            replace(doubt, figures=doubt.figures or figures, table=self.number)
            for doubt in doubts
        ]

    def _enter_known(self) -> None:
        """Enter columns that a reader settles, or that surely tell a field, once."""
        names = [name.casefold() for name in self.sheets[0].header]
        taken = set[str]()
        columns = enumerate(self.drafts)
        # A bare version is that of a framework if no other says that it is.
        for n, draft in sorted(columns, key=lambda it: fold(it[1].header) == "version"):
            known = self._known_of(n, draft, names)
            if isinstance(known, str):
                draft.leave(known)
            elif isinstance(known, Column) and known.is_ == "value" and known.metric:
                draft.become_figures(known)
            elif known is not None and not (known.field or known.names):  # remarks
                draft.column = known
                draft.left = f"{draft.header!r}: but for how runs failed, no setting"
            elif known is not None and known.field not in taken:
                draft.column = known
                taken |= {known.field} if known.field else set()
            elif known is not None and (known.field or "").startswith(_OF_SEVERAL):
                draft.become_field(f"parameters.{slug(draft.header)}")
        self._enter_inherited()

    def _enter_inherited(self) -> None:
        """Keep counts of what holds the rows as settings; leave out its figures."""
        inherited = self.sheets[0].inherited
        above = [
            it for it in self.drafts if it.holds_figures and it.header in inherited
        ]
        for draft in (it for it in above if it.is_count):  # such as n_prompt
            draft.become_field(f"parameters.{slug(draft.header)}")
        left = [column_draft for column_draft in above if column_draft.column is None]
        listed = ", ".join(repr(column_draft.header) for column_draft in left)
        for draft in left:
            draft.column = Column(is_="ignore")
        for draft in left[:1]:
            draft.left = f"figures of what holds the rows, not of them: {listed}"

    def _known_of(
        self, n: int, draft: ColumnDraft, names: Sequence[str]
    ) -> Column | str | None:
        """Return what the column *n* surely is, or why it is left."""
        kind = self.sheets[0].kind
        keyed = kind in KEYED
        if not n and keyed and is_of_sizes(draft.looks):
            return Column(field="parameters.model_size")
        labels = keyed and any(map(speaks_of_figures, draft.looks.texts[:LABELS]))
        known = _of_reader(n, names, kind)
        known = known if known or labels else field(draft.looks)
        if known is not None or not draft.holds_words:
            return known
        text = draft.looks.texts[0][:40] if draft.looks.texts else ""
        if draft.looks.several:
            return f"{draft.header!r}: more than a figure in a cell: {text!r}"
        mixed = draft.looks.mostly(pattern("number_and_word").match)
        if mixed and draft.looks.terms & _MEASURED:
            return f"{draft.header!r}: figures of several kinds: {text!r}"
        return None

    def pivot_doubts(self) -> list[Doubt]:
        """Return the doubts what columns of one kind of figure stand for."""
        return pivots.pivot_doubts(self.drafts, self.rows)

    @property
    def side(self) -> str | None:
        """Return the side of a language model that the headings speak of alone."""
        above = " ".join(chain(*self.segments)).casefold()
        sides = [text for text in ("prefill", "decode") if text in above]
        return sides[0] if len(sides) == 1 else None

    def _known_names(self) -> set[str]:
        """Return the fields that columns of fields tell."""
        columns = [draft.column for draft in self.drafts if draft.column]
        return {
            it
            for column in columns
            if column.is_ == "field"
            for it in fields_of(column)
        }

    def told_by_columns(self, name: str) -> bool:
        """Tell whether columns, or what was answered, tell *name* of all figures."""
        texts = self._known_names() | self.set.keys()
        texts |= {name for text in self.context for name in fields_in(text)}
        fields = MACHINES if name == "machine" else {name}
        for group in (self.drafts, self.rows):
            figures = [o for o in group if o.holds_figures and o.metric != RATIO]
            sets = [o.fields.keys() & fields for o in figures]
            if figures and all(sets):
                return True
        return bool(texts & fields)

    def names_in_columns(self, name: str) -> bool:
        """Tell whether some column may speak of *name*: none above may then hold."""
        fields = MACHINES if name == "machine" else {name}
        for draft in self.drafts:
            texts = fields_of(draft.column) if draft.column else set(draft.fields)
            if texts & fields:
                return True
            if name == "device" and way("provider").search(draft.header):
                return True
            if draft.looks.figures or name not in _BY_CELLS:
                continue
            if "role" in draft.looks.terms:
                continue  # of something beside what is measured
            headed = name == "machine" and "device" in draft.looks.terms
            if headed and not texts & {"device", "framework"}:
                return True
            cells = (recognised(text, [name]) for text in draft.looks.texts[:_CELLS])
            if any(facts.set or facts.missing for facts in cells):
                return True
        return False

    def is_known(self, name: str) -> bool:
        """Tell whether each figure has *name*, by its column, row or headings."""
        return self.told_by_columns(name) or (
            name in self.names
            and all(origin(segment, name) is not None for segment in self.segments)
        )

    def _known_for_all(self, name: str) -> set[object]:
        """Return what headings say of *name*, else what is known of all rows."""
        if name not in self.names:
            return {self.set.get(name)}
        places = [(segment, origin(segment, name)) for segment in self.segments]
        texts = [result[n] for result, n in places if n is not None]
        return {recognised(text, [name]).set.get(name) for text in texts}

    def is_some_gpu(self) -> bool:
        """Tell whether all of it ran on a GPU of which nothing says the maker."""
        return self._known_for_all("device") == {GPU} and not self.is_known("machine")

    def runtime(self) -> str | None:
        """Return the framework of all figures, if one heading or line gives it."""
        known = self._known_for_all("framework") - {None}
        return str(known.pop()) if len(known) == 1 else None

    def enter_names(self) -> None:
        """Enter what headings name in words that we know, where nothing nearer does."""
        for name in pivots.ALL_NAMES[: pivots.SIDES]:
            holds = any(origin(segment, name) is not None for segment in self.segments)
            other = name == "device" and any(map(device_of_another, self.segments))
            if holds and not other and not self.names_in_columns(name):
                self.names.add(name)
        texts = self._known_names() | {
            name for draft in self.drafts for name in draft.fields
        }
        texts |= {"parameters.batch_size"} if "batch_size" in self.names else set()
        above = [text[:NAME_LIMIT] for text in chain(*self.segments)]
        for setting in words().settings.values():
            result = any(re.search(setting, text) for text in above)
            if result and not fields_in(setting) & texts:
                self.context.append(setting)

    def is_of_language_model(self) -> bool:
        """Tell whether work of it is that of a language model."""
        sets = [self.set, *(draft.fields for draft in (*self.drafts, *self.rows))]
        columns = (draft.column for draft in self.drafts if draft.column)
        sets += [cell.set for column in columns for cell in column.cells.values()]
        return any(str(it.get("workload")).startswith("llm-") for it in sets)

    def tells_model(self, but: str = "") -> bool:
        """Tell whether a column or a heading names a model, or a size *but* of one."""
        known = self._known_names() | self.set.keys()
        above = " ".join(chain(*self.segments)) if BILLIONS in self.context else ""
        sizes = {f"{it}b" for it in re.findall(BILLIONS, above)}
        other = any(it not in but.casefold() for it in sizes)
        return other or "network" in self.names or "parameters.model" in known

    def enter_network(self, stem: str) -> None:
        """Enter the language model that a heading names, or the file's name *stem*."""
        if not self.is_of_language_model():
            return
        texts = self._known_names()
        for name, parameter in _NETWORK.items():
            if parameter in texts or self.names_in_columns(name):
                continue
            if any(origin(it, name) is not None for it in self.segments):
                self.names.add(name)
            else:
                of_model = name == "network"
                values = recognised(stem, [name]).set if of_model else weights_in(stem)
                self.set |= values
                self.sources |= dict.fromkeys(values, "the file's name")
        known = (
            texts | self.set.keys() | {_NETWORK[n] for n in _NETWORK if n in self.names}
        )
        sizes = [{*re.findall(BILLIONS, text)} for text in chain(*self.segments)]
        if (
            any(sizes)
            and max(map(len, sizes)) == 1
            and not known & {"parameters.model", "parameters.model_size"}
        ):
            self.context.append(BILLIONS)

    def has_figures(self) -> bool:
        """Tell whether the map takes figures of it, as far as it is known."""
        if self.rows and all(row.metric is None for row in self.rows):
            return False
        return any(
            column_of_map(draft, self.rows, self.drafts).is_ in RESULTS
            for draft in self.drafts
        )

    def may_have_figures(self) -> bool:
        """Tell whether a column holds figures, whatever they are."""
        return any(draft.holds_figures for draft in self.drafts) or self.has_figures()

    def has_results(self) -> bool:
        """Tell whether it may have figures beside ratios."""
        return any(
            draft.holds_figures and draft.metric != RATIO for draft in self.drafts
        )

    @property
    def mode_known(self) -> bool:
        """Tell whether a column says of each row whether something is trained."""
        return any(it.column and it.column.field == "mode" for it in self.drafts)

    def mode(self, *names: str) -> str | None:
        """Return ``training`` or ``inference``, where the words about it say which."""
        texts = [*self.sheets[0].header, *names]
        texts += chain(*self.segments)
        return mode_of(*texts)

    def table(self) -> Table:
        """Return the table of the map for all rows."""
        sheet = self.sheets[0]
        return Table(
            lines=(sheet.line, self.sheets[-1].line) if self.alone else None,
            read=_READERS.get(sheet.kind),
            template=sheet.template,
            names=tuple(name for name in pivots.ALL_NAMES if name in self.names),
            context=tuple(self.context),
            columns={
                draft.header: column_of_map(draft, self.rows, self.drafts)
                for draft in self.drafts
            },
            set=self.set,
            rows={
                f"^{expression_of(row.header)}$": Meaning(set=self._of_row(row))
                for row in self.rows
                if row.metric and row.fields
            },
            others="ignore" if sheet.narrowed else "parameters",
        )

    def _of_row(self, row: ColumnDraft) -> Fields:
        """Return the facts of a row, whose variant is another than that of columns."""
        both = any(
            VARIANT in draft.fields for draft in self.drafts if draft.holds_figures
        )
        names = {VARIANT: f"{VARIANT}_2"} if both else {}
        return {names.get(name, name): it for name, it in row.fields.items()}


def _of_reader(n: int, names: Sequence[str], kind: str) -> Column | str | None:
    """Return what a column of a reader of logs is known to be, or why it is left."""
    name = names[n]
    if "command" in names and (metric := words().roles.get(name)):
        return Column(is_="value", metric=metric)
    columns = words().logs.get(kind, {})
    column = columns.get(name, columns.get("*"))
    if isinstance(column, str):
        return column.format(name)
    if kind == "keras" and "epoch" not in names and column and column.metric:
        return None  # times of an evaluation
    return column
