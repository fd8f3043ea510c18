"""What lines beside the tables of a document say of all its runs.

A line says it by a label (``Hardware: M2 Ultra, 192 GB``) or as a short bullet.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise

import msgspec
from msgspec.structs import replace

from benchdb.importing import naming
from benchdb.importing.blocks import bullet
from benchdb.importing.document import Document
from benchdb.importing.guess.column_profile import (
    HeaderTerms,
    header_terms,
    pattern,
    words,
)
from benchdb.importing.guess.headings import BILLIONS, settings_in, weights_in
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.mapping.fields import scalar
from benchdb.importing.mapping.language import PREFIXES, Fields
from benchdb.importing.mapping.recognition import NAME_LIMIT, device_in, recognised

_LINES = 2000
_SCANNED = 200_000  # characters
_CHIPS = 6  # that a question lists
_LABELS = frozenset(words().kinds["stated"].split())
_OF_RUNS = ("device", "framework", "model")
_OF_CHIPS = ("ram", "cpu_cores", "gpu_cores")
_BULLET = 60  # characters of one that only names something
_SENTENCE = 1000  # characters of a line in which something may have run
_LIST = 300  # characters of a line that lists something
_FEW = 3  # words of a bullet
_BATCH = "parameters.batch_size"


class StatedFacts(msgspec.Struct):
    """What lines say: of *chips* by their names, of the *system*, of *versions*.

    *fields* are those of runs: the device, the precision and settings. *own* is the
    only chip that a label or a bullet names, or that something ran on; *framework* the
    one that a label calls so, or the only one, with a version.
    """

    chips: dict[str, Fields] = {}
    own: str | None = None
    system: Fields = {}
    versions: dict[str, str] = {}
    framework: str | None = None
    model: Fields = {}
    fields: Fields = {}

    def add_chips(self, line: str) -> None:
        """Add the chips that *line* names, with what it says of them."""
        for name, fields in _chips_in(line):
            if name in self.chips:
                self.chips[name] = _merged(self.chips[name], fields)
            elif len(self.chips) < _CHIPS:
                self.chips[name] = fields

    def of_runtime(self, framework: str) -> Fields:
        """Return *framework* with its version, where a line says it."""
        version = self.versions.get(framework)
        known: Fields = {"framework": framework}
        return known | ({"framework_version": version} if version else {})

    def of_system(self, chip: object) -> Fields:
        """Return the system of runs on *chip*; of several, a document has no one."""
        own = self.chips.get(self.own or "", {})
        same = chip is not None and chip == own.get("chip")
        return self.system if same or len(self.chips) <= 1 else {}


@lru_cache(maxsize=1)
def stated_facts(document: Document) -> StatedFacts:
    """Return what lines of *document* say; what they say twice and otherwise is out."""
    facts = StatedFacts()
    said: dict[str, set[str]] = {}
    fenced = False
    lines = document.lines[:_LINES]
    below = (*lines[1:], "")
    headers = [pattern("ruler").fullmatch(it) is not None for it in below]
    rows = [it for it, named in zip(lines, headers, strict=True) if not named]
    cells = _rows_in(lines)
    for line in _of_results(rows):
        fenced ^= line.lstrip().startswith("```")
        facts.add_chips(line)
        if line in cells:
            continue
        for name, text in chain.from_iterable(
            map(_facts_in, pattern("labels").split(line))
        ):
            if fenced and (name in _OF_RUNS or name.startswith(PREFIXES)):
                continue  # of what is printed there
            said.setdefault(name, set()).add(text)
    sure = {name: texts.copy().pop() for name, texts in said.items() if len(texts) == 1}
    chip = sure.pop("chip", "")
    if chip in facts.chips:
        facts.own = chip
        beside = {it: scalar(it, sure[it]) for it in _OF_CHIPS if it in sure}
        facts.chips[chip] = beside | facts.chips[chip]
    facts.framework = sure.get("framework")
    facts.versions = {n[8:]: it for n, it in sure.items() if n.startswith("version ")}
    only = naming.frameworks(document.text[:_SCANNED])
    if len(only) == 1 and only == set(facts.versions):
        facts.framework = facts.framework or next(iter(only), None)
    if model := sure.get("model") or sure.get("network"):
        known = recognised(model, ["network", "quantization"]).set
        facts.model = {"parameters.model": model, **known}
    if len(facts.chips) > 1:
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
    alike = [one == other and max(one) > 1 for one, other in pairwise(marks)]
    pairs = zip([False, *alike], [*alike, False], strict=True)
    return {line for line, pair in zip(lines, pairs, strict=True) if any(pair)}


def _of_results(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines that are not about what is needed to run something."""
    needed = False
    for line in lines:
        if line.startswith("#"):
            needed = pattern("needed").search(line) is not None
        if not needed:
            yield line


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


def _merged(one: Fields, other: Fields) -> Fields:
    """Return what two lines say of a chip, but what they contradict each other in.

    Of two texts the longer holds, where it has the other in it.
    """
    both: Fields = {**other, **one}
    for name in one.keys() & other.keys():
        texts = sorted((str(one[name]), str(other[name])), key=len)
        both[name] = texts[1]
        if texts[0] not in texts[1]:
            del both[name]
    return both


def _facts_in(line: str) -> Iterator[tuple[str, str]]:
    """Yield what a labelled line or a short bullet says, by names of facts."""
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
        settings = settings_in(line).items()
        yield from ((n, str(it)) for n, it in settings if text or n == _BATCH)
    python = pattern("of_python").fullmatch(text) if "python" in terms else None
    if terms == {"model"}:
        name = pattern("pieces").split(text.partition(",")[0])[0]
        yield "model", name if naming.networks(name) else text
    if python:
        yield "python", python[1]
    elif (
        text
        and pattern("alternatives").search(text) is None
        and (not label or terms & _LABELS or naming.framework(label))
    ):
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


def _software_in(
    label: str, terms: HeaderTerms, text: str
) -> Iterator[tuple[str, str]]:
    if system := naming.os(f"{label} {text}"):
        parts = zip(("os_name", "os_version", "os_build"), system, strict=True)
        yield from ((name, part) for name, part in parts if part)
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
    facts = stated_facts(document)
    named = str(facts.model.get("parameters.model", ""))
    several = any(table.tells_model(named) for table in tables)
    # What some table tells is another's in another one, perhaps.
    own = {
        it
        for it in facts.fields.keys() - {"device"}
        for table in tables
        if table.told_by_columns(it) or it.removeprefix("parameters.") in table.names
    }
    facts = replace(
        facts,
        model={} if several else facts.model,
        fields={n: it for n, it in facts.fields.items() if n not in own},
    )
    for table in tables:
        _enter(table, facts)


def _enter(table: TableDraft, facts: StatedFacts) -> None:
    stated: Fields = {}
    if facts.own and len(facts.chips) == 1 and _lacks(table, "machine"):
        stated |= facts.chips[facts.own]
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


def _lacks(table: TableDraft, name: str) -> bool:
    """Tell whether *name* is not told: "GPU" of no machine tells no device."""
    unclear = name == "device" and table.is_some_gpu()
    return unclear or not table.is_told(name)
