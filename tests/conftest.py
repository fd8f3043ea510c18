"""What every test may count on."""

import gc
import hashlib
import math
import os
import signal
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import settings
from sqlalchemy import Engine, create_engine
from xdist.scheduler import LoadFileScheduling

from benchdb.store import database, sqlite
from benchdb.store.postgresql import server
from tests.backends import backend, empty_file, fleeting, postgres, template

__all__ = ["backend", "empty_file", "fleeting", "postgres", "template"]

# A busy machine may take its time; a wrong answer is what these tests look for.
settings.register_profile("benchdb", deadline=None)
settings.load_profile("benchdb")

# A shell that starts the suite in the background lets it ignore Ctrl-C, and with it
# every program that it starts; some tests are about just that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# As the command line does: looking for garbage takes a tenth of a report's time.
gc.set_threshold(200_000, 20, 20)

# Much of a test's time is waiting for a disk, which has nothing to keep of it.
_MEMORY, _ENOUGH = Path("/dev/shm"), 4 * 2**30  # bytes  # noqa: S108
if _MEMORY.is_dir() and "TMPDIR" not in os.environ:
    _found = os.statvfs(_MEMORY)
    is_roomy = _found.f_bavail * _found.f_frsize > _ENOUGH
    if is_roomy and not _found.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)

# Threads that wait for each other spin, half of what a collector takes. OpenBLAS reads
# this name too, of which benchdb does not warn, as it does of others.
os.environ.setdefault("GOTO_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

CHECKOUT = Path(__file__).resolve().parents[1]

# How many seconds of one core each file takes: "make durations" writes it.
_DURATIONS = Path(__file__).with_name("durations.txt")
_FAST = 2.0  # seconds of a whole file that "make check" runs

# What works with frameworks in the process of the tests.
_FRAMEWORKS = tuple(
    f"tests/collectors/{name}"
    for name in (
        *("torch_work/", "tensorflow_work/", "mlx_work/"),
        *("test_networks.py", "test_operations.py", "test_training.py"),
    )
)
# What looks at pages of all that is shipped: its site takes seconds to read.
_SHIPPED = tuple(
    f"tests/site/test_{name}.py"
    for name in (
        *("answers", "chip_page", "compare_page", "front_in_browser", "markdown"),
        *("single", "workload_page"),
    )
)


@cache
def _durations() -> dict[str, float]:
    """Return the seconds of each test file; one that is new has none yet."""
    lines = _DURATIONS.read_text(encoding="utf-8").splitlines()
    return {name: float(seconds) for name, seconds in map(str.split, lines)}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what the Makefile asks for."""
    parser.addoption(
        "--fast", action="store_true", help="leave out files that take longer"
    )
    parser.addoption(
        "--save-durations", action="store_true", help="write tests/durations.txt"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Let each worker read all files in an order of its own.

    To rewrite their assertions takes three times as long as to read what another has
    rewritten; one after another, all would rewrite the same at the same time.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker and config.args == config.getini("testpaths"):
        files = sorted(Path(__file__).parent.rglob("test_*.py"))
        kept = [it for it in files if not pytest_ignore_collect(it, config)]
        Random(worker).shuffle(kept)  # noqa: S311 - no secret
        config.args = [*map(str, kept)]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With --fast, do not even import a file that takes long."""
    if not config.getoption("--fast"):
        return None
    return _durations().get(collection_path.name, 0.0) >= _FAST or None


class _Files(LoadFileScheduling):  # type: ignore[misc]
    """Gives a file to one worker, and all that share what takes long to one."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        if file.startswith(_FRAMEWORKS):
            return "frameworks"
        return "shipped" if file in _SHIPPED else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling:
    """Import TensorFlow, four seconds of a core, in one worker alone, and the like."""
    return _Files(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files: at the end, one would leave the others idle.

    One that is new may be such a file.
    """
    durations = _durations()
    items.sort(key=lambda item: (-durations.get(item.path.name, math.inf), item.path))


_measured: dict[str, float] = defaultdict(float)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up the seconds of each file, of all workers."""
    _measured[Path(report.location[0]).name] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the seconds of all files, if that was asked for."""
    if session.config.getoption("--save-durations") and not _is_worker(session.config):
        lines = (
            f"{name} {seconds:.1f}\n" for name, seconds in sorted(_measured.items())
        )
        _DURATIONS.write_text("".join(lines), encoding="utf-8")


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end; nobody has to look for garbage in them."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _private_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep every test, and every program it starts, away from the user's own data."""
    home = tmp_path_factory.mktemp("home")
    changes = {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "BENCHDB_HOME": str(home / "benchdb"),
    }
    before = {name: os.environ.get(name) for name in (*changes, "BENCHDB_DB")}
    os.environ.update(changes)
    os.environ.pop("BENCHDB_DB", None)
    yield
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@pytest.fixture(scope="session", autouse=True)
def _tables_are_made_once(empty_file: Path) -> Iterator[None]:
    """Fill files that commands make in this process with a copy, not by migrations.

    How they are made is seen by processes of their own, and where ``empty_file`` is.
    """

    def filled(engine: Engine) -> None:
        with closing(sqlite3.connect(empty_file)) as kept, engine.connect() as new:
            target = new.connection.driver_connection
            assert isinstance(target, sqlite3.Connection)
            kept.backup(target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "upgrade", filled)
        yield


@pytest.fixture(scope="session", autouse=True)
def _statements_are_compiled_once() -> Iterator[None]:
    """Let engines of a kind share what a command compiles again for its only one."""
    kept: dict[str, Engine] = {}

    def engine(*arguments: Any, **options: Any) -> Engine:
        made = create_engine(*arguments, **options)
        known = kept.setdefault(made.dialect.name, made)
        if known.dialect.server_version_info is None:  # it has not been connected
            kept[made.dialect.name] = made
        else:
            made.dialect, made._compiled_cache = known.dialect, known._compiled_cache
        return made

    with pytest.MonkeyPatch.context() as patch:
        for module in (sqlite, server):
            patch.setattr(module, "create_engine", engine)
        yield


@pytest.fixture(scope="session", autouse=True)
def _committed_results_stay_untouched() -> Iterator[None]:
    """Fail the session if a test wrote to the database in the checkout."""
    committed = CHECKOUT / "results.sqlite"
    before = _sha256(committed)
    yield
    assert _sha256(committed) == before


def _sha256(path: Path) -> str | None:
    if not path.exists():
        return None
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="session")
def two_runs() -> Path:
    """An exchange file of one machine: a run that succeeded and one that crashed."""
    return Path(__file__).parent / "fixtures" / "two_runs.jsonl"
