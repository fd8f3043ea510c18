"""Items of a plan run alone, as a scheduler does, and are put together again."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from benchdb.collecting import scripts
from tests.collector_programs import ROOT, TROUBLE
from tests.in_process import benchdb
from tests.numbered_items import numbered
from tests.processes import PATIENCE, eventually

WORK = ("matmul", "--size", 4, "--framework", "numpy", "--no-metal", "--no-cuda")
TWICE = (*WORK, "--tier", "smoke", "--replicates", 2)


@pytest.fixture(scope="module")
def plan(tmp_path_factory) -> Path:
    path: Path = tmp_path_factory.mktemp("plan") / "tiny.jsonl"
    own = ("--campaign", "tiny", "--python", sys.executable, "-o", path)
    done = benchdb("plan", *TWICE, *own, "--db", path.with_suffix(".sqlite"))
    assert done.status == 0
    assert re.fullmatch(
        r"benchdb: campaign tiny: 2 items, about 0:\d\d one after another\n", done.err
    )
    return path


@pytest.fixture(scope="module")
def nodes(tmp_path_factory) -> Path:
    """Copies of the collectors: the whole ones, and one in trouble."""
    folder: Path = tmp_path_factory.mktemp("nodes")
    compiled = shutil.ignore_patterns("__pycache__")
    for name in ("fine", "troubled"):
        copy = folder / name / "collectors"
        shutil.copytree(ROOT / "collectors", copy, ignore=compiled)
    shutil.copyfile(TROUBLE, folder / "troubled" / "collectors" / "with_numpy.py")
    return folder


def left(plan: Path, form: str, database: Path) -> tuple[str, str]:
    done = benchdb("plan", "--left", plan, "--format", form, "--db", database)
    assert done.status == 0, done.err
    return done.out, done.err


def items(plan: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in plan.read_text().splitlines()]


def shell(
    line: str, node: Path, trouble: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", line],
        cwd=node,
        env={**os.environ, **(trouble or {})},
        capture_output=True,
        text=True,
        check=False,
    )


def imported(folder: Path, database: Path) -> list[Any]:
    done = benchdb("import", folder, "--db", database)
    assert done.status == 0, done.err
    return rows(database, "status, reason, replicate")


def rows(database: Path, columns: str) -> list[Any]:
    with sqlite3.connect(database) as connection:
        cursor = connection.execute(f"SELECT {columns} FROM run ORDER BY 1, 2, 3")  # noqa: S608
        result = cursor.fetchall()
    connection.close()
    return result


def test_an_item_says_what_it_is_and_runs_in_a_folder_of_collectors(plan):
    first = items(plan)[0]

    assert first["argv"][1] == "collectors/with_numpy.py"
    assert {name: first[name] for name in ("item", "campaign", "workload")} == {
        "item": 1,
        "campaign": "tiny",
        "workload": "matmul",
    }
    assert [(item["item"], item["replicate"]) for item in items(plan)] == [
        (1, 0),
        (2, 1),
    ]


def test_items_run_one_by_one_give_the_cells_that_collect_gives(plan, nodes, tmp_path):
    result, together = tmp_path / "apart.sqlite", tmp_path / "together.sqlite"
    node = nodes / "fine"
    for line in left(plan, "commands", result)[0].splitlines():
        assert shell(line, node).returncode == 0
    missing = node / "items" / "tiny" / "2.jsonl"
    hidden = missing.rename(node / "2.jsonl")

    benchdb("import", node / "items", "--db", result)
    rest, text = left(plan, "jsonl", result)
    benchdb("import", hidden, "--db", result)

    assert [json.loads(line)["item"] for line in rest.splitlines()] == [2]
    assert "item 2 has no run: matmul 4 numpy cpu fp32 2/2" in text
    assert "1 of 2 items has a run" in text
    unwritten = tmp_path / "rest.sh"
    done = benchdb("plan", "--left", plan, "-o", unwritten, "--db", result)
    assert f"nothing is left to run; {unwritten} is not written" in done.err
    assert not unwritten.exists()
    done = benchdb("collect", *TWICE, "--db", together)
    assert done.status == 0, done.err
    cells = (
        "parameters, replicate, replicates, seed, workload, workload_version, setting, "
        "framework, device, precision, compiler, tier, status, machine, environment, "
        "collector_sha256"
    )
    assert rows(result, cells) == rows(together, cells)
    assert {name for name, *_ in rows(result, "campaign, 1, 1")} == {"tiny"}


@pytest.mark.parametrize(
    ("form", "kind", "status", "reason"),
    [
        ("slurm", ("build", "SIGSEGV"), 1, "killed by SIGSEGV"),
        ("slurm", ("program", "garbage"), 0, "with_numpy ended with status 0 and gave"),
        (
            "commands",
            ("program", "refuse"),
            2,
            "with_numpy ended with status 2 and gave no run: "
            "the device is gone; plug it in",
        ),
    ],
)
def test_an_item_that_fails_leaves_a_run_that_says_why(
    plan, nodes, tmp_path, form, kind, status, reason
):
    node, database = nodes / "troubled", tmp_path / "r.sqlite"
    text = left(plan, form, database)[0]
    line = text.splitlines()[1] if form == "commands" else text

    trouble = dict(zip(("TROUBLE", "TROUBLE_KIND"), kind, strict=True))
    done = shell_of_task(line, node, trouble | {"SLURM_ARRAY_TASK_ID": "2"})

    ((outcome, why, replicate),) = imported(node / "items", database)
    shutil.rmtree(node / "items")
    assert done.returncode == status
    assert (outcome, replicate) == ("failed", 1)
    assert why.startswith(reason)
    assert "item 2 did not succeed" in left(plan, "jsonl", database)[1]


def shell_of_task(text: str, node: Path, trouble: Mapping[str, str]) -> Any:
    (node / "job.sh").write_text(text)
    return shell("exec bash job.sh", node, trouble)


def test_a_job_array_is_valid_and_runs_the_item_of_its_task(plan, nodes, tmp_path):
    text = left(plan, "slurm", tmp_path / "none.sqlite")[0]
    node = nodes / "troubled"
    checked = subprocess.run(["bash", "-n"], input=text, text=True, check=False)

    done = shell_of_task(text, node, {"SLURM_ARRAY_TASK_ID": "3"})

    assert checked.returncode == 0
    options = [line for line in text.splitlines() if line.startswith("#SBATCH")]
    assert "#SBATCH --array=1-2" in options
    assert "#SBATCH --exclusive" in options
    assert "#SBATCH --time=17" in options
    assert (done.returncode, done.stderr) == (2, "tiny has no item 3\n")


def test_a_task_that_is_stopped_leaves_its_run_interrupted(plan, nodes, tmp_path):
    node = nodes / "troubled"
    database, folder = tmp_path / "r.sqlite", node / "items" / "tiny"
    (node / "job.sh").write_text(left(plan, "slurm", database)[0])
    slow = {"SLURM_ARRAY_TASK_ID": "1", "TROUBLE_STEP_SECONDS": "60"}

    with subprocess.Popen(
        ["bash", "job.sh"], cwd=node, env={**os.environ, **slow}
    ) as task:
        eventually(
            lambda: [p for p in folder.glob("1.*.part") if "run" in p.read_text()]
        )
        task.send_signal(signal.SIGTERM)
        status = task.wait(PATIENCE)

    ((outcome, *_),) = imported(folder, database)
    names = sorted(path.name for path in folder.iterdir())
    shutil.rmtree(node / "items")
    assert status in {130, 143}
    assert outcome == "interrupted"
    assert names == ["1.err", "1.jsonl"]
    assert "item 1 has no run" in left(plan, "jsonl", database)[1]


def test_a_whole_file_outlives_a_task_that_is_run_again_and_stopped(nodes):
    node = nodes / "troubled"
    part, whole = node / "1.part", node / "1.jsonl"
    part.write_text('{"type": "run"}')
    whole.write_text("whole")

    kept = shell("status=130; " + scripts.named("1.part", "1.jsonl"), node)

    assert kept.returncode == 0
    assert (part.exists(), whole.read_text()) == (False, "whole")


def test_arguments_reach_the_collector_as_they_are(tmp_path):
    strange = ("it's", "$HOME", "a b", "*", "`id`", "%s\\n")
    (item,) = (replace(entry, argv=(*ECHO, *strange)) for entry in numbered(0)[:1])
    (tmp_path / "collectors").mkdir()
    (tmp_path / ECHO[1]).write_text(
        'import sys; print(sys.argv[1:], \'"type": "run"\')'
    )

    line = scripts.shell_line(item)
    shell(line, tmp_path)
    task = {"SLURM_ARRAY_TASK_ID": "1", "SLURM_JOB_ID": "7"}
    by_line = (tmp_path / "items" / "many" / "1.jsonl").read_text()
    shell_of_task(scripts.slurm_script([item], exclusive=True), tmp_path, task)

    assert "\n" not in line
    assert by_line.startswith(str(list(strange)))
    assert (tmp_path / "items" / "many" / "1.jsonl").read_text() == by_line


ECHO = (sys.executable, "collectors/with_numpy.py")
