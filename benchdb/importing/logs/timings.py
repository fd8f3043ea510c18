"""What runtimes of language models print of a request: llama.cpp, Ollama, MLX.

``eval time = 412 ms / 38 runs (10.8 ms per token, 92.2 tokens per second)``, ``eval
rate: 11.27 tokens/s``, ``Generation: 100 tokens, 23.1 tokens-per-sec``; whisper.cpp
prints the same of sound. A request is a row. A column is called as the line begins,
with what is counted where a line has several figures: ``eval time tokens per second``.
The time of loading, where a process prints it again, is ``load time again``.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from benchdb.importing.blocks import Line
from benchdb.importing.document import Document
from benchdb.importing.logs.line_text import any_of, unstamped
from benchdb.importing.logs.log_lines import (
    Entry,
    LineMatch,
    as_sheets,
    cell,
    matching_lines,
)
from benchdb.importing.sheet import Sheet

_APART = 4  # lines of one request that may be farther from each other
_LINE = any_of("timed")
_RATED = any_of("rated")
_Named = tuple[tuple[str, str], ...]


def _named(line: Line) -> _Named | None:
    """Return what a line says, by columns."""
    text = unstamped(line.text).strip().strip("`")
    if match := _LINE.fullmatch(text):
        whisper = (match["program"] or "").startswith("whisper")
        label = "whisper " * whisper + match["label"]
        if not (match["program"] or match["each"]):
            return None  # "total time = 5 ms" may be of anything
        parts = {"": "value", " count": "count", f" ms per {match['what']}": "each"}
    elif match := _RATED.fullmatch(text):
        label = match["label"] or match["side"]
        parts = {"": "value", " count": "count"}
        if match["label"]:
            return ((label, match["value"]),)
    else:
        return None
    parts |= {" tokens per second": "rate"}
    cells = match.groupdict()
    return tuple((label + n, it) for n, key in parts.items() if (it := cells.get(key)))


def sheets(document: Document) -> tuple[Sheet, ...]:
    """Return the requests in *document*; those with equal columns are one sheet."""
    return as_sheets("timings", _requests(matching_lines(document, _named)))


def _requests(lines: Iterator[LineMatch[_Named]]) -> Iterator[Entry]:
    """Yield the lines that say different things of one request as a row."""
    request: list[LineMatch[_Named]] = []
    names: set[str] = set()
    loaded: _Named = ()
    for line in lines:
        last = request[-1] if request else line
        again = not names.isdisjoint(name for name, _ in line.made)
        holds = line.line > last.line + _APART or line.context != last.context
        if again or holds:
            yield from _row(request)
            request, names = [], set()
        names |= {name for name, _ in line.made}
        made = line.made
        if made == loaded:  # it is of the process, which prints it again
            made = tuple((f"{name} again", text) for name, text in made)
        elif made[0][0].endswith("load time"):
            loaded = made
        request.append(replace(line, made=made))
    yield from _row(request)


def _row(request: list[LineMatch[_Named]]) -> Iterator[Entry]:
    cells = [
        (name, cell(text, line.line, line.raw))
        for line in request
        for name, text in line.made
    ]
    if len(request) > 1:  # a line alone may be of anything
        yield request[0].entry(tuple(cells))
