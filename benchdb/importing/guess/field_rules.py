"""Which field of a run a column tells, by its header and its cells."""

import datetime
import re
from collections.abc import Callable

from benchdb.exchange.lines import Scalar
from benchdb.importing import naming
from benchdb.importing.guess.assumption import Guess, guess, leave_out
from benchdb.importing.guess.header_terms import fold
from benchdb.importing.guess.profile import ColumnProfile
from benchdb.importing.mapping.fields import slug
from benchdb.importing.mapping.language import Meaning

_AGREED = "yes y ja oui si sí true on 1 ✓ ✔ ✅ 是 有 예 はい o"
_DENIED = "no n nein non false off 0 ✗ ✘ ❌ 否 无 아니오 いいえ x"
_YES, _NO = frozenset(_AGREED.split()), frozenset(_DENIED.split())
_LINK = re.compile(r"https?://\S+")
_BATCH = re.compile(
    r"(?:bs|b|batch(?:[ _-]?size)?)?\s*[:=×x]?\s*\d{1,9}", re.IGNORECASE
)
_VERSION = re.compile(r"v?\d{1,4}(?:\.\w{1,20}){1,5}(?:[+-][\w.]{1,30})?")
_LONG_VERSION = re.compile(r"v|\d{1,4}\.\d{1,4}\.|\d{1,4}\.\d{1,4}(?:rc|a|b|\.?dev)\d")
_PYTHON = re.compile(r"v?(?:2\.7|3\.\d{1,2})(?:\.\w{1,20})?")
_SIZE = re.compile(r"\d{1,4}\s?(?:[GT](?:i?B|o)?)?", re.IGNORECASE)


def field(column: ColumnProfile) -> Guess | None:
    """Return the field that *column* surely tells, or that it says nothing."""
    if not column.texts and not _answers(column):
        return leave_out("every cell is blank or says that there is no figure")
    if column.parts:
        return None
    return next((one for rule in _RULES if (one := rule(column)) is not None), None)


def parameter(column: ColumnProfile) -> Guess:
    """Return the column as a parameter of the source's own, named by its header."""
    why = f"{column.header!r} is a setting, no figure"
    return guess(why, field=f"parameters.{slug(column.header)}")


def operating_system(text: str) -> dict[str, Scalar]:
    """Return the operating system that *text* names as fields."""
    names = ("os_name", "os_version", "os_build")
    found = naming.os(text) or ("", "", "")
    return {name: one for name, one in zip(names, found, strict=True) if one}


def _only(column: ColumnProfile, *terms: str) -> bool:
    return bool(column.terms) and column.terms <= set(terms)


def _beside(column: ColumnProfile) -> Guess | None:
    counts = "rank" not in column.terms or column.integers
    if _only(column, "note", "link", "rank"):
        why = f"{column.header!r} is no setting and no figure"
        return leave_out(why) if counts else None
    return leave_out("the cells are links") if column.mostly(_LINK.match) else None


def _count(column: ColumnProfile) -> Guess | None:
    """Return a column of counts that are settings: batches, epochs, steps, cores."""
    terms, header = column.terms, fold(column.header)
    if "batchsize" in terms and column.mostly(_BATCH.fullmatch):
        return guess(field="parameters.batch_size")
    if column.integers and not column.unit and "time" not in terms:
        if "cores" in terms and len(terms & {"cpu", "gpu"}) == 1:
            return guess(field="gpu_cores" if "gpu" in terms else "cpu_cores")
        if _only(column, "epoch"):
            single = header in ("epoch", "epoche", "époque")
            return guess(field=f"parameters.{'epoch' if single else 'epochs'}")
        if _only(column, "step") and header.endswith("s"):
            return guess(field="parameters.steps")
    if "ram" in terms and not terms & {"used", "peak"}:
        return guess(field="ram") if column.mostly(_SIZE.fullmatch) else None
    return None


def _answers(column: ColumnProfile) -> dict[str, bool]:
    """Return what the cells answer where all are yes or no."""
    answers = {text: text.casefold() in _YES for text in column.everything}
    known = all(text.casefold() in _YES | _NO for text in answers)
    return answers if known else {}


def _switch(column: ColumnProfile) -> Guess | None:
    """Return a column that says whether a device was used: ``Metal: ja``."""
    answers = _answers(column)
    device = naming.device(column.header)
    named = column.terms & {"metal", "gpu", "device", "cpu"}
    if not answers or not named or device not in ("metal", "cuda"):
        return None
    why = f"without {column.header} the CPU did the work"
    values = {text: device if yes else "cpu" for text, yes in answers.items()}
    return guess(why, field="device", values=values)


def _word(column: ColumnProfile) -> Guess | None:
    """Return a column of words that are known: precisions, devices, systems, days."""
    if column.mostly(naming.precision):
        return guess(field="precision")
    # One word that is no device and rows would be lost.
    if column.texts and all(naming.device(text) for text in column.texts):
        return guess(field="device")
    if column.mostly(naming.framework):
        versions = {text: naming.framework_version(text) for text in column.texts}
        cells = {
            text: Meaning(set={"framework_version": version})
            for text, version in versions.items()
            if version
        }
        return guess(field="framework", cells=cells)
    if column.mostly(naming.os):
        systems = {text: operating_system(text) for text in column.texts}
        cells = {
            text: Meaning(set=fields) for text, fields in systems.items() if fields
        }
        return guess(field="os_name", cells=cells)
    if column.mostly(_day):
        return guess(field="started")
    return guess(field="conditions.date") if _only(column, "date") else None


def _day(text: str) -> object | None:
    try:
        return datetime.date.fromisoformat(text[:10]) if len(text) > 9 else None
    except ValueError:
        return None


def _software(column: ColumnProfile) -> Guess | None:
    if column.mostly(_VERSION.fullmatch):
        if "python" in column.terms and column.mostly(_PYTHON.fullmatch):
            return guess(field="python")
        if "os" in column.terms:
            return guess(field="os_version")
        if column.terms & {"version", "framework"}:
            return guess(field="framework_version")
        framework = naming.framework(column.header)
        # Under "PyTorch", 1.81 may be milliseconds: only 1.81.0 is surely a version.
        if framework and any(map(_LONG_VERSION.match, column.texts)):
            return guess(field="framework_version", set={"framework": framework})
    if not _only(column, "compiler") or column.figures:
        return None
    is_switch = bool(_answers(column))
    name = f"parameters.{slug(column.header)}" if is_switch else "compiler"
    return guess(field=name)


_RULES: tuple[Callable[[ColumnProfile], Guess | None], ...] = (
    _beside,
    _count,
    _switch,
    _word,
    _software,
)
