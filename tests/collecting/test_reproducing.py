"""Which software a rerun brings back, and of which processes it is the rerun."""

import pytest

from benchdb.collecting.plan import Cell, Item, Memory, Settings
from benchdb.collecting.programs import launcher
from benchdb.collecting.reproducing import software, term, words
from benchdb.collecting.runner import arguments
from benchdb.exchange.messages import Environment
from tests.exchange_lines import START, end, records, run

USUAL = {"framework": "torch", "framework_version": "2.11.0", "python": "3.12.3"}


def around(**facts) -> Environment:
    return Environment(key="e", **(USUAL | facts))


def test_framework_and_packages_are_pinned_and_the_rest_is_named():
    result = software(
        around(
            os_name="Ubuntu",
            os_version="24.04",
            packages={"torch": "2.11.0+cu130", "numpy": "2.5.2", "cudnn": "91900"},
            devices=({"name": "H200", "driver": "580.1"}, {"name": "a cpu"}),
        )
    )

    assert result.requirements == ("numpy==2.5.2", "torch==2.11.0")
    assert result.left == (
        "build cu130 of torch",
        "cudnn 91900",
        "system Ubuntu 24.04",
        "driver 580.1",
    )
    pinned = ("--with", "numpy==2.5.2", "--with", "torch==2.11.0")
    assert result.options == ("--python", "3.12.3", *pinned)


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("leftpad", "1.0"),
        ("numpy", "2.5.2 @ file:///tmp/evil"),
        ("numpy", "2.5.2\n--index-url=http://evil.example.org"),
        ("numpy", "*"),
        ("numpy", ""),
        ("torch-evil", "2.11.0"),
        ("--with-editable", "2.0"),
    ],
)
def test_nothing_is_installed_that_the_collector_does_not_ask_for(name, version):
    result = software(around(packages={name: version}))

    assert result.requirements == ("torch==2.11.0",)
    assert any(name in text for text in result.left)


@pytest.mark.parametrize("checks", [{}, {"seed_protocol": {"name": "m1tensorbench"}}])
def test_what_the_source_did_is_left_out_again_where_it_was(checks):
    collector = {"name": "with_torch", "version": "0.1.0", "sha256": "a" * 64}
    (record,) = records(
        *START, run("r", collector=collector, device="cuda"), end("r", checks=checks)
    )

    why = words(record)

    assert isinstance(why, list)
    assert why[:3] == ["benchdb", "collect", "lstm"]
    assert ("--blocks-only" in why) == (not checks)


@pytest.mark.parametrize(
    ("epochs", "added"),
    [
        ({"steps_per_epoch": 500}, ["--steps-per-epoch", "500"]),
        ({"steps_per_epoch": 2000}, []),
        ({"steps_per_epoch": 500, "scaled": True}, []),
        ({"steps_per_epoch": "500; rm -rf /"}, []),
        ({"steps_per_epoch": True}, []),
    ],
)
def test_epochs_are_as_long_again_as_they_were_asked_for(epochs, added):
    collector = {"name": "with_torch", "version": "0.1.0", "sha256": "a" * 64}
    checks = {"seed_protocol": {"name": "m1tensorbench"} | epochs}
    (record,) = records(
        *START, run("r", collector=collector, device="cuda"), end("r", checks=checks)
    )

    why = words(record)

    assert isinstance(why, list)
    assert why[why.index("--cuda") + 1 :] == added


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(12, 12), (10**9, 600), (0, None), (-1, None), ("12", None), (None, None)],
)
def test_blocks_end_again_after_as_long_as_a_budget_gave_them(seconds, expected):
    (record,) = records(*START, run("r"), end("r", checks={"term_seconds": seconds}))
    cell = Cell("lstm", "torch", "cpu", "fp32", "standard", "eager", (), ("lstm",))
    settings = Settings("c", "quick", 0, 60.0, term=term(record))

    line = arguments(Item(cell, 0, 3), settings, Memory())

    own = line[line.index("--blocks-until") + 1] if "--blocks-until" in line else None
    assert own == (None if expected is None else str(expected))


@pytest.mark.parametrize("python", ["3.12.3; rm -rf /", "/bin/sh", "2.7.18", None])
def test_a_python_that_is_no_version_is_not_asked_for(python):
    result = software(around(python=python))

    assert result.python is None
    assert any(text.startswith("Python ") for text in result.left)


def test_uv_is_asked_for_what_is_pinned(monkeypatch, tmp_path):
    (tmp_path / "uv").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert launcher(isolated=True) == ("uv", "run", "--script")
    pinned = launcher(isolated=("--with", "numpy==2.5.2"))
    assert pinned == ("uv", "run", "--with", "numpy==2.5.2", "--script")
