"""A collector of somebody else: what it tells meanwhile, what is seen around it."""

import io
import json
import sys
import threading
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from benchdb.cli.progress import Course, Display
from benchdb.collecting import programs
from benchdb.collecting.campaign import Finished, measure
from benchdb.collecting.plan import Memory, Request, Settings, ordered, plan
from benchdb.collecting.processes import Interruption
from benchdb.collecting.programs import survey
from benchdb.collecting.protocol_check import points
from benchdb.collecting.reported import Report, Reported, report_of
from benchdb.exchange.record import Record
from benchdb.grading import ProcessFacts, grade
from benchdb.store.database import open_database, reading
from benchdb.store.findings import findings_of
from benchdb.store.read import records
from tests.processes import eventually

SETTINGS = Settings("c", "quick", seed=7, time_limit=60, grace=60)
# It goes on where the file that the test makes for each phase is there.
PROGRAM = """#!{python}
import json, pathlib, sys, time
here, asked = pathlib.Path({here!r}), sys.argv[1:]
if asked == ["--describe"]:
    print(json.dumps({description!r}))
    sys.exit()
value = dict(zip(asked, asked[1:]))
(here / "asked.json").write_text(json.dumps(asked))
def phase(name, percent):
    if "--progress" in asked:
        print(f"acme: {{name}}, {{percent}} %", file=sys.stderr, flush=True)
        while not (here / name).exists():
            time.sleep(0.01)
seed, turn = int(value["--seed"]), int(value["--replicate"])
for line in (
    {{"type": "header", "format": 1, "producer": "acme", "producer_version": "1"}},
    {{"type": "machine", "key": "m", "chip": {{"vendor": "unknown", "name": "any"}}}},
    {{"type": "environment", "key": "e", "framework": "acme"}},
    {{"type": "run", "key": "r", "machine": "m", "environment": "e",
      "workload": "matmul", "framework": "acme", "device": "cpu", "precision": "fp32",
      "parameters": {{"size": 8}}, "seed": seed + turn, "replicate": turn,
      "tier": value["--tier"], "replicates": int(value["--replicates"]),
      "campaign": value.get("--campaign"), "label": "measured"}},
):
    print(json.dumps(line), flush=True)
phase("warm-up", 25)
phase("measure", 60)
time.sleep(1.5)
passed = {{"device": {{"status": "passed"}}, "result_error": {{"status": "passed"}}}}
for line in (
    {{"type": "samples", "run": "r", "phase": "measure", "values": [0.1] * 12}},
    {{"type": "end", "run": "r", "status": "ok", "checks": {{"gates": passed}},
      "values": [{{"metric": "teraflops", "value": {teraflops}}}]}},
):
    print(json.dumps(line), flush=True)
"""
DESCRIPTION = {
    "type": "collector",
    "format": 1,
    "name": "acme",
    "version": "1",
    "framework": "acme",
    "framework_version": "1",
    "devices": {"cpu": {"available": True, "name": "any"}},
    "workloads": [{"name": "matmul", "parameters": {"size": [8]}}],
    "precisions": {"cpu": ["fp32"]},
    "progress": True,
}


def collector(folder: Path, teraflops: float = 1.024e-8, **described: object) -> None:
    (place := folder / "config" / "collectors").mkdir(parents=True)
    text = PROGRAM.format(
        python=sys.executable,
        here=str(folder),
        description=DESCRIPTION | described,
        teraflops=teraflops,
    )
    (path := place / "acme").write_text(text)
    path.chmod(0o755)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path))
    monkeypatch.setattr(programs, "_silent", {})


def collected(tmp_path: Path, memory: Memory) -> tuple[Record, Finished]:
    engine = open_database(str(tmp_path / "r.sqlite"), create=True)
    cells = plan(Request(("matmul",), size=(8,)), survey(["acme"])).cells
    with Interruption() as interruption:
        items = ordered(cells, 1, seed=7)
        events = list(measure(engine, items, SETTINGS, interruption, memory))
    (event,) = (started for started in events if isinstance(started, Finished))
    assert event.error is None
    assert event.record is not None
    return event.record, event


def test_a_process_tells_how_far_it_is_while_it_runs(tmp_path):
    collector(tmp_path)
    memory = Memory(reported=(reported := Reported()))
    seen: list[Report] = []

    def in_phase(name: str) -> Report | None:
        latest = reported.latest()
        return latest if latest is not None and latest.phase == name else None

    def look_on() -> None:
        for name in ("warm-up", "measure"):
            seen.append(eventually(partial(in_phase, name)))
            (tmp_path / name).touch()

    onlooker = threading.Thread(target=look_on)
    onlooker.start()
    record, _ = collected(tmp_path, memory)
    onlooker.join()

    assert [(report.phase, report.share) for report in seen] == [
        ("warm-up", 0.25),
        ("measure", 0.6),
    ]
    assert record.end.status == "ok"
    assert reported.latest() is None  # nothing runs any more


@pytest.mark.parametrize("progress", [True, False])
def test_it_is_asked_to_tell_only_where_somebody_looks_and_it_can(tmp_path, progress):
    collector(tmp_path, progress=progress)

    collected(tmp_path, Memory(reported=None if progress else Reported()))

    assert "--progress" not in json.loads((tmp_path / "asked.json").read_text())


def test_what_a_grade_asks_of_the_time_of_measuring_is_seen_from_outside(tmp_path):
    collector(tmp_path)

    _, event = collected(tmp_path, Memory())
    with reading(open_database(str(tmp_path / "r.sqlite"))) as connection:
        (record,) = records(connection)
    checks = record.end.checks

    assert event.doubts == ()
    assert checks["during"]["of"] == "the whole process"
    assert checks["during"]["samples"] >= 1
    assert checks["steady"]["steady"] is True
    assert "load_1m" in record.end.conditions
    # Of a machine with nothing else to do.
    facts = ProcessFacts(
        *("ok", "measured", "cpu", "quick"),
        seconds=0.1,
        iqr_percent=0.0,
        load_per_cpu=0.1,
        checks=checks,
        before=dict(record.run.conditions),
        after=dict(record.end.conditions),
    )
    unseen = replace(facts, checks={"gates": checks["gates"]}, after={})
    assert [it and it.letter for it in (grade([facts] * 5), grade([unseen] * 5))] == [
        "B",
        "C",
    ]


def test_what_it_says_itself_stays(tmp_path):
    collector(tmp_path)
    path = tmp_path / "config" / "collectors" / "acme"
    own = '"checks": {"gates": passed, "steady": {"steady": None, "why": "mine"}}'
    path.write_text(path.read_text().replace('"checks": {"gates": passed}', own))

    record, _ = collected(tmp_path, Memory())

    assert record.end.checks["steady"] == {"steady": None, "why": "mine"}
    assert record.end.checks["during"]["of"] == "the whole process"


def test_what_is_stored_is_asked_of_the_rules_and_named_in_its_line(
    tmp_path, monkeypatch
):
    collector(tmp_path, teraflops=-1.0)

    record, event = collected(tmp_path, Memory())
    monkeypatch.setattr(sys, "stderr", shown := io.StringIO())
    Display(None, 1).tell(event)
    with reading(open_database(str(tmp_path / "r.sqlite"))) as connection:
        findings = findings_of(connection, record.digest)

    assert [(finding.code, finding.metric) for finding in findings] == list(
        event.doubts
    )
    assert ("impossible-figure", "teraflops") in event.doubts
    assert "; worth a second look: " in shown.getvalue()
    assert "impossible-figure (teraflops)" in shown.getvalue()


def test_check_collector_misses_the_progress_that_was_promised(tmp_path):
    collector(tmp_path)
    for phase in ("warm-up", "measure"):
        (tmp_path / phase).touch()
    path = tmp_path / "config" / "collectors" / "acme"
    path.write_text(path.read_text().replace("{percent} %", "{percent} percent"))

    holds = {it.name: it.holds for it in points(path)}

    assert holds["matmul on cpu"] is True
    assert holds["matmul on cpu: progress"] is False


@pytest.mark.parametrize(
    ("line", "phase", "share"),
    [
        ("measure, 42 %", "measure", 0.42),
        ("matmul 64 on cpu in fp32, 1/3: first step, 7.5 %", "first step", 0.075),
        ("100%|#####| 3/3", None, None),
        ("measure, 142 %", None, None),
        ("loss 3, 42 % of memory", None, None),
    ],
)
def test_only_a_phase_with_its_share_is_a_report(line, phase, share):
    report = report_of(line)

    assert (report and report.phase, report and report.share) == (phase, share)


class Told(Reported):
    def __init__(self, report: Report | None) -> None:
        super().__init__()
        self._latest = report


def test_a_bar_stands_where_the_process_says_and_the_clock_goes_on_from_there():
    begun = Course(begun=100.0, each=20.0, left=60.0, reported=Told(None))
    course = Course(100.0, 20.0, 60.0, Told(Report("measure", 0.5, 102.0)))
    unknown = Course(100.0, reported=Told(Report("measure", 0.5, 110.0)))

    assert begun.share(105) == 0.25
    assert [course.share(now) for now in (102, 104, 200)] == [0.5, 0.6, 0.95]
    assert course.left_text(104) == "about 0:48 left"
    assert course.left_text(121) == "about 0:40 left"  # and this one is late
    assert unknown.share(112) == 0.6  # half of it took ten seconds
