"""What every test may count on."""

import gc
import hashlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.backends import backend, empty_file, fleeting, postgres, template

__all__ = ["backend", "empty_file", "fleeting", "postgres", "template"]

# A busy machine may take its time; a wrong answer is what these tests look for.
settings.register_profile("benchdb", deadline=None)
settings.load_profile("benchdb")

# A shell that starts the suite in the background lets it ignore Ctrl-C, and with it
# every program that it starts; some tests are about just that.
signal.signal(signal.SIGINT, signal.default_int_handler)

CHECKOUT = Path(__file__).resolve().parents[1]

# Workers take file after file: a long one at the end would leave the others idle.
_LONG = (
    "test_networks_tensorflow.py",
    "test_shipped_page_in_browser.py",
    "test_collectors.py",
    "test_fake_macs.py",
    "test_collectors_tensorflow.py",
    "test_cli.py",
    "test_collected_operations.py",
    "test_fake_macs_refused.py",
    "test_hostile_database.py",
    "test_golden.py",
    "test_page_accessibility.py",
    "test_benchmarks.py",
    "test_collect.py",
    "test_right_to_left.py",
    "test_networks_torch.py",
    "test_merge_postgres.py",
    "test_migrations.py",
)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files, those with the most to do in front."""
    places = {name: place for place, name in enumerate(_LONG)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


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


@pytest.fixture
def two_runs() -> Path:
    """An exchange file of one machine: a run that succeeded and one that crashed."""
    return Path(__file__).parent / "fixtures" / "two_runs.jsonl"
