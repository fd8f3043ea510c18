"""What the answers of a database rest on, as plain data."""

import json
from typing import Any

import msgspec

from benchdb.report.data_files import json_document
from benchdb.report.scope import EVERYTHING
from benchdb.site.content import content
from benchdb.site.front_page import front_facts
from benchdb.site.system_pairs import Systems
from benchdb.store.database import open_database, reading

# What counts all that is listed, and grows with whatever comes.
_COUNTS = {
    "figures",
    "machines",
    "sources",
    "digest",
    "coverage",
    "newest",
    "identified",
}
_COUNTS |= {"identified", "absent", "unmeasured"}


def leading(database: object) -> Any:
    """Return the answers and the rows of chips, without counts of what is listed."""
    return view(database)["leading"]


def view(database: object) -> dict[str, Any]:
    """Return the report of everything, as its file has it, and what is ``leading``."""
    engine = open_database(str(database))
    with reading(engine) as connection:
        site = content(connection, EVERYTHING)
        facts = front_facts(site)
        plain = msgspec.to_builtins({"cards": facts.cards, "tables": facts.overview})
    engine.dispose()
    report: dict[str, Any] = json.loads(json_document(site.report))
    return report | {"leading": _bare(plain)}


def _bare(part: Any) -> Any:
    """Leave out counts, letters of notes, and chips without any ratio or median."""
    if isinstance(part, dict):
        kept = {
            key: _bare(result) for key, result in part.items() if key not in _COUNTS
        }
        return {key: result for key, result in kept.items() if key != "notes"}
    if isinstance(part, list | tuple):
        return [_bare(item) for item in part if not _is_bare_chip(item)]
    return part


def _is_bare_chip(row: Any) -> bool:
    known = ("training", "metal", "decode", "prefill")
    return (
        isinstance(row, dict)
        and row.keys() >= {"chip", *known}
        and not any(row[name] for name in known)
    )


def systems(database: object) -> Systems:
    """Return what each chip measured on each device, as far as it counts anywhere."""
    engine = open_database(str(database))
    with reading(engine) as connection:
        result = content(connection, EVERYTHING).systems
    engine.dispose()
    return result
