"""The measures of size and shape, on a tree small enough to count by hand."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tools import house
from tools.journey import sightings

CHECKOUT = Path(__file__).parents[1]
TREE = {
    "benchdb/__init__.py": '"""A package."""\n',
    "benchdb/report/__init__.py": (
        "from .sections import listings\nfrom . import rows\n"
    ),
    "benchdb/report/rows.py": "import benchdb.store.rows\n\nSECTIONS = ['listings']\n",
    "benchdb/report/sections/listings.py": '''"""A section."""

from benchdb.store import rows


def passed(line, *others):
    """Return what another returns."""
    return made(line.name, others[0], *others, key="x")


def printed(text):
    print(text.strip)


def made(line, *others, key):
    if key:
        return others
    return computed(len(others))


def computed(count):
    return made(count + 1, key=None)


class Line:
    def shown(self):
        yield from self.made(self)
''',
    "benchdb/store/rows.py": "def listings(): ...\n",
    "collectors/with_numpy.py": "import _work\n",
    "collectors/_work.py": "numpy = 'numpy'\n",
    "reports/templates/__pycache__/listings.pyc": "listings",
    "reports/templates/page.j2": '{% include "parts/listings.j2" %}\n',
    "reports/templates/parts/listings.j2": "listings\n",
    "tests/order.py": 'ORDER = """report.rows report.sections.listings"""\n',
    "tests/test_other.py": "from benchdb.report.sections.listings import made\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.fixture
def product(root) -> house.Modules:
    return house.parse(root, *house.PRODUCT)


def test_statements_are_all_but_docstrings(root, product):
    assert house.statements(house.parse(root, "collectors")) == 2
    assert house.statements(house.parse(root, "benchdb/store")) == 1
    assert house.statements(product) == 21


def test_what_passes_on_does_nothing_to_what_it_gives(product):
    path = "benchdb/report/sections/listings.py"
    to_ours = [f"{path}:6 passed", f"{path}:26 shown"]

    passing, passing_to_ours = house.relays(product)

    assert sorted(passing) == sorted([*to_ours, f"{path}:11 printed"])
    assert sorted(passing_to_ours) == sorted(to_ours)


def test_an_import_counts_by_full_relative_and_plain_name(product):
    assert house.imported_once(product) == [
        "benchdb/report/rows.py",
        "benchdb/report/sections/listings.py",
        "collectors/_work.py",
    ]


def test_names_that_stand_twice_have_their_folders(product):
    assert house.repeated_names([*product]) == ["rows: report store"]


def test_one_more_section_is_its_own_files_and_those_that_register_it(root):
    modules = house.parse(root, *house.PRODUCT, "tests")

    assert house.extension(root, modules, "section") == [
        "benchdb/report/__init__.py",
        "benchdb/report/rows.py",
        "benchdb/report/sections/listings.py",
        "reports/templates/page.j2",
        "reports/templates/parts/listings.j2",
        "tests/order.py",
    ]
    assert house.extension(root, modules, "framework") == ["collectors/with_numpy.py"]


def test_an_example_that_is_gone_ends_the_measurement(root, product):
    with pytest.raises(SystemExit, match="choose another format in EXAMPLES"):
        house.extension(root, product, "format")


def test_the_mark_is_seen_in_texts_and_inside_of_containers():
    class Cell(NamedTuple):
        text: str

    Cell.__module__ = "benchdb.cells"
    (record,) = (f"benchdb.cells.{Cell.__qualname__}",)

    assert [*sightings({"a": [1, 4711.25]})] == [(2, True, ())]
    assert [*sightings([Cell("4,711.25 s")])] == [(2, True, (record,))]
    assert [*sightings([b"4711.25" * 9, [4711.25]])] == [(1, False, ()), (2, True, ())]
    assert [*sightings(["14711", 4711, {4711.25: 1}])] == []


def test_the_tool_measures_its_own_checkout():
    done = subprocess.run(
        [sys.executable, CHECKOUT / "tools" / "house.py", "-v"],
        check=True,
        capture_output=True,
        text=True,
    )
    lines = done.stdout.splitlines()
    counts = dict(line.rsplit(maxsplit=1) for line in lines if line[0] != " ")

    assert len(counts) == 25
    assert all(count.replace(",", "").isdecimal() for count in counts.values())
    assert counts["cell to row: hops"] != "0"
    # The cell came through the database to a page.
    after = lines[lines.index(next(line for line in lines if "row to HTML" in line)) :]
    assert any(line.startswith("    benchdb/site/") for line in after)
