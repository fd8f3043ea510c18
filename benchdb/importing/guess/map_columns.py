"""The columns of a map that drafts make, beside the others of their table."""

from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from benchdb.importing.guess.column_draft import RUN, ColumnDraft
from benchdb.importing.guess.headings import cut_settings
from benchdb.importing.mapping.fields import slug
from benchdb.importing.mapping.language import RESULTS, Column, Meaning
from benchdb.importing.mapping.recognition import recognised
from benchdb.importing.mapping.table_rows import named_unit
from benchdb.importing.quantities.unit_names import understood
from benchdb.importing.sheet import names_metric_of


def column_of_map(
    draft: ColumnDraft, rows: Sequence[ColumnDraft], drafts: Sequence[ColumnDraft]
) -> Column:
    """Return the column of a map that *draft* makes beside the *drafts* of its table.

    *rows* are those of its rows that are figures.
    """
    made = _meaning(draft.runs_of or draft, rows, drafts)
    if draft.nth and made.is_ in RESULTS:
        return replace(made, set={**made.set, RUN: draft.nth})
    return (
        made
        if made.is_ == "ignore" or not draft.runs_of
        else Column(field=f"parameters.{slug(draft.header)}")
    )


def _meaning(
    draft: ColumnDraft, rows: Sequence[ColumnDraft], drafts: Sequence[ColumnDraft]
) -> Column:
    if draft.column is not None and draft.column.is_ == "metric" and rows:
        named = {row.header: row for row in rows if row.metric}
        values = {name: row.metric for name, row in named.items()} | {"*": ""}
        units = {
            n: it.unit
            for n, it in named.items()
            if it.unit and understood(it.unit) != understood(named_unit(n) or "")
        }
        return Column(is_="metric", values={**values}, units=units)
    if rows and draft.holds_figures:
        if "ratio" in draft.looks.terms:
            return Column(is_="ignore")
        missing = {text: why for row in rows for text, why in row.missing.items()}
        sampled = any(row.sampled for row in rows)
        is_: Literal["samples", "value"] = "samples" if sampled else "value"
        return Column(is_=is_, set=draft.fields, missing=missing)
    metrics = [it for it in drafts if it.column and it.column.is_ == "metric"]
    by_row = any(names_metric_of(it.header, draft.header) for it in metrics)
    made = draft.finished()
    work = {"workload", "parameters.model"} & {made.field}
    if (work or (draft.kept and made.field)) and not made.cells:
        cut = {text: cut_settings(text) for text in draft.looks.texts}
        precisions = {text: recognised(text, ["precision"]).set for text in cut}
        differ = work and len({repr(it) for it in precisions.values()}) > 1
        cells = {
            text: Meaning(set={**dict.fromkeys(work, rest + made.ending), **known})
            for text, (rest, own) in cut.items()
            if (known := {**own, **(precisions[text] if differ else {})}) and rest
        }
        return replace(made, cells=cells)
    return replace(made, metric=None) if made.metric and by_row else made
