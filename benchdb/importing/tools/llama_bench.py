"""llama-bench: its JSON, JSON Lines, CSV and SQL.

Reading a prompt, writing text and both together are different work. Every column that
has no place of its own is a parameter, also one that nobody here has heard of; true and
false are 1 and 0 there, as the tool itself prints them in its other formats. No version
stands in the files; a version shows in the columns. Times of every sample are in JSON
only: CSV and SQL are ``aggregate``. Lists of its results are read at any depth of the
JSON of others as well, also as what it printed, in a text there. Its Markdown tables
are read by ``llama_bench_tables``.
"""

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import islice
from pathlib import PurePosixPath, PureWindowsPath
from statistics import fmean, median
from typing import Any

import msgspec
from msgspec.structs import replace

from benchdb.exchange import language_models
from benchdb.exchange.language_models import BACKENDS, Named
from benchdb.exchange.messages import Accelerator, Device, Value
from benchdb.exchange.reader import BadLine, Item
from benchdb.exchange.validation import RefusedError
from benchdb.importing import building, naming
from benchdb.importing.document import (
    Document,
    DocumentError,
    PrintedFloat,
    require_few_values,
)
from benchdb.importing.provenance import About
from benchdb.importing.tools import fields, result
from benchdb.importing.tools.fields import Facts
from benchdb.importing.tools.result import ABSENT, Origin, Result

MARKS = ("model_type", "n_prompt", "n_gen", "avg_ts")  # columns of every version
_TABLES = ("test", "llama_bench")  # the second since 2025
_FIRST = "build_commit"  # the first column of every CSV file
_INTO = re.compile(rf"^INSERT INTO (?:{'|'.join(_TABLES)})\b", re.MULTILINE)
_INSERT = re.compile(
    rf"{_INTO.pattern} \((?P<columns>[^()]*)\) VALUES \((?P<cells>.*)\);? *"
)
_START = re.compile(rf"\[\s*(?:\{{|$)|\{{|{_FIRST}")
_BEFORE = re.compile(r"\[?\s*+")  # the first result
_BETWEEN = re.compile(r"\s*+(?:,\s*+|(?=\]))")
_LOOKED_AT = 20  # results; the first may be damaged
_WHOLE = re.compile(r"-?\d{1,18}")
_FRACTION = re.compile(r"-?\d{1,18}\.\d{1,18}")
_WORDS = fields.words_of("llama-bench")
_TEXTS = frozenset(_WORDS["texts"])
_PLACED = {*_WORDS["placed"], *BACKENDS}
_BETWEEN_GPUS = r", |(?<=\w)/(?=[A-Z])"  # a slash in 2023
_TOLERANCE = 1e-3  # samples_ts is printed with six digits
_NANOSECONDS = 1e9  # a second
_FLAGS = BACKENDS[:-1]  # columns of 2023 and 2024
_MEASURED = frozenset(_WORDS["measured"])


class Row(msgspec.Struct, frozen=True):
    """The columns of one result, and where they stand: *place* comes before a name.

    *rate* is what ``avg_ts`` is called there. *label* and *basis* tell of the machine
    what no column does. *above* is what the JSON of others around a result says, from
    the outermost object on; *tells_apart* whether other results differ in that alone.
    """

    columns: Facts
    place: str
    line: int | None = None
    rate: str = "avg_ts"
    label: str | None = None
    basis: Mapping[str, str] = {}
    above: tuple[Facts, ...] = ()
    tells_apart: bool = False

    @property
    def locator(self) -> str:
        """Return where the whole result stands."""
        return f"line {self.line}" if self.line else self.place.rstrip("/")


Rows = Iterator[Row | BadLine]


def recognises(document: Document) -> bool:
    """Tell whether these are results of llama-bench, but not as Markdown."""
    content = fields.glimpse_text(document)
    return all(mark in content for mark in MARKS) and _form(document) is not None


def read(document: Document, about: About) -> Iterator[Item]:
    """Yield one run for each result; a broken result is a ``BadLine``."""
    of = result.origin(document, about, "llama-bench")
    form = _form(document)
    if form is None:
        raise DocumentError("no results of llama-bench")
    yield from items(of, form(document))


def items(of: Origin, rows: Rows) -> Iterator[Item]:
    """Yield the run of each of *rows*; raise ``DocumentError`` if there are none."""
    row = None
    for row in rows:
        if isinstance(row, BadLine):
            yield row
        else:
            raw, make = dict(row.columns), partial(_result, row)
            yield result.attempt(of, make, raw, row.locator, line=row.line)
    if row is None:
        raise DocumentError("llama-bench printed its header, but no result")


def _form(document: Document) -> Callable[[Document], Rows] | None:
    """Return what reads the form that the first line of results has."""
    start = _first_line(document.lines)
    line = document.lines[start] if start is not None else ""
    if line.startswith(("[", "{")):
        holds = line.startswith("[") or line.strip() == "{"
        form = _json if holds else _json_lines
        some = islice(form(document), _LOOKED_AT)
        rows = [row for row in some if isinstance(row, Row)]
        whole = any(_is_result(row.columns) for row in rows)
        if not whole and _leading(_opened(fields.glimpse(document)), ""):
            return _nested
        # The marks may be of something inside what stands there.
        marked = any(mark in row.columns for row in rows for mark in MARKS)
        return form if marked or not rows else None
    if line.startswith(_FIRST) and all(mark in line for mark in MARKS):
        return _csv
    return _sql if _INTO.search(document.text) else None


def _first_line(lines: Sequence[str]) -> int | None:
    """Return the index of the first line of results; a log may come before it."""
    return next((place for place, line in enumerate(lines) if _START.match(line)), None)


def _json(document: Document) -> Rows:
    """Yield the elements of an array, each by itself, or one result alone.

    A tool that was killed while it wrote leaves an array without its end.
    """
    start = _first_line(document.lines) or 0
    text = "\n".join(document.lines[start:])
    decoder = json.JSONDecoder(parse_float=str, parse_int=str)
    at, line, place, mark = 0, start + 1, 0, _BEFORE.match(text)
    try:
        require_few_values(text)
        while mark is not None and text[mark.end() : mark.end() + 1] != "]":
            line, at = line + text.count("\n", at, mark.end()), mark.end()
            end = decoder.raw_decode(text, at)[1]
            yield _parsed(text[at:end], line, Row({}, f"/{place}/"))
            place, mark = place + 1, _BETWEEN.match(text, end)
        if mark is None and text.startswith("["):
            yield building.bad("the array breaks off here", line=line)
    except (DocumentError, json.JSONDecodeError, RecursionError) as error:
        why = f"the array breaks off, or is no JSON ({error})"
        yield building.bad(why, line=line)


def _json_lines(document: Document) -> Rows:
    for line, raw in enumerate(document.lines, start=1):
        if raw.startswith("{"):
            yield _parsed(raw, line, Row({}, f"line {line}, /", line))


def _parsed(raw: str, line: int, row: Row) -> Row | BadLine:
    """Return *row* with the columns that *raw* has."""
    try:
        columns = fields.parsed(raw)
    except DocumentError as error:
        return building.bad(str(error), line=line, raw=raw)
    if not isinstance(columns, dict):
        return building.bad("a result is no object", line=line, raw=raw)
    return Row(columns, row.place, row.line)


def _nested(document: Document) -> Rows:
    """Yield the results in lists at any depth, with what the JSON around them says."""
    content = _opened(fields.content(document))
    rows = list(_below(content, _leading(content, ""), "", "", ()))
    above: dict[str, tuple[Facts, ...]] = {}
    results = [row for row in rows if isinstance(row, Row)]
    holds = any(row.above != above.setdefault(_set(row), row.above) for row in results)
    for row in rows:
        yield replace(row, tells_apart=holds) if isinstance(row, Row) else row


def _set(row: Row) -> str:
    """Return what was set for a result: its columns but for those that are measured."""
    columns = {name: it for name, it in row.columns.items() if name not in _MEASURED}
    return json.dumps(columns, sort_keys=True)


def _opened(node: Any) -> Any:
    """Return JSON with lists in place of the texts in it that are results as printed.

    What is broken in a text is its raw text in the list.
    """
    match node:
        case dict():
            return {name: _opened(inner) for name, inner in node.items()}
        case list():
            return [*map(_opened, node)]
        case str() if all(mark in node for mark in MARKS):
            printed = Document("", node.encode("utf-8", "replace"))
            rows = (form := _form(printed)) and form(printed)
            read = [it.columns if isinstance(it, Row) else it.raw for it in rows or ()]
            return read or node
    return node


def _leading(node: Any, place: str) -> set[str]:
    """Return the places of lists of results, and of what leads to them."""
    if isinstance(node, list) and any(map(_is_result, node)):
        return {place}
    steps: Iterable[tuple[Any, Any]] = ()
    if isinstance(node, list | dict):
        steps = node.items() if isinstance(node, dict) else enumerate(node)
    inner = (_leading(it, place + fields.pointer(step)) for step, it in steps)
    below = set[str]().union(*inner)
    return {place, *below} if below else below


def _is_result(node: Any) -> bool:
    return isinstance(node, dict) and node.keys() >= set(MARKS)


def _below(
    node: Any, leading: Set[str], place: str, name: str, above: tuple[Facts, ...]
) -> Rows:
    """Yield the results below *place*, and as bad what is listed beside them.

    What an object says is called by the *name* of the object; ``key`` is the key of a
    result where several of one object lead to results.
    """
    if isinstance(node, list):
        results = any(map(_is_result, node))
        for number, inner in enumerate(node):
            at = f"{place}/{number}"
            if at in leading:
                yield from _below(inner, leading, at, name, above)
            elif results and isinstance(inner, dict):
                yield Row(inner, f"{at}/", above=above)
            else:
                yield building.bad("no result of llama-bench", locator=at, raw=inner)
        return
    beside = dict(node)
    steps = {key: f"{place}{fields.pointer(key)}" for key in node}
    held = {key: beside.pop(key) for key, at in steps.items() if at in leading}
    for key in [it for it in beside if beside[it] and fields.lists(beside, it)]:
        raw = beside.pop(key)
        yield building.bad("no result of llama-bench", locator=steps[key], raw=raw)
    fields.require_small(beside, "what stands beside results")
    before = f"{name}." if name else ""
    above = (*above, fields.words(beside, before))
    for key, inner in held.items():
        if len(held) == 1:
            yield from _below(inner, leading, steps[key], f"{before}{key}", above)
        else:
            keyed = (*above, {f"{before}key": key})
            yield from _below(inner, leading, steps[key], f"{before}key", keyed)


def _csv(document: Document) -> Rows:
    start = _first_line(document.lines) or 0
    rows = csv.reader((line + "\n" for line in document.lines[start:]), strict=True)
    header: list[str] = []
    line = start + 1
    try:
        for cells in rows:
            if cells and cells[0] == _FIRST:  # again where outputs were joined
                header = cells
            elif cells:
                yield _row(header, cells, line)
            line = start + rows.line_num + 1
    except csv.Error as error:
        yield building.bad(f"no CSV from here on ({error})", line=line)


def _sql(document: Document) -> Rows:
    """Yield the rows as the tool writes them, a statement a line; nothing is run."""
    for line, raw in enumerate(document.lines, start=1):
        if not raw.startswith("INSERT INTO "):
            continue
        statement = _INSERT.fullmatch(raw)
        if statement is None:
            why = "no row as the tool writes it: INSERT INTO test (columns) VALUES (…);"
            yield building.bad(why, line=line, raw=raw)
        else:
            texts = csv.reader(
                [statement["cells"]], quotechar="'", skipinitialspace=True, strict=True
            )
            try:
                names = statement["columns"].split(",")
                yield _row([name.strip() for name in names], next(texts, []), line)
            except csv.Error as error:
                why = f"its values cannot be told apart ({error})"
                yield building.bad(why, line=line, raw=raw)


def _row(names: Sequence[str], cells: Sequence[str], line: int) -> Row | BadLine:
    columns = dict(zip(names, cells, strict=False))
    if len(cells) == len(columns) == len(names):
        typed = {name: _typed(name, cell) for name, cell in columns.items()}
        return Row(typed, f"line {line}, column ", line)
    why = f"{len(cells)} values under {len(names)} columns"
    if len(columns) < min(len(names), len(cells)):
        twice = next(name for name in names if names.count(name) > 1)
        why = f"column {twice!r} appears twice"
    elif "cuda" in names and "opencl" not in names:
        why += "; versions of 2023 print opencl after cuda: is that name missing?"
    return building.bad(why, line=line, raw=",".join(cells))


def _typed(name: str, cell: str) -> Any:
    """Return a cell as JSON would have it: the tool quotes every number in CSV."""
    if name not in _TEXTS and _WHOLE.fullmatch(cell):
        return int(cell)
    if name not in _TEXTS and _FRACTION.fullmatch(cell):
        return PrintedFloat(cell)
    return cell or None


def _result(entry: Row) -> Result:
    """Return the run; raise ``RefusedError`` if the result cannot be true or whole."""
    row = entry.columns
    work = _work(row)
    gpus = _listed(row, "gpu_info", _BETWEEN_GPUS)
    device, why = _device(row, naming.accelerators(gpus))
    figure, seconds = _timed(entry)
    file = fields.text(row, "model_filename")
    conditions = _numbers(fields.picked(row, BACKENDS))
    if file:  # without its folders, which may hold a name
        name = PurePosixPath(PureWindowsPath(file).name).name
        conditions["model_filename"] = name
    processors = [
        name
        for name in _listed(row, "cpu_info")
        if name.lower() not in _WORDS["libraries"]
    ]
    processors += [name for name in gpus if name.startswith("Apple ")]
    quantized = {"parameters.quantization": "the end of model_type"}
    parameters = _numbers(fields.others(row, _PLACED))
    around = {name: fact for facts in entry.above for name, fact in facts.items()}
    if entry.tells_apart:  # runs that differ in conditions alone are pooled
        parameters = fields.beside(parameters, around, "around")
    else:
        conditions = fields.beside(conditions, around, "around")
    return Result(
        work=work,
        locator=entry.locator,
        framework="llama.cpp",
        device=(device, why),
        device_name=", ".join(dict.fromkeys(gpus)) or None if device != "cpu" else None,
        parameters=parameters,
        conditions=conditions,
        started=fields.text(row, "test_time"),
        values=[figure],
        times=seconds,
        machine=result.machine(
            next(iter(processors), None), cards=gpus, label=entry.label
        ),
        environment=_environment(row, gpus),
        basis={**entry.basis, **(quantized if "quantization" in work[1] else {})},
        missing={"precision": ABSENT},
    )


def _work(row: Facts) -> Named:
    name, own = language_models.weights(fields.name_of(row, "model_type"))
    prompt, gen = fields.whole(row, "n_prompt"), fields.whole(row, "n_gen")
    depth = fields.whole(row, "n_depth", 0)
    if not prompt and not gen:
        raise RefusedError("n_prompt and n_gen are both 0: nothing was computed")
    # A fork of the tool reads a prompt untimed before it writes, and names that so.
    if row.get("test") == f"tg{gen}@pp{prompt}":
        prompt, depth = 0, prompt + depth
    return language_models.work(name, prompt, gen, quantization=own, depth=depth)


def _numbers(columns: Facts) -> dict[str, Any]:
    known = {name: fact for name, fact in columns.items() if fact is not None}
    return {
        n: int(fact) if isinstance(fact, bool) else fact for n, fact in known.items()
    }


def _timed(entry: Row) -> tuple[Value, tuple[float, ...]]:
    """Return the figure, with the time of each sample where they are there."""
    row, metric = entry.columns, "tokens_per_second"
    rate, times = fields.size(row, "avg_ts", least=fields.LEAST), row.get("samples_ns")
    if not times:
        # The tool prints 0 where a test ran once: that is no spread.
        spread = fields.size(row, "stddev_ts") if row.get("stddev_ts") else None
        at = f"{entry.place}{entry.rate}"
        return result.value(metric, row["avg_ts"], at, uncertainty=spread or None), ()
    nanoseconds = fields.amounts(times, "samples_ns", least=fields.LEAST)
    seconds = tuple(it / _NANOSECONDS for it in nanoseconds)
    tokens = _tokens(row, rate, seconds)
    of = "the only sample" if len(seconds) == 1 else f"median of {len(seconds)} samples"
    figure = Value(
        metric=metric,
        value=tokens / median(seconds),
        locator=f"{entry.place}samples_ns",
        derived=f"{tokens} tokens over the {of}",
    )
    return figure, seconds


def _tokens(row: Facts, rate: float, seconds: Sequence[float]) -> int:
    """Return how many tokens one sample is about: what makes the *rate* come true."""
    prompt, gen = fields.whole(row, "n_prompt"), fields.whole(row, "n_gen")
    for tokens in (gen, prompt + gen):
        computed = fmean(tokens / second for second in seconds)
        if abs(computed - rate) <= _TOLERANCE * rate:
            return tokens
    raise RefusedError(
        f"avg_ts is {fields.characters(row['avg_ts'])}, but {tokens} tokens in the "
        f"times of samples_ns are {computed:.6g} a second"
    )


def _device(row: Facts, cards: Sequence[Accelerator]) -> tuple[Device, str]:
    """Return on what a run computed, and how that is known, or why it is not."""
    backends, listed = _backends(row), fields.text(row, "devices") or "auto"
    # CUDA0/CUDA1, none
    chosen = () if listed == "auto" else tuple(re.findall(r"[A-Za-z]+", listed))
    if backends is None:
        return "unknown", "no column names the backends"
    kinds = {_kind(name) for name in chosen or backends} - {None}
    named, cpu = ", ".join(backends), ""
    if chosen == ("none",):
        cpu = "devices is none"
    elif not kinds:
        cpu = "no GPU among the backends"
    elif row.get("n_gpu_layers") == 0:
        # Large batches may still be multiplied on the GPU: only the layers are told.
        cpu = f"n_gpu_layers is 0: no layer on the GPU of {named}"
    if cpu:
        return "cpu", cpu
    if len(kinds) > 1:
        return "unknown", f"several backends: {named}"
    device = kinds.pop() or "unknown"
    if device == "unknown":
        return device, f"{named} is no kind of device that benchdb knows"
    if device == "cuda" and {card.vendor for card in cards} == {"AMD"}:
        return "rocm", "the cuda backend on a GPU of AMD"
    return device, f"the backends: {named}"


def _backends(row: Facts) -> tuple[str, ...] | None:
    if isinstance(listed := row.get("backends"), str):
        return tuple(name.strip() for name in listed.split(","))
    if not any(name in row for name in _FLAGS):
        return None
    named = tuple(name for name in _FLAGS if row.get(name) in (True, 1))
    # Every build for a GPU says gpu_blas too: alone it tells nothing.
    rest = tuple(name for name in named if name != "gpu_blas")
    return rest if {_kind(name) for name in rest} - {None} else named


def _kind(backend: str) -> Device | None:
    """Return the kind of a backend's device; ``None`` where it is none of its own."""
    name = backend.lower()
    return None if name in _WORDS["beside"] else naming.device(name) or "unknown"


def _environment(row: Facts, gpus: list[str]) -> dict[str, Any]:
    number, commit = row.get("build_number"), row.get("build_commit")
    build = str(commit) if commit and commit != "unknown" else None
    if isinstance(number, int) and number > 0:
        build = f"{number} ({commit})" if commit else str(number)
    absent = ("os_name",) if build else ("os_name", "framework_version")
    return {
        "framework": "llama.cpp",
        "framework_version": build,
        "devices": tuple({"kind": "gpu", "name": name} for name in gpus),
        "missing": dict.fromkeys(absent, ABSENT),
    }


def _listed(row: Facts, column: str, marks: str = ", ") -> list[str]:
    names = fields.text(row, column) or ""
    return [name for name in re.split(marks, names) if name]
