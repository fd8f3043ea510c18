"""The project's own documents: short where promised, and what they name is there."""

import re
import sqlite3
import tomllib
from contextlib import closing

import pytest

from tests.manual import CHECKOUT, DOCUMENTS, README, inline_code, links

FOLDERS = "benchdb|benchmarks|collectors|docs|examples|packaging|published|reports"
FOLDERS += "|schema|tests|tools"
every_document = pytest.mark.parametrize(
    "document", DOCUMENTS, ids=lambda path: str(path.relative_to(CHECKOUT))
)


def test_the_readme_is_a_screen_and_a_half():
    text = README.read_text(encoding="utf-8")

    assert len(text.splitlines()) <= 120
    assert len(text.split()) <= 700
    assert max(map(len, text.splitlines())) <= 120


@every_document
def test_every_relative_link_leads_to_a_file(document):
    relative = [link for link in links(document) if not re.match("[a-z]+:|#", link)]
    files = [document.parent / text.partition("#")[0] for text in relative]

    assert [str(file) for file in files if not file.is_file()] == []


@every_document
def test_every_file_and_folder_named_in_full_exists(document):
    named = [
        text
        for text in inline_code(document)
        if re.fullmatch(rf"(?:{FOLDERS})/[\w./-]+", text)
    ]

    assert [text for text in named if not (CHECKOUT / text).exists()] == []


@every_document
def test_every_extra_that_is_asked_for_exists(document):
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    text = document.read_text(encoding="utf-8")
    asked = re.findall(r"(?:benchdb|[\"'./])\[([a-z][a-z0-9,-]*)\]", text)

    extras = {name for names in asked for name in names.split(",")}
    assert extras - project["optional-dependencies"].keys() == set()


def test_the_readme_leads_to_every_page():
    pages = {document for document in DOCUMENTS if document.parent == CHECKOUT / "docs"}
    linked = {CHECKOUT / link for link in links(README)}

    assert pages - linked == set()


def test_the_readme_shows_a_picture_of_a_report():
    assert "docs/report.png" in links(README)


def test_the_readme_counts_what_is_shipped():
    words = " ".join(README.read_text(encoding="utf-8").split())
    match = re.search(
        r"([\d,]+) runs: (\d+) Apple chips from M1 to (M\d+), and (\d+) other .*?"
        r"\[(\d+) sources\]",
        words,
    )
    place = f"file:{CHECKOUT}/results.sqlite?mode=ro"
    with closing(sqlite3.connect(place, uri=True)) as shipped:
        ((runs,),) = shipped.execute("SELECT count(*) FROM run")
        ((sources,),) = shipped.execute("SELECT count(DISTINCT slug) FROM source")
        rows = shipped.execute("SELECT DISTINCT accelerator FROM results")
        chips = {chip for (chip,) in rows if chip}

    apple = {chip for chip in chips if re.match(r"M\d", chip)}
    newest = max(chip.split()[0] for chip in apple)
    others = len(chips) - len(apple)
    assert match
    assert match.groups() == (
        *(f"{runs:,}", str(len(apple)), newest, str(others), str(sources)),
    )
