"""Run the mutants of ``tests/mutants.tsv``: small faults that a test must notice.

    python -m tools.mutants                          # all, about 40 minutes
    python -m tools.mutants --area identity          # of an area
    python -m tools.mutants --log /tmp/mutants.log   # goes on where the log ends
    python -m tools.mutants --write                  # results go into the table

A row names a function, a line of it, and that line with the fault. The line is looked
for in the row's module, else in any function of that name: code that was moved is
found, code that was changed is not. A mutant is applied in a copy of the checkout.
"""

import argparse
import ast
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests" / "mutants.tsv"
PRODUCT = ("benchdb", "collectors")
SECONDS = 60  # of a processor for the tests of a mutant; a longer one does not end
ALL = "all"
GOOD = {"killed", "timeout", "equivalent"}
MODULE = "<module>"  # the scope of a line that is in no function and no class
_FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/\S+\.py(?:::[^\[\s]+)?)", re.MULTILINE)
_stamps = count(1)  # seconds of 1970: no compiled file is taken for that of another


class Mutant(NamedTuple):
    """A row of the table; *tests* are files, *killed_by* the test that noticed."""

    number: str
    area: str
    module: str
    function: str
    operator: str
    original: str
    mutated: str
    tests: str
    result: str = ""  # killed, timeout, survived, equivalent, or not found
    killed_by: str = ""
    remark: str = ""


def read(table: Path) -> list[Mutant]:
    """Return the mutants of *table*."""
    rows = [Mutant(*it.split("\t")) for it in table.read_text("utf-8").splitlines()]
    return [it for it in rows if it != Mutant._fields]


def write(table: Path, mutants: Sequence[Mutant]) -> None:
    """Replace *table*."""
    rows = "".join("\t".join(row) + "\n" for row in (Mutant._fields, *mutants))
    table.write_text(rows, "utf-8")


def lines_in_scopes(source: str) -> Iterator[tuple[str, str]]:
    """Yield each line of *source* without its indent, after its function or class."""
    lines = [line.strip() for line in source.splitlines()]
    scopes = [MODULE] * len(lines)
    nodes: list[tuple[str, ast.AST]] = [("", ast.parse(source))]
    for around, node in nodes:  # which grows meanwhile, the inner ones at the end
        name = around
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{around}.{node.name}".lstrip(".")
            first = min(it.lineno for it in (node, *node.decorator_list))
            for line in range(first - 1, node.end_lineno or first):
                scopes[line] = name
        nodes += [(name, it) for it in ast.iter_child_nodes(node)]
    return zip(scopes, lines, strict=True)


def place(mutant: Mutant, root: Path) -> tuple[Path, int] | None:
    """Return the file of *mutant* and its line, ``None`` where that is not sure."""
    name = _last(mutant.function)
    places = []
    for file in sorted(it for top in PRODUCT for it in (root / top).rglob("*.py")):
        source = file.read_text("utf-8")
        if mutant.original in source:
            for index, (scope, line) in enumerate(lines_in_scopes(source)):
                if line == mutant.original and _last(scope) == name:
                    same = scope == mutant.function
                    moved = file != root / mutant.module
                    places.append((not same, moved, file, index))
    best = [it for it in places if it[:2] == min(places)[:2]]
    return best[0][2:] if len(best) == 1 else None


def _last(scope: str) -> str:
    return scope.rpartition(".")[2]


def copied(root: Path, room: Path) -> Path:
    """Copy what git has or would have of the checkout at *root*; return the copy.

    Beside it lies what lies beside the checkout, which some tests read.
    """
    folder, beside = room / "checkout", root.parent / "shared"
    if beside.is_dir():
        (room / beside.name).symlink_to(beside)
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=root, capture_output=True, check=True).stdout
    for name in filter(None, names.decode().split("\0")):
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name)
    return folder


def judged(mutant: Mutant, folder: Path) -> Mutant:
    """Return *mutant* with how its tests judge it in *folder*, a copy of the checkout.

    The test that killed it before comes first.
    """
    where = place(mutant, folder)
    if where is None:
        return mutant._replace(result="not found", remark="code gone or changed")
    file, index = where
    source = file.read_text("utf-8")
    lines = source.splitlines(keepends=True)
    lines[index] = lines[index].replace(mutant.original, mutant.mutated)
    _replace(file, "".join(lines))
    result, test = "survived", ""
    for tests in ([mutant.killed_by], _files(mutant)):
        result, test = outcome(folder, tests) if all(tests) else ("not run", "")
        if result in {"killed", "timeout"}:
            break
    _replace(file, source)
    return mutant._replace(result=result, killed_by=test)


def _files(mutant: Mutant) -> list[str]:
    return [f"tests/{name}.py" for name in mutant.tests.split()]


def _replace(file: Path, source: str) -> None:
    file.write_text(source, "utf-8")
    stamp = next(_stamps)
    os.utime(file, (stamp, stamp))


def outcome(folder: Path, tests: Sequence[str]) -> tuple[str, str]:
    """Return how *tests* judge the code in *folder*, and the first that failed."""
    limited = ["sh", "-c", f'ulimit -t {SECONDS}; exec "$@"', "sh", sys.executable]
    pytest = ["-m", "pytest", "-n0", "-x", "-q", "--tb=no", *tests]
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "400"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryFile("w+") as printed:
        process = subprocess.Popen(
            [*limited, *pytest],
            cwd=folder,
            env=environment,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = process.wait(10 * SECONDS)
        except subprocess.TimeoutExpired:
            return "timeout", ""
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        printed.seek(0)
        text = printed.read()
    if status == 0:
        return "survived", ""
    if status in {-signal.SIGXCPU, -signal.SIGKILL}:
        return "timeout", ""
    if status not in {1, 2} and "conftest" not in text:
        return "not run", ""  # a test that is no longer there
    failed = _FAILED.search(text)
    return "killed", failed[1] if failed else ""


def summary(mutants: Sequence[Mutant]) -> str:
    """Return a table of the results by area; equivalent mutants have no share."""
    head = ("area", "mutants", "killed", "timeout", "equivalent", "survived", "other")
    rows = [f"{head[0]:<14}" + "".join(f"{name:>12}" for name in (*head[1:], "share"))]
    for area in dict.fromkeys([*(it.area for it in mutants), ALL]):
        results = Counter(it.result for it in mutants if area in (it.area, ALL))
        total = results.total()
        known = [results[name] for name in head[2:6]]
        dead = results["killed"] + results["timeout"]
        share = dead / (total - results["equivalent"] or 1)
        cells = (total, *known, total - sum(known))
        rows.append(
            f"{area:<14}" + "".join(f"{it:>12}" for it in cells) + f"{share:>12.1%}"
        )
    return "\n".join(rows)


def main() -> int:
    """Run what was asked for; return 1 where a mutant survives or is not found."""
    parser = argparse.ArgumentParser(description="Run the mutants of the table.")
    parser.add_argument("--area", help="only of this area")
    parser.add_argument("--number", action="append", help="only these, by number")
    parser.add_argument("--log", type=Path, help="results so far, and those to come")
    parser.add_argument("--write", action="store_true", help="results into the table")
    asked = parser.parse_args()
    table = read(TABLE)
    numbers = set(asked.number or (it.number for it in table))
    wanted = [
        it for it in table if asked.area in (None, it.area) and it.number in numbers
    ]
    results = _results(wanted, asked.log)
    if asked.write:
        known = {it.number: it for it in results}
        write(TABLE, [known.get(it.number, it) for it in table])
    print(summary(results))
    return any(it.result not in GOOD for it in results)


def _results(mutants: Sequence[Mutant], log: Path | None) -> list[Mutant]:
    """Return *mutants* with their results, those in *log* as they are there."""
    known = {it.number: it for it in mutants if it.result == "equivalent"}
    if log and log.exists():
        known |= {it.number: it for it in read(log)}
    todo = [it for it in mutants if it.number not in known]
    with tempfile.TemporaryDirectory() as room:
        folder = copied(ROOT, Path(room).resolve())
        for file in sorted({file for it in todo for file in _files(it)}):
            if outcome(folder, [file])[0] != "survived":
                sys.exit(f"{file} fails without any mutant")
        for mutant in todo:
            after = judged(mutant, folder)
            known[mutant.number] = after
            print(*after[:4], after.result, after.killed_by, flush=True)
            if log:
                with log.open("a", encoding="utf-8") as stream:
                    stream.write("\t".join(after) + "\n")
    return [known[it.number] for it in mutants]


if __name__ == "__main__":
    sys.exit(main())
