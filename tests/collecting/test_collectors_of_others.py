"""Executables that are no collectors, or not the first: a line each, and no harm."""

import json
from pathlib import Path

import pytest

from benchdb.collecting import programs
from benchdb.collecting.programs import collectors, own_frameworks, program
from benchdb.extensions import installed

FITS = {
    "type": "collector",
    "format": 1,
    "name": "fits",
    "version": "1.0",
    "framework": "acme",
    "framework_version": "3",
    "devices": {"cpu": {"available": True, "name": "one"}},
    "workloads": ["matmul"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path))
    monkeypatch.setattr(programs, "DESCRIBE_SECONDS", 1.0)
    monkeypatch.setattr(programs, "_silent", {})
    (folder := tmp_path / "config" / "collectors").mkdir(parents=True)
    return folder


def put(folder: Path, name: str, text: str, *, mode: int = 0o755) -> Path:
    (path := folder / name).write_text(text)
    path.chmod(mode)
    return path


def says(**facts: object) -> str:
    return f"#!/bin/sh\ncat <<'END'\n{json.dumps(FITS | facts)}\nEND\n"


def others() -> list[str]:
    return [name for name in collectors()[0] if name not in own_frameworks()]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("#!/bin/sh\nsleep 60", "it gave no answer in 1 s"),
        ("#!/bin/sh\necho hello", "it printed no JSON: Expecting value"),
        ("#!/bin/sh\necho '[]'", "it printed no JSON object"),
        ("#!/bin/sh\nyes | head -c 100000000", "it printed more than 16 MiB"),
        ("#!/bin/sh\nkill -9 $$", "it failed: it was killed by SIGKILL"),
        ("#!/bin/sh\necho broken >&2; exit 1", "it failed: broken"),
        ("#!/no/such/interpreter\n", "it cannot be asked: No such file or directory"),
        (says(type="cell"), 'it is none: --describe is to say "type": "collector"'),
        (says(format=2), "it speaks version 2 of the protocol"),
        (says(framework="With Spaces"), "it cannot be understood: Expected `str`"),
        (says(workloads=[{"nam": "x"}]), "it cannot be understood: "),
        (says(framework="torch"), "with_torch.py, which comes first"),
        (says(workloads=["flying"]), "it offers a workload 'flying' that no catalogue"),
    ],
)
def test_what_is_no_collector_is_left_out_in_one_line(folder, text, why):
    path = put(folder, "odd", text)

    result, (fault,) = collectors()

    assert set(result) == set(own_frameworks())
    assert fault.startswith(f"collector {path} is left out: ")
    assert why in fault.replace("odd ", "it ", 2).replace("odd is", "it is")
    assert "\n" not in fault


def test_a_program_that_nobody_made_executable_is_named_and_other_files_are_not(folder):
    path = put(folder, "forgotten", says(), mode=0o644)
    put(folder, "README.md", "Collectors of ours.", mode=0o644)
    (folder / "data").mkdir()

    assert collectors()[1] == [
        f"collector {path} is left out: it is not executable; try: chmod +x {path}"
    ]


def test_a_link_that_leads_nowhere_is_named(folder):
    (folder / "circle").symlink_to("circle")
    (folder / "gone").symlink_to("nothing")

    assert [fault.rpartition(": ")[2] for fault in collectors()[1]] == [
        "Too many levels of symbolic links",
        "No such file or directory",
    ]


def test_of_two_of_one_framework_the_first_is_used(folder):
    first, second = (put(folder, name, says(name=name)) for name in "ab")

    (fault,) = collectors()[1]

    assert others() == ["acme"]
    assert program("acme").path == first
    assert fault.startswith(f"collector {second} is left out: its framework is 'acme'")


def test_it_is_asked_again_only_when_it_has_changed(folder):
    count = folder.parent / "asked"
    counting = f"echo x >> {count}\n"
    path = put(folder, "fits", says().replace("cat", counting + "cat", 1))

    first = [others(), others()]
    path.write_text(path.read_text().replace("acme", "other"))
    again = others()

    assert (first, again) == ([["acme"]] * 2, ["other"])
    assert count.read_text() == "x\nx\n"


def packaged(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, of: str) -> None:
    """Put a package on the path whose entry point *name* names the module *of*."""
    about = folder / f"{name}-2.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Name: {name}\nVersion: 2.0\n")
    entry_point = f"[benchdb.collectors]\n{name} = {of}\n"
    (about / "entry_points.txt").write_text(entry_point)
    monkeypatch.syspath_prepend(folder)
    installed.cache_clear()


def test_a_package_brings_collectors_and_one_that_fails_is_named(
    folder, tmp_path, monkeypatch
):
    (module := tmp_path / "good" / "acme_programs").mkdir(parents=True)
    (module / "__init__.py").write_text("")
    path = put(module, "fits", says())
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "acme_broken.py").write_text("import no_such_module")
    packaged(tmp_path / "bad", monkeypatch, "broken", "acme_broken")
    packaged(tmp_path / "good", monkeypatch, "acme", "acme_programs")

    faults = collectors()[1]
    result = program("acme")
    monkeypatch.undo()
    installed.cache_clear()

    assert (result.path, result.origin) == (path, "the package acme 2.0")
    assert faults == [
        "collector 'broken' of the package broken 2.0 cannot be used: "
        "ModuleNotFoundError: No module named 'no_such_module'; update or uninstall "
        "broken"
    ]
