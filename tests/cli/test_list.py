"""``benchdb list``: the figure of each cell and session, or a line for every run."""

import json
from pathlib import Path

import pytest

from benchdb.cli import console
from benchdb.store import results
from benchdb.store.database import open_database, reading, writing
from benchdb.store.listing import Filter
from benchdb.store.listing import listed as listed_rows
from benchdb.store.query_plans import explained, recorded
from tests import published_runs
from tests.backends import Backend
from tests.exchange_lines import ENVIRONMENT, HEADER, MACHINE, RUN, end, line, run
from tests.in_process import benchdb
from tests.store_factory import add
from tests.summary_page import measured

RATE = "samples_per_second"
THREE: list[dict[str, float | None]] = [{RATE: number} for number in (990, 1000, 1010)]


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Path:
    return published_runs.imported(tmp_path_factory.mktemp("published"))


def listed(database: object, *options: object):
    done = benchdb("list", *options, "--json", "--db", database)
    assert done.status == 0, done.err
    return json.loads(done.out)


def filled(location: str, *cells) -> str:
    """Put the runs of *cells* into a database, with their results."""
    with writing(open_database(location)) as connection:
        for processes in cells:
            for process in processes:
                add(connection, process)
        results.renew(connection)
    return location


def test_a_cell_of_three_processes_is_a_line_with_its_figure(backend: Backend):
    where = filled(backend.database(), measured(THREE, batch_size=128))

    (row,) = listed(where)
    title, shown = benchdb("list", "--db", where).out.splitlines()

    assert row["value"] == pytest.approx(999.97, abs=0.01)
    assert (row["low"], row["high"]) == pytest.approx((975.4, 1025.1), abs=0.1)
    assert (row["n"], row["unit"], row["metric"]) == (3, "img/s", RATE)
    assert title.split()[:3] == ["run", "workload", "system"]
    assert shown.split("  ")[0] == row["digest"][:12]
    assert "resnet50, batch 128" in shown
    assert "1,000 img/s" in shown
    low, high = (f"{row[end]:,.0f}" for end in ("low", "high"))
    assert f"{low}–{high}  3" in shown


def test_lines_of_other_work_never_look_the_same_in_80_columns(
    backend: Backend, monkeypatch
):
    asked = [
        {
            "model": model,
            "generated_tokens": 128,
            "depth": depth,
            "quantization": "bf16",
        }
        for model in ("SmolLM2 135M", "Qwen3 Coder 30B A3B")
        for depth in (0, 4096)
    ]
    cells = [
        measured(
            [{"tokens_per_second": 100.0}],
            workload="llm-decode",
            precision="bf16",
            campaign=f"c{number}",
            batch_size=1,
            parameters=parameters,
        )
        for number, parameters in enumerate(asked)
    ]
    where = filled(backend.database(), *cells)
    monkeypatch.setattr(console, "terminal_width", lambda: 80)

    rows = listed(where)
    head, *lines = benchdb("list", "--db", where).out.splitlines()
    starts = [place for place, line in enumerate(lines) if not line.startswith(" ")]
    place = slice(head.index("workload"), head.index("system"))
    texts = [
        " ".join(line[place].strip() for line in lines[begin:end])
        for begin, end in zip(starts, [*starts[1:], None], strict=True)
    ]

    axes = ("model", "generated_tokens", "depth")
    assert [row["work"] for row in rows] == [
        {name: row["parameters"][name] for name in axes} for row in rows
    ]
    assert sorted(texts) == sorted(
        f"llm-decode, {values['model']}, 128 tokens, depth {values['depth']}"
        for values in asked
    )
    assert "figure" in head
    assert max(map(len, (head, *lines))) <= 80


def test_a_setting_is_named_where_another_line_would_look_the_same(backend: Backend):
    settings = ("standard", "tf-metal-experiments", "tf-metal-experiments")
    workloads = ("resnet50", "resnet50", "mobilenetv2")
    cells = [
        measured(
            [{RATE: 1.0}],
            workload=name,
            setting=setting,
            campaign=f"c{number}",
            batch_size=1,
        )
        for number, (name, setting) in enumerate(zip(workloads, settings, strict=True))
    ]

    where = filled(backend.database(), *cells)
    _, *lines = benchdb("list", "--db", where).out.splitlines()

    assert sorted(line.split("  ")[1] for line in lines) == [
        "mobilenetv2",
        "resnet50",
        "resnet50, tf-metal-experiments",
    ]


def test_statistics_and_variants_are_named_where_lines_would_look_the_same(
    backend: Backend,
):
    kinds: tuple[dict[str, str], ...] = (
        {"statistic": "min"},
        {"statistic": "max", "variant": "cold"},
        {},
    )
    cells = [
        measured(
            [{RATE: 1.0}],
            workload="resnet50",
            campaign=f"c{number}",
            batch_size=1,
            parameters=kind,
        )
        for number, kind in enumerate(kinds)
    ]

    where = filled(backend.database(), *cells)
    _, *lines = benchdb("list", "--db", where).out.splitlines()

    assert sorted(line.split("  ")[1] for line in lines) == [
        "resnet50",
        "resnet50, cold, max",
        "resnet50, min",
    ]


def test_each_run_has_a_line_where_they_are_asked_for(backend: Backend):
    where = filled(backend.database(), measured(THREE))

    rows = listed(where, "--runs")

    assert sorted(row["value"] for row in rows) == [990.0, 1000.0, 1010.0]
    assert {row["grade"] for row in rows} == {listed(where)[0]["grade"]}
    assert sorted(row["replicate"] for row in rows) == [0, 1, 2]


def test_what_failed_stands_alone_with_its_status(backend: Backend):
    done = measured([{RATE: 1000.0}])
    failed = measured([{}], status="failed", reason="out of luck", campaign="d")
    where = filled(backend.database(), done, failed)

    rows = {row["status"]: row for row in listed(where)}

    assert rows["ok"]["value"] == 1000.0
    assert (rows["failed"]["value"], rows["failed"]["n"]) == (None, None)
    lines = benchdb("list", "--status", "failed", "--db", where).out.splitlines()
    assert " failed " in lines[1]


def test_the_newest_is_first_and_what_has_no_date_last(backend: Backend):
    when = ("2026-01-01T00:00:00Z", None, "2026-03-01T00:00:00Z")
    cells = [
        measured([{RATE: 1.0 + number}], started=date, campaign=f"c{number}")
        for number, date in enumerate(when)
    ]
    where = filled(backend.database(), *cells)

    assert [row["started"] for row in listed(where)] == [when[2], when[0], None]
    assert [row["started"] for row in listed(where, "--limit", 1)] == [when[2]]
    since = listed(where, "--since", "2026-02")
    assert [row["started"] for row in since] == [when[2]]


def test_the_best_of_each_piece_of_work_is_first_by_value(backend: Backend):
    cells = [
        measured([{metric: value}], workload=workload, campaign=workload + str(value))
        for workload, metric, value in (
            ("lstm", "script_wall_seconds", 9.0),
            ("lstm", "script_wall_seconds", 4.0),
            ("resnet50", RATE, 100.0),
            ("resnet50", RATE, 300.0),
        )
    ]
    where = filled(backend.database(), *cells)

    rows = listed(where, "--sort", "value")
    assert [row["value"] for row in rows] == [4.0, 9.0, 300.0, 100.0]


def test_filters_find_chips_machines_campaigns_and_grades(published):
    metal = ("--device", "metal", "--workload", "lstm")
    rows = listed(published, "--chip", "apple m1 max", *metal)
    assert {row["accelerator"] for row in rows} == {"M1 Max"}

    name = listed(published, "--label", "measured", "--limit", 1)[0]["campaign"]
    assert {row["campaign"] for row in listed(published, "--campaign", name)} == {name}

    (machine,) = {
        row["machine"] for row in listed(published, "--chip", "H200", "--limit", 3)
    }
    here = listed(published, "--machine", machine[:12])
    assert {row["machine"] for row in here} == {machine}

    graded = listed(published, "--grade", "b,I")
    assert {row["grade"] for row in graded} == {"B", "I"}


def test_an_h200_is_never_called_after_the_processor_beside_it(published):
    lines = benchdb("list", "--device", "cuda", "--db", published).out.splitlines()[1:]

    assert lines
    assert not [line for line in lines if "Xeon" in line]


def test_list_tells_precisions_apart(published):
    asked = ("--workload", "resnet50", "--precision", "tf32", "--db", published)
    title, *lines = benchdb("list", *asked).out.splitlines()

    at = title.index("precision")
    assert lines
    assert {line[at:].split()[0] for line in lines} == {"tf32"}


def test_list_has_the_label_of_each_figure_beside_its_source(published):
    done = benchdb("list", "--source", "m1tensorbench", "--limit", 3, "--db", published)

    title, *lines = done.out.splitlines()
    at = [title.index(name) for name in ("label", "from", "date")]
    assert {line[at[0] : at[1]].strip() for line in lines} == {"transcribed"}
    assert {line[at[1] : at[2]].strip() for line in lines} == {"m1tensorbench"}


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--workload", "resnet5"), "no workload 'resnet5'; did you mean 'resnet50'?"),
        (("--framework", "pytorch"), "no framework 'pytorch'; did you mean 'torch'?"),
        (("--device", "mettal"), "no device 'mettal'; did you mean 'metal'?"),
        (("--precision", "bf61"), "no precision 'bf61'; did you mean 'bf16'?"),
        (("--status", "fail"), "no status 'fail'; did you mean 'failed'?"),
        (("--label", "measure"), "no label 'measure'; did you mean 'measured'?"),
        (("--chip", "m1max"), "no chip 'm1max'; did you mean 'M1 Max'?"),
        (("--grade", "Q"), "no grade 'Q'; there are: A, B, C, I, X"),
        (("--source", "needle"), "no source 'needle'; did you mean 'needle-metal'?"),
        (("--since", "monday"), "'monday' is no date; write it as 2026-11-25"),
    ],
)
def test_a_name_that_nothing_has_is_a_mistake(published, options, line):
    done = benchdb("list", *options, "--db", published)

    assert (done.status, done.out, done.err) == (2, "", f"benchdb: {line}\n")


@pytest.mark.parametrize("option", ["campaign", "machine"])
def test_an_unknown_campaign_or_machine_is_told_which_there_are(published, option):
    done = benchdb("list", f"--{option}", "zzz", "--db", published)

    assert done.status == 2
    assert done.err.startswith(f"benchdb: no {option} 'zzz'; there are: ")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        # Each of the two has runs; none has both.
        ("--workload", "lstm", "--source", "needle-metal"),
        # A source whose figures are claims alone has no run.
        ("--source", "m1-vs-v100"),
        ("--workload", "vgg16", "--chip", "M4 Max"),
        ("--mine",),
    ],
)
def test_what_is_known_and_nothing_has_together_is_no_mistake(published, options):
    done = benchdb("list", *options, "--json", "--db", published)

    assert (done.status, json.loads(done.out)) == (0, [])
    assert done.err == f"benchdb: no run matches {' '.join(options)}\n"


def test_the_newest_come_from_an_index(published):
    with reading(open_database(str(published))) as connection:
        with recorded(connection) as queries:
            listed_rows(connection, Filter(limit=2), every=False)
        (query,) = queries.values()
        plan = explained(connection, query)

    assert "ix_run_started" in plan.indexes
    assert plan.whole == ()


def test_a_run_that_ended_before_it_named_its_card_is_listed_with_it(tmp_path):
    card = {"vendor": "NVIDIA", "name": "H200", "count": 2}
    chip = {"vendor": "Intel", "name": "Xeon", "accelerators": [card]}
    nameless = json.loads(RUN)
    nameless.pop("device_name", None)
    lines = [
        *(HEADER, line(MACHINE, chip=chip), ENVIRONMENT),
        line(json.dumps(nameless).encode(), key="r", device="cuda"),
        end("r", status="interrupted", reason="stopped by SIGINT", values=[]),
        run("s", device="cpu", device_name="Xeon", replicate=4),
        end("s", status="failed", reason="it did", values=[]),
    ]
    (tmp_path / "ended.jsonl").write_bytes(b"".join(lines))
    database = tmp_path / "results.sqlite"
    benchdb("import", tmp_path / "ended.jsonl", "--db", database)

    shown = benchdb("list", "--db", database).out

    assert "H200 · CUDA" in shown
    assert "Xeon · CPU" in shown
    assert "Xeon · CUDA" not in shown
