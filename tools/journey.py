"""Follow a value through a command: ``python tools/journey.py CHECKOUT FOLDER STEP``.

A Markdown table is imported by a map (the step ``cell to row``), and an HTML report is
written of it (``row to HTML``): by the command of the package, in this process, under a
profiler. One cell has the mark: a number, or that number in a text, as people write it.
Printed as JSON, with all that is counted:

hops     Functions that return or yield the mark in a text as short as a cell, not in a
         line, a document or a page. *Files* are those of the hops.
records  Classes of ours that the mark, in such a text, is inside of.
touch    Functions that get the mark as an argument, or return it, in any text.

A value is searched to LEVELS levels of lists, dicts and objects of ours; *however
deep*: to DEEPEST, for what is hidden in more layers. Lambdas and comprehensions belong
to the function around them.
"""

import io
import json
import os
import re
import sys
import threading
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from importlib import import_module
from itertools import islice
from numbers import Number
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

NUMBER: Any = 4711.25
TEXT = re.compile(r"4\W?711\W25")
README = """
| Model | Computer | Remarks of the author         | Time per epoch |
|-------|----------|-------------------------------|----------------|
| lstm  | M1 Max   | the window was open, as ever  | 4711.25 s      |
| mnist | M1 Max   | the window was shut, for once | 1234.5 s       |
"""
MAP = """
source.slug = "readme"
set = { framework = "torch", device = "metal" }
[[table]]
[table.columns]
Model = { field = "workload" }
Computer = { field = "chip" }
"Time per epoch" = { is = "value", metric = "epoch_seconds" }
"""
STEPS = {
    "cell to row": "import README.md --map map.toml --db runs.sqlite",
    "row to HTML": "report --db runs.sqlite --format html --lang en --device metal "
    "--output out",  # of what a filter leaves, all figures are listed
}
SHORT = 40  # characters; a cell has less, a line of the table more
LEVELS, DEEPEST = 4, 12
WIDEST = 100  # parts of a list, dict or object that are searched
FOLDERS = ("benchdb", "collectors", "reports", "schema")  # of our code and templates
_INNER = re.compile(r"(\.<locals>)?\.?<(?!locals>).*")  # <lambda>, <listcomp> ...
Levels = dict[str, int]


class Journey(NamedTuple):
    """The least level at which each function, or class, had the mark."""

    touching: Levels
    hops: Levels
    records: Levels


def sightings(value: object) -> Iterator[tuple[int, bool, tuple[str, ...]]]:
    """Yield where the mark is: at which level, in a short text, inside which classes.

    The nearest is the first, the nearest in a short text the last.
    """
    layer: list[tuple[object, tuple[str, ...]]] = [(value, ())]
    seen = set()
    for level in range(DEEPEST + 1):
        below = []
        for item, records in layer:
            if _is_mark(item):
                is_short = not isinstance(item, str | bytes) or len(item) <= SHORT
                yield level, is_short, records
                if is_short:
                    return
            elif id(item) not in seen:
                seen.add(id(item))
                inside = (*records, *_record(type(item)))
                below += [(part, inside) for part in islice(_parts(item), WIDEST)]
        layer = below


def _is_mark(item: object) -> bool:
    if isinstance(item, bytes):
        item = item.decode(errors="replace")
    if isinstance(item, str):
        return TEXT.search(item) is not None
    return isinstance(item, Number) and bool(item == NUMBER)


def _record(kind: type) -> tuple[str, ...]:
    """Return the name of a class of ours; nothing of others."""
    ours = str(kind.__module__).partition(".")[0] == FOLDERS[0]
    return (f"{kind.__module__}.{kind.__qualname__}",) if ours else ()


def _parts(item: object) -> Iterable[object]:
    """Yield what is directly inside a container, or an object of ours."""
    if isinstance(item, Mapping):
        yield from item.values()
    elif isinstance(item, Sequence | Set) and not isinstance(item, str | bytes):
        yield from item
    elif _record(type(item)):
        yield from getattr(item, "__dict__", {}).values()
        yield from (getattr(item, name, None) for name in _slots(type(item)))


def _slots(kind: type) -> list[str]:
    names = [*getattr(kind, "__struct_fields__", ())]
    for owner in kind.__mro__:
        slots = vars(owner).get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    return names


def profiler(root: Path, journey: Journey) -> Callable[[FrameType, str, Any], None]:
    """Return a profiler that adds to *journey* who has the mark, below *root*."""

    @cache
    def place(code: CodeType) -> str | None:
        path = code.co_filename.removeprefix(f"{root}/")
        ours = path.partition("/")[0] in FOLDERS
        return f"{path}:{_INNER.sub('', code.co_qualname)}" if ours else None

    def note(frame: FrameType, event: str, result: Any) -> None:
        name = place(frame.f_code)
        if name is None or event not in {"call", "return"}:
            return
        for value in [result] if event == "return" else [*frame.f_locals.values()]:
            for level, is_short, records in sightings(value):
                _lower(journey.touching, name, level)
                for record in records if is_short else ():
                    _lower(journey.records, record, level)
                if is_short and event == "return":
                    _lower(journey.hops, name, level)

    return note


def _lower(levels: Levels, name: str, level: int) -> None:
    levels[name] = min(level, levels.get(name, level))


def follow(root: Path, command: str) -> Journey:
    """Run a command, once in a process; return who had the mark."""
    journey = Journey({}, {}, {})
    sys.path.insert(0, str(root))
    sys.argv = [FOLDERS[0], *command.split()]
    os._exit = sys.exit  # type: ignore[assignment]  # by which commands may end
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    module, _, name = project["project"]["scripts"][FOLDERS[0]].partition(":")
    main, output = getattr(import_module(module), name), io.StringIO()
    note = profiler(root, journey)
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        with redirect_stdout(output), redirect_stderr(output):
            main()
    except SystemExit as end:
        if end.code:
            sys.exit(f"benchdb {command}: {output.getvalue()}")
    finally:
        sys.setprofile(None)
    return journey


def count(journey: Journey) -> dict[str, list[str]]:
    """Return what is counted of a journey."""
    touching, hops, records = (
        [name for name, level in levels.items() if level <= LEVELS]
        for levels in journey
    )
    return {
        "hops": hops,
        "hops, however deep": [*journey.hops],
        "files": sorted({hop.partition(":")[0] for hop in hops}),
        "records": records,
        "functions that touch it": touching,
        "files that touch it": sorted({name.partition(":")[0] for name in touching}),
    }


if __name__ == "__main__":
    checkout, folder, step = sys.argv[1:]
    os.chdir(folder)
    os.environ["BENCHDB_HOME"] = folder  # a page that is kept makes no journey
    Path("README.md").write_text(README, encoding="utf-8")
    Path("map.toml").write_text(MAP, encoding="utf-8")
    print(json.dumps(count(follow(Path(checkout), STEPS[step]))))
