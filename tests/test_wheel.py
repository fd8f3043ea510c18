"""An installed package works like the checkout: data found, pages written.

The wheel is built from the source distribution, as package managers build it, and the
commands run from ``/`` in an environment of their own.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
import yaml

from benchdb import __version__, resources
from tests import published_runs

CHECKOUT = Path(__file__).parents[1]


def build(*what: str | Path, into: Path) -> Path:
    """Return the one file that ``python -m build`` puts into a new folder."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(into)]
    subprocess.run([*command, *map(str, what)], check=True, capture_output=True)
    (made,) = into.iterdir()
    return made


@pytest.fixture(scope="module")
def sdist(tmp_path_factory) -> Path:
    """The source distribution of the checkout."""
    return build("--sdist", CHECKOUT, into=tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory) -> Path:
    """The wheel that the source distribution builds."""
    folder = tmp_path_factory.mktemp("unpacked")
    # Python's own way of doing this without a warning begins with 3.11.4.
    subprocess.run(["tar", "-xzf", sdist, "-C", folder], check=True)
    (source,) = folder.iterdir()
    return build("--wheel", source, into=tmp_path_factory.mktemp("wheel"))


class Runner:
    """The machine of a host: it runs the steps of ``action.yml`` in a folder."""

    def __init__(self, folder: Path, inputs: dict[str, str]) -> None:
        self.folder = folder
        action = yaml.safe_load((CHECKOUT / "action.yml").read_text())
        defaults = {
            name: it.get("default", "") for name, it in action["inputs"].items()
        }
        self.steps = {step["name"]: step for step in action["runs"]["steps"]}
        self.facts = {f"inputs.{name}": it for name, it in (defaults | inputs).items()}
        self.facts["runner.temp"] = str(folder)
        self.summary, self.output = folder / "summary.md", folder / "output"

    def run(self, name: str, **more: str):
        """Run the step of that *name*, with its expressions filled in."""
        step = self.steps[name]
        values = {
            key: re.sub(r"\$\{\{ (.*?) \}\}", lambda it: self.facts[it[1]], value)
            for key, value in step["env"].items()
        }
        files = {"GITHUB_STEP_SUMMARY": self.summary, "GITHUB_OUTPUT": self.output}
        known: dict[str, str | Path] = {"HOME": self.folder, "RUNNER_TEMP": self.folder}
        # The host has a "python", a Debian only its "python3".
        known["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env=os.environ
            | {k: str(v) for k, v in (known | files).items()}
            | values
            | more,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def runner(wheel, tmp_path_factory) -> Runner:
    """A runner that has installed the wheel; dependencies are those of the tests."""
    collect = "matmul --size 64 --framework numpy --tier smoke --no-metal"
    folder = tmp_path_factory.mktemp("runner")
    made = Runner(folder, {"collect": collect, "install": str(wheel)})
    done = made.run("Install", PIP_NO_DEPS="1", PIP_NO_INDEX="1")
    assert done.returncode == 0, done.stderr
    (site,) = (folder / "benchdb" / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    # Ten times as many runs of others, which the README's commands import as well.
    shutil.rmtree(site / "benchdb" / "_data" / "published" / "corpus")
    return made


@pytest.fixture(scope="module")
def installed(runner: Runner) -> Path:
    return runner.folder / "benchdb" / "bin" / "benchdb"


@pytest.fixture(scope="module")
def measured(runner: Runner) -> Path:
    """The runner's folder after it has measured with the collectors of the wheel."""
    done = runner.run("Measure")
    assert done.returncode == 0, done.stderr
    return runner.folder


def run(program: Path, home: Path, *arguments: object, **more: str):
    return subprocess.run(
        [str(program), *map(str, arguments)],
        cwd="/",
        env={"PATH": os.environ["PATH"], "HOME": str(home), **more},
        capture_output=True,
        text=True,
        check=False,
    )


def members(wheel: Path) -> dict[str, str]:
    """Return the digest of each file of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        return {name: sha256(archive.read(name)).hexdigest() for name in names}


def test_the_source_distribution_builds_the_wheel_of_the_checkout(wheel, tmp_path):
    direct = build("--wheel", CHECKOUT, into=tmp_path / "wheel")

    assert wheel.name == direct.name
    assert members(wheel) == members(direct)


def test_a_german_report_needs_nothing_but_the_wheel(installed, tmp_path):
    done = run(installed, tmp_path, "report", "--lang", "de", "-o", tmp_path / "out")

    assert done.returncode == 0, done.stderr
    count = published_runs.count(published_runs.FILES)
    assert f"with {count} published runs" in done.stderr
    assert "<html lang=de dir=ltr>" in (tmp_path / "out" / "report.de.html").read_text()


def test_it_lists_what_it_measured_and_says_what_it_can_measure(
    installed, measured, tmp_path
):
    for name in ("torch", "tensorflow"):  # they take seconds to say what they can do
        (tmp_path / f"{name}.py").write_text("raise ImportError('not here')\n")
    listed = run(installed, tmp_path, "list", "--db", measured / "benchdb.sqlite")
    advice = run(installed, tmp_path, "doctor", PYTHONPATH=str(tmp_path))
    imported = subprocess.run(
        [
            installed.with_name("python"),
            "-c",
            "import benchdb; print(benchdb.__file__)",
        ],
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    )

    assert listed.stdout.count("matmul") == 1, listed.stderr
    assert "numpy" in advice.stdout.lower(), advice.stderr
    assert imported.stdout.startswith(str(installed.parents[1]))


def test_facts_that_ship_fit_the_wheel_as_they_fit_the_checkout(installed, tmp_path):
    asked = "from benchdb import resources as it; print(it.program_of_facts().hex())"
    done = run(installed.with_name("python"), tmp_path, "-c", asked)

    assert done.stdout.strip() == resources.program_of_facts().hex(), done.stderr


def test_the_manual_page_is_where_man_looks(installed):
    page = installed.parents[1] / "share" / "man" / "man1" / "benchdb.1"

    assert page.read_text().startswith(".TH BENCHDB 1")


def test_the_wheel_holds_no_results_and_no_tests(wheel):
    names = members(wheel).keys()

    folders = {name.partition("/")[0] for name in names}
    whole = f"benchdb-{__version__}"
    assert folders == {"benchdb", f"{whole}.data", f"{whole}.dist-info"}
    assert not [name for name in names if "results.sqlite" in name or "tests/" in name]
    published = published_runs.FOLDER.rglob("*.jsonl")
    held = {f"benchdb/_data/{path.relative_to(CHECKOUT)}" for path in published}
    assert len(held) > 100
    assert held <= names


def test_the_action_shows_what_it_measured(measured):
    runner = Runner(measured, {})

    done = runner.run("Compare")

    assert done.returncode == 0, done.stderr
    assert "matmul" in runner.summary.read_text()
    assert runner.output.read_text() == f"summary={measured}/benchdb-summary.md\n"


def test_the_action_fails_where_nothing_can_be_judged(measured):
    runner = Runner(measured, {"baseline": "file:benchdb-results.jsonl"})

    done = runner.run("Compare")

    assert done.returncode == 2
    assert "cannot be judged" in done.stderr  # one process of a smoke run
    assert "matmul" in runner.summary.read_text()
