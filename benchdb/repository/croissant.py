"""Croissant metadata (mlcommons.org/croissant/1.0) of the tables that are built.

It describes the data set as a whole: which files there are, and what their columns
mean. What a measurement is, is the business of our own exchange format.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, column, func, select, table

from benchdb import __version__
from benchdb.store.tables import run
from benchdb.store.views import COLUMNS, Column

_TYPES = {
    "text": "sc:Text",
    "integer": "sc:Integer",
    "real": "sc:Float",
    "boolean": "sc:Boolean",
}
_ABOUT = {
    "results": "The figure of each cell in one session, over its processes.",
    "figures": "The figures of each run.",
    "doubts": "What does not add up; the figures stay as they are.",
    "machine_details": "The machines, by their salted anonymous ids.",
}
_LICENCE = "https://creativecommons.org/publicdomain/zero/1.0/"
_OURS = ("mine",)  # says nothing where all was contributed
# The usual names of the format's terms, which need no prefix below.
_TERMS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileObject"),
    *("fileProperty", "fileSet", "samplingRate"),
    *("format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField"),
    *("path", "recordSet", "references", "regex", "repeated", "replace", "separator"),
    *("source", "subField", "transform"),
)
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    **{term: f"cr:{term}" for term in _TERMS},
}


class About(msgspec.Struct, frozen=True):
    """A collection: its *title*, the *names* of its contributors, its *version*.

    *base* is the address where all of it will be, or "".
    """

    title: str
    names: tuple[str, ...]
    version: str
    base: str


def tables(connection: Connection) -> dict[str, bytes]:
    """Return each view that anybody may ask as JSON Lines, by the path of its file.

    The same contents give the same bytes.
    """
    return {f"data/{view}.jsonl": _lines(connection, view) for view in COLUMNS}


def _lines(connection: Connection, view: str) -> bytes:
    columns = _shown(view)
    named: list[Any] = [column(item.name) for item in columns]
    query = select(*named).select_from(table(view)).order_by(*named)
    rows = (_typed(columns, row) for row in connection.execute(query))
    return "".join(
        json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"
        for row in rows
    ).encode()


def _typed(columns: Sequence[Column], row: Iterable[Any]) -> dict[str, Any]:
    """Return a row of SQLite's, which has numbers where it means yes or no."""
    return {
        result.name: bool(value)
        if result.kind == "boolean" and value is not None
        else value
        for result, value in zip(columns, row, strict=True)
    }


def _shown(view: str) -> tuple[Column, ...]:
    return tuple(item for item in COLUMNS[view] if item.name not in _OURS)


def metadata(
    connection: Connection,
    files: Mapping[str, bytes],
    about: About,
) -> bytes:
    """Return ``croissant.json`` of *files*, by path.

    The data are of the day on which the newest run began.
    """
    last = connection.scalar(select(func.max(run.c.started)))
    facts = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": about.title,
        "description": (
            "Speed and energy of machine learning, measured with benchdb "
            f"{__version__} and signed by those who own the machines."
        ),
        "citeAs": f"{about.title}. Contributed by {', '.join(about.names)}.",
        "license": _LICENCE,
        "creator": [{"@type": "sc:Person", "name": name} for name in about.names],
        "version": about.version,
        "url": about.base or "https://example.org/",
        "distribution": [
            _file(path, content, about.base) for path, content in files.items()
        ],
        "recordSet": [_record_set(view) for view in COLUMNS],
    }
    if last:
        facts["datePublished"] = last[:10]
    return json.dumps(facts, ensure_ascii=False, indent=1).encode() + b"\n"


def _file(path: str, content: bytes, base: str) -> dict[str, Any]:
    lines = path.endswith(".jsonl")
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path.rpartition("/")[2],
        "contentUrl": f"{base}{path}",
        "contentSize": f"{len(content)} B",
        "encodingFormat": "application/jsonlines" if lines else "application/x-sqlite3",
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _record_set(view: str) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": view,
        "name": view,
        "description": _ABOUT[view],
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{view}/{item.name}",
                "name": item.name,
                "description": item.about + (f" [{item.unit}]" if item.unit else ""),
                "dataType": _TYPES[item.kind],
                "source": {
                    "fileObject": {"@id": f"data/{view}.jsonl"},
                    "extract": {"column": item.name},
                },
            }
            for item in _shown(view)
        ],
    }
