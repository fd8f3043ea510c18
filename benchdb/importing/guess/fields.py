"""Which field of a run a column tells, by its header and its cells."""

import datetime
import re
from collections.abc import Callable, Iterable

import msgspec

from benchdb.exchange.lines import Scalar
from benchdb.importing.guess.facts import system
from benchdb.importing.guess.header_terms import folded
from benchdb.importing.guess.profile import Cells
from benchdb.importing.mapping.language import Column, Meaning
from benchdb.importing.mapping.words import slug
from benchdb.importing.recognising import recognise

ASSUMED, UNDECIDED = "assumed", "undecided"
_MOSTLY = 0.8  # of the cells
_AGREED = "yes y ja oui si sí true on 1 ✓ ✔ ✅ 是 有 예 はい o"
_DENIED = "no n nein non false off 0 ✗ ✘ ❌ 否 无 아니오 いいえ x"
_YES, _NO = frozenset(_AGREED.split()), frozenset(_DENIED.split())
_BATCH = re.compile(
    r"(?:bs|b|batch(?:[ _-]?size)?)?\s*[:=×x]?\s*\d{1,9}", re.IGNORECASE
)
_VERSION = re.compile(r"v?\d{1,4}(?:\.\w{1,20}){1,5}(?:[+-][\w.]{1,30})?")
_MODEL = re.compile(
    r"(?:Apple )?(?:MacBook|Mac ?mini|iMac|Mac Studio|Mac Pro|iPad|iPhone)\b", re.I
)
_LONG_VERSION = re.compile(r"v|\d{1,4}\.\d{1,4}\.|\d{1,4}\.\d{1,4}(?:rc|a|b|\.?dev)\d")
_PYTHON = re.compile(r"v?(?:2\.7|3\.\d{1,2})(?:\.\w{1,20})?")
_SIZE = re.compile(r"\d{1,4}\s?(?:[GT](?:i?B|o)?)?", re.IGNORECASE)


class Guess(msgspec.Struct, frozen=True):
    """What a column is taken to be, with what is assumed or undecided in it."""

    column: Column
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def field(self) -> str | None:
        """Return the field that its cells set."""
        return self.column.field if self.column.is_ == "field" else None


def field(cells: Cells) -> Guess | None:
    """Return the field that *cells* surely tell, or that the column says nothing."""
    if not cells.texts and not _answers(cells):
        return _ignored("every cell is blank or says that there is no figure")
    if cells.parts:
        return None
    return next((one for rule in _RULES if (one := rule(cells)) is not None), None)


def parameter(cells: Cells, *, sure: bool = False) -> Guess:
    """Return the column as a parameter of the source's own, named by its header."""
    name = f"parameters.{slug(cells.header)}"
    if sure:
        return Guess(Column(field=name))
    return Guess(
        Column(field=name), ((ASSUMED, f"{cells.header!r} is a setting, no figure"),)
    )


def model(cells: Cells) -> Guess | None:
    """Return a column of Macs and iPhones, beside one of their chips."""
    return Guess(Column(field="model")) if _all(cells, _MODEL.match) else None


def _ignored(why: str) -> Guess:
    return Guess(Column(is_="ignore"), ((ASSUMED, f"left out: {why}"),))


def _all(cells: Cells, meaning: Callable[[str], object | None]) -> bool:
    known = sum(meaning(text) is not None for text in cells.texts)
    return bool(cells.texts) and known >= len(cells.texts) * _MOSTLY


def _matches(cells: Cells, pattern: re.Pattern[str]) -> bool:
    return _all(cells, pattern.fullmatch)


def _only(cells: Cells, *ideas: str) -> bool:
    return bool(cells.ideas) and cells.ideas <= set(ideas)


def _beside(cells: Cells) -> Guess | None:
    if _only(cells, "note", "link", "rank"):
        if "rank" in cells.ideas and not cells.integers:
            return None
        return _ignored(f"{cells.header!r} is no setting and no figure")
    if _all(cells, re.compile(r"https?://\S+").match):
        return _ignored("the cells are links")
    return None


def _batch(cells: Cells) -> Guess | None:
    if "batchsize" in cells.ideas and _matches(cells, _BATCH):
        return Guess(Column(field="parameters.batch_size"))
    return None


def _count(cells: Cells) -> Guess | None:
    """Return a column of counts that are settings: epochs, steps, cores."""
    if not cells.integers or cells.unit or "time" in cells.ideas:
        return None
    if "cores" in cells.ideas and len(cells.ideas & {"cpu", "gpu"}) == 1:
        return Guess(Column(field="gpu_cores" if "gpu" in cells.ideas else "cpu_cores"))
    if _only(cells, "epoch"):
        single = folded(cells.header) in ("epoch", "epoche", "époque")
        return Guess(Column(field=f"parameters.{'epoch' if single else 'epochs'}"))
    if _only(cells, "step") and folded(cells.header).endswith("s"):
        return Guess(Column(field="parameters.steps"))
    return None


def _ram(cells: Cells) -> Guess | None:
    named = "ram" in cells.ideas and not cells.ideas & {"used", "peak"}
    return Guess(Column(field="ram")) if named and _matches(cells, _SIZE) else None


def _answers(cells: Cells) -> dict[str, bool]:
    """Return what the cells answer where all are yes or no."""
    said = {text: text.casefold() in _YES for text in cells.everything}
    return said if said and all(t.casefold() in _YES | _NO for t in said) else {}


def _switch(cells: Cells) -> Guess | None:
    """Return a column that says whether a device was used: ``Metal: ja``."""
    answers = _answers(cells)
    if not answers or not cells.ideas & {"metal", "gpu", "device", "cpu"}:
        return None
    device = recognise.device(cells.header)
    if device not in ("metal", "cuda"):
        return None
    values: dict[str, Scalar] = {
        text: device if yes else "cpu" for text, yes in answers.items()
    }
    note = (ASSUMED, f"without {cells.header} the CPU did the work")
    return Guess(Column(field="device", values=values), (note,))


def _device(cells: Cells) -> Guess | None:
    """Return a column of devices; one word that is none and rows would be lost."""
    if cells.texts and all(recognise.device(text) for text in cells.texts):
        return Guess(Column(field="device"))
    return None


def _precision(cells: Cells) -> Guess | None:
    known = _all(cells, recognise.precision)
    return Guess(Column(field="precision")) if known else None


def _framework(cells: Cells) -> Guess | None:
    if not _all(cells, recognise.framework):
        return None
    meant = {
        text: Meaning(set={"framework_version": version})
        for text in cells.texts
        if (version := recognise.framework_version(text))
    }
    return Guess(Column(field="framework", cells=meant))


def _system(cells: Cells) -> Guess | None:
    if not _all(cells, recognise.os):
        return None
    meant = {text: Meaning(set=said) for text in cells.texts if (said := system(text))}
    return Guess(Column(field="os_name", cells=meant))


def _date(cells: Cells) -> Guess | None:
    if _all(cells, _day):
        return Guess(Column(field="started"))
    if _only(cells, "date"):
        return Guess(Column(field="conditions.date"))
    return None


def _day(text: str) -> object | None:
    try:
        return datetime.date.fromisoformat(text[:10]) if len(text) > 9 else None
    except ValueError:
        return None


def _software(cells: Cells) -> Guess | None:
    if not _matches(cells, _VERSION):
        return None
    if "python" in cells.ideas and _all(cells, _PYTHON.fullmatch):
        return Guess(Column(field="python"))
    if "os" in cells.ideas:
        return Guess(Column(field="os_version"))
    if "version" in cells.ideas or "framework" in cells.ideas:
        return Guess(Column(field="framework_version"))
    framework = recognise.framework(cells.header)
    # Under "PyTorch", 1.81 may be milliseconds: only 1.81.0 is surely a version.
    if framework is None or not any(map(_LONG_VERSION.match, cells.texts)):
        return None
    return Guess(Column(field="framework_version", set={"framework": framework}))


def _compiler(cells: Cells) -> Guess | None:
    if not _only(cells, "compiler") or cells.figures:
        return None
    return parameter(cells, sure=True) if _answers(cells) else _compiler_names()


def _compiler_names() -> Guess:
    return Guess(Column(field="compiler"))


_RULES: tuple[Callable[[Cells], Guess | None], ...] = (
    _beside,
    _batch,
    _count,
    _ram,
    _switch,
    _precision,
    _device,
    _framework,
    _system,
    _date,
    _software,
    _compiler,
)


def told_by(guesses: Iterable[Guess]) -> set[str]:
    """Return the fields that columns tell; as a pivot only all columns together do."""
    found: set[str] = set()
    shared: list[set[str]] = []
    for guess in guesses:
        if guess.column.is_ in ("value", "ratio"):
            shared += [set(guess.column.set)] if guess.column.is_ == "value" else []
            continue
        found |= {guess.field} if guess.field else set()
        found |= set(guess.column.set)
        found |= {name for one in guess.column.cells.values() for name in one.set}
    found |= set.intersection(*shared) if shared else set()
    return found | ({"machine"} if found & {"chip", "accelerator"} else set())
