"""What lines beside the tables of a document say of all its runs.

A line says it by a label (``Hardware: M2 Ultra, 192 GB``) or as a short bullet.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise

import msgspec
from msgspec.structs import replace

from benchdb.importing import naming
from benchdb.importing.blocks import bullet
from benchdb.importing.document import Document
from benchdb.importing.guess.column_profile import (
    HeaderTerms,
    fold,
    header_terms,
    pattern,
    words,
)
from benchdb.importing.guess.column_rules import MACHINES, fields_of
from benchdb.importing.guess.headings import BILLIONS, settings_in, weights_in
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.mapping.fields import scalar
from benchdb.importing.mapping.language import PARTS, PREFIXES, Fields, Meaning
from benchdb.importing.mapping.recognition import NAME_LIMIT, device_in, recognised

_LINES = 2000
_SCANNED = 200_000  # characters
_CHIPS = 6  # that a question lists
_LABELS = frozenset(words().kinds["stated"].split())
_OF_SECTIONS = ("device", "framework", "chip")  # where a heading says them
_OF_RUNS = ("device", "framework", "model")
_BULLET = 60  # characters of one that only names something
_SENTENCE = 1000  # characters of a line in which something may have run
_LIST = 300  # characters of a line that lists something
_FEW = 3  # words of a bullet
_BATCH = "parameters.batch_size"
_CELL = re.compile(r"`?\w+_[a-z]+\d+`?(?!\w)")  # chat_c1: the name of some rows


class StatedFacts(msgspec.Struct):
    """What lines say: of *chips* by their names, of the *system*, of *versions*.

    *fields* are those of runs: the device, the precision and settings. *own* is the
    machine of the only chip that a label or a bullet names, or that something ran on,
    or of the only processor and the only card; *framework* the one that a label calls
    so, or the only one, with a version. Nothing else is named where it is *sole*.
    """

    chips: dict[str, Fields] = {}
    own: Fields = {}
    sole: bool = False
    system: Fields = {}
    versions: dict[str, str] = {}
    framework: str | None = None
    model: Fields = {}
    fields: Fields = {}

    def of_runtime(self, framework: str) -> Fields:
        """Return *framework* with its version, where a line says it."""
        version = self.versions.get(framework)
        known: Fields = {"framework": framework}
        return known | ({"framework_version": version} if version else {})

    def of_system(self, chip: object) -> Fields:
        """Return the system of runs on *chip*; of several, a document has no one."""
        same = chip is not None and chip == self.own.get("chip")
        return self.system if same or self.sole or len(self.chips) <= 1 else {}


class _Section(msgspec.Struct, frozen=True):
    """The lines from one heading to the next, and the section that it is a part of.

    *facts* are texts by names of facts, each with the line that says it first.
    """

    line: int
    level: int
    above: "_Section | None" = None
    chips: dict[str, Fields] = {}
    facts: dict[str, dict[str, int]] = {}


@lru_cache(maxsize=16)
def stated_facts(document: Document, line: int = 0) -> StatedFacts:
    """Return what lines of *document* say of figures in *line*, or of all there are.

    What is said twice and otherwise is out, but what lines say between that line and
    its heading, or one above that. A heading says the device, the framework and the
    machine of its own section alone.
    """
    sections = _sections(document)
    own = next((it for it in reversed(sections) if it.line <= line), sections[0])
    headings = {0, own.line, *(it.line for it in _outer(own))}
    groups: dict[str, set[str]] = {}
    here: set[str] = set()  # what more than headings of other sections say
    every: dict[str, Fields] = {}
    for section in sections:
        for name, texts in section.facts.items():
            groups[name] = groups.get(name, set()) | texts.keys()
            above = section.line in headings or name not in _OF_SECTIONS
            if above or {*texts.values()} != {section.line}:
                here.add(name)
        for name, fields in section.chips.items():
            every[name] = _merged(every.get(name, fields), fields)
    near: dict[str, set[str]] = {}
    chips: dict[str, Fields] = {}
    for outer in (own, *_outer(own))[:-1]:
        for name, texts in outer.facts.items():
            between = {text for text, at in texts.items() if outer.line < at < line}
            near |= {name: between} if between and name not in near else {}
        chips = chips or outer.chips
    known = {n: it for n, it in groups.items() if n in here}
    sure = {n: it if len(it) == 1 else near.get(n, it) for n, it in known.items()}
    facts = _facts(sure, dict([*every.items()][:_CHIPS]))
    if not facts.sole and (nearest := _facts(near, chips)).sole:
        facts.own, facts.sole = nearest.own, True
    only = naming.frameworks(document.text[:_SCANNED])
    if len(only) == 1 and only == set(facts.versions):
        facts.framework = facts.framework or next(iter(only), None)
    return facts


def _outer(section: _Section) -> Iterator[_Section]:
    """Yield the sections that *section* is a part of, the document as the last."""
    while (outer := section.above) is not None:
        yield outer
        section = outer


@lru_cache(maxsize=1)
def _sections(document: Document) -> Sequence[_Section]:
    """Return the sections of *document*, but those about what something needs."""
    sections = [_Section(0, 0, chips={}, facts={})]
    fenced = needed = False
    lines = document.lines[:_LINES]
    cells = _rows_in(lines)
    for number, (line, below) in enumerate(pairwise((*lines, "")), 1):
        fenced ^= line.lstrip().startswith("```")
        if (heading := re.match("(#{1,6}) ", line)) and not fenced:
            needed = pattern("needed").search(line) is not None
            above = sections[-1]
            while above.level >= len(heading[1]) and above.above is not None:
                above = above.above
            sections.append(_Section(number, len(heading[1]), above, {}, {}))
        if needed or pattern("ruler").fullmatch(below):
            continue
        section = sections[-1]
        for name, fields in _chips_in(line):
            section.chips[name] = _merged(section.chips.get(name, fields), fields)
        for name, text in _facts_in(line, row=line in cells):
            if fenced and (name in _OF_RUNS or name.startswith(PREFIXES)):
                continue  # of what is printed there
            section.facts.setdefault(name, {}).setdefault(text, number)
    return sections


def _facts(groups: Mapping[str, set[str]], chips: dict[str, Fields]) -> StatedFacts:
    """Return what is *groups* once, of machines with the *chips* that are named."""
    facts = StatedFacts(chips)
    sure = {name: next(iter(it)) for name, it in groups.items() if len(it) == 1}
    named = [chips[name] for name in sorted(groups.get("chip", ())) if name in chips]
    kinds = {"accelerator" in it for it in named}
    apple = any("Apple" in str(it.get("chip")) for it in named)  # it has no card
    if len(named) == 1 or (len(named) == len(kinds) == 2 and not apple):
        beside = {it: scalar(it, sure[it]) for it in PARTS if it in sure}
        facts.own = dict(chain(beside.items(), *(it.items() for it in named)))
        facts.sole = len(named) == len(chips)
    facts.framework = sure.get("framework")
    facts.versions = {n[8:]: it for n, it in sure.items() if n.startswith("version ")}
    if model := sure.get("model") or sure.get("network"):
        known = recognised(model, ["network", "quantization"]).set
        facts.model = {"parameters.model": model, **known}
    if len(chips) > 1 and not facts.sole:
        sure.pop("device", None)
    facts.fields = {
        name: scalar(name, it)
        for name, it in sure.items()
        if name.startswith(PREFIXES) or name in ("precision", "device")
    }
    systems = ("os_name", "os_version", "os_build", "python")
    facts.system = {name: sure[name] for name in systems if name in sure}
    return facts


def _rows_in(lines: Sequence[str]) -> set[str]:
    """Return the lines that are rows of values, with as many marks as those beside."""
    marks = [tuple(map(line.count, ",;\t")) for line in lines]
    alike = [
        numbers == other and max(numbers) > 1 for numbers, other in pairwise(marks)
    ]
    pairs = zip([False, *alike], [*alike, False], strict=True)
    return {line for line, pair in zip(lines, pairs, strict=True) if any(pair)}


def _chips_in(line: str) -> Iterator[tuple[str, Fields]]:
    """Yield the chips that *line* names, each with what stands beside it."""
    pieces = pattern("pieces").split(line.replace("*", ""))
    listed = line.rstrip(".") if _is_list(line) else line
    run_on = pattern("run_on").fullmatch(line[:_SENTENCE])
    if len(line) <= NAME_LIMIT and recognised(listed, ["machine"]).set:
        pieces = [listed]
    elif run_on and len(naming.chips_in(line)) == 1:  # cores and memory follow it
        pieces = [run_on["text"]]
    for piece in pieces if pattern("supported").search(line) is None else ():
        chips = naming.chips_in(piece)
        whole = recognised(piece, ["machine"]).set if len(chips) == 1 else {}
        for chip in chips:
            name = "accelerator" if chip.accelerator else "chip"
            yield chip.name, whole or {name: f"{chip.vendor} {chip.name}"}


def _is_list(line: str) -> bool:
    """Tell whether *line* lists what there was: "vLLM 0.9, 2x A100, batch 8"."""
    short = len(line) <= _LIST and "|" not in line  # of a table, a row
    listed = short and pattern("listed").fullmatch(line)
    return bool(listed) and not pattern("sentence").search(line)


def _merged(values: Fields, other: Fields) -> Fields:
    """Return what two lines say of a chip, but what they contradict each other in.

    Of two texts the longer holds, where it has the other in it.
    """
    both: Fields = {**other, **values}
    for name in values.keys() & other.keys():
        texts = sorted((str(values[name]), str(other[name])), key=len)
        both[name] = texts[1]
        if texts[0] not in texts[1]:
            del both[name]
    return both


def _facts_in(line: str, *, row: bool) -> Iterator[tuple[str, str]]:
    """Yield what labelled pieces of a line or a short bullet say, by names of facts.

    A *row* of values, as nvidia-smi prints them, names nothing but chips.
    """
    if row:
        yield from (("chip", chip.name) for chip in naming.chips_in(line))
    elif column := pattern("spaced").fullmatch(line):
        label, text = column.group("label", "text")
        terms = header_terms(label)
        pairs = *_hardware_in(label, terms, text), *_software_in(label, terms, text)
        # As it may be a row of figures, only names and whole versions count.
        version = pattern("long_version").match(text) is not None
        sure = ("chip", "os_", *(["version "] if version else []))
        yield from (it for it in pairs if it[0].startswith(sure))
    else:
        for piece in pattern("labels").split(line):
            yield from _in_piece(piece)


def _in_piece(line: str) -> Iterator[tuple[str, str]]:
    line = line.replace("**", "")
    labelled, item = pattern("labelled").fullmatch(line), bullet(line)
    if run_on := pattern("run_on").fullmatch(line[:_SENTENCE]):
        yield from (("chip", chip.name) for chip in naming.chips_in(run_on["text"]))
    label, text = ("", item[1]) if item and len(item[1]) <= _BULLET else ("", "")
    if labelled:
        label, text = labelled.group("label", "text")
    elif not item and _is_list(line):
        text = line.rstrip(".")
    terms = header_terms(label)
    if "|" not in line:  # of sentences, only what can be of nothing else
        settings = settings_in(_CELL.sub(" ", line)).items()
        yield from ((n, str(it)) for n, it in settings if text or n == _BATCH)
    python = pattern("of_python").fullmatch(text) if "python" in terms else None
    if terms == {"model"}:
        name = pattern("pieces").split(text.partition(",")[0])[0]
        yield "model", name if naming.networks(name) else text
    if python:
        yield "python", python[1]
    names_it = terms & _LABELS or naming.framework(label) or naming.device(label)
    sure = text and not python and pattern("alternatives").search(text) is None
    if sure and (names_it or not label):
        yield from _hardware_in(label, terms, text)
        yield from _software_in(label, terms, text)
        if not label:
            yield from (("network", name) for name in naming.networks(text))
        # "- fp16" is of all that there is, "- some/model-8b-fp16" of a model.
        model = "/" in text or naming.networks(text) or re.search(BILLIONS, text)
        bare = not item or (len(text.split()) <= _FEW and not model)
        bare |= "precision" in header_terms(" ".join(text.split()[:2]))
        if (not label and bare) or "precision" in terms:
            known = weights_in(text) | recognised(text, ["precision"]).set
            yield from ((name, str(it)) for name, it in known.items())


def _hardware_in(
    label: str, terms: HeaderTerms, text: str
) -> Iterator[tuple[str, str]]:
    pieces = pattern("pieces").split(text)
    chips = {chip.name for piece in pieces for chip in naming.chips_in(piece)}
    if terms & {"machine", "chip", "cpu", "gpu", "device"} or not label:
        yield from (("chip", name) for name in chips)
    if terms & {"ram"} or label.casefold() in ("memory", "unified memory"):
        yield from (
            ("ram", f"{size[1]} GB") for size in pattern("gigabytes").finditer(text)
        )
    if "cores" in terms and text.isdecimal():
        yield from ((f"{it}_cores", text) for it in terms & {"cpu", "gpu"})
    if terms & {"device", "framework"} and (device := device_in(text)):
        yield "device", device
    elif (named := naming.device(label)) not in (None, "cpu"):  # "CUDA: 12.4"
        yield from [("device", str(named))] if re.search(r"\d\.\d", text) else []


def _software_in(
    label: str, terms: HeaderTerms, text: str
) -> Iterator[tuple[str, str]]:
    system = recognised(f"{label} {text}", ["os"]).set
    yield from ((name, str(part)) for name, part in system.items())
    for piece in text.split(","):
        named = re.sub(r"(?i)\bversions?\b|[()]", " ", f"{label} {piece}")
        if framework := naming.framework(named):
            if version := naming.framework_version(named):
                yield f"version {framework}", version
            if "framework" in terms:
                yield "framework", framework


def enter_stated(tables: Iterable[TableDraft], document: Document) -> None:
    """Enter what lines of *document* say of all its runs, where no table says it."""
    tables = [table for table in tables if table.has_results()]
    known: list[StatedFacts] = []
    # "batch 8192" above a column n_batch is no batch size.
    counts = (draft for it in tables for draft in it.drafts if draft.looks.integers)
    counted = {fold(count.header).rpartition(" ")[2] for count in counts}
    for facts in [stated_facts(document, table.line) for table in tables]:
        named = str(facts.model.get("parameters.model", ""))
        several = any(it.tells_model(named) for it in tables)
        # What some table tells is another's in another one, perhaps.
        own = {
            name
            for name in facts.fields.keys() - {"device"}
            for it in tables
            if it.told_by_columns(name)
            or (bare := name.removeprefix("parameters.")) in it.names
            or bare.partition("_")[0] in counted
        }
        fields = {n: it for n, it in facts.fields.items() if n not in own}
        model = {} if several else facts.model
        known.append(replace(facts, model=model, fields=fields))
    for table, facts in zip(tables, known, strict=True):
        _enter(table, facts)
        drafts = [
            it for it in table.drafts if it.kept or (it.column and it.column.field)
        ]
        # What a column says of them is none of the lines', whatever it was answered.
        if not any(header_terms(it.header) & {"ram", "cores"} for it in drafts):
            _complete(table, facts.chips)


def _enter(table: TableDraft, facts: StatedFacts) -> None:
    stated: Fields = {}
    if facts.sole and _lacks(table, "machine"):
        stated |= facts.own
    for name, value in facts.fields.items():
        of_weights = name == "parameters.quantization"
        if _lacks(table, name) and (table.is_of_language_model() or not of_weights):
            stated[name] = value
    if facts.model and table.is_of_language_model():
        stated |= facts.model
        table.context = [it for it in table.context if it != BILLIONS]
    runtime = table.runtime()
    if facts.framework and _lacks(table, "framework"):
        stated |= facts.of_runtime(facts.framework)
    elif runtime is not None and "framework_version" not in table.set:
        stated |= facts.of_runtime(runtime)
        stated.pop("framework")
    if not table.names_in_columns("os") and "os" not in table.names:
        stated |= facts.of_system(table.set.get("chip"))
    table.set = {**stated, **table.set}


def _complete(table: TableDraft, chips: Mapping[str, Fields]) -> None:
    """Enter cores and memory of machines that columns name, where lines say them."""
    for draft in table.drafts:
        if "chip" in draft.fields:
            draft.fields = _beside(draft.header, chips) | draft.fields
        elif draft.column is not None and MACHINES & fields_of(draft.column):
            groups = {text: _beside(text, chips) for text in draft.looks.texts}
            cells = {text: Meaning(set=it) for text, it in groups.items() if it}
            draft.column = replace(draft.column, cells={**cells, **draft.column.cells})


def _beside(text: str, chips: Mapping[str, Fields]) -> Fields:
    """Return what lines say beside the chip that *text* names, if it is the same."""
    own = recognised(text, ["machine"]).set
    chip = naming.chip(text)
    known = chips.get(chip.name, {}) if chip else {}
    same = all(own[name] == known.get(name) for name in own.keys() & {*PARTS})
    return {n: known[n] for n in PARTS if same and n in known and n not in own}


def _lacks(table: TableDraft, name: str) -> bool:
    """Tell whether *name* is not told: "GPU" of no machine tells no device."""
    unclear = name == "device" and table.is_some_gpu()
    return unclear or not table.is_known(name)
