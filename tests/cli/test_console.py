"""Text from others cannot command a terminal; counts agree with their nouns."""

import pytest

from benchdb.cli.console import NAME_LIMIT, counted, plain
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


@pytest.mark.parametrize(
    ("number", "what", "result"),
    [
        (0, "run", "0 runs"),
        (1, "run", "1 run"),
        (1, "process", "1 process"),
        (2, "process", "2 processes"),
        (12_000, "new run", "12,000 new runs"),
    ],
)
def test_a_count_agrees_with_its_noun(number, what, result):
    assert counted(number, what) == result


def test_one_run_is_imported_listed_and_exported_as_one(two_runs, tmp_path):
    both, result, alone = (
        tmp_path / "2.sqlite",
        tmp_path / "1.sqlite",
        tmp_path / "1.jsonl",
    )
    benchdb("import", two_runs, "--db", both)
    benchdb("export", "--workload", "mnist", "-o", alone, "--db", both)

    imported = benchdb("import", alone, "--db", result)
    listed = benchdb("list", "--db", result)
    machines = benchdb("machines", "list", "--db", result)
    exported = benchdb(
        "export", "--format", "parquet", "-o", tmp_path / "p", "--db", result
    )

    assert imported.out == f"{alone}: 1 run, 1 new\n"
    assert listed.err == "1 result\n"
    assert " 1 run  " in machines.out
    assert ", 1 run, " in exported.err
    assert ", 1 machine, 1 environment, " in exported.err
