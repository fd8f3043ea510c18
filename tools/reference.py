"""Pages of the documentation that are made of the source while ``mkdocs`` builds.

A hook of ``mkdocs.yml``: it adds the reference, the glossary, and the documents that
lie outside ``docs/``, and leads links between all of them to where the pages are.
"""

import inspect
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from posixpath import dirname, normpath, relpath
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from sqlalchemy import Table

import benchdb
from benchdb import cli
from benchdb.parquet import columns as parquet
from benchdb.report.data_files import COLUMNS as CSV_COLUMNS
from benchdb.resources import folder
from benchdb.store import tables, views

CHECKOUT = Path(__file__).resolve().parents[1]
# Documents outside of docs/, and the pages that they become.
DOCUMENTS = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "ARCHITECTURE.md": "project/architecture.md",
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changelog.md",
    "collectors/README.md": "project/collectors.md",
    "schema/README.md": "project/schema.md",
    "benchmarks/README.md": "project/benchmarks.md",
}
# "make docs" writes it there; in the checkout the link would lead nowhere.
RESULTS = '<a href="results/index.html">The site of these results</a>'
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^ *(?:```|~~~)", re.MULTILINE)


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table of Markdown; bars and line ends in its cells are escaped."""
    lines = [[*heads]]
    lines += [["---"] * len(lines[0])]
    lines += [[_cell(item) for item in row] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return re.sub(r"\s*\n\s*", " ", text).replace("|", "\\|")


def _code(value: object) -> str:
    return f"`{value}`" if value not in (None, "") else ""


def _prose(docstring: str | None) -> str:
    """Return a docstring as Markdown."""
    return re.sub(r"``(.+?)``", r"`\1`", inspect.cleandoc(docstring or ""))


# --- the command line ---


def commands() -> str:
    """Return every command with its arguments and options, as its help has them."""
    parts = [
        "# Commands\n\nMade of the program itself; `-h` after a command says it.\n"
    ]
    for name in cli.COMMANDS:
        command = typer.main.get_command(import_module(cli.module_of(name)).app)
        below: Mapping[str, Any] = getattr(command, "commands", {})
        if below:
            parts.append(f"## benchdb {name}\n\n{_prose(command.help)}\n")
        for sub, result in below.items() or {"": command}.items():
            parts.append(_command(f"benchdb {name} {sub}".rstrip(), result))
    return "\n".join(parts)


def _command(name: str, command: Any) -> str:
    context = command.make_context(name, [], resilient_parsing=True)
    pieces = " ".join(command.collect_usage_pieces(context))
    level = "#" * (2 + (name.count(" ") > 1))
    rows = [
        (
            parameter.human_readable_name
            if parameter.param_type_name == "argument"
            else ", ".join(map(_code, (*parameter.opts, *parameter.secondary_opts))),
            _value(parameter, context),
            parameter.help,
            _default(parameter),
        )
        for parameter in command.params
        if not parameter.hidden and parameter.name != "help"
    ]
    return (
        f"{level} {name}\n\n{_prose(command.help)}\n\n```text\n{name} {pieces}\n```\n\n"
        + (table(("option", "value", "what it does", "else"), rows) if rows else "")
    )


_PLAIN = {"<int range>": "N", "<int>": "N", "<str>": "TEXT", "<path>": "PATH"}


def _value(parameter: Any, context: Any) -> str:
    if getattr(parameter, "is_flag", False):
        return ""
    choices = getattr(parameter.type, "choices", None)
    if choices:
        return ", ".join(_code(getattr(choice, "value", choice)) for choice in choices)
    many = ", repeatable" if getattr(parameter, "multiple", False) else ""
    metavar = str(parameter.make_metavar(context))
    return f"`{_PLAIN.get(metavar, metavar)}`{many}"


def _default(parameter: Any) -> str:
    value = parameter.default
    if (
        callable(value)
        or value in (None, False, (), [], "")
        or "Sentinel" in str(value)
    ):
        return ""
    return _code(getattr(value, "value", value))


# --- Python ---


def python() -> str:
    """Return what ``benchdb`` offers to programs, from its docstrings."""
    parts = [f"# Python API\n\n{_prose(benchdb.__doc__)}\n"]
    for name in benchdb.__all__:
        value = getattr(benchdb, name)
        if inspect.isclass(value):
            parts.append(f"## benchdb.{name}\n\n{_prose(value.__doc__)}\n")
            parts += _members(name, value)
        elif callable(value):
            parts.append(f"## benchdb.{name}\n\n{_signature(name, value)}")
    return "\n".join(parts)


def _members(owner: str, kind: type) -> Iterator[str]:
    if issubclass(kind, Exception):
        return
    for name, value in vars(kind).items():
        if name.startswith("_") or not inspect.getdoc(value):
            continue
        if inspect.isfunction(value):
            yield f"### {owner}.{name}\n\n{_signature(name, value)}"
        elif isinstance(value, property):
            yield f"### {owner}.{name}\n\n{_prose(value.__doc__)}\n"


def _signature(name: str, function: Callable[..., Any]) -> str:
    shown = re.sub(
        r"\*?<class '[\w.]*?(\w+)'>", r"\1", str(inspect.signature(function))
    )
    return f"```python\n{name}{shown}\n```\n\n{_prose(function.__doc__)}\n"


# --- the exchange format, tables, figures ---


def exchange() -> str:
    """Return the lines of an exchange file with all their fields, from the schema."""
    path = folder("schema") / "exchange.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    kinds = {ref["$ref"].rpartition("/")[2] for ref in schema["anyOf"]}
    parts = [
        f"# Exchange format\n\n{schema['title']}. {schema.get('description', '')}\n\n"
        "Each line is an object whose `type` says what it is; the other objects stand "
        "in fields of lines. The rules beyond the fields are in "
        "[the format](../project/schema.md).\n"
    ]
    for name, definition in schema["$defs"].items():
        line = f"Line `{_only(definition, 'type')}`. " if name in kinds else ""
        required = definition.get("required", ())
        rows = [
            (_code(field), _type(description), "yes" if field in required else "",
             description.get("description"))
            for field, description in definition.get("properties", {}).items()
            if field != "type" or name not in kinds
        ]  # fmt: skip
        about = _prose(definition.get("description"))
        fields = table(("field", "type", "required", "meaning"), rows)
        parts.append(f"## {name}\n\n{line}{about}\n\n{fields}")
    return "\n".join(parts)


def _only(schema: Mapping[str, Any], field: str) -> str:
    return str(schema["properties"][field]["enum"][0])


def _type(field: Mapping[str, Any]) -> str:
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(map(_type, field["anyOf"])))
    if "enum" in field:
        return ", ".join(map(_code, field["enum"]))
    if field.get("type") == "array":
        inside = field.get("items") or {}
        return f"list of {_type(inside)}" if inside else "list"
    kind = field.get("type", "anything")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def sql() -> str:
    """Return the views and tables with what each column means."""
    text = (folder("schema") / "comments.toml").read_text(encoding="utf-8")
    comments = tomllib.loads(text)
    parts = [
        "# Views and tables\n\nThe views are for everybody, and stay; the tables are "
        "how benchdb keeps its runs, and change with its version "
        "([SQL by example](../databases.md#asking-in-sql)).\n\n## Views\n"
    ]
    parts += [
        f"### {name}\n\n{comments[name]['']}\n\n" + _view(columns)
        for name, columns in views.TABLES.items()
    ]
    parts.append("## Tables\n")
    known = {column.of: column.about for column in _flat() if column.of is not None}
    for item in tables.metadata.sorted_tables:
        about = comments[item.name]
        parts.append(
            f"### Table {item.name}\n\n{about['']}\n\n" + _table(item, about, known)
        )
    return "\n".join(parts)


def _view(columns: Iterable[views.Column]) -> str:
    return table(
        ("column", "type", "unit", "meaning"),
        ((_code(c.name), c.kind, c.unit, c.about) for c in columns),
    )


def _flat() -> Iterator[parquet.Column]:
    for columns in vars(parquet).values():
        if isinstance(columns, tuple):
            yield from (it for it in columns if isinstance(it, parquet.Column))


def _table(result: Table, about: Mapping[str, str], known: Mapping[Any, str]) -> str:
    rows = []
    for column in result.columns:
        leads = [f"leads to `{key.target_fullname}`" for key in column.foreign_keys]
        text = about.get(column.name) or known.get(column)
        key = ["part of the key"] if column.primary_key else []
        outcome = "; ".join([*([text] if text else []), *key, *leads])
        kind = str(column.type).lower()
        rows.append(
            (_code(column.name), kind, "" if column.nullable else "yes", outcome)
        )
    return table(("column", "type", "never NULL", "meaning"), rows)


def csv() -> str:
    """Return what the columns of ``report.csv`` mean."""
    rows = ((_code(name), about) for name, about in CSV_COLUMNS.items())
    return (
        "# Columns of report.csv\n\n`benchdb report --format csv` writes a row for "
        "each figure. What is not known is empty.\n\n"
        + table(("column", "meaning"), rows)
    )


def metrics() -> str:
    """Return every figure with unit and direction."""
    path = folder("schema") / "metrics.json"
    rows = (
        (
            _code(name),
            result["unit"],
            result["direction"],
            result["short"],
            result["title"],
        )
        for name, result in json.loads(path.read_text(encoding="utf-8")).items()
    )
    heads = ("metric", "unit", "better", "in tables", "what is measured")
    return f"# Metrics\n\n{table(heads, rows)}"


def workloads() -> str:
    """Return every piece of work: what we measure, then what only others did."""
    ours = folder("collectors") / "catalogue" / "workloads.json"
    others = folder("schema") / "workloads.json"
    return (
        "# Workloads\n\n`benchdb workloads` says more of each.\n\n"
        f"## Measured by benchdb\n\n{_works(ours)}"
        f"## Measured by others only\n\n{_works(others)}"
    )


def _works(path: Path) -> str:
    rows = []
    for name, work in json.loads(path.read_text(encoding="utf-8")).items():
        axes = work.get("parameters") or dict.fromkeys(work.get("cell", ()), "…")
        options = ", ".join(
            f"{key} {value}" if value != "…" else key for key, value in axes.items()
        )
        rows.append((_code(name), work["title"], work["model"], work["timed"], options))
    return table(("workload", "title", "model", "what is timed", "parameters"), rows)


def glossary() -> str:
    """Return the words of ARCHITECTURE.md, each with an address of its own."""
    text = (CHECKOUT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = text.partition("\n## Words\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", section, re.MULTILINE)[1:]
    words = "".join(f"### {word}\n\n{meaning}\n\n" for word, meaning in rows)
    return (
        f"# Glossary\n\nWhat the words of reports, commands and tables mean.\n\n{words}"
    )


GENERATED: Mapping[str, Callable[[], str]] = {
    "reference/commands.md": commands,
    "reference/python.md": python,
    "reference/exchange.md": exchange,
    "reference/sql.md": sql,
    "reference/csv.md": csv,
    "reference/metrics.md": metrics,
    "reference/workloads.md": workloads,
    "glossary.md": glossary,
}


# --- the hook ---


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the generated pages, and the documents that lie outside ``docs/``."""
    for page, made in GENERATED.items():
        files.append(File.generated(config, page, content=made()))
    for name, page in DOCUMENTS.items():
        text = (CHECKOUT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Lead links to where documents are in the site; leave text where none is."""
    here = page.file.src_uri
    if here in GENERATED:
        return markdown
    if here == "index.md":
        markdown = markdown.replace("\n![", f"\n{RESULTS}\n\n![", 1)
    pieces = re.split(r"(^ *```.*?^ *```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(
        piece if _FENCE.match(piece) else _LINK.sub(_relinked(here), piece)
        for piece in pieces
    )


def _relinked(page: str) -> Callable[[re.Match[str]], str]:
    """Return what replaces a link of *page*."""
    source = {made: name for name, made in DOCUMENTS.items()}.get(page, f"docs/{page}")

    def replaced(link: re.Match[str]) -> str:
        mark, text, target = link.groups()
        place, hash_, fragment = target.partition("#")
        if not place or re.match("[a-z]+:", place):
            return link[0]
        path = normpath(f"{dirname(source)}/{place}").lstrip("/")
        at = DOCUMENTS.get(path) or (path[5:] if path.startswith("docs/") else None)
        if at is None:  # a file of the repository, which is not part of the site
            return text
        return f"{mark}[{text}]({relpath(at, dirname(page) or '.')}{hash_}{fragment})"

    return replaced
