"""``benchdb list``: a line for each run, of those that are asked for."""

import json
from pathlib import Path

import pytest

from tests import published_runs
from tests.exchange_lines import ENVIRONMENT, HEADER, MACHINE, RUN, end, line, run
from tests.in_process import benchdb


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Path:
    return published_runs.database(tmp_path_factory.mktemp("published"))


def test_list_prints_one_line_per_run(published):
    done = benchdb("list", "--db", published)

    lines = done.out.splitlines()
    assert lines[0].split()[:3] == ["run", "workload", "system"]
    assert len(lines) == 1 + published_runs.COUNT
    assert f"{published_runs.COUNT} runs" in done.err


def test_list_filters_and_limits(published):
    done = benchdb(
        *("list", "--source", "m1tensorbench", "--workload", "lstm"),
        *("--device", "metal", "--limit", 3, "--json", "--db", published),
    )

    runs = json.loads(done.out)
    assert len(runs) == 3
    assert {(run["workload"], run["device"], run["source"]) for run in runs} == {
        ("lstm", "metal", "m1tensorbench")
    }


def test_list_tells_precisions_apart(published):
    asked = ("--workload", "resnet50", "--precision", "tf32", "--db", published)
    done = benchdb("list", *asked)

    title, *lines = done.out.splitlines()
    at = title.index("precision")
    assert lines
    assert {line[at:].split()[0] for line in lines} == {"tf32"}


def test_list_has_the_label_of_each_run_beside_its_source(published):
    done = benchdb("list", "--source", "m1tensorbench", "--limit", 3, "--db", published)

    title, *lines = done.out.splitlines()
    labels, sources = title.index("label"), title.index("from")
    assert {line[labels:sources].strip() for line in lines} == {"transcribed"}
    assert {line[sources:] for line in lines} == {"m1tensorbench"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--status", "weird"),
            ["no run has --status weird; there are not-measured, ok"],
        ),
        (("--status", "ok", "--source", "x\ny"), ["no run has --source x"]),
        # A source whose figures are claims alone has no run.
        (("--source", "m1-vs-v100"), ["--source m1-vs-v100; there are m1tensorbench"]),
        # Each of the two has runs; none has both.
        (("--workload", "lstm", "--source", "needle-metal"), []),
    ],
)
def test_who_asks_for_what_no_run_has_is_told_what_there_is(published, options, said):
    done = benchdb("list", *options, "--json", "--db", published)

    assert (done.status, json.loads(done.out)) == (0, [])
    lines = done.err.splitlines()
    assert len(lines) == len(said)
    assert all(part in line for part, line in zip(said, lines, strict=True))


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

    assert "NVIDIA H200 · cuda" in shown
    assert "Xeon · cpu" in shown
    assert "Xeon · cuda" not in shown
