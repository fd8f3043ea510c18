"""An installed wheel works like the checkout: data found, pages written."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests import published_runs

CHECKOUT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """A virtual environment with our wheel; dependencies are those of the tests."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
    subprocess.run(
        [*build, "--outdir", str(folder), str(CHECKOUT)],
        check=True,
        capture_output=True,
    )
    venv.create(folder / "venv")
    python = folder / "venv" / "bin" / "python"
    (wheel,) = folder.glob("*.whl")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--python", python, "install", "--quiet"),
            *("--no-deps", "--no-index", wheel),
        ],
        check=True,
    )
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    # Ten times as many runs of others, which the README's commands import as well.
    shutil.rmtree(site / "benchdb" / "_data" / "published" / "corpus")
    return Path(folder / "venv" / "bin" / "benchdb")


def run(program: Path, home: Path, *arguments: object):
    return subprocess.run(
        [str(program), *map(str, arguments)],
        cwd="/",
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_german_report_needs_nothing_but_the_wheel(installed, tmp_path):
    done = run(installed, tmp_path, "report", "--lang", "de", "-o", tmp_path / "out")

    assert done.returncode == 0, done.stderr
    count = published_runs.count(published_runs.FILES)
    assert f"with {count} published runs" in done.stderr
    assert "<html lang=de dir=ltr>" in (tmp_path / "out" / "report.de.html").read_text()


def test_the_wheel_carries_the_collectors(installed, tmp_path):
    database = tmp_path / "r.sqlite"

    done = run(
        installed,
        tmp_path,
        *("collect", "matmul", "--size", "64", "--framework", "numpy"),
        *("--tier", "smoke", "--no-metal", "--no-cuda", "--db", database),
    )
    listed = run(installed, tmp_path, "list", "--db", database)

    assert done.returncode == 0, done.stderr
    assert listed.stdout.count("measured here") == 1


def test_the_wheel_holds_no_results_and_no_tests(installed):
    names = subprocess.run(
        [sys.executable, "-m", "zipfile", "-l", *installed.parents[2].glob("*.whl")],
        check=True,
        capture_output=True,
        text=True,
    ).stdout

    assert "results.sqlite" not in names
    assert "tests/" not in names
    published = published_runs.FOLDER.rglob("*.jsonl")
    held = [f"benchdb/_data/{path.relative_to(CHECKOUT)} " for path in published]
    assert len(held) > 100
    assert [name for name in held if name not in names] == []
