"""What labels of rows name: metrics, things that are asked about, or no results."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from benchdb.importing import naming
from benchdb.importing.guess.column_draft import (
    CLEAR_TERMS,
    ColumnDraft,
    column_doubt,
)
from benchdb.importing.guess.column_profile import (
    ColumnProfile,
    header_terms,
    profile,
    statistic,
    units_of,
)
from benchdb.importing.guess.column_rules import (
    THINGS,
    TRIED,
    enter_tests,
    things,
)
from benchdb.importing.guess.doubts import Doubt
from benchdb.importing.guess.figure_columns import CLEAR_UNITS, speaks_of_figures
from benchdb.importing.guess.questions import (
    LEAVE_OUT,
)
from benchdb.importing.mapping.language import Column
from benchdb.importing.sheet import Kind, Sheet, is_unit_header

_PAIRS = ("key-value", "bullets")  # in which settings stand as well
KEYED = (*_PAIRS, "sentences")
LABELS = 200  # rows that may be named after metrics
_CONFIGURED = {"setting", "given", "batchsize", "epochs", "steps"}
_OF_LISTS = _CONFIGURED | {"precision"}
_DESCRIBED = {"machine", "chip", "ram", "os", "python", "framework", "version", "gpu"}
_SIZES = {"memory", "ram", "cores", "total"}  # of a machine, beside its name


def named_rows(
    sheets: Sequence[Sheet], drafts: Sequence[ColumnDraft], line: int
) -> tuple[list[ColumnDraft], list[Doubt]]:
    """Return the rows that are named after metrics, and what other labels may be."""
    corner = corner_of(drafts)
    keyed = sheets[0].kind in KEYED
    if corner is None or corner.column or not corner.looks.texts:
        return [], []
    spoken = [draft for draft in drafts if speaks_of_figures(draft.header)]
    if not keyed and len(drafts) > 2 and len(spoken) > 1:
        return [], []  # its columns are named after metrics
    labels = corner.looks.texts[:LABELS]
    cells, beside = cells_by_label(sheets, drafts, corner)
    rows = [
        ColumnDraft(look, line)
        for look in _statistics(labels, cells, beside, sheets)
        or _metrics(labels, cells, drafts, beside, keyed=keyed)
        if look.figures
    ]
    described = any(header_terms(label) & _DESCRIBED for label in labels)
    if described and all(row.looks.terms <= _SIZES for row in rows):
        rows = []
    if rows:
        enter_labels(corner, rows, cells)
        for draft in filter(_tells_units, drafts):
            draft.column, draft.left = Column(is_="ignore"), None
    elif why := _aside(labels, drafts, sheets[0].kind):
        for draft in [it for it in drafts if it.holds_figures]:
            draft.leave(why)
    figures = [column_draft for column_draft in drafts if column_draft.holds_figures]
    if rows or not keyed or not figures:
        return rows, []
    return rows, [cells_doubt(corner, "What do {} name?", THINGS, figures)]


def _statistics(
    labels: Sequence[str],
    cells: Mapping[str, Sequence[str]],
    beside: Mapping[str, str],
    sheets: Sequence[Sheet],
) -> list[ColumnProfile]:
    """Return how rows look that are statistics of what the heading above them says."""
    whole = [label for label in labels if statistic(label)[1] == ""]
    above = {sheet.context[-1] if sheet.context else "" for sheet in sheets}
    groups = {header_terms(text) for text in above if speaks_of_figures(text)}
    if len(whole) * 2 <= len(labels) or len(above) > len(groups) or len(groups) != 1:
        return []
    looks = (profile(it, cells[it], None, beside.get(it)) for it in whole)
    return [replace(it, terms=it.terms.union(*groups)) for it in looks]


def _metrics(
    labels: Sequence[str],
    cells: Mapping[str, Sequence[str]],
    drafts: Sequence[ColumnDraft],
    beside: Mapping[str, str],
    *,
    keyed: bool,
) -> list[ColumnProfile]:
    """Return how the rows look whose *labels* name metrics, none if few do.

    Units of some stand *beside* them, in a column of their own.
    """
    looks = [
        profile(label, cells[label], None, unit or beside.get(label))
        for label, unit in zip(labels, units_of(labels), strict=True)
    ]
    units = {unit for draft in drafts for unit, _ in draft.looks.kinds}
    with_units = sum(look.unit is not None for look in looks)
    mixed = len(units - {"x", "%"}) > 1 or with_units > 1
    # A row of speed-ups names no figures of the rows beside it.
    if not any(
        speaks_of_figures(label) and (keyed or "ratio" not in header_terms(label))
        for label in labels
    ):
        return []
    rows = [
        look
        for look in looks
        if speaks_of_figures(look.header)
        or ((mixed or keyed) and {unit for unit, _ in look.kinds} & CLEAR_UNITS)
    ]
    several = len(rows) > 1 and (mixed or len(rows) == len(labels))
    summed_up = all(not statistic(it.header)[1] for it in drafts if it.looks.figures)
    return rows if several or keyed or summed_up else []


def _aside(
    labels: Sequence[str], drafts: Sequence[ColumnDraft], kind: Kind
) -> str | None:
    """Return why rows with these names are no results, where none is a metric."""
    sizes = _DESCRIBED | _SIZES
    known = [header_terms(it) & sizes or naming.framework(it) for it in labels]
    if len(drafts) == 2 and sum(map(bool, known)) * 2 > len(labels):
        return f"{labels[0][:40]!r} …: what describes the runs"
    whole = [label for label in labels if statistic(label)[1] == ""]
    if kind in KEYED and len(whole) * 2 > len(labels):
        return f"{', '.join(whole[:3])} …: of what, is not said"
    kinds = {unit for draft in drafts for unit, _ in draft.looks.kinds}
    set_ = any(header_terms(label) & _CONFIGURED for label in labels)
    pairs = kind in _PAIRS
    if set_ and kind not in KEYED and len(drafts) == 2:  # a list that looks like none
        named = (
            header_terms(it) if it.replace(" ", "").isalpha() else set()
            for it in labels
        )
        pairs = kinds <= {"1", "B"} and all(it and it <= _OF_LISTS for it in named)
        pairs = pairs and not any(draft.looks.terms & CLEAR_TERMS for draft in drafts)
    if pairs and set_ and kinds != {"s"} and kinds.isdisjoint(("1/s", "FLOP/s")):
        return f"{labels[0][:40]!r} …: settings, beside no figures"
    return None


def corner_of(drafts: Sequence[ColumnDraft]) -> ColumnDraft | None:
    """Return the column whose cells are the labels of rows, if there is one."""
    return next((draft for draft in drafts if not draft.looks.figures), None)


def enter_labels(
    corner: ColumnDraft, rows: Sequence[ColumnDraft], cells: Mapping[str, list[str]]
) -> None:
    """Make *corner* tell the metric of *rows*; name the figures that have none."""
    corner.column, corner.left = Column(is_="metric", values={"*": ""}), None
    others = cells.keys() - {row.header for row in rows}
    texts = [f"{it} ({cells[it][0]})" for it in cells if it in others and cells[it]]
    texts = [text for text in texts if any(map(str.isdigit, text[1:]))]
    if texts:
        corner.left = f"rows whose names say no metric: {', '.join(texts)}"


def cells_by_label(
    sheets: Sequence[Sheet], drafts: Sequence[ColumnDraft], corner: ColumnDraft
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return the cells beside each label of *corner*, and the units beside these."""
    cells: dict[str, list[str]] = {}
    beside: dict[str, str] = {}
    label = drafts.index(corner)
    units = {n for n, draft in enumerate(drafts) if _tells_units(draft)}
    for sheet in sheets:
        but = {label, *units, *(sheet.header.index(it) for it in sheet.inherited)}
        for row in sheet.rows:
            name = row.cells[label].text.strip()
            more = [cell.text for n, cell in enumerate(row.cells) if n not in but]
            cells.setdefault(name, []).extend(more)
            beside |= ((name, row.cells[n].text) for n in units)
    return cells, beside


def _tells_units(draft: ColumnDraft) -> bool:
    return is_unit_header(draft.header)


def device_doubts(drafts: Sequence[ColumnDraft]) -> list[Doubt]:
    """Return the doubts what columns name that are headed as devices or platforms."""
    open_ = [
        draft for draft in drafts if draft.holds_words and "device" in draft.looks.terms
    ]
    named = ("machine", "device", "framework", "setting")
    return [cells_doubt(draft, "What does {} name?", named) for draft in open_]


def cells_doubt(
    draft: ColumnDraft,
    text: str,
    kinds: Iterable[str],
    figures: Sequence[ColumnDraft] = (),
) -> Doubt:
    """Return the doubt which of *kinds* of things the cells of a column name.

    Left out, they take the *figures* along of which they are all that is known.
    """

    def settle(answer: str) -> None:
        draft.asked = False
        if answer in ("setting", "model"):
            enter_tests(draft, THINGS[answer][0])
        elif not draft.take(answer):
            draft.become_field(THINGS[answer][0])
        for column_draft in figures if answer == LEAVE_OUT else ():
            column_draft.take(answer)

    draft.asked = True
    ordered = things(draft.looks.texts[:TRIED]).items()
    choices = {key: words for key, words in ordered if key in kinds}
    choices[LEAVE_OUT] = "leave it out"
    return column_doubt([draft], "names", text, choices, settle=settle)
