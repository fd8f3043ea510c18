"""What the texts of fields mean: our names for workloads, machines and devices."""

import re
from collections.abc import Mapping
from typing import get_args

from msgspec.structs import replace

from benchdb.catalogue import workloads
from benchdb.exchange.lines import Device, Scalar
from benchdb.exchange.validation import RefusedError
from benchdb.importing.mapping.language import (
    Map,
    MappedEnvironment,
    MappedMachine,
    Meaning,
)
from benchdb.importing.mapping.layers import Known
from benchdb.importing.recognising import recognise

# The fields of a run itself; others are its machine's and its environment's.
OF_RUNS = (
    "workload",
    "setting",
    "framework",
    "framework_version",
    "device",
    "device_name",
    "precision",
    "compiler",
    "seed",
    "started",
)
_DEVICES = get_args(Device)
_UNLIKE = "the source's own: nothing says that the work is done as ours is"
_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d{0,14})", re.ASCII)
_DECIMAL = re.compile(r"[+-]?\d{1,12}\.\d{1,12}", re.ASCII)
_BATCH = re.compile(r"(?:bs|b|batch(?:[ _-]?size)?)\s*[:=×x]?\s*(\d{1,9})", re.I | re.A)
_BATCHES = ("parameters.batch_size",)


def scalar(field: str, text: str) -> Scalar:
    """Return what a cell says of *field*: a number where a parameter is one."""
    text = text.strip()
    if not field.startswith(("parameters.", "conditions.")):
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if field in _BATCHES:
        return _batch(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def _batch(text: str) -> int:
    found = _BATCH.fullmatch(text)
    if found is None:
        raise RefusedError(f"{text!r} is no batch size")
    return int(found[1])


def slug(text: str) -> str:
    """Return a name of letters, digits and ``_`` in any script; at most 60 of them."""
    return re.sub(r"[\W_]+", "_", text.casefold())[:60].strip("_") or "column"


def workload_of(known: Known, map_: Map) -> str | None:
    """Return the key in *map_* of the workload that a run names, if it has one."""
    text = known.fields.get("workload")
    return _key(text, map_.workloads) if isinstance(text, str) else None


def canonical(known: Known, map_: Map, own_setting: str) -> Known:
    """Return *known* with our names where it has words of the source.

    A workload that only the document's word makes ours gets *own_setting*: nobody said
    that it ran as ours does. Raise ``RefusedError`` where a word is none that can be
    meant.
    """
    fields = dict(known.fields)
    basis = dict(known.basis)
    for name, key in (("machine", map_.machines), ("environment", map_.environments)):
        text = fields.get(name)
        if isinstance(text, str):
            fields[name] = _key(text, key) or text
    for name in ("device", "framework", "precision"):
        if name in fields:
            fields[name] = _NAMED[name](str(fields[name]))
    if "workload" not in fields:
        raise RefusedError("nothing says which workload this is")
    text = str(fields["workload"])
    fields["workload"], certain = _workload(text, map_)
    certain = certain or "workload" not in known.printed
    if not certain and "setting" not in fields:
        fields["setting"] = own_setting
        if fields["workload"] != text:
            basis.setdefault("workload", f"printed as {text}")
        basis.setdefault("setting", _UNLIKE)
    return replace(known, fields=fields, basis=basis)


def _workload(text: str, map_: Map) -> tuple[str, bool]:
    """Return our name of a workload, and whether the map gives it."""
    key = _key(text, map_.workloads)
    if key is not None:
        return key, True
    ours = text if text in workloads() else recognise.workload(text)
    return ours or slug(text).replace("_", "-"), False


def _device(text: str) -> str:
    if text in _DEVICES:
        return text
    device = recognise.device(text)
    if device is None:
        raise RefusedError(f"{text!r} is no device; the map's values say what it means")
    return device


def _framework(text: str) -> str:
    return recognise.framework(text) or slug(text).replace("_", "-")


def _precision(text: str) -> str:
    return recognise.precision(text) or text.casefold()


_NAMED = {"device": _device, "framework": _framework, "precision": _precision}
_Named = Mapping[str, MappedMachine] | Mapping[str, MappedEnvironment]


def _key(text: str, named: _Named | Mapping[str, Meaning]) -> str | None:
    """Return the key of what *text* means: the key itself, or by one of its matches."""
    if text in named:
        return text
    plain = " ".join(text.split()).casefold()
    for key, one in named.items():
        if plain == key.casefold() or plain in (word.casefold() for word in one.match):
            return key
    return None
