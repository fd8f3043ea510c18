"""The short report as Markdown: what unfolds, its charts, and the part for a README."""

import re
import sys
from xml.etree import ElementTree as Xml

import pytest

from benchdb.report.charts import mpl
from benchdb.report.charts.spec import Chart
from benchdb.report.language import load
from benchdb.site import short_facts, short_markdown
from benchdb.site.report_files import drawings
from benchdb.site.single import Single
from tests.site.short_page import SHEET
from tests.site.sites import shipped

EN = load("en")
MOST = 20_000


@pytest.fixture(scope="module", name="facts")
def of_the_shipped_database() -> Single:
    return short_facts.single(shipped())


@pytest.fixture(scope="module", name="charts")
def drawn(facts: Single) -> dict[str, Chart]:
    return {chart.name: chart for chart in short_markdown.charts(EN, facts)}


@pytest.fixture(scope="module", name="text")
def rendered(facts: Single) -> str:
    images = {name: (f"{name}.svg", f"{name}.dark.svg") for name in ("tokens", "metal")}
    return short_markdown.render(EN, facts, images, SHEET)


def test_it_is_short_and_its_tables_unfold(text: str):
    names = re.findall("<summary>(.*)</summary>", text)

    assert len(text.encode()) <= MOST
    assert names[:2] == ["A row for each chip", "What Metal brings"]
    assert names[-2:] == ["What to know before quoting a figure", "Sources"]
    assert text.count("<details") == text.count("</details>") == len(names)


def test_six_answers_are_a_list(text: str):
    head = text.partition("<details")[0]

    assert len([line for line in head.splitlines() if line.startswith("* **")]) == 6


def test_each_chart_has_a_picture_for_dark_paper(text: str, charts: dict[str, Chart]):
    pictures = re.findall(r'srcset="(.*?)"><img src="(.*?)" alt="(.+?)">', text)

    assert [it[:2] for it in pictures] == [
        (f"{name}.dark.svg", f"{name}.svg") for name in charts
    ]
    assert list(charts) == ["tokens", "metal"]


def test_charts_for_dark_paper_differ_in_their_colours(charts: dict[str, Chart]):
    for chart in charts.values():
        light, dark = (mpl.image(chart, EN, it) for it in ("light", "dark"))
        assert light != dark
        assert len(light) == len(dark)
        assert b"#14171a" in dark


def test_charts_without_matplotlib_are_those_of_pages(
    charts: dict[str, Chart], monkeypatch
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    for chart in charts.values():
        light, dark = drawings(chart, EN)
        root = Xml.fromstring(light)  # noqa: S314 - our own
        assert root.findtext("{*}title") == chart.title
        assert b"prefers-color-scheme: dark" in light
        assert dark == light


def test_a_snippet_is_a_badge_and_a_few_rows(facts: Single):
    badge, table, below = short_markdown.snippet(EN, facts).strip().split("\n\n")

    assert re.fullmatch(r"!\[benchdb: [\d,]+ figures\]\(<report.en.badge.svg>\)", badge)
    assert len(table.splitlines()) == 2 + 6
    assert "SHA-256" in below


def test_the_badge_asks_for_nothing(facts: Single):
    root = Xml.fromstring(short_markdown.badge(EN, facts))  # noqa: S314 - our own

    assert "figures" in "".join(root.itertext())
    assert not [
        element for element in root.iter() for name in element.attrib if "href" in name
    ]
