"""``benchdb doctor``: what can be measured, and what to do about the rest."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from benchdb.collecting import programs
from tests import troubled_checkout
from tests.collector_programs import COLLECTORS
from tests.command_line import Outcome


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    return troubled_checkout.make_collectors(tmp_path_factory.mktemp("checkout"))


def doctor(checkout: Path, home: Path, *arguments: object, **how: str) -> Outcome:
    return troubled_checkout.in_process(checkout, home, "doctor", *arguments, **how)


def report_of(
    checkout: Path, home: Path, *arguments: object, **how: str
) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(
        doctor(checkout, home, "--json", *arguments, **how).out
    )
    return result


def with_collector(tmp_path: Path, text: str) -> Path:
    """Return a checkout whose only collector is this program."""
    folder = troubled_checkout.make_collectors(tmp_path / "checkout")
    (folder / "collectors" / "with_numpy.py").write_text(text)
    return folder


def test_it_tells_of_each_framework_and_device_what_it_can_or_why_not(
    checkout, tmp_path
):
    result = report_of(checkout, tmp_path)

    (framework,) = result["frameworks"]
    assert framework["framework"] == "numpy"
    assert framework["devices"]["cpu"]["available"]
    assert framework["devices"]["metal"] == {
        "available": False,
        "name": None,
        "why": "nothing is here",
        "install": "install something",
    }
    assert framework["precisions"] == {"cpu": ["fp32"]}
    assert framework["compilers"] == ["none"]
    assert result["can_measure"]


def test_it_says_the_same_in_words(checkout, tmp_path):
    done = doctor(checkout, tmp_path)

    assert done.status == 0
    assert "  cpu    yes, a cpu\n         precisions fp32; compilers none\n" in done.out
    assert "  metal  no, nothing is here; install something\n" in done.out


def test_it_tells_the_energy_meters_of_each_device(checkout, tmp_path):
    result = report_of(checkout, tmp_path)

    assert set(result["meters"]) == {"cpu", "metal", "cuda"}
    for meter in result["meters"]["cuda"]:
        assert meter["available"] or (meter["why"] and meter["install"])


def test_a_meter_that_is_there_needs_nothing_to_be_installed(monkeypatch):
    there = {"name": "rapl", "available": True, "why": None, "install": None}
    monkeypatch.setattr(programs, "ask_machine", lambda *_, **__: {"cpu": [there]})

    assert programs.meters() == {"cpu": [there]}


def test_it_tells_what_would_spoil_a_measurement(checkout, tmp_path):
    result = report_of(checkout, tmp_path, PYTORCH_ENABLE_MPS_FALLBACK="1")

    what = [item["what"] for item in result["spoilers"]]
    assert [w for w in what if w.startswith("PYTORCH_ENABLE_MPS_FALLBACK=1")]


def test_it_names_the_versions(checkout, tmp_path):
    result = report_of(checkout, tmp_path)

    assert {"benchdb", "python", "kernel"} <= set(result["versions"])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import sys; sys.exit('libcudart.so.12: cannot open')", "libcudart.so.12"),
        ("print('hello')", "printed no JSON"),
        ("import os; os.kill(os.getpid(), 11)", "failed: it was killed by SIGSEGV"),
        ("import sys; sys.exit(0)", "ended before it said anything"),
    ],
)
def test_a_broken_collector_is_told_with_its_reason_and_nothing_can_be_measured(
    tmp_path, text, why
):
    done = doctor(with_collector(tmp_path, text), tmp_path / "home")

    assert done.status == 1
    assert "numpy: no, with_numpy" in done.out
    assert why in done.out
    assert done.err == ""


def test_a_framework_that_cannot_be_imported_is_told_with_its_reason(
    checkout, tmp_path
):
    trouble = {"TROUBLE": "load", "TROUBLE_KIND": "raise", "TROUBLE_SAYS": "no plugin"}

    result = report_of(checkout, tmp_path, **trouble)

    assert "cannot be imported (no plugin)" in result["frameworks"][0]["why"]
    assert not result["can_measure"]


def test_a_missing_module_is_told_with_the_command_that_brings_it(tmp_path):
    text = (COLLECTORS / "with_numpy.py").read_text().replace('"numpy",)', '"nunpy",)')
    folder = with_collector(tmp_path, text)
    for own in COLLECTORS.glob("_numpy*.py"):
        shutil.copy(own, folder / "collectors")

    done = doctor(folder, tmp_path / "home")

    assert done.status == 1
    assert "pip install numpy" in done.out


def test_what_is_heavy_is_said_before_it_is_installed(tmp_path):
    text = (COLLECTORS / "with_numpy.py").read_text().replace('"numpy",)', '"nunpy",)')
    folder = with_collector(tmp_path, text.replace('name = "numpy"', 'name = "torch"'))
    programs = folder / "collectors"
    (programs / "with_numpy.py").rename(programs / "with_torch.py")

    done = doctor(folder, tmp_path / "home")

    assert "  downloads 0.2 GB on a Mac; 3 GB on Linux" in done.out


def test_it_makes_no_database_and_says_which_it_would_use(checkout, tmp_path):
    database = report_of(checkout, tmp_path)["database"]

    assert database["location"] == str(tmp_path / "results.sqlite")
    assert database["state"] == "not there yet"
    assert not (tmp_path / "results.sqlite").exists()


def test_a_database_that_cannot_be_opened_is_told_with_the_reason(checkout, tmp_path):
    (tmp_path / "notes.txt").write_text("no database at all")

    database = report_of(checkout, tmp_path, "--db", tmp_path / "notes.txt")["database"]

    assert database["state"] == "unusable"
    assert "is no SQLite database" in database["why"]


def test_a_password_is_never_shown(checkout, tmp_path):
    server = "postgresql+psycopg://jane:secret@127.0.0.1:1/b"

    done = doctor(checkout, tmp_path, "--db", server)

    assert "secret" not in done.out + done.err
    assert "database postgresql+psycopg://127.0.0.1:1/b, unusable" in done.out


@pytest.mark.parametrize(
    "location",
    [
        "postgresql+psycopg://u:hunter?2secret@127.0.0.1:1/b",
        "postgresql+psycopg://u:hunter@2secret@127.0.0.1:1/b",
        "host=127.0.0.1 password=hunter2secret",
    ],
)
def test_no_part_of_an_unclear_password_is_shown(checkout, tmp_path, location):
    done = doctor(checkout, tmp_path, "--db", location)

    assert ", unusable" in done.out
    assert not [part for part in ("hunter", "secret") if part in done.out + done.err]


def test_the_real_collectors_can_measure_here(tmp_path):
    folder = troubled_checkout.make_collectors(tmp_path / "checkout")
    for name in ("with_numpy.py", "with_torch.py"):
        shutil.copy(COLLECTORS / name, folder / "collectors")

    result = report_of(folder, tmp_path / "home")

    usable = {item["framework"] for item in result["frameworks"] if item["version"]}
    assert usable == {"numpy", "torch"}
