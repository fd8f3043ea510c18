"""An installed package works like the checkout: data found, pages written.

The wheel is built from the source distribution, as package managers build it, and the
commands run from ``/`` in an environment of their own.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

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
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    return build("--wheel", source, into=tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The command in a virtual environment; dependencies are those of the tests."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder / "venv")
    python = folder / "venv" / "bin" / "python"
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


def test_the_wheel_carries_the_collectors(installed, tmp_path):
    database = tmp_path / "r.sqlite"

    done = run(
        installed,
        tmp_path,
        *("collect", "matmul", "--size", "64", "--framework", "numpy"),
        *("--tier", "smoke", "--no-metal", "--no-cuda", "--db", database),
    )
    listed = run(installed, tmp_path, "list", "--db", database)
    advice = run(installed, tmp_path, "doctor", "--db", database)

    assert done.returncode == 0, done.stderr
    assert listed.stdout.count("measured here") == 1
    assert "numpy" in advice.stdout.lower(), advice.stderr


def test_the_manual_page_is_where_man_looks(installed):
    page = installed.parents[1] / "share" / "man" / "man1" / "benchdb.1"

    assert page.read_text().startswith(".TH BENCHDB 1")


def test_the_wheel_holds_no_results_and_no_tests(wheel):
    names = members(wheel).keys()

    folders = {name.partition("/")[0] for name in names}
    assert {name.partition(".d")[0] for name in folders} == {"benchdb", "benchdb-0.1.0"}
    assert not [name for name in names if "results.sqlite" in name or "tests/" in name]
    published = published_runs.FOLDER.rglob("*.jsonl")
    held = {f"benchdb/_data/{path.relative_to(CHECKOUT)}" for path in published}
    assert len(held) > 100
    assert held <= names
