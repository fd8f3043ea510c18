"""The card of a document: what its rows would store that was inferred, line by line.

It is read off the rows that the proposed map makes, not off the rules that made it.
What an exact header and a whole cell say has no line; a fact that matters and that
nothing states has.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from benchdb.exchange.messages import Scalar
from benchdb.exchange.validation import UNDERSTANDABLE
from benchdb.importing import naming
from benchdb.importing.document import Document
from benchdb.importing.guess.card_text import longer_chips
from benchdb.importing.guess.column_draft import without_unit
from benchdb.importing.guess.column_profile import (
    fold,
    header_terms,
    is_truth,
    pattern,
    says_only,
    unit_in,
    words,
)
from benchdb.importing.guess.column_rules import fields_of
from benchdb.importing.guess.corrections import ALL_ROWS, Line
from benchdb.importing.guess.facts import FACTS, Fact, fact_of
from benchdb.importing.guess.questions import (
    ANSWERED,
    AS_ANSWERED,
)
from benchdb.importing.mapping.fields import (
    INFERENCE,
    NO_DEVICE,
    PRINTED_DEVICE,
    Defaults,
    Known,
    machine,
    slug,
)
from benchdb.importing.mapping.language import (
    OF_MACHINES,
    PARTS,
    PREFIXES,
    Column,
    Facts,
    Layer,
    Map,
    Table,
)
from benchdb.importing.mapping.mapped_figures import Observation
from benchdb.importing.mapping.recognition import recognised
from benchdb.importing.mapping.table_rows import MatchedTable

# What has a line where nothing states it.
_NEEDED = ("machine", "device", "framework", "precision")
_WITHOUT_WORK = "nowhere", "work", True  # beside rows that have some
_NAMING = ("machine", "chip", "accelerator", "model")  # before memory and cores
SOME_GPU = "the GPU; by what it computed (cuda, metal, rocm, vulkan) is not stated"
_OF_NO_CHIP = ", of no known chip"
_OF_RATES = {"throughput", "time", "latency"}
_BRACKET = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_NO_NAME = re.compile(r"[\W_]+")
_BATCH = re.compile(r"(?i)\W*(?:b|bsz?|batch(?:es)?(?:[ _-]?size)?)?[\W_]*\d+\W*")

_Pair = tuple[str, str]  # what is printed, what is stored
_Telling = tuple[Fact, str, str, _Pair]  # with the kind of origin and the header
_Tellings = dict[tuple[str, str], Counter[_Pair]]  # by kind and header
_Told = dict[tuple[str, int], _Tellings]  # by fact and table


def card_lines(
    document: Document,
    matched: Iterable[tuple[int, MatchedTable]],
    sources: Mapping[int, Mapping[str, str]],
    doubted: Container[str] = (),
) -> list[Line]:
    """Return the lines of the card of *document*, whose tables are *matched*.

    Each goes with the number of its table. *sources* say of each table where it has the
    fields from that hold for all of it, *doubted* are facts of columns about which
    there is a question of its own.
    """
    groups: _Told = defaultdict(lambda: defaultdict(Counter))
    facts: dict[str, Fact] = dict(FACTS)
    lines: dict[int, int] = {}
    map_ = Map()
    defaults = Defaults(map_, (map_,), slug(document.name))
    for number, table in matched:
        lines[number] = min(lines.get(number, table.sheet.line), table.sheet.line)
        reader = _Reader(table, sources[number], doubted)
        alike: dict[object, list[_Telling]] = {}  # of rows that tell the same
        for item in table.read():
            if not isinstance(item, Observation) or item.fault is not None:
                continue
            if (key := reader.key(item)) not in alike:
                alike[key] = reader.tell(item, defaults, map_)
            for fact, kind, header, pair in alike[key]:
                facts.setdefault(fact.name, fact)
                groups[fact.name, number][kind, header][pair] += 1
    _show_short(groups, document)
    return _merged(groups, facts, lines)


def _show_short(groups: _Told, document: Document) -> None:
    """Make lines of names of machines of which only the text has a longer one."""
    stored = {
        pair[1]
        for (name, _), tellings in groups.items()
        for pairs in tellings.values()
        for pair in pairs
        if name == "machine"
    }
    for (name, _), tellings in groups.items():
        exact = [key for key in tellings if key[0].startswith("exact ")]
        for kind, header in exact if name == "machine" else ():
            for pair, count in tellings[kind, header].items():
                longer = tuple(longer_chips(document, pair[1]))
                if longer and not any(it.startswith(longer) for it in stored):
                    tellings[kind.removeprefix("exact "), header][pair] += count


def _merged(
    result: _Told,
    facts: Mapping[str, Fact],
    lines: Mapping[int, int],
) -> list[Line]:
    """Return one line for what like tables have from like places."""
    groups: dict[object, list[tuple[int, str, str, Counter[_Pair], bool]]] = {}
    for (name, number), tellings in result.items():
        for (kind, header), pairs in tellings.items():
            others = len(tellings) > 1
            # Rows without work are refused, each by itself, but not a whole table.
            if kind.startswith("exact ") or (kind, name, others) == _WITHOUT_WORK:
                continue
            # What nothing states of another maker's machines is another matter.
            of = tuple(pairs) if kind in ("text", "nowhere") else ()
            entry = number, kind, header, pairs, not others
            groups.setdefault((name, kind, header, of), []).append(entry)
    order = list(facts)
    made = [
        Line(
            fact=facts[str(key[0])],  # type: ignore[index]
            kind=some[0][1],
            header=some[0][2],
            tables=tuple(number for number, *_ in some),
            line=min(lines[number] for number, *_ in some),
            values=dict(sum((pairs for *_, pairs, _ in some), Counter[_Pair]())),
            sole=all(sole for *_, sole in some),
        )
        for key, some in groups.items()
    ]
    return sorted(made, key=lambda it: (order.index(it.fact.name), it.line))


class _Reader:
    """Where the figures of a sheet have each fact from, and what is stored of it."""

    def __init__(
        self,
        matched: MatchedTable,
        sources: Mapping[str, str],
        doubted: Container[str],
    ) -> None:
        """Begin with what a map says of a sheet."""
        self._doubted = doubted
        self._matched = matched
        table, self._sheet, self._sources = matched.table, matched.sheet, sources
        self._table = table
        self._sets: dict[int, str] = {}  # of columns of figures
        self._meanings: dict[int, str] = {}  # of cells
        self._plain: set[str | None] = set()  # settings by the names of their columns
        self._tellers: dict[str, list[str]] = defaultdict(list)
        names = {
            header.casefold().strip("*_` "): header for header in matched.sheet.header
        }
        for name, column in table.columns.items():
            header = names.get(name.casefold().strip("*_` "), name)
            if column.is_ != "field":
                self._sets[id(column.set)] = header
                continue
            self._meanings |= {id(it): header for it in column.cells.values()}
            for field in fields_of(column):
                self._tellers[field].append(header)
            fact = fact_of(column.field or "")
            simple = column == Column(field=column.field) and _is_exact(fact, header)
            if simple and (column.field or "").startswith(PREFIXES):
                self._plain.add(column.field)
        plain = {it for name in self._plain for it in self._tellers[name or ""]}
        labels = bool(table.rows) or any(
            it.is_ == "metric" for it in table.columns.values()
        )
        self._telling = [
            n
            for n, header in enumerate(matched.sheet.header)
            if (not n and labels)
            or any(header in it for it in self._tellers.values() if header not in plain)
        ]
        answered = (*table.headings.values(), table.rows.get(ALL_ROWS))
        self._answered = {id(it) for it in answered if it is not None}
        self._groups = {
            group.replace("__", ".")
            for pattern in table.context
            for group in re.compile(pattern).groupindex
        }

    def key(self, item: Observation) -> object:
        """Return what figures share that have all facts from the same words."""
        texts = item.place.texts if item.place else ()
        above = (*self._matched.outside, *self._matched.inside)
        column = next(
            (id(it.set) for it in reversed(item.layers) if id(it.set) in self._sets), 0
        )
        return (column, *map(id, above), *(texts[n] for n in self._telling))

    def tell(self, item: Observation, defaults: Defaults, map_: Map) -> list[_Telling]:
        """Return of each fact its kind of origin, the header, and what is stored."""
        try:
            known = defaults.known(item.layers)
        except (*UNDERSTANDABLE, ValueError):
            work = FACTS["work"]  # without which nothing else is known
            unsaid = _setting(work, item.layers)[0] is None
            return [(work, "nowhere", "", ("", ""))] if unsaid else []
        return list(self._tellings(item, known, map_))

    def _tellings(
        self, item: Observation, known: Known, map_: Map
    ) -> Iterator[_Telling]:
        for fact in FACTS.values():
            stored = _stored(fact, known, map_)
            if stored:
                yield (fact, *self._origin(fact, item, stored))
            elif (
                fact.name == "device"
                and "device" in known.missing
                and (_setting(fact, item.layers)[0] is not None)
            ):
                other = PRINTED_DEVICE in known.fields
                stored = f"{NO_DEVICE}, kept as a setting" if other else SOME_GPU
                kind, header, pair = self._origin(fact, item, stored)
                yield fact, kind.removeprefix("exact "), header, pair
            elif fact.name in _NEEDED:
                maker = _maker(known, map_) if fact.name == "device" else ""
                yield fact, "nowhere", "", ("", maker)
        for field, value in known.fields.items():
            shown = field in self._plain or field == PRINTED_DEVICE
            if field.startswith(PREFIXES) and not shown:
                fact = fact_of(field)
                if fact.name not in FACTS:
                    yield (fact, *self._origin(fact, item, str(value)))

    def _origin(
        self, fact: Fact, item: Observation, stored: str
    ) -> tuple[str, str, _Pair]:
        """Return the kind of origin, the header, what is printed and what is stored."""
        layer, field = _setting(fact, item.layers)
        if layer is None or isinstance(layer, Map | Table):
            source = self._sources.get(field, "")
            return f"{'exact ' * (source == AS_ANSWERED)}text", "", (source, stored)
        if (header := self._sets.get(id(layer.set))) is not None:
            bare = _BRACKET.sub("", header)  # without its unit
            if fact.name == "batch size":
                bare = without_unit(header, self._table.columns[header].unit)
            exact = _is_whole(fact, bare, stored) and not _completes(layer, header)
            exact |= self._is_doubted(fact, header)
            exact |= fact.name == "work" and _is_side(header, stored)
            return f"{'exact ' * exact}figures", "", (header, stored)
        if id(layer) in self._answered:
            return "exact text", "", ("", stored)
        if (text := self._heading(layer, field, item)) is not None:
            # What whole headings are is a line of its own, with an answer.
            exact = fact.name not in FACTS or field in self._groups
            exact = exact and _is_whole(fact, text, stored)
            exact |= self._is_answered(fact, text, text, stored)
            return f"{'exact ' * exact}heading", "", (text, stored)
        header = self._meanings.get(id(layer)) or self._header(fact, field, item)
        printed = self._printed(item, header)
        exact = self._is_doubted(fact, header) or _is_exact(fact, header)
        exact = exact and _is_whole(fact, printed, stored)
        exact |= self._is_answered(fact, header, printed, stored)
        cell = self._table.columns[header].cells.get(printed) if header else None
        exact = exact and not (cell and _completes(cell, printed))
        # The processor that lines above name may stand beside the card that ran.
        host = header in self._sheet.inherited and "cpu" in header_terms(header)
        exact = exact and not host
        exact |= self._is_doubted(fact, printed)  # which somebody said itself
        # Versions stand below the name of their framework, but no other words.
        headed = self._table.columns[header].set if header else {}
        exact |= headed.get(fact.name) == stored == naming.framework(_last(header))
        return f"{'exact ' * exact}column", header, (printed, stored)

    def _is_doubted(self, fact: Fact, header: str) -> bool:
        return f"{fact.name} of {header[:30]}" in self._doubted

    def _is_answered(self, fact: Fact, name: str, printed: str, stored: str) -> bool:
        """Tell whether somebody said that it is the *fact*, and no word is lost."""
        kept = stored.removesuffix(INFERENCE).removesuffix(_OF_NO_CHIP)
        holds = ANSWERED.format(fact.name, name[:30]) in self._doubted
        return holds and _is_whole(fact, printed, kept)

    def _heading(self, layer: Facts, field: str, item: Observation) -> str | None:
        """Return the heading that a layer comes from, if it is one."""
        for how in layer.basis.values():
            if how.startswith("heading: "):
                return how.removeprefix("heading: ")
        if isinstance(layer, Layer) and field in self._groups:
            context = item.place.context if item.place else ()
            value = str(layer.set[field])
            return next((text for text in context if value in text), value)
        return None

    def _header(self, fact: Fact, field: str, item: Observation) -> str:
        """Return the column whose cell tells *field*, the first if none is known."""
        tellers = [
            header
            for name in (
                *fact.named,
                *(("framework",) * (fact.name == "version")),
                field,
            )
            for header in self._tellers.get(name, ())
        ]
        return next(
            (it for it in reversed(tellers) if self._printed(item, it)),
            tellers[0] if tellers else self._sheet.header[0],
        )

    def _printed(self, item: Observation, header: str) -> str:
        if item.place is None or header not in item.place.header:
            return ""
        return item.place.texts[item.place.header.index(header)]


def _setting(fact: Fact, layers: Sequence[Facts]) -> tuple[Facts | None, str]:
    """Return the layer that sets a fact, and the field; of a machine, its name."""
    for fields in (_NAMING, fact.fields) if fact.name == "machine" else (fact.fields,):
        for layer in reversed(layers):
            for field in fields:
                if field in layer.set:
                    return layer, field
    return None, next(iter(fact.fields))


def _stored(fact: Fact, known: Known, map_: Map) -> str:
    """Return what a run stores of a fact, in words."""
    fields = known.fields
    if fact.name == "machine":
        pairs = tuple(
            (name, fields[name])
            for name in (*OF_MACHINES, "device")
            if fields.get(name) not in (None, "")
        )
        return _machine_of(pairs) if {name for name, _ in pairs} - {"device"} else ""
    parts = [str(fields.get(name, "")) for name in sorted(fact.fields)]
    return " ".join(filter(None, parts))


@lru_cache(maxsize=1024)
def _machine_of(pairs: tuple[tuple[str, Scalar], ...]) -> str:
    """Return a machine in words: its chip with cores and memory, and its cards."""
    try:
        described = machine(dict(pairs), {})
    except UNDERSTANDABLE:
        return ""
    chip = described.chip
    if chip.vendor == "unknown" and chip.name == "unknown" and not chip.accelerators:
        return f"{described.label or described.model}{_OF_NO_CHIP}"
    cards = {card.name for card in chip.accelerators}
    parts = [] if chip.name in {"unknown", *cards} else [chip.name]
    parts += [f"{chip.gpu_cores}c"] if chip.gpu_cores else []
    parts += [f"{chip.ram_bytes // 2**30} GB"] if chip.ram_bytes else []
    for card in chip.accelerators:
        parts += [f"{card.count}x " * (card.count > 1) + card.name]
        parts += [f"{card.memory_bytes // 2**30} GB"] if card.memory_bytes else []
    return " ".join(parts)


def _maker(known: Known, map_: Map) -> str:
    """Return who made the machine of a run, which tells its devices apart."""
    try:
        chip = machine(known.fields, map_.machines).chip
    except UNDERSTANDABLE:
        return "unknown"
    cards = {card.vendor for card in chip.accelerators}
    return ", ".join(sorted(cards)) or chip.vendor


def _is_unclear(header: str) -> bool:
    """Tell whether a header says not what stands below it: ``Type``, ``a.version``."""
    return pattern("ambiguous").fullmatch(fold(header.rpartition(".")[2])) is not None


def _last(header: str) -> str:
    """Return the last part of a path: ``gpu_name`` for ``hardware.gpu_name``.

    Objects that may change what it means, as in ``draft.model``, stay before it.
    """
    return pattern("objects").sub("", header)


def _is_side(header: str, work: str) -> bool:
    """Tell whether a header says the side of a language model, and nothing more."""
    side = {*words().exact.get(work, "").split()} & header_terms(header)
    return bool(side) and says_only(header, unit_in(header), side | _OF_RATES)


def _is_exact(fact: Fact, header: str) -> bool:
    """Tell whether a header says without doubt that *fact* stands below it."""
    header = _last(header)
    plain = fold(header)
    setting = fact.name not in FACTS
    if _is_unclear(header) or setting or "." in header or "[" in header:
        return setting and not _is_unclear(header)
    if fact.name == "version":
        return "framework" in header_terms(header) or bool(naming.framework(header))
    if fact.name == "framework" and plain in ("runtime", "engine", "library"):
        return True
    terms = header_terms(header)
    known = bool(terms) and terms <= {*words().exact.get(fact.name, "").split()}
    alone = says_only(pattern("naming").sub(" ", plain), None, terms)
    return known and (alone or fact.name not in ("machine", "work", "model"))


def _is_whole(fact: Fact, printed: str, stored: str) -> bool:
    """Tell whether *stored* is all that a cell says, in other letters at most."""
    if is_truth(printed) and not printed.isdecimal():
        return False
    if _plain(printed) == _plain(stored) or fact.name not in FACTS:
        return _plain(printed) == _plain(stored)
    if fact.name == "machine":
        chip = naming.chip(printed, numbers=True)
        rest = chip and (chip.rest.strip(" ,()[]-/") or chip.also or "")
        return rest == "" and pattern("generation").search(printed) is None
    if fact.name in ("framework", "device", "work"):
        name = getattr(naming, {"work": "workload"}.get(fact.name, fact.name))
        return name(printed) == stored and len(printed.split()) == 1
    if fact.name == "precision":
        return naming.precision(printed) == stored and printed.isalnum()
    # Of sparse attention, bs=32 is the size of a block.
    batch = fact.name == "batch size" and _BATCH.fullmatch(printed) is not None
    return batch or fact.name == "os"


def _completes(known: Facts, printed: str) -> bool:
    """Tell whether cores or memory are *known* of a machine that are not *printed*."""
    texts = recognised(printed, ["machine"]).set.keys()
    return bool({*PARTS} & known.set.keys() - texts)


def _plain(text: str) -> str:
    return _NO_NAME.sub("", text.casefold())
