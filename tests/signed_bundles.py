"""Keys, a bundle and an empty database, and commands on them, for tests of trust."""

import shutil
from pathlib import Path

import pytest

from tests.bundle_files import exported
from tests.command_line import Outcome
from tests.in_process import benchdb
from tests.keys import new_key


@pytest.fixture(scope="module", name="keys")
def of_alice_and_bob(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("keys")
    return new_key(folder / "alice"), new_key(folder / "bob")


@pytest.fixture(scope="module", name="bundle")
def signed_by_alice(
    keys: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    return exported(tmp_path_factory.mktemp("bundle") / "a.benchdb", key=keys[0])


@pytest.fixture(name="db")
def an_empty_database(tmp_path: Path, empty_file: Path) -> Path:
    return Path(shutil.copyfile(empty_file, tmp_path / "results.sqlite"))


def import_(db: object, *arguments: object, status: int = 0) -> str:
    done = benchdb("import", *arguments, "--db", db)
    assert done.status == status, done.err + done.out
    return done.out + done.err


def trust(db: object, *arguments: object) -> str:
    done = benchdb("trust", *arguments, "--db", db)
    assert done.status == 0, done.err
    return done.out


def refused(done: Outcome, status: int = 2) -> str:
    assert (done.status, done.out, done.err.count("\n")) == (status, "", 1)
    return done.err


def pub(key: Path) -> Path:
    return key.with_suffix(".pub")
