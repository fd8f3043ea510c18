"""Charts on two axes: the page and the file show the numbers that they were given."""

import re
import xml.etree.ElementTree as ET

import pytest
from msgspec.structs import replace

from benchdb.report import untrusted
from benchdb.report.charts import fonts, mpl
from benchdb.report.charts.mpl import image
from benchdb.report.charts.spec import (
    LOOKS,
    Chart,
    Key,
    Look,
    Panel,
    Point,
    Row,
    Rows,
    Scale,
    Stroke,
    Tick,
)
from benchdb.report.language import Language, load
from benchdb.report.page_assets import asset
from tests.page import parse
from tests.report.charts.charts_fixture import KINDS, scatter
from tests.report.charts.charts_page import (
    in_file,
    page,
    readings_in_file,
    readings_on_page,
    shapes_in_file,
    shown,
)
from tests.view_fixture import HOSTILE

RENDERERS = {"page": readings_on_page, "file": readings_in_file}
MANY: tuple[Look, ...] = ("0", "1", "2", "3", "4", "reference", "mine", "quiet")
EN = load("en")
RIGHT_TO_LEFT = Language("en", "en", "rtl", EN.locale, EN.catalogue)
LOG = Scale(1, 100, (Tick(1, "1"), Tick(10, "10"), Tick(100, "100")), "x")


def single_chart(
    *points: Point, strokes: tuple[Stroke, ...] = (), x: Scale = LOG
) -> Chart:
    return Chart("one", "One", "One mark", (Panel("", x, LOG, points, strokes),))


@pytest.mark.parametrize("renderer", list(RENDERERS))
@pytest.mark.parametrize("kind", list(KINDS))
def test_marks_stand_at_their_numbers(kind: str, renderer: str):
    chart = KINDS[kind]
    for panel, pairs in zip(chart.panels, RENDERERS[renderer](chart), strict=True):
        given = sorted((p.x, p.y) for p in panel.points)
        low, high = panel.y.ends
        least = abs(high - low) / 1000 if low <= 0 or high <= 0 else 0.0
        for (x, y), read in zip(given, _nearest(given, pairs), strict=True):
            assert read[0] == pytest.approx(x, rel=0.003)
            assert read[1] == pytest.approx(y, rel=0.003, abs=least)


def _nearest(
    given: list[tuple[float, float]], pairs: list[tuple[float, float]]
) -> list[tuple[float, float]]:
    """Return *pairs* in the order of *given*, each the nearest that is left."""
    left = list(pairs)
    ordered = []
    for x, y in given:
        best = min(left, key=lambda at: abs(at[0] / x - 1) + abs(at[1] - y))
        left.remove(best)
        ordered.append(best)
    assert left == []
    return ordered


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_label_is_there_in_full(kind: str):
    chart = KINDS[kind]
    words = [
        text.text
        for text in shown(chart).walk()
        if text.name in ("text", "title", "p", "span")
    ]
    wanted = [chart.title, chart.alt]
    for panel in chart.panels:
        wanted += [panel.title, panel.x.title, panel.y.title]
        wanted += [point.label for point in panel.points]
        wanted += [stroke.label for stroke in panel.strokes]
        wanted += [tick.label for scale in (panel.x, panel.y) for tick in scale.ticks]
    assert [text for text in wanted if text and text not in words] == []


def test_the_chart_is_an_image_named_by_its_title_and_its_finding():
    root = parse(page([scatter()]))
    (image,) = root.all("div", role="img")
    names = image.attributes["aria-labelledby"].split()
    assert [root.by_id(name).text for name in names] == [
        "Throughput and power",
        "M1 Max: 9.5 img/J",
    ]


def test_every_look_has_a_shape_of_its_own_on_the_page_and_in_the_file():
    chart = single_chart(*(Point(n, n, look) for n, look in enumerate(MANY, 2)))
    chart = replace(chart, keys=tuple(Key(look, look) for look in MANY))
    root = parse(page([chart]))
    shapes = {e.attributes["href"][1:] for e in root.all("use")}
    drawn = [str(root.by_id(shape)) for shape in shapes]
    assert shapes == {f"mark-{look}" for look in MANY}
    assert len(set(drawn)) == len(MANY)
    assert len(shapes_in_file(image(chart, EN), "panel-0-mark-")) == len(MANY)


def test_guides_are_told_from_measurements_and_hollow_marks_from_others():
    paths = [e for e in shown(scatter()).all("path") if "guide" in e.classes]
    marks = shown(scatter()).all("use")
    assert sum(e.attributes["d"].count("M") for e in paths) == 4
    assert [e.attributes["href"] for e in marks if "hollow" in e.classes] == [
        "#mark-reference"
    ] * 4
    assert b"stroke-dasharray" in image(scatter(), EN)


def test_only_points_with_both_bounds_have_whiskers():
    chart = single_chart(Point(2, 2, "0", low=1.5, high=3), Point(3, 3, "0", low=2))
    (drawn,) = [e for e in shown(chart).all("path") if "whisker" in e.classes]
    assert drawn.attributes["d"].count("M") == 1


def test_right_to_left_turns_words_around_but_no_axis():
    plain, turned = image(scatter(), EN), image(scatter(), RIGHT_TO_LEFT)
    assert plain != turned
    for mark, same in zip(
        *(in_file(i, "panel-0-mark-") for i in (plain, turned)), strict=True
    ):
        assert mark == pytest.approx(same, abs=2)
    root = parse(page([scatter()], "ar"))
    assert root.all("html")[0].attributes["dir"] == "rtl"
    places = [e.attributes["x"] for e in root.all("use")]
    assert places == [e.attributes["x"] for e in parse(page([scatter()])).all("use")]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_are_only_words(text: str):
    text = untrusted.plain(text)  # as all words of a report are
    stroke = Stroke(((1, 1), (100, 90)), "1", text)
    guide = Stroke(((1, 50), (100, 50)), "2", text, guide=True)
    scale = replace(LOG, title=text, ticks=(*LOG.ticks, Tick(30, text)))
    chart = single_chart(Point(2, 2, "0", text), strokes=(stroke, guide), x=scale)
    chart = replace(chart, title=text, alt=text, keys=(Key("0", text),))
    root = parse(page([chart]))
    assert root.all("img") + root.all("script") == []
    file = image(chart, EN)
    assert b"<script" not in file
    assert len(file) < 400_000
    assert ET.fromstring(file).tag.endswith("svg")  # noqa: S314  ours


def test_a_chart_without_anything_on_it_is_still_drawn():
    bare = Scale(1, 10, (), "")
    empty = Chart("empty", "", "", (Panel("", bare, bare, ()),))
    assert shown(empty).all("use") == []
    assert image(empty, EN).startswith(b"<?xml")
    assert shown(replace(empty, panels=())).all("svg") == []
    assert image(replace(empty, panels=()), EN).startswith(b"<?xml")


def test_without_a_chart_nothing_is_drawn():
    none: list[Chart] = [None]  # type: ignore[list-item]
    assert parse(page(none)).all("div") == []


def test_what_has_no_place_on_an_axis_is_left_out():
    odd = (0.0, -3.0, float("nan"), float("inf"))
    chart = single_chart(*(Point(x, 2, "0") for x in odd), Point(2, 2, "1"))
    assert [len(pairs) for pairs in readings_on_page(chart)] == [1]
    assert [len(pairs) for pairs in readings_in_file(chart)] == [1]


def test_an_axis_without_length_shows_its_marks_in_the_middle():
    point = Scale(5, 5, (Tick(5, "5"),), "x")
    mark = shown(single_chart(Point(5, 5, "0"), x=point)).all("use")[0]
    assert mark.attributes["x"] == "50%"
    assert image(single_chart(Point(5, 5, "0"), x=point), EN)


def test_thirty_lines_keep_their_names():
    names = [f"System {n}" for n in range(30)]
    strokes = tuple(
        Stroke(((1, 2), (100, 3 + n / 10)), MANY[n % 5], name)
        for n, name in enumerate(names)
    )
    texts = [e.text for e in shown(single_chart(strokes=strokes)).all("text")]
    assert [name for name in names if name not in texts] == []
    assert image(single_chart(strokes=strokes), EN)


AXIS = Scale(1, 10, (), "")


def height(image: bytes) -> float:
    match = re.search(rb'height="([0-9.]+)pt"', image)
    assert match
    return float(match[1])


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


def test_without_a_font_for_the_language_letters_are_left_to_the_reader(monkeypatch):
    monkeypatch.setattr(fonts, "_FAMILIES", {"ko": ("No Such Font",)})

    named = replace(KINDS["strips"], title="배치 128")
    assert "배치 128" in image(named, load("ko")).decode()


def test_latin_text_is_outlines_of_the_bundled_font():
    drawn = image(next(iter(KINDS.values())), EN)
    assert b"<text" not in drawn
    assert b"DejaVuSans" in drawn


def test_files_and_pages_take_their_colours_from_one_table():
    light, dark, *_ = re.findall(r":root \{(.*?)\}", asset("tokens.css"), re.DOTALL)
    used = {name for style in LOOKS.values() for name in (style.colour, style.ink)}

    for name in (*used, "paper", "faint", "mine"):
        assert f"--{name}: {mpl.colours()[name]};" in light
        assert f"--{name}: #" in dark
    assert mpl.colours()["paper"].encode() in image(next(iter(KINDS.values())), EN)
