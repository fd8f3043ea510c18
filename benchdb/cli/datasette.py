"""``benchdb db datasette``: what Datasette shows of a database beside its rows."""

import json
import shlex
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import typer
from sqlalchemy import Column, inspect

from benchdb.cli.console import option, plain, print_bytes
from benchdb.cli.user_database import Db, address, opened
from benchdb.errors import UsageError
from benchdb.files import replacing
from benchdb.resources import folder
from benchdb.store.database import reading
from benchdb.store.postgresql.server import is_address
from benchdb.store.views import COLUMNS
from benchdb.user_data import location_of

# Datasette interrupts a query after one second: the named ones may take longer in a
# large database, or on a busy machine.
_TIME_LIMIT = ["--setting", "sql_time_limit_ms", "10000"]


def datasette(
    output: Path = option(
        "File to write; - is standard output.",
        None,
        "-o",
        "--output",
        default=Path("-"),
    ),
    db: Db = None,
) -> None:
    """Write the metadata by which Datasette shows a database in a browser.

    Titles, what columns mean, facets, and queries with names. Datasette is no part of
    benchdb: pip install datasette.
    """
    if is_address(location_of(db)):
        raise UsageError(
            "Datasette reads files of SQLite, and this is a server; copy it into one: "
            "benchdb db copy postgresql+psycopg://… results.sqlite"
        )
    engine = opened(db)
    place = Path(address(engine))
    with reading(engine) as connection:
        there = inspect(connection)
        columns = {
            name: [column["name"] for column in there.get_columns(name)]
            for name in (*there.get_table_names(), *there.get_view_names())
        }
    written = metadata(place.stem, columns)
    text = json.dumps(written, indent=2, ensure_ascii=False) + "\n"
    if output == Path("-"):
        print_bytes([text.encode()])
    else:
        with replacing(output) as stream:
            stream.write(text.encode())
    file = "metadata.json" if output == Path("-") else str(output)
    command = shlex.join(["datasette", str(db or place), "-m", file, *_TIME_LIMIT])
    typer.echo(plain(f"benchdb: start it with: {command}"), err=True)


def metadata(name: str, columns: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return the metadata of a database that Datasette calls *name*.

    *columns* are those of its tables and views. Whatever is said of them in
    ``schema/comments.toml`` and the column dictionary is taken from there.
    """
    shown, words, dictionary = _data("datasette"), _data("comments"), _dictionary()
    style = shown["style"]
    tables = {}
    for table, there in columns.items():
        own = words.get(table)
        if own is None:  # somebody's own, which Datasette shows as it is
            continue
        if table in COLUMNS:
            shared = {**words["results"], **own}
            explained = {column.name: shared[column.name] for column in COLUMNS[table]}
        else:
            explained = dictionary.get(table, {}) | own
        first = shown["first"].get(table, [])
        tables[table] = {
            "title": table.replace("_", " ").capitalize(),
            "description_html": style + _described(table, own[""], first),
            "columns": {text: explained[text] for text in there if text in explained},
            "hidden": table in shown["hidden"],
            # By other columns of a view Datasette does not sort.
            **({"sortable_columns": there} if table in COLUMNS else {}),
            **shown["tables"].get(table, {}),
        }
    about = {key: shown[key] for key in ("title", "description", "about", "license")}
    queries = {
        key: query
        | {"hide_sql": True, "description_html": style + escape(query["description"])}
        for key, query in shown["queries"].items()
    }
    database = {"tables": tables, "queries": queries}
    return about | {"databases": {name: about | database}}


def _data(name: str) -> Any:
    text = (folder("schema") / f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text.replace("`", ""))  # marks that Datasette would show


def _described(table: str, text: str, first: list[str]) -> str:
    """Return *text*, with a link that shows the columns *first* alone, as HTML.

    Datasette shows all columns in the order of the table, which may begin with digests.
    """
    sentence = escape(text[:1].upper() + text[1:])
    if not first:
        return f"{sentence}."
    query = escape(urlencode([("_col", column) for column in first]))
    return f'{sentence}. <a href="{table}?{query}">Main columns</a>'


def _dictionary() -> dict[str, dict[str, str]]:
    """Return what the column dictionary says of the columns of tables."""
    words: dict[str, dict[str, str]] = {}
    # It needs PyArrow, an extra; without, Datasette explains the views alone.
    with suppress(ModuleNotFoundError):
        from benchdb.parquet.columns import BY_WORKLOAD, WHOLE  # noqa: PLC0415

        for column in chain.from_iterable((*BY_WORKLOAD.values(), *WHOLE.values())):
            if isinstance(column.of, Column):
                of_table = words.setdefault(column.of.table.name, {})
                unit = f" [{column.unit}]" if column.unit else ""
                of_table.setdefault(
                    column.of.name, column.about.replace("`", "") + unit
                )
    return words
