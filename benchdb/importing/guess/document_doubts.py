"""What no column tells: the work, the machine, the device and the framework of tables.

A heading holds where it stands; what else a document names are candidates.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from benchdb.catalogue import workloads
from benchdb.importing import naming
from benchdb.importing.document import Document
from benchdb.importing.guess.column_rules import THINGS, likeness_to_work
from benchdb.importing.guess.figures import RATIO, TOKENS, ColumnDraft, column_doubt
from benchdb.importing.guess.headings import BILLIONS, Segment, expression_of
from benchdb.importing.guess.questions import LEAVE_OUT, Doubt, Free
from benchdb.importing.guess.stated_facts import StatedFacts, stated_facts
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.mapping.fields import DEVICES, INFERENCE, slug
from benchdb.importing.mapping.language import Column, Fields
from benchdb.importing.mapping.recognition import recognised

_NOT_STATED = "not-stated"
_UNKNOWN = {_NOT_STATED: "the document does not say: kept as not known"}
_NO_FRAMEWORKS_OF_MODELS = {"numpy", "cupy", "sklearn", "keras", "needle", "candle"}
_OPERATIONS = frozenset(("matmul", "elementwise", "bandwidth", "conv"))
_SCANNED = 200_000  # characters of a document that are searched for names
_COLUMNS = 3  # that may name the work
_HEADING = 120  # characters of one that may be a name
_HEADINGS = 20  # that an expression lists
_PIECES = re.compile(
    r"(?i)(?<!\w)(?:on|with|using|in|of|by|for|and|mit|auf|unter|avec|sur|con"
    r"|training|train|inference|benchmarks?|benchmarking)(?!\w)|[:–—|,()\[\]]"
)
# Names of work that is no network, or that say what is done with it.
_DOING = re.compile(
    r"-(?:prefill|decode|generate|train|inference|encode|transcribe|image|step"
    r"|operation|network)$|^(?:embedding|attention)$"
)
_NAME = re.compile(r"(?=.*[^\W\d_]{2})[^\W_][\w .+/-]{1,60}")
_SIDES = re.compile(r"(?i)(?<![a-z])(?:[cgn]pus?|mps|metal|cuda|rocm|vulkan)(?![a-z])")
_REQUEST = ("llm-prefill", "llm-decode")
_WORKS = {
    "llm-decode": "tokens written, in an answer",
    "llm-prefill": "tokens read, of a prompt",
    "llm-generate": "a request as a whole",
    "llm-train": "tokens trained on",
    LEAVE_OUT: "leave them out",
}


def _name_fault(answer: str) -> str | None:
    return None if _NAME.fullmatch(answer) else "it is no name"


_A_WORK = Free("a name of the work, such as matmul or llm-decode", _name_fault)


def table_doubts(
    tables: Sequence[TableDraft], document: Document
) -> tuple[list[Doubt], list[Doubt]]:
    """Return the doubts which machine gave the figures; and which device and framework.

    Of those the first are what the document has words about.
    """
    tables = [one for one in tables if one.has_results()]
    text = document.text[:_SCANNED]
    facts = stated_facts(document)
    for table in tables:
        _enter_stated(table, facts)
    frameworks = sorted(naming.frameworks(text) - _NO_FRAMEWORKS_OF_MODELS)
    headings = _headings(
        *(
            one
            for one in tables
            if _lacks(one, "machine") and one.sheets[0].kind not in ("json", "yaml")
        )
    )
    listed = ", ".join(map(repr, headings[:3]))
    machines = {
        name: f"{_shown(name, known)}, which another line names"
        for name, known in facts.chips.items()
    }
    machines |= (
        {"headings": f"the heading of each: {listed}"} if len(headings) > 1 else {}
    )

    def settle_machine(table: TableDraft, answer: str) -> None:
        if answer == "headings":
            table.context.append(_expression("machine", headings))
        else:
            typed = recognised(answer, ("machine", "device"), whole=True).set
            table.set |= facts.chips.get(answer, typed)
            table.set |= facts.of_system(table.set.get("chip"))

    def settle_device(table: TableDraft, answer: str) -> None:
        table.set["device"] = answer

    def settle_framework(table: TableDraft, answer: str) -> None:
        table.set |= facts.of_runtime(naming.framework(answer) or slug(answer, "-"))

    devices = {"gpu": "the GPU of each machine: Apple's by Metal, NVIDIA's by CUDA"}
    devices |= {"cpu": "the CPU"}
    named = {name: f"{name}, which the text names" for name in frameworks}
    typed = Free("a chip or a Mac, such as M1 Max 32c 64 GB", _machine_fault)
    device = Free(f"one of {', '.join(DEVICES)}", _device_fault)
    runtime = Free("a framework or runtime", _name_fault)
    doubts = _of_tables(tables, "machine", machines, settle_machine, typed)
    about = _of_tables(tables, "device", devices, settle_device, device)
    more = _of_tables(tables, "framework", named, settle_framework, runtime)
    about = [*about, *more] if _SIDES.search(text) else [*more, *about]
    return doubts, about


def _shown(name: str, known: Fields) -> str:
    more = (known.get(field) for field in ("model", "ram"))
    return " ".join(map(str, filter(None, (name, *more))))


def _enter_stated(table: TableDraft, facts: StatedFacts) -> None:
    """Enter what lines of the document say of all its runs, with notes."""
    stated: Fields = {}
    if facts.own and len(facts.chips) == 1 and _lacks(table, "machine"):
        stated |= facts.chips[facts.own]
    if facts.device and _lacks(table, "device"):
        stated["device"] = facts.device
    if facts.model and table.is_of_language_model() and not table.tells_model():
        stated |= facts.model
    runtime = table.runtime()
    if facts.framework and _lacks(table, "framework"):
        stated |= facts.of_runtime(facts.framework)
    elif runtime is not None and "framework_version" not in table.set:
        stated |= facts.of_runtime(runtime)
        stated.pop("framework")
    if not table.names_in_columns("os") and "os" not in table.names:
        stated |= facts.of_system(table.set.get("chip"))
    table.set = {**stated, **table.set}
    if stated:
        listed = ", ".join(f"{name} {it}" for name, it in stated.items())
        table.notes.append(f"as lines of the document say: {listed}")


def _of_tables(
    tables: Sequence[TableDraft],
    name: str,
    choices: Mapping[str, str],
    enter: Callable[[TableDraft, str], None],
    free: Free,
) -> list[Doubt]:
    """Return the doubts about *name* of the tables that do not tell it."""
    doubts = []
    for table in (one for one in tables if _lacks(one, name)):

        def settle(answer: str, table: TableDraft = table) -> None:
            if answer != _NOT_STATED:
                enter(table, answer)

        where = "the table" if len(tables) == 1 else f"the table at line {table.line}"
        doubts.append(
            Doubt(
                topic=name,
                text=f"Which {name} gave the figures of {{}}?",
                name="",
                subject=where,
                line=table.line,
                choices={**choices, **_UNKNOWN},
                settle=settle,
                free=free,
                rank=4 if name == "framework" else 2,
            )
        )
    return doubts


def _lacks(table: TableDraft, name: str) -> bool:
    """Tell whether *name* is not told, and no open question may tell it."""
    return not table.is_asked(name) and not table.is_told(name)


def _machine_fault(answer: str) -> str | None:
    letters = any(map(str.isalpha, answer)) and any(map(str.isdigit, answer))
    known = naming.chip(answer) or naming.model(answer)
    return None if known or letters else "it names no chip and no Mac"


def _device_fault(answer: str) -> str | None:
    return None if answer in DEVICES else "it is no device"


def _headings(*tables: TableDraft) -> list[str]:
    """Return the innermost headings of *tables* that may be names."""
    texts = [segment[-1] for one in tables for segment in one.segments if segment]
    return list(dict.fromkeys(text for text in texts if len(text) <= _HEADING))


def _expression(field: str, texts: Sequence[str]) -> str:
    """Return what finds *texts* among headings, and sets *field* to them."""
    group = field.replace(".", "__")
    listed = "|".join(map(expression_of, texts))
    return f"^(?P<{group}>{listed if len(texts) <= _HEADINGS else '.+'})$"


def heading_doubts(tables: Iterable[TableDraft]) -> list[Doubt]:
    """Return the doubts what headings name over tables that are otherwise alike."""
    doubts = []
    choices = {key: words for key, (_, words) in THINGS.items()}
    for table in tables:
        facts: dict[str, list[Segment]] = {}
        tokens = any(one.metric in TOKENS for one in table.drafts)
        for context in dict.fromkeys(sheet.context for sheet in table.sheets):
            names = [recognised(text, table.names).set for text in context]
            sizes = [re.findall(BILLIONS, text) for text in context if tokens]
            facts.setdefault(repr([names, sizes]), []).append(context)
        alike = [one for group in facts.values() if len(group) > 1 for one in group]
        common = set.intersection(*map(set, alike)) if alike else set()
        own = (text for one in alike for text in one if text not in common)
        texts = list(dict.fromkeys(text for text in own if len(text) <= _HEADING))
        if not texts:
            continue

        def settle(
            answer: str, table: TableDraft = table, texts: Sequence[str] = texts
        ) -> None:
            table.asked = False
            if answer != "nothing":
                table.context.append(_expression(THINGS[answer][0], texts))

        table.asked = True
        shown = ", ".join(f"{text[:40]!r}" for text in texts[:4])
        doubts.append(
            Doubt(
                topic="headings",
                text="What do the headings {} tell apart?",
                name=texts[0][:30],
                subject=shown + (" …" if len(texts) > 4 else ""),
                line=table.line,
                choices={**choices, "nothing": "nothing: equal rows are refused"},
                settle=settle,
                rank=1,
            )
        )
    return doubts


def repeat_doubts(table: TableDraft) -> list[Doubt]:
    """Return the doubt whether rows that nothing tells apart are one run's samples."""
    figures = [it for it in table.drafts if it.holds_figures and it.metric]
    unknown = table.asked or any(
        it.asked or it.rated or (it.holds_figures and it.metric is None)
        for it in table.drafts
    )
    if unknown or table.rows or not figures or (line := table.repeated()) is None:
        return []

    def settle(answer: str) -> None:
        for one in figures if answer == "samples" else ():
            one.sampled = True

    text = "Some rows differ from one above by {} alone: what are they?"
    choices = {"samples": "repetitions of one run: its samples"}
    choices["nothing"] = "not known: equal rows are refused"
    return [
        column_doubt(figures, "repeat", text, choices, settle=settle, rank=3, line=line)
    ]


def work_doubts(table: TableDraft, document: Document) -> list[Doubt]:
    """Return the doubts what the work of a table is; enter it where it is said."""
    drafts = table.rows or table.drafts
    figures = [o for o in drafts if o.holds_figures and o.metric != RATIO]
    doubts = _mode_doubts(table, figures)
    bare = [one for one in figures if "workload" not in one.fields]
    if not bare or table.is_asked("workload") or table.told_by_columns("workload"):
        return doubts
    tokens = [one for one in bare if one.metric in TOKENS]
    if _enter_request(table, figures):
        bare = tokens
    if not bare:
        return doubts
    if len(bare) < len(figures) and not tokens:
        return [*doubts, _belonging_doubt(figures, bare)]
    if tokens and (not table.rows or len(tokens) == len(bare)):
        return [*doubts, *(_token_doubt(table, one, tokens) for one in tokens)]
    columns = [
        one
        for one in table.drafts
        if one.column is not None
        and (one.column.field or "").startswith("parameters.")
        and not one.looks.figures
    ]
    above = table.sheets[0].inherited
    columns.sort(key=lambda it: (it.header in above, -likeness_to_work(it.looks)))
    if _enter_said(table, columns, figures):
        return doubts
    return [*doubts, _work_doubt(table, columns[:_COLUMNS], document)]


def _mode_doubts(table: TableDraft, figures: Sequence[ColumnDraft]) -> list[Doubt]:
    """Return the doubt whether models that are columns are trained; or enter it."""
    models = [o for o in figures if _is_trained(str(o.fields.get("workload", "")))]

    def settle(answer: str) -> None:
        for one in models:
            if not one.take(answer) and answer == "inference":
                one.add(workload=f"{one.fields['workload']}{INFERENCE}")

    mode = table.mode()
    if mode is not None or not models:
        settle(mode or "")
        return []
    choices = {"training": "they are trained", "inference": "they are applied"}
    choices[LEAVE_OUT] = "leave them out"
    text = "What is done with the models {}?"
    return [column_doubt(models, "work", text, choices, settle=settle, rank=1)]


def _is_trained(text: str) -> bool:
    """Tell whether *text* names work of ours that is trained."""
    work = text if text in workloads() else naming.workload(text)
    return work is not None and work not in _OPERATIONS and not _DOING.search(work)


def _enter_said(
    table: TableDraft, columns: Sequence[ColumnDraft], figures: Sequence[ColumnDraft]
) -> bool:
    """Enter the work where a header or a heading says that it is the work."""
    for one in columns:
        if one.header in table.sheets[0].inherited:
            continue  # of something beside the rows, perhaps
        explicit = bool(one.looks.terms & {"workload", "operation"})
        models = _names_models(one)
        mode = table.mode(one.header, *one.looks.texts) if models else None
        if all("parameters.mode" in it.fields for it in figures):
            mode = "training"  # or not: each column says it
        headed = explicit or one.looks.terms & {"model", "network"}
        if headed and (mode is not None or not models):
            _name_work(one, inference=mode == "inference")
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
    parts = [part.strip() for part in _PIECES.split(text)] if len(text) < 200 else []
    works = {work for part in (text, *parts) if (work := naming.workload(part))}
    return works.pop() if len(works) == 1 else None


def _names_models(one: ColumnDraft) -> bool:
    models = one.looks.terms & {"model", "network"}
    return bool(models) or any(map(_is_trained, one.looks.texts))


def _name_work(one: ColumnDraft, *, inference: bool) -> None:
    one.column = Column(field="workload", ending=INFERENCE if inference else "")


def _enter_request(table: TableDraft, figures: Sequence[ColumnDraft]) -> bool:
    """Enter the work of figures beside those of the sides of a language model.

    Memory, power and a time from end to end are those of whole requests. Tell whether
    there are such sides.
    """
    works = {str(it.fields["workload"]) for it in figures if "workload" in it.fields}
    if not works or not works <= {*_REQUEST, "llm-generate"}:
        return False
    # Beside answers alone they are of these.
    whole = "llm-decode" if works == {"llm-decode"} else "llm-generate"
    bare = [it for it in figures if "workload" not in it.fields and not it.column]
    for it in (one for one in bare if one.metric not in TOKENS):
        side = next((one for one in _REQUEST if one[4:] in it.looks.terms), None)
        it.add(workload=side or whole)
        table.whole += [] if side else [it]
    return True


def _token_doubt(
    table: TableDraft, one: ColumnDraft, tokens: Sequence[ColumnDraft]
) -> Doubt:
    """Return the doubt which side of a language model a column is about.

    With the last answer it is known, or asked, to which work other figures belong.
    """

    def settle(answer: str) -> list[Doubt]:
        _enter_work(one, answer)
        works = {it.fields.get("workload") for it in tokens if it.column is None}
        drafts = table.rows or table.drafts
        figures = [it for it in drafts if it.holds_figures and it.metric != RATIO]
        if None in works or _enter_request(table, figures):
            return []
        rest = [it for it in figures if "workload" not in it.fields]
        if len(works) == 1:
            for it in rest:
                it.add(workload=str(*works))
        return [_belonging_doubt(figures, rest)] if rest and len(works) != 1 else []

    text, more = "Which tokens do {} count?", {"free": _A_WORK, "rank": 1}
    return column_doubt([one], "work", text, _WORKS, settle=settle, **more)


def _enter_work(one: ColumnDraft, answer: str) -> None:
    if not one.take(answer):
        one.add(workload=_work(answer))


def _work(text: str) -> str:
    known = text if text in workloads() else naming.workload(text)
    return known or slug(text, "-")


def _belonging_doubt(
    figures: Sequence[ColumnDraft], bare: Sequence[ColumnDraft]
) -> Doubt:
    """Return the doubt of which work columns are that stand beside others'."""
    known = {
        str(o.fields["workload"]): o.header for o in figures if "workload" in o.fields
    }
    choices = {work: f"that of {header!r}" for work, header in known.items()}
    choices[LEAVE_OUT] = "leave them out"

    def settle(answer: str) -> None:
        for one in bare:
            _enter_work(one, answer)

    text, more = "Which work do {} belong to?", {"free": _A_WORK, "rank": 1}
    return column_doubt(bare, "work", text, choices, settle=settle, **more)


def _work_doubt(
    table: TableDraft, columns: Sequence[ColumnDraft], document: Document
) -> Doubt:
    """Return the doubt what the work of a whole table is, with what may name it."""
    by_key: dict[str, ColumnDraft] = {}
    choices: dict[str, str] = {}
    for one in columns:
        shown = f"{one.header[:40]!r}"
        key, models, mode = slug(one.header), _names_models(one), table.mode(one.header)
        if not models or mode != "inference":
            by_key[key] = one
            choices[key] = f"what {shown} names{', trained' if models else ''}"
        if models and mode != "training":
            by_key[f"{key}{INFERENCE}"] = one
            choices[f"{key}{INFERENCE}"] = f"inference by what {shown} names"
    heads = _headings(table)
    title = re.sub(r"[_\s]+", " ", (heads or [document.name])[0])
    choices["title"] = "what stands above it, or the file's name"
    cells = "".join(f"; {', '.join(one.looks.texts[:2])[:40]}" for one in columns[:1])

    def settle(answer: str) -> None:
        if (one := by_key.get(answer)) is not None:
            _name_work(one, inference=answer.endswith(INFERENCE))
        elif answer == "title" and len(heads) > 1:
            table.context.append(_expression("workload", heads))
        elif answer != LEAVE_OUT:
            table.set["workload"] = _work(title if answer == "title" else answer)
        for one in table.drafts if answer == LEAVE_OUT else ():
            if one.holds_figures:
                one.take(answer)

    return Doubt(
        topic="work",
        text="What is the work of {}?",
        name=", ".join(one.header[:20] for one in columns[:2]),
        subject=f"the table at line {table.line} ({title!r}{cells})",
        line=table.line,
        choices={**choices, LEAVE_OUT: "leave the table out"},
        settle=settle,
        free=_A_WORK,
        rank=1,
    )
