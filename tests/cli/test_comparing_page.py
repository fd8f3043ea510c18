"""The workflow on the page about comparing: its steps run."""

import os
import re
import shlex
import subprocess
import sys
import textwrap

from tests.manual import CHECKOUT, code_blocks

PAGE = CHECKOUT / "docs" / "comparing.md"
(WORKFLOW,) = (block for block in code_blocks(PAGE) if not block.startswith("$ "))
# Less work than a workflow has time for.
QUICKER = {
    "1 2 3 4 5": "1 2",
    "--tier quick": "--tier smoke",
    "--size 512": "--size 64",
}


def steps() -> dict[str, str]:
    """Return the shell of each step of the workflow, by its name."""
    result = re.findall(r"- name: (\w+)\n\s+run: \|\n((?: {10}.*\n)+)", WORKFLOW)
    return {name: textwrap.dedent(shell) for name, shell in result}


def test_the_workflow_measures_in_turns_and_compares(tmp_path):
    program = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m benchdb "$@"\n'
    for side in ("base", "head"):
        folder = tmp_path / f"env-{side}" / "bin"
        folder.mkdir(parents=True)
        (folder / "benchdb").write_text(program)
        (folder / "benchdb").chmod(0o755)
    measure = steps()["measure"]
    for usual, quicker in QUICKER.items():
        assert usual in measure
        measure = measure.replace(usual, quicker)

    done = {
        name: subprocess.run(
            ["bash", "-e", "-c", shell],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
            capture_output=True,
            text=True,
            check=False,
        )
        for name, shell in (("measure", measure), ("compare", steps()["compare"]))
    }

    assert done["measure"].returncode == 0, done["measure"].stderr
    assert done["compare"].returncode == 2  # smoke runs prove nothing
    assert "the evidence is too poor: smoke runs" in done["compare"].stderr
    summary = (tmp_path / "summary.md").read_text()
    assert "**A: database base.sqlite; B: database head.sqlite**" in summary
    (row,) = (line for line in summary.splitlines() if "CPU · NumPy" in line)
    assert row.count("n = 2") == 2


def test_the_workflow_has_the_steps_that_were_tried():
    assert list(steps()) == ["install", "measure", "compare"]
