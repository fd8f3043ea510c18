"""How ``collect`` begins and ends: its plan in a line, then a table of its figures."""

import re
from pathlib import Path

import pytest

from benchdb.cli.collect_summary import summary
from benchdb.store import results
from benchdb.store.database import open_database, writing
from tests import troubled_checkout
from tests.backends import Backend
from tests.cli.test_list import RATE, THREE
from tests.store_factory import Machine, Run, add
from tests.summary_page import measured
from tests.troubled_checkout import WORK

CAMPAIGN = "20260304T050607Z-abcdef"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    return troubled_checkout.make_collectors(tmp_path_factory.mktemp("checkout"))


def summary_of(where: str, *runs: Run) -> list[str]:
    """Return what is said at the end of the campaign that *runs* are part of."""
    engine = open_database(where)
    with writing(engine) as connection:
        for run in runs:
            add(connection, run)
        results.renew(connection)
    return [*summary(engine, CAMPAIGN, "")]


def mine(values: list[dict[str, float | None]], **facts) -> list[Run]:
    return measured(values, campaign=CAMPAIGN, mine=True, **facts)


def published(metric: str, value: float, chip: str, **columns) -> Run:
    facts = {"precision": "fp32", "compiler": "graph", "batch_size": 128, **columns}
    return Run(
        machine=Machine(chip=chip),
        values={metric: value},
        columns=facts,
        source="paper",
    )


def test_it_says_the_plan_first_and_ends_with_a_table(checkout, tmp_path):
    line = ("collect", *WORK, "--db", tmp_path / "r.sqlite")
    done = troubled_checkout.in_process(checkout, tmp_path, *line)

    assert done.status == 0, done.err
    plan = next(
        splitline for splitline in done.err.splitlines() if "warning" not in splitline
    )
    assert re.fullmatch(r"1 cell, 1 process of tier smoke: about 0:\d\d", plan)
    _, title, row, _, page, share = done.out.splitlines()
    assert title.split("  ")[0] == "workload"
    assert row.startswith("matmul, size 4  ")
    assert "NumPy" in row
    assert page.startswith("page     benchdb report --highlight here --db ")
    assert share.startswith("share    benchdb export --campaign ")


def test_what_failed_is_said_with_the_reason(checkout, tmp_path):
    line = ("collect", *WORK, "--replicates", 2, "--db", tmp_path / "r.sqlite")
    trouble = {"TROUBLE": "build", "TROUBLE_KIND": "unsupported"}
    done = troubled_checkout.in_process(checkout, tmp_path, *line, **trouble)

    assert done.status == 1
    failed = [
        splitline
        for splitline in done.out.splitlines()
        if splitline.startswith("matmul, size 4")
    ]
    assert len(failed) == 1
    assert failed[0].endswith("unsupported (this device cannot add), 2 times")


def test_a_figure_stands_beside_the_nearest_that_others_published(backend: Backend):
    own = mine(THREE, batch_size=128)
    lines = summary_of(
        backend.database(),
        *own,
        published("fit_samples_per_second", 250.0, "M1"),
        published("fit_samples_per_second", 500.0, "M4 Max"),
        published("fit_samples_per_second", 900.0, "M4 Max", batch_size=64),
        published("fit_samples_per_second", 900.0, "M4 Max", precision="fp16"),
        published("fit_samples_per_second", 800.0, "M4 Max", framework="torch"),
    )

    _, title, row, *rest = lines
    assert title.split("  ")[-1].strip() == "in comparison"
    assert "500 img/s, M4 Max · CPU · TensorFlow" in row
    assert row.endswith("2.0× as fast")
    assert f"compare  benchdb compare campaign:{CAMPAIGN} 'chip:M4 Max'" in rest


def test_operations_meet_in_their_own_metric_and_size(backend: Backend):
    sizes = {"workload": "matmul", "batch_size": 1}
    lines = summary_of(
        backend.database(),
        *mine([{"teraflops": 4.0}], **sizes, parameters={"size": 512}),
        *(
            Run(
                workload="matmul",
                values={"teraflops": value},
                columns={"batch_size": 1, "parameters": {"size": size}},
            )
            for size, value in ((512, 2.0), (1024, 3.0))
        ),
    )

    assert "2.00 TFLOPS, M1 · CPU · TensorFlow" in lines[2]
    assert "2.0× as fast" in lines[2]


def test_where_nobody_published_the_like_nothing_is_said_of_it(backend: Backend):
    _, title, _, *rest = summary_of(backend.database(), *mine([{RATE: 3.0}]))

    assert "nearest" not in title
    assert not [line for line in rest if line.startswith("compare")]


def test_a_gpu_that_waited_for_the_host_gets_a_compiled_counterpart(backend: Backend):
    facts = {
        "batch_size": 128,
        "device": "cuda",
        "framework": "torch",
        "precision": "bf16",
        "collector": "with_torch",
        "collector_version": "0.1.0",
        "collector_sha256": "ab" * 32,
        "checks": {"counterpart": "inductor-graphs"},
    }
    busy: list[dict[str, float | None]] = [
        {RATE: 100.0, "gpu_busy_percent": share} for share in (31.0, 33.0)
    ]
    full: list[dict[str, float | None]] = [{RATE: 90.0, "gpu_busy_percent": 97.0}]

    lines = summary_of(
        backend.database(),
        *mine(busy, **facts, workload="mnist"),
        *mine(full, **facts),
    )

    (text,) = (line for line in lines if "launch-bound" in line)
    assert text == (
        "mnist, torch cuda: launch-bound, the GPU is busy 31 % of the time; compiled: "
        "benchdb collect mnist --framework torch --cuda --batch-size 128 "
        "--precision bf16 --compiler inductor-graphs"
    )
