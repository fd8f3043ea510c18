"""Tests of a report of LNT, with the places of their metrics, in either version.

Version 1 has an entry for each metric of each test, named ``suite.test.metric``. It is
told in the words of version 2 here, as LNT's own server tells it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from benchdb.exchange.reader import BadLine
from benchdb.importing import building
from benchdb.importing.document import DocumentError
from benchdb.importing.tools import outcome

_RENAMED = {  # endings of names in version 1, by the suite
    "nts": {
        ".compile": "compile_time",
        ".compile.status": "compile_status",
        ".exec": "execution_time",
        ".exec.status": "execution_status",
        ".hash.status": "hash_status",
        ".mem": "mem_bytes",
    },
    "compile": {
        ".mem": "mem_bytes",
        ".mem.status": "mem_status",
        ".size": "size_bytes",
        ".size.status": "size_status",
        ".sys": "sys_time",
        ".sys.status": "sys_status",
        ".user": "user_time",
        ".user.status": "user_status",
        ".wall": "wall_time",
        ".wall.status": "wall_status",
    },
}
_OF_FORMAT = ("__report_version__", "tag")


class Test(msgspec.Struct, frozen=True):
    """What is *found* of a test at *at*; *places* are of metrics standing elsewhere."""

    found: Any
    at: str
    places: dict[str, str] = {}

    def place(self, metric: str) -> str:
        """Return the JSON pointer to what is told of *metric*."""
        return self.places.get(metric) or f"{self.at}{outcome.pointer(metric)}"


class Report(msgspec.Struct, frozen=True):
    """The machine and the run, as version 2 tells them, and the tests."""

    machine: Any
    run: Any
    tests: tuple[Test | BadLine, ...]


def report(found: Mapping[str, Any]) -> Report:
    """Return what *found* reports; raise ``DocumentError`` for any other version."""
    first = "Machine" in found
    version = str(found.get("format_version", "1" if first else ""))
    if version == "2":
        return Report(found["machine"], found["run"], tuple(_second(found["tests"])))
    if first and isinstance(found["Run"], dict):
        told = found["Run"].get("Info")
        version = str(_info(told, "Run").get("__report_version__", "1"))
    if not first or version != "1":
        raise DocumentError(
            f"a report of LNT in format version {version[:20]}; 1 and 2 are read"
        )
    return _first(found)


def _second(tests: Any) -> Iterator[Test]:
    if not isinstance(tests, list):
        raise DocumentError("/tests is no list")
    for place, test in enumerate(tests):
        yield Test(test, outcome.pointer("tests", place))


def _first(found: Mapping[str, Any]) -> Report:
    machine, run, tests = found["Machine"], found["Run"], found["Tests"]
    for name, one, kind in (
        ("Machine", machine, dict),
        ("Run", run, dict),
        ("Tests", tests, list),
    ):
        if not isinstance(one, kind):
            raise DocumentError(f"/{name} is no {'list' if kind is list else 'object'}")
    told = _info(run.get("Info"), "Run")
    rest = {name: one for name, one in told.items() if name not in _OF_FORMAT}
    if "run_order" in rest:
        rest.setdefault("llvm_project_revision", rest.pop("run_order"))
    moments = {"start_time": run.get("Start Time"), "end_time": run.get("End Time")}
    return Report(
        {**_info(machine.get("Info"), "Machine"), "name": machine.get("Name")},
        {**rest, **{name: one for name, one in moments.items() if one is not None}},
        tuple(_grouped(tests, str(told.get("tag", "")))),
    )


def _info(found: Any, of: str) -> dict[str, Any]:
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise DocumentError(f"/{of}/Info is no object")
    return dict(found)


def _grouped(entries: list[Any], suite: str) -> Iterator[Test | BadLine]:
    """Yield what cannot be read, and the tests in the order of their first entries."""
    tests: dict[str, Test] = {}
    for place, entry in enumerate(entries):
        at = outcome.pointer("Tests", place)
        if (named := _named(entry, suite)) is None:
            why = f"no entry of suite {suite[:40]!r}: its name, or its Data, is none"
            yield building.bad(why, locator=at, raw=str(entry)[:2000])
            continue
        name, metric = named
        test = tests.setdefault(name, Test({"name": name}, at))
        samples = entry["Data"]
        if metric in test.found:
            test.found[metric] = known = _listed(test.found[metric])
            known.extend(samples)
            test.places[metric] = test.places[metric].removesuffix("/0")
        elif samples:
            test.found[metric] = samples[0] if len(samples) == 1 else list(samples)
            one = len(samples) == 1
            test.places[metric] = f"{at}/Data/0" if one else f"{at}/Data"
    yield from tests.values()


def _listed(found: Any) -> list[Any]:
    return found if isinstance(found, list) else [found]


def _named(entry: Any, suite: str) -> tuple[str, str] | None:
    """Return the test that an entry is of, and the metric in words of version 2."""
    if not isinstance(entry, dict) or not isinstance(entry.get("Data"), list):
        return None
    whole = entry.get("Name")
    if not isinstance(whole, str) or not suite or not whole.startswith(f"{suite}."):
        return None
    rest = whole[len(suite) + 1 :]
    for ending, metric in _RENAMED.get(suite, {}).items():
        if rest.endswith(ending) and len(rest) > len(ending):
            return rest[: -len(ending)], metric
    name, dot, metric = rest.rpartition(".")
    return (name, metric) if dot and name and metric not in {"", "name"} else None
