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
        self.drafts = [ColumnDraft(one, self.line) for one in looks]
        shorten_paths(self.drafts, sheets[0])
        self.rows: list[ColumnDraft] = []  # those named after metrics
        self.segments = list(dict.fromkeys(segments(sheets)))
        self.set: Fields = {}
        self.context: list[str] = []
        self.names: set[str] = set()
        self.notes: list[str] = []  # what is taken for granted
        self.sources: dict[str, str] = {}  # where it has what holds for all of it
        texts = [
            text for one in self.drafts if one.looks.figures for text in one.looks.texts
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
        for n, one in enumerate(self.drafts):
            cells = (row.cells[n].text for sheet in self.sheets for row in sheet.rows)
            if field(one.looks) is None and (
                doubt := pair_doubt(one, cells, self.decimal)
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
            one
            for one in self.drafts
            if one.holds_figures and not one.parts and one.metric is None
        ]
        pivots.enter_pivots(figures, self.drafts)
        siblings.enter_varied(self.sheets, self.drafts)
        leave_versions(self.drafts)
        doubts = device_doubts(self.drafts)
        self.rows, label_doubts = named_rows(self.sheets, self.drafts, self.line)
        for one in self.rows:
            if isinstance(why := field(one.looks), str):
                one.leave(why)
        pivots.enter_pivots(self.rows, [])
        siblings.settle(self.rows or figures, self.around)
        doubts += label_doubts + self._figure_doubts(self.rows or figures)
        enter_words(self.drafts)
        for one in self.drafts:  # of an object beside the rows, perhaps
            beside = "." in one.header and one.header in self.sheets[0].inherited
            model = one.column and one.column.field == "parameters.model"
            if beside and model and not one.path:
                one.become_field(f"parameters.{slug(one.header)}")
        return doubts

    def _figure_doubts(self, figures: Iterable[ColumnDraft]) -> list[Doubt]:
        """Return what is in doubt of *figures*; leave out those of steps."""
        logged = any(
            (one.column is not None and one.column.field in _LOGGED)
            or (one.looks.integers and fold(one.header) in _COUNTED)
            for one in self.drafts
        ) or (  # a bar of training, as it has a validation; of which epoch, is not said
            self.sheets[0].kind == "keras"
            and any(one.header.startswith("val_") for one in self.drafts)
        )
        doubts: list[Doubt] = []
        for one in (it for it in figures if it.column is None):
            new = figure_doubts(one, self.around)
            final = one.metric in FINAL or one.looks.terms & {"accuracy", "loss"}
            if logged and final and "final" not in one.looks.terms:
                one.leave(f"{one.header!r}: of each step, which is no final figure")
            doubts += new if one.left is None else []
            if self.rows and one.metric == RATIO:
                one.leave(f"{one.header!r}: a ratio that the source computed")
                one.metric = None
        return doubts

    def looks_like(self, other: "TableDraft") -> bool:
        """Tell whether nothing but what stands above may tell its rows from others."""
        mine, others = (
            {one.metric for one in it.rows or it.drafts if one.holds_figures}
            for it in (self, other)
        )
        headers = (tuple(map(fold, it.sheets[0].header)) for it in (self, other))
        return self is other or (bool(mine & others) and len({*headers}) == 1)

    def weighed(self, doubts: Iterable[Doubt]) -> list[Doubt]:
        """Return *doubts* of it, about all figures where they name no columns."""

        def figures() -> bool:
            return any(one.holds_figures for one in self.rows or self.drafts)

        return [
            replace(one, figures=one.figures or figures, table=self.number)
            for one in doubts
        ]

    def _enter_known(self) -> None:
        """Enter columns that a reader settles, or that surely tell a field, once."""
        names = [name.casefold() for name in self.sheets[0].header]
        taken = set[str]()
        columns = enumerate(self.drafts)
        # A bare version is that of a framework if no other says that it is.
        for n, one in sorted(columns, key=lambda it: fold(it[1].header) == "version"):
            known = self._known_of(n, one, names)
            if isinstance(known, str):
                one.leave(known)
            elif isinstance(known, Column) and known.is_ == "value" and known.metric:
                one.become_figures(known)
            elif known is not None and not (known.field or known.names):  # remarks
                one.column = known
                one.left = f"{one.header!r}: but for how runs failed, no setting"
            elif known is not None and known.field not in taken:
                one.column = known
                taken |= {known.field} if known.field else set()
            elif known is not None and (known.field or "").startswith(_OF_SEVERAL):
                one.become_field(f"parameters.{slug(one.header)}")
        self._enter_inherited()

    def _enter_inherited(self) -> None:
        """Keep counts of what holds the rows as settings; leave out its figures."""
        inherited = self.sheets[0].inherited
        above = [
            it for it in self.drafts if it.holds_figures and it.header in inherited
        ]
        for one in (it for it in above if it.is_count):  # such as n_prompt
            one.become_field(f"parameters.{slug(one.header)}")
        left = [one for one in above if one.column is None]
        listed = ", ".join(repr(one.header) for one in left)
        for one in left:
            one.column = Column(is_="ignore")
        for one in left[:1]:
            one.left = f"figures of what holds the rows, not of them: {listed}"

    def _known_of(
        self, n: int, one: ColumnDraft, names: Sequence[str]
    ) -> Column | str | None:
        """Return what the column *n* surely is, or why it is left."""
        kind = self.sheets[0].kind
        keyed = kind in KEYED
        if not n and keyed and is_of_sizes(one.looks):
            return Column(field="parameters.model_size")
        labels = keyed and any(map(speaks_of_figures, one.looks.texts[:LABELS]))
        known = _of_reader(n, names, kind)
        known = known if known or labels else field(one.looks)
        if known is not None or not one.holds_words:
            return known
        text = one.looks.texts[0][:40] if one.looks.texts else ""
        if one.looks.several:
            return f"{one.header!r}: more than a figure in a cell: {text!r}"
        mixed = one.looks.mostly(pattern("number_and_word").match)
        if mixed and one.looks.terms & _MEASURED:
            return f"{one.header!r}: figures of several kinds: {text!r}"
        return None

    def pivot_doubts(self) -> list[Doubt]:
        """Return the doubts what columns of one kind of figure stand for."""
        return pivots.pivot_doubts(self.drafts, self.rows)

    @property
    def side(self) -> str | None:
        """Return the side of a language model that the headings speak of alone."""
        above = " ".join(chain(*self.segments)).casefold()
        sides = [one for one in ("prefill", "decode") if one in above]
        return sides[0] if len(sides) == 1 else None

    def _told(self) -> set[str]:
        """Return the fields that columns of fields tell."""
        columns = [one.column for one in self.drafts if one.column]
        return {it for one in columns if one.is_ == "field" for it in fields_of(one)}

    def told_by_columns(self, name: str) -> bool:
        """Tell whether columns, or what was answered, tell *name* of all figures."""
        told = self._told() | self.set.keys()
        told |= {name for one in self.context for name in fields_in(one)}
        fields = MACHINES if name == "machine" else {name}
        for group in (self.drafts, self.rows):
            figures = [o for o in group if o.holds_figures and o.metric != RATIO]
            sets = [o.fields.keys() & fields for o in figures]
            if figures and all(sets):
                return True
        return bool(told & fields)

    def names_in_columns(self, name: str) -> bool:
        """Tell whether some column may speak of *name*: none above may then hold."""
        fields = MACHINES if name == "machine" else {name}
        for one in self.drafts:
            told = fields_of(one.column) if one.column else set(one.fields)
            if told & fields:
                return True
            if name == "device" and way("provider").search(one.header):
                return True
            if one.looks.figures or name not in _BY_CELLS:
                continue
            if "role" in one.looks.terms:
                continue  # of something beside what is measured
            headed = name == "machine" and "device" in one.looks.terms
            if headed and not told & {"device", "framework"}:
                return True
            cells = (recognised(text, [name]) for text in one.looks.texts[:_CELLS])
            if any(facts.set or facts.missing for facts in cells):
                return True
        return False

    def is_told(self, name: str) -> bool:
        """Tell whether each figure has *name*, by its column, row or headings."""
        return self.told_by_columns(name) or (
            name in self.names
            and all(origin(one, name) is not None for one in self.segments)
        )

    def _known_for_all(self, name: str) -> set[object]:
        """Return what headings say of *name*, else what is known of all rows."""
        if name not in self.names:
            return {self.set.get(name)}
        places = [(one, origin(one, name)) for one in self.segments]
        texts = [one[n] for one, n in places if n is not None]
        return {recognised(text, [name]).set.get(name) for text in texts}

    def is_some_gpu(self) -> bool:
        """Tell whether all of it ran on a GPU of which nothing says the maker."""
        return self._known_for_all("device") == {GPU} and not self.is_told("machine")

    def runtime(self) -> str | None:
        """Return the framework of all figures, if one heading or line gives it."""
        known = self._known_for_all("framework") - {None}
        return str(known.pop()) if len(known) == 1 else None

    def enter_names(self) -> None:
        """Enter what headings name in words that we know, where nothing nearer does."""
        for name in pivots.ALL_NAMES[: pivots.SIDES]:
            said = any(origin(one, name) is not None for one in self.segments)
            other = name == "device" and any(map(device_of_another, self.segments))
            if said and not other and not self.names_in_columns(name):
                self.names.add(name)
        told = self._told() | {name for one in self.drafts for name in one.fields}
        told |= {"parameters.batch_size"} if "batch_size" in self.names else set()
        above = [text[:NAME_LIMIT] for text in chain(*self.segments)]
        for setting in words().settings.values():
            found = any(re.search(setting, text) for text in above)
            if found and not fields_in(setting) & told:
                self.context.append(setting)

    def is_of_language_model(self) -> bool:
        """Tell whether work of it is that of a language model."""
        sets = [self.set, *(one.fields for one in (*self.drafts, *self.rows))]
        columns = (one.column for one in self.drafts if one.column)
        sets += [cell.set for column in columns for cell in column.cells.values()]
        return any(str(it.get("workload")).startswith("llm-") for it in sets)

    def tells_model(self, but: str = "") -> bool:
        """Tell whether a column or a heading names a model, or a size *but* of one."""
        known = self._told() | self.set.keys()
        above = " ".join(chain(*self.segments)) if BILLIONS in self.context else ""
        sizes = {f"{it}b" for it in re.findall(BILLIONS, above)}
        other = any(it not in but.casefold() for it in sizes)
        return other or "network" in self.names or "parameters.model" in known

    def enter_network(self, stem: str) -> None:
        """Enter the language model that a heading names, or the file's name *stem*."""
        if not self.is_of_language_model():
            return
        told = self._told()
        for name, parameter in _NETWORK.items():
            if parameter in told or self.names_in_columns(name):
                continue
            if any(origin(it, name) is not None for it in self.segments):
                self.names.add(name)
            else:
                of_model = name == "network"
                said = recognised(stem, [name]).set if of_model else weights_in(stem)
                self.set |= said
                self.sources |= dict.fromkeys(said, "the file's name")
        known = (
            told | self.set.keys() | {_NETWORK[n] for n in _NETWORK if n in self.names}
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
        if self.rows and all(one.metric is None for one in self.rows):
            return False
        return any(
            column_of_map(one, self.rows, self.drafts).is_ in RESULTS
            for one in self.drafts
        )

    def may_have_figures(self) -> bool:
        """Tell whether a column holds figures, whatever they are."""
        return any(one.holds_figures for one in self.drafts) or self.has_figures()

    def has_results(self) -> bool:
        """Tell whether it may have figures beside ratios."""
        return any(one.holds_figures and one.metric != RATIO for one in self.drafts)

    @property
    def mode_told(self) -> bool:
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
                one.header: column_of_map(one, self.rows, self.drafts)
                for one in self.drafts
            },
            set=self.set,
            rows={
                f"^{expression_of(one.header)}$": Meaning(set=self._of_row(one))
                for one in self.rows
                if one.metric and one.fields
            },
            others="ignore" if sheet.narrowed else "parameters",
        )

    def _of_row(self, row: ColumnDraft) -> Fields:
        """Return the facts of a row, whose variant is another than that of columns."""
        both = any(VARIANT in one.fields for one in self.drafts if one.holds_figures)
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
