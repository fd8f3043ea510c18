"""``--python``: the interpreter of another environment, tried before it is used."""

import json
import sys
import venv
from pathlib import Path

import pytest

from benchdb.collecting import pythons
from benchdb.collecting.pythons import active_elsewhere, python_of
from benchdb.errors import UsageError
from tests.in_process import benchdb


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that has no framework."""
    folder = tmp_path_factory.mktemp("bare") / "env"
    venv.create(folder, symlinks=True)
    return folder


def script(folder: Path, text: str) -> str:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_an_environment_is_named_by_its_folder_or_its_program(bare):
    assert python_of(str(bare)) == str(bare / "bin" / "python")
    assert python_of(str(bare / "bin" / "python")) == str(bare / "bin" / "python")


def test_the_collectors_run_on_it(bare, tmp_path):
    result = json.loads(benchdb("doctor", "--json", "--python", bare).out)

    assert {item["version"] for item in result["frameworks"]} == {None}
    numpy = next(item for item in result["frameworks"] if item["framework"] == "numpy")
    assert numpy["install"] == f"{bare / 'bin' / 'python'} -m pip install numpy"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("echo Python 2.7.18 >&2", "is Python 2.7; collectors need 3.11 or newer"),
        ("echo hello", "does not answer as Python does"),
        ("exit 3", "does not answer as Python does"),
        ("exec sleep 60", "gave no answer in 1 s; is it a Python?"),
    ],
)
def test_a_program_that_is_no_such_python_is_a_line(text, why, tmp_path, monkeypatch):
    monkeypatch.setattr(pythons, "_PATIENCE_SECONDS", 1.0)
    path = script(tmp_path, text)

    with pytest.raises(UsageError) as refused:
        python_of(path)

    assert str(refused.value) == f"--python {path} {why}"


def test_what_is_not_there_or_no_environment_is_a_line(tmp_path):
    for path, why in (
        (tmp_path, "has no bin/python; name the folder of an environment"),
        (tmp_path / "none", "is not there; name the folder of an environment"),
        (Path(__file__), "cannot be run: Permission denied"),
    ):
        outcome = benchdb("collect", "mnist", "--dry-run", "--python", path)
        assert (outcome.status, f"--python {path} {why}" in outcome.err) == (2, True)

    outcome = benchdb("collect", "--isolated", "--python", sys.executable)
    assert (outcome.status, "contradict each other" in outcome.err) == (2, True)


def test_the_environment_that_is_active_is_proposed(bare, monkeypatch):
    monkeypatch.setenv("CONDA_PREFIX", str(bare))
    assert active_elsewhere() == str(bare)

    monkeypatch.setenv("CONDA_PREFIX", sys.prefix)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    assert active_elsewhere() is None
