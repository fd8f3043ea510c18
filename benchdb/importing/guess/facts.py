"""The facts of runs that a card shows, by name, and what is typed to correct them."""

import re
from collections.abc import Callable
from functools import lru_cache

import msgspec

from benchdb.importing import naming
from benchdb.importing.guess.document_doubts import work_fault, work_of
from benchdb.importing.mapping.fields import DEVICES, scalar, slug
from benchdb.importing.mapping.language import (
    OF_MACHINES,
    PREFIXES,
    Column,
    Fields,
    Named,
)
from benchdb.importing.mapping.recognition import GPU, recognised
from benchdb.importing.quantities.missing_values import missing_of

_NAME = re.compile(r"(?=.*[^\W_]{2})[^\W_].{0,119}")
_MACHINE = re.compile(r"(?=.*[^\W\d_]{2})[^\W_].{0,119}")
_VERSION = re.compile(r"(?=.*\d)[\w.+-]{1,60}")


class Fact(msgspec.Struct, frozen=True):
    """Something known of a run: its *fields*, and by which words texts name it.

    *read* returns the fields that a typed text sets, none where it makes no sense;
    *example* is one that does.
    """

    name: str
    fields: frozenset[str]
    named: tuple[Named, ...]
    read: Callable[[str], Fields]
    example: str


def _machine(text: str) -> Fields:
    known = naming.chip(text) or naming.model(text)
    # One that we do not know goes by its name; what is another fact does not.
    if not known and (_MACHINE.fullmatch(text) is None or _is_other(text)):
        return {}
    return recognised(text, ["machine"], whole=True).set


def _is_other(text: str) -> bool:
    other = naming.framework(text) or naming.precision(text) or missing_of(text)
    return bool(other) or text.casefold() in (*DEVICES, GPU)


def _device(text: str) -> Fields:
    return {"device": text.casefold()} if text.casefold() in (*DEVICES, GPU) else {}


def _framework(text: str) -> Fields:
    known, version = naming.framework(text), naming.framework_version(text)
    if known is None:
        name, _, rest = text.rpartition(" ")
        version = rest if name and _VERSION.fullmatch(rest) else None
        text = name if version else text
        known = slug(text, "-") if _NAME.fullmatch(text) else None
    facts: Fields = {"framework": known} if known else {}
    return facts | ({"framework_version": version} if known and version else {})


def _system(text: str) -> Fields:
    parts = zip(
        ("os_name", "os_version", "os_build"), naming.os(text) or (), strict=False
    )
    return {name: part for name, part in parts if part}


def _work(text: str) -> Fields:
    return {} if work_fault(text) else {"workload": work_of(text)}


def _text(field: str, pattern: re.Pattern[str]) -> Callable[[str], Fields]:
    return lambda text: (
        {field: scalar(field, text)}
        if pattern.fullmatch(text) and missing_of(text) is None
        else {}
    )


def _precision(text: str) -> Fields:
    known = naming.precision(text)
    return {"precision": known} if known else {}


FACTS = {
    fact.name: fact
    for fact in (
        Fact("machine", frozenset(OF_MACHINES), ("machine",), _machine, "M1 Max 64 GB"),
        Fact("device", frozenset({"device"}), ("device",), _device, GPU),
        Fact("framework", frozenset({"framework"}), ("framework",), _framework, "mlx"),
        Fact(
            "version",
            frozenset({"framework_version"}),
            (),
            _text("framework_version", _VERSION),
            "0.21.1",
        ),
        Fact(
            "os",
            frozenset({"os_name", "os_version", "os_build"}),
            ("os",),
            _system,
            "macOS 15.1",
        ),
        Fact("python", frozenset({"python"}), (), _text("python", _VERSION), "3.12"),
        Fact("work", frozenset({"workload"}), ("workload",), _work, "llm-decode"),
        Fact(
            "model",
            frozenset({"parameters.model"}),
            ("network",),
            _text("parameters.model", _NAME),
            "Llama 3.1 8B",
        ),
        Fact(
            "quantization",
            frozenset({"parameters.quantization"}),
            ("quantization",),
            _text("parameters.quantization", _NAME),
            "Q4_K_M",
        ),
        Fact("precision", frozenset({"precision"}), ("precision",), _precision, "fp16"),
        Fact(
            "batch size",
            frozenset({"parameters.batch_size"}),
            ("batch_size",),
            _text("parameters.batch_size", re.compile(r"\d{1,9}")),
            "64",
        ),
    )
}
_ALIASES = {
    **dict.fromkeys(("chip", "accelerator", "hardware", "ram", "memory"), "machine"),
    **dict.fromkeys(("gpu cores", "cpu cores"), "machine"),
    "framework version": "version",
    "system": "os",
    "os name": "os",
    "workload": "work",
    "network": "model",
    "quantisation": "quantization",
    "quant": "quantization",
    "batch": "batch size",
}


def _plain(name: str) -> str:
    return " ".join(re.sub(r"[_-]", " ", name.casefold()).split())


def fact_named(name: str) -> Fact | None:
    """Return the fact that goes by *name*, as people and as maps write it."""
    return FACTS.get(_ALIASES.get(_plain(name), _plain(name)))


def column_of(answer: str, header: str) -> Column | None:
    """Return what a column below *header* is by an *answer*: ``batch size``, ``chip``.

    ``None`` where the answer names nothing that a column can be.
    """
    field = _plain(answer).replace(" ", "_")
    if field == "setting":
        return Column(field=f"parameters.{slug(header)}")
    if field in OF_MACHINES[1:] and field != "model":
        return Column(field=field)
    if (fact := fact_named(answer)) is None:
        return None
    alone = len(fact.fields) == 1
    return Column(field=min(fact.fields)) if alone else Column(names=fact.named)


@lru_cache(maxsize=1024)
def fact_of(field: str) -> Fact:
    """Return the fact that *field* is a part of: a setting is one by itself."""
    known = next((fact for fact in FACTS.values() if field in fact.fields), None)
    if known is not None:
        return known
    name = next(
        (field.removeprefix(it) for it in PREFIXES if field.startswith(it)), field
    )
    return Fact(f"setting {name}", frozenset({field}), (), _text(field, _NAME), "on")
