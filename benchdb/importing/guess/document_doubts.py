"""What no column tells: the work, the machine, the device and the framework of tables.

A heading holds where it stands; what else a document names are candidates.
"""

import re
from collections.abc import Sequence
from functools import partial
from itertools import chain, count

from benchdb.catalogue import workloads
from benchdb.importing import naming
from benchdb.importing.document import Document
from benchdb.importing.guess.column_draft import RATIO, ColumnDraft, column_doubt
from benchdb.importing.guess.column_profile import fold, header_terms, pattern
from benchdb.importing.guess.column_rules import THINGS, likeness_to_work, things
from benchdb.importing.guess.doubts import Doubt, Free
from benchdb.importing.guess.facts import NEW_WORK, work_fault, work_of
from benchdb.importing.guess.figure_columns import TOKENS, WORKS
from benchdb.importing.guess.headings import (
    BILLIONS,
    Segment,
    cut_settings,
    expression_of,
    settings_in,
)
from benchdb.importing.guess.questions import (
    AS_ANSWERED,
    LEAVE_OUT,
    NOT_SAID,
)
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.mapping.fields import INFERENCE, slug
from benchdb.importing.mapping.language import Column
from benchdb.importing.mapping.recognition import recognised

_OPERATIONS = frozenset(("matmul", "elementwise", "bandwidth", "conv"))
_KNOWN = 2  # likeness to work of what names work of ours
_COLUMNS = 2  # that may name the work
_HEADING = 300  # characters of one that may be a name, or a command
_TOLD = ("machine", "device", "framework")  # by headings, wherever they stand
_HEADINGS = 20  # that an expression lists
_NAMED_FIELDS = {THINGS[it][0] for it in ("model", "machine", "framework", "device")}
_AROUND_NAMES = r"(?:\w{2,10}\s*:\s*)?", r"(?:\s*\([\d.,]+\s?[KMGT]i?B\))?"
_OF_MACHINES = {"os", "cores", "cpu", "gpu", "chip", "ram", "version"}
_SIDED = ("llm-prefill", "llm-decode")


_TITLE = "what stands above it, or the file's name"
_A_WORK = Free(f"known work, such as matmul or llm-decode, or {NEW_WORK}", work_fault)


def headings(table: TableDraft) -> list[str]:
    """Return the innermost headings of *table* that may be names."""
    named = (
        [text for text in segment if pattern("name_of_work").fullmatch(text)][-1:]
        for segment in table.segments
    )
    return list(dict.fromkeys(chain.from_iterable(named)))


def expression(field: str, texts: Sequence[str]) -> str:
    """Return what finds *texts* among headings, and sets *field* to them.

    ``Model: Mistral (4.1 GB)`` names Mistral, but as a whole where it is a variant, and
    ``resnet18, batch 8`` the work resnet18.
    """
    group, head, tail = field.replace(".", "__"), "", ""
    if field == "workload":
        bare = {cut_settings(text)[0] or text for text in texts}
        if all(text.startswith(tuple(bare)) for text in texts):
            texts, tail = sorted(bare, key=len, reverse=True), r"(?:[\s,;(@-].*)?"
    known = [it for it in map(pattern("headed").fullmatch, texts) if it]
    if field in _NAMED_FIELDS and any(it["name"] != it[0] for it in known):
        texts, head, tail = [it["name"] for it in known], *_AROUND_NAMES
    listed = "|".join(map(expression_of, texts))
    listed = listed if len(texts) <= _HEADINGS else ".+?"
    return f"^{head}(?P<{group}>{listed}){tail}$"


def heading_doubts(table: TableDraft, others: Sequence[TableDraft]) -> list[Doubt]:
    """Return the doubt what headings name over tables that are otherwise alike.

    Of the *others*, those are alike that have the same columns of the same figures.
    """
    tables = [draft for draft in others if draft.looks_like(table)]
    facts: dict[str, list[Segment]] = {}
    tokens = any(draft.metric in TOKENS for draft in table.drafts)
    contexts = (sheet.context for draft in tables for sheet in draft.sheets)
    for context in dict.fromkeys(contexts):
        known = {*table.names, *_TOLD}
        names = [recognised(it, known).set | settings_in(it) for it in context]
        sizes = [re.findall(BILLIONS, text) for text in context if tokens]
        result = [it for it in (*names, *sizes) if it]  # at whatever depth
        facts.setdefault(repr(result), []).append(context)
    alike = [item for group in facts.values() if len(group) > 1 for item in group]
    common = set.intersection(*map(set, alike)) if alike else set()
    own = (text for item in alike for text in item if text not in common)
    texts = list(dict.fromkeys(text for text in own if len(text) <= _HEADING))
    if not texts:
        return []
    depths: dict[int, list[str]] = {}
    for item in alike:
        own_ = [text for text in item if text in texts]
        for n, text in enumerate(reversed(own_)):
            depths.setdefault(n, []).append(text)
    levels = [list(dict.fromkeys(depths[n])) for n in sorted(depths)]

    def settle(answer: str) -> None:
        if answer == "setting":  # each level by itself, the innermost first
            variants = (THINGS[answer][0] + f"_{n}" * (n > 1) for n in count(1))
            free = (it for it in variants if not table.names_in_columns(it))
            for field, some in zip(free, levels, strict=False):
                table.context.append(expression(field, some))
        elif answer != "nothing":
            table.context.append(expression(THINGS[answer][0], texts))

    shown = ", ".join(f"{text[:40]!r}" for text in texts[:4])
    return [
        Doubt(
            topic="headings",
            text="What do the headings {} tell apart?",
            name=texts[0][:30],
            also=tuple(text[:30] for text in texts[1:]),
            subject=shown + (" …" if len(texts) > 4 else ""),
            line=table.line,
            choices={**things(texts), "nothing": "nothing: equal rows are refused"},
            settle=settle,
        )
    ]


def work_doubts(table: TableDraft, document: Document) -> list[Doubt]:
    """Return the doubts what the work of a table is; enter it where it is said."""
    figures = _results(table)
    doubts = _mode_doubts(table, figures)
    bare = [figure for figure in figures if "workload" not in figure.fields]
    if not bare or table.told_by_columns("workload"):
        return doubts
    tokens = [draft for draft in bare if draft.metric in TOKENS]
    if tokens:
        return [*doubts, *(_token_doubt(table, token) for token in tokens)]
    if len(bare) < len(figures):
        return doubts  # see belonging_doubts
    columns = _naming_work(table)
    if _enter_stated_work(table, columns, figures):
        return doubts
    return [*doubts, _work_doubt(table, columns[:_COLUMNS], document)]


def _results(table: TableDraft) -> list[ColumnDraft]:
    drafts = table.rows or table.drafts
    return [draft for draft in drafts if draft.holds_figures and draft.metric != RATIO]


def _naming_work(table: TableDraft) -> list[ColumnDraft]:
    """Return the columns that may name the work, the likeliest first."""
    columns = [
        draft
        for draft in table.drafts
        if draft.column is not None
        and not draft.kept
        and (draft.column.field or "").startswith("parameters.")
        and not draft.looks.figures
        and not draft.looks.truths
        and not (draft.looks.terms & _OF_MACHINES or draft.looks.mostly(naming.chip))
        and pattern("identity").search(fold(draft.header)) is None
        and not all(map(pattern("plain_number").fullmatch, draft.looks.texts))
    ]
    above = table.sheets[0].inherited
    # Beside the rows stands their work only where it is one that we know.
    rows = [it for it in columns if it.header not in above]
    columns = [
        it for it in columns if it in rows or likeness_to_work(it.looks) >= _KNOWN
    ] or columns
    columns.sort(key=lambda it: (it.header in above, -likeness_to_work(it.looks)))
    return [it for it in columns if likeness_to_work(it.looks)] or columns[:1]


def _mode_doubts(table: TableDraft, figures: Sequence[ColumnDraft]) -> list[Doubt]:
    """Return the doubt whether models that are columns are trained; or enter it."""
    works = [(it, str(it.fields.get("workload", ""))) for it in figures]
    models = [
        draft
        for draft, work in works
        if (_is_trained(work) or naming.networks(work)) and "mode" not in draft.fields
    ]

    def settle(answer: str) -> None:
        for model in models:
            if not model.take(answer) and answer == "inference":
                model.add(mode=answer)

    tested = [pattern("tested").fullmatch(it) for it in headings(table)]
    mode = table.mode() or ("training" if table.mode_known else None)
    mode = "inference" if mode is None and tested and all(tested) else mode
    if mode is not None or not models:
        settle(mode or "")
        return []
    choices = {"training": "they are trained", "inference": "they are applied"}
    choices[LEAVE_OUT] = "leave them out"
    text = "What is done with the models {}?"
    also = tuple(model.header[:30] for model in models[1:])
    more: dict[str, object] = {"settle": settle, "guess": "", "also": also}
    return [column_doubt(models, "work", text, choices, **more)]


def _is_trained(text: str) -> bool:
    """Tell whether *text* names work of ours that is trained."""
    work = text if text in workloads() else naming.workload(text)
    known = work is not None and work not in _OPERATIONS
    return known and not pattern("says_work").search(str(work))


def _enter_stated_work(
    table: TableDraft, columns: Sequence[ColumnDraft], figures: Sequence[ColumnDraft]
) -> bool:
    """Enter the work where a header or a heading says that it is the work."""
    for column in columns:
        if column.header in table.sheets[0].inherited:
            continue  # of something beside the rows, perhaps
        explicit = bool(column.looks.terms & {"workload", "operation"})
        models = _names_models(column)
        mode = table.mode(column.header, *column.looks.texts) if models else None
        if table.mode_known or all("mode" in it.fields for it in figures):
            mode = "training"  # or not: each column says it
        headed = explicit or column.looks.terms & {"model", "network"}
        if all(map(pattern("size_of_model").match, column.looks.texts)):
            continue  # of a model that only the document knows
        if not explicit and _language_work(table, [column], ""):
            continue  # they are no names of work
        if headed and (mode is not None or not models):
            _name_work(column, inference=mode == "inference")
            return True
    above = [
        {work: text for text in segment if (work := _work_in(text))}
        for segment in table.segments
    ]
    if (
        above
        and len(above[0]) == 1
        and all(it.keys() == above[0].keys() for it in above)
    ):
        ((work, text),) = above[0].items()
        mode = None if work in _OPERATIONS else table.mode(text)
        if mode is not None or work in _OPERATIONS:
            table.set["workload"] = work + (INFERENCE if mode == "inference" else "")
    return "workload" in table.set


def _work_in(text: str) -> str | None:
    """Return our work that a heading names: ``Training ResNet-50 with PyTorch``."""
    parts = pattern("pieces_of_titles").split(text) if len(text) < 200 else ()
    works = {work for it in (text, *parts) if (work := naming.workload(it.strip()))}
    return works.pop() if len(works) == 1 else None


def _names_models(draft: ColumnDraft) -> bool:
    models = draft.looks.terms & {"model", "network"}
    return bool(models) or any(map(_is_trained, draft.looks.texts))


def _name_work(draft: ColumnDraft, *, inference: bool) -> None:
    draft.column = Column(field="workload", ending=INFERENCE if inference else "")


def belonging_doubts(table: TableDraft, document: Document) -> list[Doubt]:
    """Return the doubts of which work figures are beside others whose work is known.

    Beside those of one work, or of the sides of a language model, they need none.
    """
    figures = _results(table)
    known = {
        str(it.fields["workload"]): it.header
        for it in figures
        if "workload" in it.fields
    }
    bare = [
        it for it in figures if "workload" not in it.fields and it.metric not in TOKENS
    ]
    if not known or not bare or table.told_by_columns("workload"):
        return []
    alone = next(iter(known)) if len(known) == 1 else None
    sided = known.keys() & {*_SIDED, "llm-generate"}
    for it in bare if sided or alone == "llm-train" else ():
        if side := next((item for item in _SIDED if item[4:] in it.looks.terms), None):
            it.add(workload=side)
    bare = [it for it in bare if "workload" not in it.fields]
    if alone == "llm-train" or sided == known.keys():
        # Beside answers alone, or training, they are of these.
        whole = alone if alone in ("llm-decode", "llm-train") else "llm-generate"
        for it in bare:
            it.add(workload=whole)
        return []
    # Beside a side it is the whole most likely, as it would be without other work.
    first = {"llm-generate": ""} if sided else {}
    choices = {
        work: WORKS.get(work, f"that of {header!r}")
        for work, header in (first | dict(sorted(known.items()))).items()
    }
    choices |= {"title": _TITLE, LEAVE_OUT: "leave them out"}
    text, title = "Which work do {} belong to?", _title(table, document)
    return [
        column_doubt(
            [draft],
            "work",
            text,
            choices,
            settle=partial(_enter_work, draft, title=title),
            free=_A_WORK,
        )
        for draft in bare
    ]


def _token_doubt(table: TableDraft, draft: ColumnDraft) -> Doubt:
    """Return the doubt which side of a language model a column is about.

    It is that which the headings speak of, or training, most likely.
    """
    text = "Which tokens do {} count?"
    side = table.side or ("train" if table.mode() == "training" else None)
    more: dict[str, object] = {"settle": partial(_enter_work, draft), "free": _A_WORK}
    more |= {"guess": f"llm-{side}"} if side else {}
    return column_doubt([draft], "work", text, WORKS, **more)


def _enter_work(draft: ColumnDraft, answer: str, title: str = "") -> None:
    if not draft.take(answer):
        draft.add(workload=work_of(title if title and answer == "title" else answer))


def _title(table: TableDraft, document: Document) -> str:
    """Return what stands above a table, or the file's name, without its settings."""
    stem = document.name.rsplit("/", 1)[-1].rpartition(".")[0] or document.name
    title = re.sub(r"[_\s]+", " ", (headings(table) or [stem])[0])
    return cut_settings(title)[0] or title


def _language_work(
    table: TableDraft, columns: Sequence[ColumnDraft], stem: str
) -> dict[str, str]:
    """Return the work of language models, where something names one or its size.

    It is none where something speaks of images or sound.
    """
    named = [stem, *(text for column in columns for text in column.looks.texts)]
    named += [text for segment in table.segments for text in segment]
    known = any(re.search(BILLIONS, it) or naming.is_language_model(it) for it in named)
    known = known and not any(map(pattern("other_media").search, named))
    return {text: WORKS[text] for text in ("llm-generate", *_SIDED) if known}


def _work_named(title: str) -> dict[str, str]:
    """Return the choices of work of ours that some word of *title* names."""
    choices: dict[str, str] = {}
    words = dict.fromkeys(
        (*re.split(r"[\s/,;:()\[\]|]+", title), *re.split(r"[\s-]+", title))
    )
    for work in filter(None, map(naming.workload, words)):
        trained = _is_trained(work)
        choices[work] = f"{'training of ' * trained}{work}, which {title[:40]!r} names"
        if trained:
            choices[work + INFERENCE] = f"inference by {work}"
    return choices


def _enter_headings(table: TableDraft, heads: Sequence[str]) -> None:
    """Enter what headings name as the work, and what is done with networks."""
    table.context.append(expression("workload", heads))
    if (mode := table.mode()) and any(_is_trained(cut_settings(it)[0]) for it in heads):
        table.set["mode"] = mode


def _work_doubt(
    table: TableDraft, columns: Sequence[ColumnDraft], document: Document
) -> Doubt:
    """Return the doubt what the work of a whole table is, with what may name it."""
    by_key: dict[str, ColumnDraft] = {}
    stem = re.sub(r"[_\s]+", " ", document.name.rsplit("/", 1)[-1].rpartition(".")[0])
    choices = _language_work(table, columns, stem)
    for draft in columns if not choices else ():
        shown = f"{draft.header[:40]!r}"
        models, mode = _names_models(draft), table.mode(draft.header)
        # Somebody may have said that it is the model, whatever its title says.
        answered = "model" in draft.looks.terms - header_terms(draft.header)
        key = "model" if answered else slug(draft.header)
        if not models or mode != "inference":
            by_key[key] = draft
            choices[key] = f"what {shown} names{', trained' if models else ''}"
        if models and mode != "training":
            by_key[f"{key}{INFERENCE}"] = draft
            choices[f"{key}{INFERENCE}"] = f"inference by what {shown} names"
    heads, title = headings(table), _title(table, document)
    choices |= _work_named(title) if not by_key and len(heads) < 2 else {}
    guess = None if choices else "title"
    choices["title"] = _TITLE
    named = f" -> {work_of(title)}" if guess and len(heads) < 2 else ""
    cells = "".join(
        f"; {', '.join(column.looks.texts[:2])[:40]}" for column in columns[:1]
    )

    def settle(answer: str) -> None:
        if (column_draft := by_key.get(answer)) is not None:
            _name_work(column_draft, inference=answer.endswith(INFERENCE))
        elif answer == "title" and len(heads) > 1:
            _enter_headings(table, heads)
        elif answer not in (LEAVE_OUT, NOT_SAID):
            table.set["workload"] = work_of(title if answer == "title" else answer)
            table.sources["workload"] = AS_ANSWERED
        for column_draft in table.drafts if answer in (LEAVE_OUT, NOT_SAID) else ():
            if column_draft.holds_figures:
                column_draft.take(answer)

    return Doubt(
        topic="work",
        text="What is the work of {}?",
        name=columns[0].header[:30] if columns else "its title",
        also=tuple(it.header[:30] for it in table.drafts if not it.holds_figures),
        subject=f"{table.called} ({title[:_HEADING]!r}{named}{cells})",
        line=table.line,
        choices={**choices, LEAVE_OUT: "leave the table out"},
        settle=settle,
        free=_A_WORK,
        guess=guess,
    )
