"""The tables of a document: those it is written in, or what a reader of logs finds."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial

from msgspec.structs import replace

from benchdb.importing.blocks import bullet, unquoted
from benchdb.importing.document import LINE_LIMIT, Document, DocumentError
from benchdb.importing.logs import (
    aligned_columns,
    bars,
    epochs,
    key_value,
    line_template,
    sentences,
    timings,
)
from benchdb.importing.logs.line_text import shown
from benchdb.importing.sheet import Habit, Reader, Sheet
from benchdb.importing.tables import (
    csv,
    html_tables,
    nested,
    notebook,
    page,
    pipe_tables,
)

_SEPARATED = (".csv", ".tsv")
_JSON = (".json", ".jsonl", ".ndjson")
_YAML = (".yaml", ".yml")
_MARKDOWN = (".md", ".markdown", ".mdx", ".rmd", ".qmd")
_PARTED = ("html", "json", "yaml")  # kinds of sheets of which a line may hold many rows
_Read = Callable[[Document], tuple[Sheet, ...]]


def _of_texts(read: _Read, *, pages: bool = False) -> _Read:
    """Return *read* for what a notebook says, and for the text of *pages*."""

    def either(document: Document) -> tuple[Sheet, ...]:
        if notebook.recognises(document):
            flat = notebook.flattened(document)
        elif pages and page.recognises(document):
            flat = page.flattened(document)
        else:
            return read(document)
        return tuple(map(flat.moved, read(flat.text)))

    return either


def is_called_json(document: Document) -> bool:
    """Tell whether its name says JSON; a log may begin like it, with ``[info]``."""
    return document.name.lower().endswith(_JSON)


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the tables in order; the name counts where the content leaves doubt."""
    return tuple(table for table in _tables(document) if table.kind != "json")


@_of_texts
def _tables(document: Document) -> tuple[Sheet, ...]:
    """Return the tables, and those of JSON in blocks of code."""
    name = document.name.lower()
    if name.endswith(_SEPARATED):
        return csv.sheets(document)
    # Large JSON, as far as its ends show, is no table for people; to look for one would
    # take far more time and memory than the text.
    text = document.text.strip() if len(document.text) > LINE_LIMIT else ""
    if text[:1] + text[-1:] in ("[]", "{}"):
        return ()
    if page.recognises(document):
        return html_tables.sheets(document)
    result = pipe_tables.sheets(document)
    if name.endswith(_MARKDOWN) or any(sheet.kind != "json" for sheet in result):
        return result
    # A bar of progress is no row, though "|" parts its lines into as many cells.
    lines = ["" if _is_bar(raw) else raw for raw in document.lines]
    _blank(lines, result)
    return (*result, *csv.guessed(lines))


def _is_bar(raw: str) -> bool:
    """Tell whether a line is a bar of tqdm, done or on its way."""
    return "%" in raw and bars.of_tqdm(unquoted(shown(raw))) is not None


@_of_texts
def _json_sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the tables of JSON: of all the document, of its scripts or code blocks."""
    if page.recognises(document):
        return page.data_sheets(document)
    try:
        if whole := nested.json_sheets(document):
            return whole
    except DocumentError:  # Markdown may begin like it, with a link
        if is_called_json(document) or not (blocks := _json_blocks(document)):
            raise
        return blocks
    return _json_blocks(document)


def _json_blocks(document: Document) -> tuple[Sheet, ...]:
    return tuple(table for table in _tables(document) if table.kind == "json")


# Those of running text, what says more of a line before what says less.
HABITS: dict[Habit, _Read] = {
    "timings": timings.sheets,
    "keras": bars.keras_sheets,
    "tqdm": bars.tqdm_sheets,
    "epochs": epochs.sheets,
    "fixed-width": aligned_columns.sheets,
    "bullets": key_value.lists,
    "key-value": key_value.sheets,
}
# What tells lines of bars beside those where they stand last.
_OWN = {"keras": bars.of_keras, "tqdm": bars.of_tqdm}
_SCATTERED = ("timings", "keras", "tqdm", "epochs", "bullets", "key-value")

# The readers by the names that a map calls them.
READERS: dict[Reader, _Read] = {
    **{name: _of_texts(read, pages=True) for name, read in HABITS.items()},
    "json": _json_sheets,
    "yaml": nested.yaml_sheets,
    "sentences": lambda it: tuple(o for o in readable(it) if o.kind == "sentences"),
}


def by_templates(document: Document, templates: Iterable[str]) -> tuple[Sheet, ...]:
    """Return the sheets of lines that are like *templates*, the first for each line.

    What is no row of a template may be one of the next: they may end in equal lines.
    Raise ``DocumentError`` where no line is like one of them.
    """
    made: list[Sheet] = []
    for template in templates:
        lines = partial(line_template.sheets, template=template)
        try:
            alike = _of_texts(lines, pages=True)(document)
        except DocumentError:
            if not page.recognises(document):
                raise
            alike = lines(document)  # data in its scripts, perhaps
        rows = [replace(sheet, bad=()) for sheet in made]
        made += without_lines(alike, rows)
    read = {row.line for sheet in made for row in sheet.rows}
    for n, sheet in enumerate(made):
        bad = tuple(it for it in sheet.bad if it.number not in read)
        made[n] = replace(sheet, bad=bad)
        read |= {it.number for it in bad}
    return tuple(sheet for sheet in made if sheet.rows or sheet.bad)


def without_lines(sheets: Iterable[Sheet], taken: Iterable[Sheet]) -> Iterator[Sheet]:
    """Yield *sheets* without the lines of those *taken*.

    Where tags, or marks of a line's end, part rows of one line, all of them stay.
    """
    lines = set[int]()
    for sheet in taken:
        lines |= _lines(sheet)
    for sheet in sheets:
        parted = len({row.line for row in sheet.rows}) < len(sheet.rows)
        parted = sheet.kind in _PARTED or (sheet.kind == "markdown" and parted)
        if not lines or parted:
            yield sheet
            continue
        rows = tuple(row for row in sheet.rows if row.line not in lines)
        bad = tuple(fault for fault in sheet.bad if fault.number not in lines)
        if rows or bad:
            yield replace(sheet, rows=rows, bad=bad)


def _lines(sheet: Sheet) -> set[int]:
    """Return where the rows of *sheet* stand; settings of a text are of others too."""
    width = len(sheet.header) - len(sheet.inherited) * (sheet.kind != "json")
    cells = (cell for row in sheet.rows for cell in row.cells[:width])
    lines = {row.line for row in sheet.rows} | {cell.line for cell in cells}
    return lines | {bad.number for bad in sheet.bad}


def readable(document: Document, templates: Iterable[str] = ()) -> tuple[Sheet, ...]:
    """Return all sheets of the document in its order; a line is in one of them alone.

    Those are lines that are like *templates*, its tables and, on lines that these
    leave, what each habit of running text finds; or the tables of JSON and YAML. Raise
    ``DocumentError`` if it cannot be read.
    """
    own = by_templates(document, templates)
    every = (*own, *without_lines(_readable(document), own))
    return tuple(sorted(every, key=lambda sheet: sheet.line)) if own else every


@lru_cache(maxsize=1)  # a card reads it, and then its map, several times
@_of_texts
def _readable(document: Document) -> tuple[Sheet, ...]:
    name = document.name.lower()
    if name.endswith(_YAML):
        return nested.yaml_sheets(document)
    try:
        if result := nested.json_sheets(document):
            return result
    except DocumentError:
        if is_called_json(document):
            raise
    tables = _tables(document)
    if name.endswith(_SEPARATED):
        return tables
    if page.recognises(document):
        tables += page.data_sheets(document)
        read = partial(_texts, habits=("bullets",), prose=not tables)
        texts = _of_texts(read, pages=True)(document)
    else:
        texts = _texts(document, tables, prose=not tables)
    return tuple(sorted((*tables, *texts), key=lambda sheet: sheet.line))


def _texts(
    document: Document,
    tables: Iterable[Sheet] = (),
    habits: Iterable[Habit] = tuple(HABITS),
    *,
    prose: bool,
) -> tuple[Sheet, ...]:
    """Return what stands in the lines that *tables* leave, by *habits* or in sentences.

    Those of *prose* are read if there is nothing else.
    """
    lines = list(document.lines)
    texts: list[Sheet] = []
    _blank(lines, tables)
    for habit in habits:
        result = HABITS[habit](
            Document(document.name, "\n".join((*lines, ".")).encode())
        )
        _blank(lines, result)
        texts += result
        for at, raw in enumerate(lines if result and habit in _OWN else ()):
            if raw and _OWN[habit](unquoted(shown(raw))):
                lines[at] = ""
    rest = Document(document.name, "\n".join((*lines, ".")).encode())
    return (*texts, *sentences.sheets(rest, prose=prose and not texts))


def printed_lines(document: Document) -> Iterable[tuple[int, str]]:
    """Return the lines that people may read a result in, with their numbers."""
    if page.recognises(document):
        return page.printed(document)
    return enumerate(document.lines, 1)


def _blank(lines: list[str], taken: Iterable[Sheet]) -> None:
    """Blank those of *lines* that are part of a sheet."""
    for sheet in taken:
        own = {sheet.line} | _lines(sheet)
        while sheet.kind == "bullets" and bullet(lines[min(own) - 2]) and min(own) > 1:
            own.add(min(own) - 1)  # what its items stand under
        if sheet.kind not in _SCATTERED:
            own = set(range(min(own), max(own) + 1))
        for number in own:
            if 0 < number <= len(lines):
                lines[number - 1] = ""
