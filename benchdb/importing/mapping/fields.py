"""What is known of a run: layers of facts, then our names for the source's words."""

import re
from collections.abc import Iterable, Mapping
from typing import get_args

import msgspec
from msgspec.structs import replace

from benchdb.catalogue import workloads
from benchdb.exchange.lines import Device, Scalar
from benchdb.exchange.validation import RefusedError
from benchdb.importing import naming
from benchdb.importing.mapping.language import (
    Facts,
    Fields,
    Layer,
    Map,
    MappedEnvironment,
    MappedMachine,
    Meaning,
)

# The fields of a run itself; others are its machine's and its environment's.
OF_RUNS = (
    *("workload", "setting", "framework", "framework_version", "device"),
    *("device_name", "precision", "compiler", "seed", "started"),
)
DEVICES: tuple[str, ...] = get_args(Device)
_PREFIXES = ("parameters.", "conditions.")
_PREFIX = re.compile(r"^(?:parameters|conditions)\.")
_UNLIKE = "the source's own: nothing says that the work is done as ours is"
_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d{0,14})", re.ASCII)
_DECIMAL = re.compile(r"[+-]?\d{1,12}\.\d{1,12}", re.ASCII)
_BATCH = re.compile(r"(?:bs|b|batch(?:[ _-]?size)?)\s*[:=×x]?\s*(\d{1,9})", re.I | re.A)


_OF_MAP = Layer()


class Known(msgspec.Struct, frozen=True):
    """All that is known of a run. Names in *basis* and *missing* are bare.

    *printed* are the fields whose word is one of the document.
    """

    fields: Mapping[str, Scalar] = {}
    basis: Mapping[str, str] = {}
    missing: Mapping[str, str] = {}
    printed: frozenset[str] = frozenset()


class Defaults(msgspec.Struct, frozen=True):
    """What holds for a whole document: its map, layers of its own, and its slug."""

    map_: Map
    layers: tuple[Facts, ...]
    slug: str

    def known(self, layers: Iterable[Facts]) -> Known:
        """Return what is known under *layers*, the deepest first, in our words.

        What is known of the workload lies right above the map's defaults. Raise
        ``RefusedError`` where a word is none that can be meant.
        """
        layers = (*self.layers, *layers)
        known = compose(layers)
        text = known.fields.get("workload")
        named = self.map_.workloads
        if isinstance(text, str) and (key := _key(text, named)) is not None:
            known = compose((layers[0], named[key], *layers[1:]))
        return _in_our_words(known, self.map_, self.slug)


def compose(layers: Iterable[Facts]) -> Known:
    """Return what *layers* say together, the first being the deepest.

    A field set again to something else forgets how its old value was known; a field
    that is ``missing`` is unset, and one that is set is no longer missing.
    """
    fields: Fields = {}
    basis: dict[str, str] = {}
    missing: dict[str, str] = {}
    printed: set[str] = set()
    for layer in layers:
        origin = layer if isinstance(layer, Layer) else _OF_MAP
        (printed.update if origin.printed else printed.difference_update)(layer.set)
        for name, value in layer.set.items():
            if fields.get(name, value) != value:
                basis.pop(bare_name(name), None)
            fields[name] = value
            missing.pop(bare_name(name), None)
        for name, why in layer.missing.items():
            for prefix in ("", *_PREFIXES):
                fields.pop(prefix + bare_name(name), None)
            basis.pop(bare_name(name), None)
            missing[bare_name(name)] = why
        basis.update((bare_name(name), how) for name, how in layer.basis.items())
        for name, why in origin.blank.items():
            if name not in fields:
                missing.setdefault(bare_name(name), why)
    return Known(fields, basis, missing, frozenset(printed & fields.keys()))


def bare_name(name: str) -> str:
    """Return the name of a field without ``parameters.`` or ``conditions.``."""
    return _PREFIX.sub("", name)


def scalar(field: str, text: str) -> Scalar:
    """Return what a cell says of *field*: a number where a parameter is one."""
    text = text.strip()
    if not field.startswith(_PREFIXES):
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if field == "parameters.batch_size":
        size = _BATCH.fullmatch(text)
        if size is None:
            raise RefusedError(f"{text!r} is no batch size")
        return int(size[1])
    return float(text) if _DECIMAL.fullmatch(text) else text


def group_facts(match: re.Match[str] | None) -> Layer:
    """Return what the named groups of an expression set; ``__`` stands for a dot.

    A text that is not what is expected is kept as it is.
    """
    fields: Fields = {}
    for group, text in match.groupdict().items() if match else ():
        name = group.replace("__", ".")
        if text:
            try:
                fields[name] = scalar(name, text)
            except RefusedError:
                fields[name] = text
    return Layer(set=fields, printed=True)


def slug(text: str) -> str:
    """Return a name of letters, digits and ``_`` in any script; at most 60 of them."""
    return re.sub(r"[\W_]+", "_", text.casefold())[:60].strip("_") or "column"


def _in_our_words(known: Known, map_: Map, own_setting: str) -> Known:
    """Return *known* with our names where it has words of the source.

    A workload that only the document's word makes ours gets *own_setting*: nobody said
    that it ran as ours does.
    """
    fields, basis = dict(known.fields), dict(known.basis)
    for name, named in (("machine", map_.machines), ("environment", map_.environments)):
        if isinstance(text := fields.get(name), str):
            fields[name] = _key(text, named) or text
    if "device" in fields:
        fields["device"] = _device(str(fields["device"]))
    if "framework" in fields:
        text = str(fields["framework"])
        fields["framework"] = naming.framework(text) or slug(text).replace("_", "-")
    if "precision" in fields:
        text = str(fields["precision"])
        fields["precision"] = naming.precision(text) or text.casefold()
    if "workload" not in fields:
        raise RefusedError("nothing says which workload this is")
    text = str(fields["workload"])
    key = _key(text, map_.workloads)
    fields["workload"] = key or _workload(text)
    is_printed = key is None and "workload" in known.printed
    if is_printed and "setting" not in fields:
        fields["setting"] = own_setting
        if fields["workload"] != text:
            basis.setdefault("workload", f"printed as {text}")
        basis.setdefault("setting", _UNLIKE)
    return replace(known, fields=fields, basis=basis)


def _workload(text: str) -> str:
    ours = text if text in workloads() else naming.workload(text)
    return ours or slug(text).replace("_", "-")


def _device(text: str) -> str:
    device = text if text in DEVICES else naming.device(text)
    if device is None:
        raise RefusedError(f"{text!r} is no device; the map's values say what it means")
    return device


_Named = (
    Mapping[str, MappedMachine]
    | Mapping[str, MappedEnvironment]
    | Mapping[str, Meaning]
)


def _key(text: str, named: _Named) -> str | None:
    """Return the key of what *text* means: the key itself, or by one of its matches."""
    if text in named:
        return text
    plain = " ".join(text.split()).casefold()
    for key, entry in named.items():
        if plain in (word.casefold() for word in (key, *entry.match)):
            return key
    return None
