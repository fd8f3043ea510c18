"""``benchdb check-collector``: what does not hold is named, with what to do."""

from pathlib import Path

import pytest

from benchdb.collecting import programs, protocol_check
from benchdb.collecting.protocol_check import points

# Whatever can be wrong with a collector that describes itself well.
CARELESS = Path(__file__).parents[1] / "fixtures" / "careless-collector"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path))
    monkeypatch.setattr(protocol_check, "_GRACE_SECONDS", 0.5)
    monkeypatch.setattr(programs, "DESCRIBE_SECONDS", 2.0)


def program(folder: Path, text: str, mode: int = 0o755) -> Path:
    (path := folder / "careless").write_text(text)
    path.chmod(mode)
    return path


def test_each_point_that_does_not_hold_says_what_to_do(tmp_path):
    values = {
        point.name: point.text for point in points(CARELESS) if point.holds is False
    }

    expected = {
        "bandwidth on cpu: figures": "no samples of phase 'measure'",
        "bandwidth on cpu: nothing personal": "environment.variables",
        "conv on cpu": "not a benchdb exchange file",
        "elementwise on cpu": "its run has no line 'end'",
        "matmul on cpu: nothing personal": "environment.variables",
        "refuses: unknown workload": "refuse it with status 2",
        "refuses: device metal, which is not there": "refuse it with status 2",
        "ends by SIGINT": "it went on for 0 s and is killed then",
        "ends by SIGTERM": "it went on for 0 s and is killed then",
    }
    assert values.keys() == expected.keys()
    for name, words in expected.items():
        assert words in values[name]


@pytest.mark.parametrize(
    ("text", "mode", "why"),
    [
        ("#!/bin/sh\n", 0o644, "is not executable; try: chmod +x"),
        ("#!/bin/sh\nsleep 60", 0o755, "gave no answer in 2 s"),
        ("#!/bin/sh\necho no", 0o755, "printed no JSON"),
    ],
)
def test_what_does_not_describe_itself_is_tried_no_further(tmp_path, text, mode, why):
    (point,) = points(program(tmp_path, text, mode))

    assert point.holds is False
    assert why in point.text


def test_a_folder_and_a_path_to_nothing_are_named(tmp_path):
    (folder,) = points(tmp_path)
    (nothing,) = points(tmp_path / "nothing")

    assert folder.text == f"{tmp_path} is a folder; name one executable in it"
    assert nothing.text.endswith("nothing: No such file or directory")
