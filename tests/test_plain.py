"""Text from others cannot command a terminal."""

import pytest

from benchdb.cli.plain import NAME_LIMIT, plain
from tests import exchange_lines
from tests.in_process import benchdb


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("M1 Max · 한국어 · Größe", "M1 Max · 한국어 · Größe"),
        ("\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),
        ("a\u202eb", "a\\u202eb"),
        ("two\nlines", "two\\nlines"),
        ("\x9b31m", "\\x9b31m"),
    ],
)
def test_control_and_direction_characters_become_visible(text, shown):
    assert plain(text) == shown


def test_a_long_text_is_cut_and_says_so():
    assert plain("x" * 80, NAME_LIMIT) == "x" * 80
    assert plain("x" * 81, NAME_LIMIT) == "x" * 79 + "…"


def test_no_name_of_a_megabyte_fills_a_list(tmp_path):
    path, database, name = tmp_path / "a.jsonl", tmp_path / "a.sqlite", "x" * 2**20
    header, machine, environment = exchange_lines.START
    machine = exchange_lines.line(machine, label=name, model=name)
    run = exchange_lines.run("r", device_name=name, workload=name, framework=name)
    lines = [header, machine, environment, run, exchange_lines.end("r")]
    path.write_bytes(b"".join([*lines, exchange_lines.end(name)]))
    imported = benchdb("import", path, "--db", database)
    assert (imported.status, len(imported.err) < 1000) == (1, True)

    for command in ("machines list", "list", "quarantine list", "list --framework a"):
        shown = benchdb(*command.split(), "--db", database)
        assert 0 < len(shown.out + shown.err) < 1000, command
