"""Names of sides: which one thing each of them stands for.

A side is named ``kind:value``, or by a value that only one kind has: ``chip:M1 Max``,
``campaign:2026-11-25-08f3``, a run id, ``results.jsonl``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, get_args

import msgspec
from sqlalchemy import Connection, select

from benchdb.errors import UsageError, suggestion
from benchdb.files import SQLITE_MAGIC
from benchdb.report.filters import alike
from benchdb.store.machines import canonical, my_machines
from benchdb.store.postgresql.server import is_address
from benchdb.store.tables import chip, machine, run, source

Kind = Literal["run", "campaign", "machine", "chip", "source", "file", "database"]
KINDS: tuple[Kind, ...] = get_args(Kind)
HERE = "here"  # the newest session on this machine
_ENOUGH = 6  # letters of a digest, a campaign or a machine that stand for it
_SHORT = 12  # letters of a digest in a heading
_SHOWN = 8  # names in a message
_LAST = "\U0010ffff"  # no letter comes after it


class Asked(msgspec.Struct, frozen=True):
    """A side as somebody asks for it: a kind with a value that exists."""

    kind: str
    value: str

    @property
    def name(self) -> str:
        """Return what to call it."""
        if self.kind == HERE:
            return "this machine"
        digest = self.kind in ("run", "machine")
        return f"{self.kind} {self.value[:_SHORT] if digest else self.value}"


def resolve(connection: Connection, name: str) -> Asked:
    """Return what *name* stands for: one kind of thing, and one thing of it.

    Raise ``UsageError`` for a name that nothing has, or several things.
    """
    prefix, colon, value = name.partition(":")
    value = value.strip()
    if colon and prefix in KINDS and value:
        fitting = _fitting(connection, prefix, value)
        if not fitting:
            raise UsageError(_none_of(connection, prefix, value))
    else:
        fitting = [
            asked for kind in KINDS for asked in _fitting(connection, kind, name)
        ]
        if not fitting:
            known = [*_campaigns(connection), *_chips(connection), *_slugs(connection)]
            raise UsageError(
                f"nothing is called {name!r}; a side is "
                f"{', '.join(KINDS[:-1])} or {KINDS[-1]}, as in chip:NAME"
                + suggestion(name, known)
            )
    if len(fitting) > 1:
        shown = ", ".join(f"{asked.kind}:{asked.value}" for asked in fitting[:_SHOWN])
        more = len(fitting) - _SHOWN
        rest = f" and {more} more" if more > 0 else ""
        raise UsageError(f"{name!r} fits several: {shown}{rest}; name one of them")
    return fitting[0]


def _fitting(connection: Connection, kind: str, value: str) -> list[Asked]:
    if kind not in _ON_DISK and not _is_text(value):
        return []
    return [Asked(kind, name) for name in _FITTING[kind](connection, value)]


def _is_text(value: str) -> bool:
    """Tell whether a database can be asked for it: a file may have any name."""
    try:
        return "\0" not in value and bool(value.encode())
    except UnicodeEncodeError:
        return False


def _none_of(connection: Connection, kind: str, value: str) -> str:
    """Say that nothing of *kind* has this *value*."""
    names: Mapping[str, Callable[[Connection], Iterable[str]]] = {
        "campaign": _campaigns,
        "chip": _chips,
        "source": _slugs,
        "machine": _machine_ids,
    }
    if kind in _ON_DISK and _is_file(value):
        other = "a database" if kind == "file" else "no database"
        return f"{value} is {other}; 'database:PATH' is one, 'file:PATH' any other"
    there = names[kind](connection) if kind in names else ()
    return f"no {kind} {value!r}" + suggestion(value, there)


def _runs(connection: Connection, value: str) -> list[str]:
    start = value.lower()
    if not _may_be_digest(start):
        return []
    # A range: an index finds it whatever the collation.
    query = select(run.c.digest).where(run.c.digest.between(start, f"{start}g"))
    return list(connection.scalars(query.limit(_SHOWN + 1)))


def _may_be_digest(start: str) -> bool:
    return len(start) >= _ENOUGH and not set(start) - set("0123456789abcdef")


def _campaign(connection: Connection, value: str) -> list[str]:
    exact = select(run.c.campaign).where(run.c.campaign == value).limit(1)
    if result := list(connection.scalars(exact)):
        return result
    if len(value) < _ENOUGH:
        return []
    query = select(run.c.campaign).where(
        run.c.campaign.startswith(value, autoescape=True)
    )
    if connection.dialect.name == "sqlite":  # whose index knows an order, no starts
        query = query.where(run.c.campaign.between(value, value + _LAST))
    return list(connection.scalars(query.distinct().limit(_SHOWN + 1)))


def _campaigns(connection: Connection) -> list[str]:
    query = select(run.c.campaign).where(run.c.campaign.is_not(None)).distinct()
    return list(connection.scalars(query.order_by(run.c.campaign)))


def _machine_ids(connection: Connection) -> list[str]:
    query = select(machine.c.anonymous_id).where(machine.c.anonymous_id.is_not(None))
    return list(connection.scalars(query.distinct()))


def _machine(connection: Connection, value: str) -> list[str]:
    """Return the machines with this id or digest, one of all that are the same.

    Where others gave runs with the id of a machine of mine, it is mine.
    """
    start, groups = value.casefold(), canonical(connection)
    rows = connection.execute(select(machine.c.digest, machine.c.anonymous_id)).all()
    exact = [row for row in rows if value in (row.anonymous_id, row.digest)]
    if not exact and len(start) >= _ENOUGH:
        exact = [
            row
            for row in rows
            if (row.anonymous_id or "").casefold().startswith(start)
            or (_may_be_digest(start) and row.digest.startswith(start))
        ]
    own = my_machines(connection)
    ids = {row.anonymous_id for row in exact if row.digest in own} - {None}
    return sorted(
        {
            groups[row.digest]
            for row in exact
            if row.digest in own or row.anonymous_id not in ids
        }
    )


def _chips(connection: Connection) -> list[str]:
    """Return the names of all chips that may have worked: processors and cards."""
    names = dict[str, str]()
    for name, cards in connection.execute(select(chip.c.name, chip.c.accelerators)):
        for each in (name, *(card.get("name") or "" for card in cards or ())):
            if each:
                names.setdefault(alike("chip", each), each)
    return sorted(names.values())


def _chip(connection: Connection, value: str) -> list[str]:
    wanted = alike("chip", value)
    return [name for name in _chips(connection) if alike("chip", name) == wanted]


def _slugs(connection: Connection) -> list[str]:
    return list(connection.scalars(select(source.c.slug).distinct()))


def _source(connection: Connection, value: str) -> list[str]:
    return [slug for slug in _slugs(connection) if slug.casefold() == value.casefold()]


def _file(_: Connection, value: str) -> list[str]:
    return [value] if _is_file(value) and not _is_sqlite(value) else []


def _database(_: Connection, value: str) -> list[str]:
    return [value] if is_address(value) or _is_sqlite(value) else []


def _is_file(value: str) -> bool:
    with suppress(OSError):  # a name that is too long for one
        return Path(value).is_file()
    return False


def _is_sqlite(value: str) -> bool:
    if not _is_file(value):
        return False
    with suppress(OSError), Path(value).open("rb") as stream:
        return stream.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
    return False


_ON_DISK = ("file", "database")
_FITTING: Mapping[str, Callable[[Connection, str], Sequence[str]]] = {
    "run": _runs,
    "campaign": _campaign,
    "machine": _machine,
    "chip": _chip,
    "source": _source,
    "file": _file,
    "database": _database,
}
