"""Counts of the command line agree with their nouns."""

import pytest

from benchdb.cli.counts import counted
from tests.in_process import benchdb


@pytest.mark.parametrize(
    ("number", "what", "said"),
    [
        (0, "run", "0 runs"),
        (1, "run", "1 run"),
        (1, "process", "1 process"),
        (2, "process", "2 processes"),
        (12_000, "new run", "12,000 new runs"),
    ],
)
def test_a_count_agrees_with_its_noun(number, what, said):
    assert counted(number, what) == said


def test_one_run_is_imported_listed_and_exported_as_one(two_runs, tmp_path):
    both, one, alone = (
        tmp_path / "2.sqlite",
        tmp_path / "1.sqlite",
        tmp_path / "1.jsonl",
    )
    benchdb("import", two_runs, "--db", both)
    benchdb("export", "--workload", "mnist", "-o", alone, "--db", both)

    imported = benchdb("import", alone, "--db", one)
    listed = benchdb("list", "--db", one)
    machines = benchdb("machines", "list", "--db", one)
    exported = benchdb(
        "export", "--format", "parquet", "-o", tmp_path / "p", "--db", one
    )

    assert imported.out == f"{alone}: 1 run, 1 new\n"
    assert listed.err == "1 run\n"
    assert " 1 run  " in machines.out
    assert ": 1 run, " in exported.err
    assert ", 1 machine, 1 environment, " in exported.err
