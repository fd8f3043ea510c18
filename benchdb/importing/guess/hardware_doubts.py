"""Which machine, device, framework and model gave figures, where nothing says it.

One question asks for all of it that some table lacks. What the document names elsewhere
are candidates.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice, product

from benchdb.importing import naming
from benchdb.importing.document import Document
from benchdb.importing.guess.document_doubts import expression, headings
from benchdb.importing.guess.headings import BILLIONS, origin
from benchdb.importing.guess.questions import Doubt, Free
from benchdb.importing.guess.stated_facts import StatedFacts, stated_facts
from benchdb.importing.guess.table_draft import TableDraft
from benchdb.importing.mapping.fields import DEVICES, slug
from benchdb.importing.mapping.language import Fields
from benchdb.importing.mapping.recognition import GPU, NAME_LIMIT, recognised

NOT_STATED = "not-stated"
NO_WORD = "the document does not say: kept as not known"
FACTS = ("machine", "device", "framework", "model")
_NO_FRAMEWORKS_OF_MODELS = {"numpy", "cupy", "sklearn", "keras", "needle", "candle"}
_LINES = 2000
_CHIPS = 6  # that a question lists
_ALIKE = 2  # chips in a line that may have given the figures
_ODD = (18, 36)  # GB of a Mac's memory beside multiples of eight
_SCANNED = 200_000  # characters of a document that are searched for names
_WHOLES = 6  # choices of a machine with a device and a framework
_LISTED = 3  # of each of these
_CODES = re.compile(r"[^\W_]+(?:_[^\W_]+)+")
_NAME = re.compile(r"(?=.*[^\W\d_]{2})[^\W_][\w .+/-]{1,60}")
_WORDS = {
    GPU: "the GPU: Apple's by Metal, NVIDIA's by CUDA",
    "cpu": "the CPU",
    "headings": "the machine that the heading of each names",
}
_OF_GPUS = {"metal": "the GPU, by Metal", "cuda": "the GPU, by CUDA"}
_TYPED = {
    "machine": ("a chip or a Mac", "M1 Max 32c 64 GB"),
    "device": (f"a device ({', '.join(DEVICES)})", GPU),
    "framework": ("a framework or runtime", "mlx"),
    "model": ("a model", "Llama 3.1 8B"),
}


def hardware_doubts(tables: Sequence[TableDraft], document: Document) -> list[Doubt]:
    """Return the doubts which machine, device and framework gave the figures.

    What is open about columns may tell one of them, and is asked instead.
    """
    tables = [one for one in tables if one.has_results()]
    facts = stated_facts(document)
    if any(one.tells_model() for one in tables):
        facts.model = {}  # the document is about several
    for table in tables:
        _enter_stated(table, facts)
    models = _models(document)
    lacking = [
        (one, name)
        for name in FACTS
        for one in tables
        if _lacks(one, name) and (name != "model" or models)
    ]
    names = [name for name in FACTS if name in {it for _, it in lacking}]
    if not names:
        return []
    words = _candidates(
        document, facts, [one for one, name in lacking if name == "machine"]
    )
    words = {**words, "model": models}
    if all(one.is_some_gpu() for one, name in lacking if name == "device"):
        words = {**words, "device": _OF_GPUS}
    free = _free(names)
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
    doubts = []
    unclear = {id(one) for one in tables if one.is_some_gpu()}
    for table, name in lacking:

        def settle(answer: str, table: TableDraft = table, name: str = name) -> None:
            part = _parts(answer).get(name)
            if name == "device" and part and id(table) in unclear:
                table.names -= {name}  # the headings say less
            _enter(table, name, part, facts, words)

        choices = _choices(names, _near(table, words, tables))
        line, heading = table.silent(name)
        many = "the table" if len(tables) == 1 else f"the table at line {line}"
        many += f" under {heading[:40]!r}, from line {line}" if heading else ""
        doubts.append(
            Doubt(
                topic=name,
                text=f"Which {listed} gave the figures of {{}}?",
                name="",
                subject=many,
                line=line,
                choices={**choices, NOT_STATED: NO_WORD},
                settle=settle,
                free=free,
                likeness=_has_card(table),
                columns=table.figures,
                blocks=False,
            )
        )
    return doubts


def _has_card(table: TableDraft) -> bool:
    """Tell whether headings name a card: what ran elsewhere says nothing of it."""
    places = [(one, origin(one, "machine")) for one in table.segments]
    texts = [one[n] for one, n in places if n is not None]
    return any("accelerator" in recognised(it, ["machine"]).set for it in texts)


def _lacks(table: TableDraft, name: str) -> bool:
    """Tell whether *name* is not told, and no open question may tell it.

    "GPU" tells no device where nothing says of which machine it is.
    """
    if name == "model":
        return table.is_of_language_model() and not table.tells_model()
    unclear = name == "device" and table.is_some_gpu()
    return not table.is_asked(name) and (unclear or not table.is_told(name))


def _candidates(
    document: Document, facts: StatedFacts, tables: Sequence[TableDraft]
) -> Mapping[str, Mapping[str, str]]:
    """Return what may be the machine, device and framework, each with words for it."""
    text = document.text[:_SCANNED]
    heads = headings(
        *(one for one in tables if one.sheets[0].kind not in ("json", "yaml"))
    )
    text = _CODES.sub(" ", text)  # tf_efficientnet is no TensorFlow
    known = naming.frameworks(text) - _NO_FRAMEWORKS_OF_MODELS
    counts = {name: text.casefold().count(name) for name in sorted(known)}
    machines = {
        key: words
        for key, words in _chips(document).items()
        if (chip := naming.chip(key)) and _is_any(chip.name, facts.chips)
    }
    if len(heads) > 1:
        listed = ", ".join(repr(one[:40]) for one in heads[:3])
        above = {"headings": f"{_WORDS['headings']}: {listed}"}
        machines = above | machines if all(map(naming.chips_in, heads)) else machines
    return {
        "machine": machines,
        "device": {GPU: _WORDS[GPU], "cpu": _WORDS["cpu"]},
        "framework": {
            name: f"{name}, which the text names"
            for name in sorted(counts, key=lambda name: -counts[name])
        },
    }


@lru_cache(maxsize=1)
def _models(document: Document) -> dict[str, str]:
    """Return the language models that the document names, the most frequent first."""
    counts = Counter(
        name
        for line in document.lines[:_LINES]
        for name in naming.networks(line[:NAME_LIMIT])
        if re.search(BILLIONS, name)
    )
    return {name: f"{name}, which the text names" for name, _ in counts.most_common()}


@lru_cache(maxsize=1)
def _chips(document: Document) -> dict[str, str]:
    """Return the machines that the document names, each with the line that does."""
    chips: dict[str, str] = {}
    sized: set[str] = set()
    for number, line in enumerate(document.lines[:_LINES], 1):
        named = naming.chips_in(line)
        for chip in named if len(named) <= _ALIKE else ():  # more are no candidates
            ram = (chip.ram_bytes or 0) // 2**30
            ram = ram if chip.accelerator or ram % 8 == 0 or ram in _ODD else 0
            sizes = [f"{chip.gpu_cores}c"] if chip.gpu_cores else []
            sizes += [f"{ram} GB"] if ram else []
            if sizes:  # what says more of it takes its place
                chips.pop(chip.name, None)
                sized.add(chip.name)
            key = " ".join([chip.name, *sizes])
            if len(chips) < _CHIPS and (sizes or chip.name not in sized):
                quoted = " ".join(line.split())[:60]
                chips.setdefault(key, f"{key}, by line {number}: {quoted!r}")
    return chips


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


def _choices(
    names: Sequence[str], words: Mapping[str, Mapping[str, str]]
) -> dict[str, str]:
    """Return wholes of a machine, a device and a framework, the likeliest first."""
    if not names[1:]:
        return dict(words[names[0]])
    lists = [[*words[name]][:_LISTED] for name in names if words[name]]
    if not lists:
        return {}
    whole = ", ".join
    # The device changes last: a GPU is what is measured more often.
    devices = words["device"] if "device" in names else [""]
    ordered = [
        parts
        for device in devices
        for parts in product(*lists)
        if (not device or device in parts) and not _at_odds(parts)
    ]
    return {
        whole(parts): "; ".join(
            words[name][part] for part in parts for name in names if part in words[name]
        )
        for parts in islice(ordered, _WHOLES)
    }


def _near(
    table: TableDraft,
    words: Mapping[str, Mapping[str, str]],
    tables: Sequence[TableDraft],
) -> Mapping[str, Mapping[str, str]]:
    """Return *words* with the machines that headings of its silent rows name.

    Where these name none, those that head others of its *tables* are no candidates.
    """
    silent, said = set[str](), set[str]()
    contested = "machine" in table.contested
    others = [it for it in tables if "machine" in it.names and it.looks_like(table)]
    for segment in chain(*(it.segments for it in others)):
        if (place := origin(segment, "machine")) is not None:
            said.update(chip.name for chip in naming.chips_in(segment[place]))
    for segment in table.segments:
        named = {chip.name for text in segment for chip in naming.chips_in(text)}
        unsaid = contested or origin(segment, "machine") is None
        (silent if unsaid else said).update(named)
    machines = words["machine"]
    chips = {key: naming.chip(key) for key in machines}
    near = {
        key: it
        for key, it in machines.items()
        if (chip := chips[key]) is None
        or (_is_any(chip.name, silent) if silent else chip.name not in said)
    }
    return {**words, "machine": near or ({} if said else machines)}


def _is_any(chip: str, named: Iterable[str]) -> bool:
    """Tell whether *chip* is one *named*, perhaps by a part of its name: M2, M2 Max."""
    pairs = ((f"{chip} ", f"{it} ") for it in named)
    return any(it.startswith(other) or other.startswith(it) for it, other in pairs)


def _at_odds(parts: Sequence[str]) -> bool:
    """Tell whether a chip and a device of *parts* are of two makers: M2, by CUDA."""
    chips = [chip for part in parts if (chip := naming.chip(part))]
    others = {"metal": "NVIDIA", "cuda": "Apple"}
    return any(one.vendor == others.get(it) for one in chips for it in parts)


def _free(names: Sequence[str]) -> Free:
    kinds = ", ".join(_TYPED[name][0] for name in names)
    example = ", ".join(_TYPED[name][1] for name in names)
    more = "; leave away what is not said" if names[1:] else ""

    def fault(answer: str) -> str | None:
        parts = _parts(answer)
        for name, part in parts.items():
            # What is known by now may have been open when it was answered.
            known = name == "device" or naming.framework(part) or naming.chip(part)
            if name not in names and not (known and parts.keys() & set(names)):
                return f"{part!r} is no {' and no '.join(names)}"
        twice = len(parts) < sum(1 for _ in _split(answer))
        return "it names two of a kind" if twice else None

    return Free(f"{kinds}, such as {example}{more}", fault)


def _split(answer: str) -> Iterator[str]:
    return (part for it in answer.split(",") if (part := it.strip()))


def _parts(answer: str) -> dict[str, str]:
    """Return which part of an answer is the machine, the device, the framework."""
    parts: dict[str, str] = {}
    for part in _split(answer) if answer != NOT_STATED else ():
        digits = any(map(str.isdigit, part)) and any(map(str.isalpha, part))
        if part.casefold() in (*DEVICES, GPU):
            parts["device"] = part.casefold()
        elif part == "headings" or naming.chip(part) or naming.model(part):
            parts["machine"] = part
        elif naming.networks(part):
            parts["model"] = part
        elif naming.framework(part) or not digits:
            known = naming.framework(part) or _NAME.fullmatch(part)
            parts["framework" if known else part] = part
        else:
            parts["machine"] = part
    return parts


def _enter(
    table: TableDraft,
    name: str,
    answer: str | None,
    facts: StatedFacts,
    words: Mapping[str, Mapping[str, str]],
) -> None:
    if answer == "headings":
        table.context.append(expression("machine", headings(table)))
    elif answer is not None and name == "machine":
        # A chip that the text names brings no device; a typed machine may.
        chip = naming.chip(answer)
        stated = facts.chips.get(chip.name, {}) if chip else {}
        typed = recognised(answer, ("machine", "device"), whole=True).set
        listed = answer in words["machine"]
        known = {n: it for n, it in typed.items() if n != "device" or not listed}
        table.set = {**stated, **known, **table.set}
        table.set |= facts.of_system(table.set.get("chip"))
    elif answer is not None and name == "model":
        known = recognised(answer, ["network", "quantization"]).set
        table.set = {"parameters.model": answer, **known, **table.set}
    elif answer is not None and name == "framework":
        table.set |= facts.of_runtime(naming.framework(answer) or slug(answer, "-"))
    elif answer is not None:
        table.set[name] = answer
