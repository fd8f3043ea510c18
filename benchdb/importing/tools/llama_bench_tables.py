"""Markdown tables of llama-bench, as people paste them into documents and threads.

The log above a table may name the GPUs, the line below it the build. Where the log
names none, a heading that names a chip does; any heading tells machines apart.
"""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from benchdb.exchange.reader import Item
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building, naming
from benchdb.importing.building import NAME_LIMIT
from benchdb.importing.document import Document, PrintedFloat
from benchdb.importing.provenance import About
from benchdb.importing.sheet import Sheet, SheetRow
from benchdb.importing.tables.pipe_tables import sheets as tables
from benchdb.importing.tools import fields, llama_bench, result
from benchdb.importing.tools.llama_bench import Row, Rows

_ALWAYS = {"model", "size", "params", "backend", "test", "t/s"}
_WORDS = fields.words_of("llama-bench")
_TEST = re.compile(_WORDS["test"])
_BUILD = re.compile(r"build: (?P<commit>\w{6,40}) \((?P<number>\d{1,9})\)")
_GPU = re.compile(_WORDS["gpu"])
_LINE_LIMIT = 500  # characters; what is longer is no such line
_NUMBER = r"\d{1,12}(?:\.\d{1,9})?"
_RATE = re.compile(rf"({_NUMBER})(?: ?(?:±|\+/-|\+-) ?({_NUMBER}))?")
_WHOLE = re.compile(r"-?\d{1,15}")


def recognises(document: Document) -> bool:
    """Tell whether a table of llama-bench is in the document."""
    # Quicker, and the lines are a large list.
    if "t/s" not in fields.glimpse_text(document):
        return False
    lines = (line for line in document.lines if "t/s" in line and "|" in line)
    return any({cell.strip() for cell in line.split("|")} >= _ALWAYS for line in lines)


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield a run for each row; rows and tables that are no result are ``BadLine``."""
    of = result.origin(document, about, "llama-bench-table", tool="llama-bench")
    yield from llama_bench.items(of, _rows(document))


def _rows(document: Document) -> Rows:
    sheets = sorted(tables(document), key=lambda sheet: sheet.line)
    starts = [sheet.line for sheet in sheets] + [len(document.lines) + 1]
    before = 0
    for sheet, following in zip(sheets, starts[1:], strict=True):
        if not set(sheet.header) >= _ALWAYS:
            why = "a table that llama-bench does not print; read it with a map"
            yield building.bad(why, line=sheet.line, raw=" | ".join(sheet.header))
            continue
        last = max((row.line for row in sheet.rows), default=sheet.line)
        above = _numbered(document, before + 1, sheet.line)
        around = _around(sheet, above, _numbered(document, last + 1, following))
        for row in sheet.rows:
            raw = " | ".join(cell.raw or cell.text for cell in row.cells)
            make = partial(_row, sheet, row, around)
            yield building.attempt(make, line=row.line, raw=raw)
        yield from sheet.bad
        before = last


def _numbered(document: Document, first: int, end: int) -> list[tuple[int, str]]:
    return list(enumerate(document.lines[first - 1 : end - 1], start=first))


def _around(
    sheet: Sheet, above: Iterable[tuple[int, str]], below: Iterable[tuple[int, str]]
) -> Row:
    """Return what stands around a table, as a row of what all of its rows have."""
    columns: dict[str, Any] = {}
    basis: dict[str, str] = {}
    cards = _gpus(above)
    if cards:
        columns["gpu_info"] = ", ".join(map(_whole_chip, (name for name, _ in cards)))
        basis["machine"] = f"line {cards[0][1]}: the tool's log names its GPU"
    else:  # the chip that the nearest heading with one names
        for heading in sheet.context:
            if (chip := naming.chip(heading)) is not None:
                column = "gpu_info" if chip.accelerator else "cpu_info"
                columns = {column: f"{chip.vendor} {chip.name}"}
                basis["machine"] = f"the heading {heading[:200]!r}"
    builds = (_BUILD.search(line[:_LINE_LIMIT]) for _, line in below)
    if built := next(filter(None, builds), None):
        columns["build_commit"] = built["commit"]
        columns["build_number"] = int(built["number"])
    headings = (
        line for line in sheet.context if not line.startswith(tuple(_WORDS["log"]))
    )
    label = " / ".join(headings)[:NAME_LIMIT] or None
    return Row(columns, "", rate="t/s", label=label, basis=basis)


def _row(sheet: Sheet, row: SheetRow, around: Row) -> Row:
    texts = [cell.text.strip() for cell in row.cells]
    cells = dict(zip(sheet.header, texts, strict=True))
    test, rate = _test(cells.pop("test")), cells.pop("t/s")
    figures = _RATE.fullmatch(rate)
    if figures is None:
        raise RefusedError(f"t/s is {rate[:40]!r}, no rate")
    columns = dict(around.columns) | {
        _WORDS["columns"].get(name, name): int(text) if _WHOLE.fullmatch(text) else text
        for name, text in cells.items()
    }
    columns |= {**test, "avg_ts": PrintedFloat(figures[1])}
    columns |= {"stddev_ts": PrintedFloat(figures[2])} if figures[2] else {}
    place = f"line {row.line}, column "
    return replace(around, columns=columns, place=place, line=row.line)


def _test(text: str) -> dict[str, int]:
    """Return the lengths of a test: ``pp 512``, ``tg128 @ d4096``, ``pp512+tg128``."""
    match = _TEST.fullmatch(text)
    if match is None or not (match["n_prompt"] or match["n_gen"]):
        raise RefusedError(f"test is {text[:40]!r}: neither pp nor tg with a length")
    return {name: int(printed or 0) for name, printed in match.groupdict().items()}


def _whole_chip(name: str) -> str:
    """Return the chip of which a layer between names the GPU, else *name* as it is."""
    chip = naming.chip(name)
    whole = chip is not None and chip.vendor == "Apple" and not chip.accelerator
    return f"Apple {chip.name}" if chip and whole else name


def _gpus(lines: Iterable[tuple[int, str]]) -> list[tuple[str, int]]:
    """Return the GPUs that the log names on numbered lines, each with its line.

    There are none if two lines contradict.
    """
    named = {
        (match["cuda"] or match["vulkan"] or "0", match["name"].strip()): number
        for number, line in lines
        if (match := _GPU.match(line))
    }
    if len({place for place, _ in named}) < len(named):
        return []
    return [(name, number) for (_, name), number in named.items()]
