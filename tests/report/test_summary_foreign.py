"""The page of what others published: doubts, copies, older versions, sameness."""

from benchdb.report.language import load
from benchdb.report.summary import summarise
from tests.store_factory import Machine, Run, add, new_store
from tests.summary_page import FIT, WALL, page

EN = load("en")
OLD, NEW = "a" * 64, "b" * 64
PEAK = {"stated": 300.0, "peak": 10.6, "chip": "M1 Max", "mode": "any"}


def test_what_a_source_flags_itself_is_not_told_twice(tmp_path):
    run = Run(
        values={WALL: 9.0},
        flags=[("outlier", WALL)],
        findings=[("outlier", WALL, {"seconds": 9.0}), ("outlier", "", {})],
    )

    report = page(tmp_path, [run])

    assert [note.code for note in report.notes] == ["outlier"]


def test_processes_of_merged_machines_keep_their_own_memory(tmp_path):
    engine = new_store(tmp_path / "results.sqlite")
    with engine.begin() as connection:
        for ram in (16, 64):
            mac = Machine("M2", ram_gib=ram, ours="me")
            add(connection, Run(machine=mac, source=None, values={FIT: float(ram)}))
        report = summarise(connection)

    assert len(report.machines) == 1
    assert len({row.system.ram_bytes for row in report.values}) == 2
