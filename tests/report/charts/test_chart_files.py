"""Charts beside Markdown: the same bytes for the same report, safe and legible."""

import re
import xml.etree.ElementTree as ET

import pytest

from benchdb.report.charts import fonts, mpl
from benchdb.report.charts.spec import LOOKS, Chart, Key, Panel, Point, Row, Rows, Scale
from benchdb.report.language import Language, available, load
from benchdb.report.page_assets import asset
from tests import view_fixture
from tests.view_fixture import HOSTILE, empty, hostile

EN = load("en")
REPORT = view_fixture.report()
AXIS = Scale(1, 10, (), "")


def drawn(code: str = "en") -> dict[str, bytes]:
    return dict(mpl.images(REPORT, load(code)))


def height(image: bytes) -> float:
    found = re.search(rb'height="([0-9.]+)pt"', image)
    assert found
    return float(found[1])


def test_the_same_report_gives_the_same_bytes():
    assert drawn() == drawn()


def test_a_chart_carries_no_date_and_asks_for_nothing():
    assert drawn().keys() == {"metal", "ranking", "distance"}
    for image in drawn().values():
        text = image.decode()
        assert "<dc:date>" not in text
        assert not re.search(r"(href|src)=\"http", text)
        assert ET.fromstring(text).tag.endswith("svg")  # noqa: S314  ours


@pytest.mark.parametrize("code", available())
def test_every_language_has_its_charts(code, monkeypatch):
    monkeypatch.setattr(fonts, "MISSING_GLYPHS", "error")

    assert drawn(code).keys() == drawn().keys()


def test_an_empty_report_has_no_charts():
    assert list(mpl.images(empty(), EN)) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_are_only_letters(text):
    images = [image for _, image in mpl.images(hostile(text), EN)]

    assert [b"<script" in image for image in images] == [False] * 3
    assert max(map(len, images)) < 400_000


def test_of_many_rows_the_first_are_a_picture():
    def rows(count: int) -> Chart:
        names = Rows(tuple(Row(str(n)) for n in range(count)))
        points = tuple(Point(2, n, "0") for n in range(count))
        return Chart("t", "t", "", (Panel("", AXIS, names, points),))

    few, many, more = (height(mpl.image(rows(n), EN)) for n in (3, 60, 500))

    assert few < many == more


def test_a_long_legend_breaks_into_rows():
    keys = tuple(Key("1", f"a rather long entry {n}") for n in range(9))

    few, many = (
        height(mpl.image(Chart("t", "t", "", (), shown), EN))
        for shown in (keys[:1], keys)
    )

    assert many > few


def test_right_to_left_charts_mirror_their_labels():
    turned = Language("en", "en", "rtl", EN.locale, EN.catalogue)

    assert dict(mpl.images(REPORT, turned))["metal"] != drawn()["metal"]


def test_without_a_font_for_the_language_letters_are_left_to_the_reader(monkeypatch):
    monkeypatch.setattr(fonts, "_FAMILIES", {"ko": ("No Such Font",)})

    assert "배치 128" in drawn("ko")["distance"].decode()


def test_latin_text_is_outlines_of_the_bundled_font():
    assert b"<text" not in drawn()["metal"]
    assert b"DejaVuSans" in drawn()["metal"]


def test_files_and_pages_take_their_colours_from_one_table():
    light, dark, *_ = re.findall(r":root \{(.*?)\}", asset("report.css"), re.DOTALL)
    used = {name for style in LOOKS.values() for name in (style.colour, style.ink)}

    for name in (*used, "paper", "faint", "mine"):
        assert f"--{name}: {mpl.colours()[name]};" in light
        assert f"--{name}: #" in dark
    assert mpl.colours()["paper"].encode() in drawn()["metal"]
    assert mpl.colours()["gain"].encode() in drawn()["metal"]
