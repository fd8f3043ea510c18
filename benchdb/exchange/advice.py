"""Why a line is refused, in terms of its fields: what is allowed, and what is near."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, get_args, get_type_hints

import msgspec

from benchdb.errors import suggestion
from benchdb.exchange.messages import Definition, Line

_LINES: dict[str, type[msgspec.Struct]] = {
    str(each.__struct_config__.tag): each for each in get_args(Line)
}
_SAID = re.compile(r"^(?P<what>.*?)(?: - at `\$(?P<path>[^`]*)`)?$", re.DOTALL)
_FIELD = re.compile(r"field `([^`]*)`")
_VALUE = re.compile(r"Invalid (?:enum )?value '(.*)'", re.DOTALL)
_STEP = re.compile(r"\.(\w+)")


def advised(about: dict[str, object], why: str) -> str:
    """Return *why* the decoder refused a line, with what to write instead.

    *about* is what the line says, ``{}`` where that is not certain.
    """
    match = _SAID.match(why)
    what, path = (match["what"], match["path"] or "") if match else (why, "")
    steps, field, value = _STEP.findall(path), _FIELD.search(what), _VALUE.match(what)
    if steps == ["type"] and value:
        return f"no line of type {value[1]!r}{suggestion(value[1], _LINES)}"
    if field and field[1] == "type" and not steps:
        return f"it does not say its type{suggestion('', _LINES)}"
    line = _LINES.get(str(about.get("type")))
    its = line and _struct(line, steps if field else steps[:-1])
    if its is None:
        return why
    if field:
        where = ".".join((str(about["type"]), *steps))
        return _of_field(what, field[1], its, where)
    if not steps or steps[-1] not in its.__struct_fields__:
        return why
    return _of_value(what, value and value[1], its, ".".join(steps))


def near_metrics(name: str, there: Iterable[str]) -> str:
    """Return which metrics have a name like *name*, as the end of a message."""
    near = get_close_matches(name, list(there), n=4, cutoff=0.5)
    words = {word for word in re.split(r"[_\W]+", name) if len(word) > _SHORT}
    near += [it for it in there if words & {*it.split("_")} and it not in near][:4]
    return f"; near are {', '.join(near[:6])}" if near else ""


_SHORT = 2  # letters of a word that says too little: s, ms, of


def foreign_metric(its: Definition) -> str:
    """Return how the metric *its*, which is not known here, can be made known."""
    short = f", short = {its.short!r}" if its.short else ""
    entry = f"title = {its.title!r}, unit = {its.unit!r}, direction = {its.direction!r}"
    return (
        f"the metric {its.name!r} is of whoever wrote the file; to take its values, "
        f"add to catalogue.toml: metric.{its.name} = {{ {entry}{short} }}"
    )


def _of_field(what: str, name: str, its: type[msgspec.Struct], where: str) -> str:
    known = its.__struct_fields__
    if what.startswith("Object missing"):
        return f"{where} lacks its field {name!r}: {_lower(_meaning(its, name))}"
    near = get_close_matches(name, known, n=1, cutoff=0.6) or [
        it for it in known if name.casefold() in _meaning(its, it).casefold()
    ]
    there = f"; {where} has {', '.join(known)}"
    if not near:
        return f"unknown field {name!r}{there}"
    meaning = _lower(_meaning(its, near[0]))
    return f"unknown field {name!r}; did you mean {near[0]!r}, {meaning}?{there}"


def _of_value(
    what: str, value: str | None, its: type[msgspec.Struct], place: str
) -> str:
    name = place.rpartition(".")[2]
    allowed = _allowed(its, name)
    if value is not None and allowed:
        return f"no {name} {value!r}; there are: {', '.join(allowed)}"
    return f"{place}: {_lower(what)} ({_lower(_meaning(its, name))})"


def _struct(line: type[msgspec.Struct], path: list[str]) -> type[msgspec.Struct] | None:
    """Return the struct that a *path* of fields leads to; None at plain data."""
    its: type[msgspec.Struct] | None = line
    for step in path:
        if its is None or step not in its.__struct_fields__:
            return None
        its = _inside(get_type_hints(its)[step])
    return its


def _inside(hint: Any) -> type[msgspec.Struct] | None:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return hint
    return next(filter(None, map(_inside, get_args(hint))), None)


def _meaning(its: type[msgspec.Struct], field: str) -> str:
    """Return what a field means, as the schema describes it."""
    hints = get_type_hints(its, include_extras=True)
    (meta,) = [it for it in hints[field].__metadata__ if it.description]
    return str(meta.description)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _allowed(its: type[msgspec.Struct], field: str) -> tuple[str, ...]:
    """Return the words that a field may have; none where it is free."""
    return tuple(it for it in get_args(get_type_hints(its)[field]) if type(it) is str)
