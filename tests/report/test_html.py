"""The page: its parts, its references, and what strangers' text cannot do."""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from benchdb import resources
from benchdb.merge import import_or_raise
from benchdb.report import html, language
from benchdb.report.bounds import fitted
from benchdb.report.sections.ranking import words
from benchdb.report.summary import summarise
from benchdb.report.value_table import per_run
from benchdb.report.view.atoms import Ratio, Verdict
from benchdb.report.view.page import Report
from benchdb.store.database import open_database, reading
from tests.page import Element, parse
from tests.page_fixture import HERE, HERE_RUN, report
from tests.view_fixture import HOSTILE, empty, hostile, with_sections

ENGLISH = language.load("en")
ALL = language.available()
FILES = {"CSV": "values.csv", "JSON Lines": "values.jsonl"}


def page(shown: Report | None = None, code: str = "en") -> str:
    given = report() if shown is None else shown
    return html.render(given, language.load(code), languages=ALL, files=FILES)


def to_runs(element: Element) -> list[str]:
    """Return the ids of the rows that figures and notes inside lead to."""
    links = [e.attributes["href"] for e in element.having("href")]
    return [link[1:] for link in links if link.startswith("#run-")]


@pytest.fixture(scope="module")
def tree() -> Element:
    return parse(page())


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    """The report of the results that others published."""
    location = str(tmp_path_factory.mktemp("published") / "results.sqlite")
    engine = open_database(location, create=True)
    import_or_raise(engine, sorted(resources.folder("published").glob("*.jsonl")))
    with reading(engine) as connection:
        yield summarise(connection)


def test_a_right_to_left_page_keeps_figures_and_charts_left_to_right():
    arabic = replace(ENGLISH, code="ar", direction="rtl")
    tree = parse(html.render(report(), arabic))
    assert tree.all("html")[0].attributes["dir"] == "rtl"
    style = tree.all("style")[0].text
    assert "svg{direction:ltr}" in style
    assert "{direction:ltr;unicode-bidi:plaintext" in style
    assert "3.5×" in tree.by_id("metal").text


def test_every_figure_leads_to_its_row_and_every_row_to_its_source(tree: Element):
    ids = Counter(e.attributes["id"] for e in tree.having("id"))
    assert set(ids.values()) == {1}
    figures = to_runs(tree)
    assert len(figures) > 80
    assert set(figures) <= set(ids)
    inside = [e.attributes["href"] for e in tree.having("href")]
    assert {link[1:] for link in inside if link.startswith("#")} <= set(ids)
    for line in tree.by_id("table-values").all("tbody")[0].all("tr"):
        assert line.all("a") or "this machine" in line.text


def test_every_reference_by_id_has_its_element(tree: Element):
    ids = {e.attributes["id"] for e in tree.having("id")}
    for attribute in ("for", "aria-labelledby"):
        wanted = {w for e in tree.having(attribute) for w in [e.attributes[attribute]]}
        assert wanted <= ids


def test_the_page_has_one_title_and_headings_without_gaps(tree: Element):
    levels = [int(e.name[1]) for e in tree.walk() if re.fullmatch("h[1-6]", e.name)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    pairs = pairwise(levels)
    assert all(after <= before + 1 for before, after in pairs)
    assert len(tree.all("main")) == len(tree.all("header")) == 1


def test_tables_have_captions_and_scoped_heads(tree: Element):
    for table in tree.all("table"):
        assert table.all("caption")
        # A head without a scope is its row's where data stand beside it and none below.
        for row in table.all("tr"):
            first, *others = (e for e in row.children if isinstance(e, Element))
            assert first.name == "th"
            assert "scope" in first.attributes or {e.name for e in others} == {"td"}
            assert all("scope" in e.attributes for e in others if e.name == "th")
    for region in tree.all(role="region"):
        assert region.attributes["tabindex"] == "0"
        assert region.attributes["aria-labelledby"]


def test_charts_are_decoration_beside_the_figures(tree: Element):
    def top(e: Element) -> Iterator[Element]:
        for child in e.children:
            if isinstance(child, Element):
                yield from [child] if child.name == "svg" else top(child)

    assert all(e.attributes["aria-hidden"] == "true" for e in top(tree))
    assert "viewbox" not in page().lower()


def test_controls_wait_for_the_script(tree: Element):
    assert "hidden" in tree.by_id("baseline").attributes
    around = [e for e in tree.all("p") if e.all(id="find")]
    assert "hidden" in around[0].attributes
    assert "M1 · CPU" in tree.by_id("ranking").all("p")[1].text


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("table-values", "91.80 s"),  # the digits of its source
        ("table-metal", "3.4–3.6×"),  # an interval, where figures were repeated
        (f"run-{HERE_RUN[:12]}", "6,120 seq/s 6,010–6,230"),
        ("distance", "One run per figure (n = 1)"),
        ("sources", "519 %"),
        ("sources", "Licence: not stated."),
    ],
)
def test_a_part_of_the_page_says(tree: Element, place: str, said: str):
    assert said in tree.by_id(place).text.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("M1 Ultra", "Metal"), "not measured"),
        (("M1 Pro", "CPU"), "no mean: a value is flagged"),
        ((HERE.chip,), "1 of 5 workloads"),
        ((HERE.chip,), "this machine"),
    ],
)
def test_a_row_of_the_ranking_says(tree: Element, names: tuple[str, ...], said: str):
    rows = tree.by_id("table-ranking").all("tbody")[0].all("tr")

    assert said in next(r for r in rows if all(name in r.text for name in names)).text


def test_what_is_said_of_one_section_is_not_said_of_others(tree: Element):
    (mine,) = [e for e in tree.by_id("table-ranking").all("tr") if "mine" in e.classes]
    assert mine.attributes["data-key"] == HERE.key
    assert "One run per figure (n = 1)" not in tree.by_id("metal").text
    assert "519 %" not in tree.by_id("values").text
    german = parse(page(code="de")).by_id("table-values").text
    assert "91,80\u00a0s" in german


def test_a_single_run_never_shows_an_interval():
    shown = report()
    assert shown.sections["metal"] is not None
    groups = []
    for group in shown.sections["metal"].groups:
        rows = []
        for row in group.rows:
            cpu = row.cpu and replace(row.cpu, n=1, low=1.0, high=9999.0)
            ratio = row.ratio and replace(row.ratio, low=0.123, high=45.6)
            rows.append(replace(row, cpu=cpu, ratio=ratio))
        groups.append(replace(group, rows=tuple(rows)))
    section = replace(shown.sections["metal"], groups=tuple(groups))
    text = page(with_sections(shown, metal=section))
    metal = parse(text).by_id("table-metal").text
    assert "–45.6×" not in metal
    assert "9,999" not in metal


def test_unlike_cells_are_marked_and_the_reason_is_visible(tree: Element):
    cells = [e for e in tree.by_id("table-ranking").all("td") if "unlike" in e.classes]
    assert len(cells) == 4
    listed = {e.attributes["id"]: e for e in tree.by_id("ranking").having("data-set")}
    for cell in cells:
        (sign,) = [e for e in cell.all("a") if "unlike-sign" in e.classes]
        note = listed[sign.attributes["href"][1:]]
        assert "hidden" not in note.attributes
        assert sign.attributes["aria-describedby"] == note.attributes["id"]
        assert "Not like for like" in note.text
    reasons = {e.attributes["data-set"] for e in listed.values()}
    assert {"compiler precision", "framework protocol"} <= reasons


def test_notes_lead_back_to_their_values(tree: Element):
    note = tree.by_id("note-a")
    assert set(to_runs(note)) == {f"run-{run[:12]}" for run in report().notes[0].runs}


def test_only_given_languages_are_linked():
    links = [a.attributes.get("hreflang") for a in parse(page()).all("a")]
    assert [code for code in links if code] == list(ALL)
    alone = parse(html.render(report(), ENGLISH))
    assert not [a for a in alone.all("a") if "hreflang" in a.attributes]


def test_an_empty_database_gets_a_calm_page_that_says_what_to_do():
    tree = parse(page(empty()))
    said = [e.text for e in tree.all("code")]
    assert "benchdb collect --metal" in said
    assert "benchdb import results.jsonl" in said
    assert to_runs(tree) == []


def test_every_figure_of_the_published_results_leads_to_its_source(published: Report):
    text = page(published)
    tree = parse(text)
    assert len(text.encode()) <= 250_000
    ids = {e.attributes["id"] for e in tree.having("id")}
    linked = {e.attributes["href"] for e in tree.having("href")}
    assert set(to_runs(tree)) <= ids
    assert {link[1:] for link in linked if link.startswith("#")} <= ids
    rows = tree.by_id("table-values").all("tbody")[0].all("tr")
    sourced = [
        any(a.attributes["href"].startswith("#source-") for a in row.all("a"))
        for row in rows
    ]
    # What we measured ourselves has no other source than its run.
    lines, _ = per_run(fitted(published).values)
    assert sourced == [line[0].source is not None for line in lines]
    assert any(sourced)


def test_cells_unlike_the_baseline_in_the_same_way_are_like_each_other():
    one = {"compiler": "xla", "precision": "fp16"}
    assert words.differing(one, {}) == ("compiler", "precision")
    assert words.differing(one, dict(one)) == ()
    assert words.differing(one, one | {"precision": "bf16"}) == ("precision",)


def test_every_choice_of_baseline_has_its_reason_on_the_page():
    ranking, (_, rows) = report().sections["ranking"], per_run(report().values)
    assert ranking is not None
    sets = words.all_differences(ranking, rows)
    assert sets == (("compiler", "precision"), ("framework", "protocol"))


def test_a_figure_that_was_repeated_shows_its_range_and_its_runs():
    plain = report()
    first, *rest = plain.sections["distance"].rows
    reference = replace(first.reference, n=3, low=1090.0, high=1110.0)
    rows = (replace(first, reference=reference), *rest)
    changed = with_sections(
        plain, distance=replace(plain.sections["distance"], rows=rows)
    )

    row = parse(page(changed)).by_id("table-distance").all("tbody")[0].all("tr")[0]

    assert row.text.endswith("1,100\u00a0img/s1,090–1,110n = 3")


def test_what_a_source_says_in_english_is_marked_as_english():
    text = page(report(), "de")

    spans = parse(text).by_id("sources").all("span")
    assert [e.text for e in spans if e.attributes.get("lang") == "en"] == [
        "speed-up of AlexNet"
    ]


def test_trial_runs_and_means_of_a_source_are_recognisable():
    plain = report()
    row = replace(plain.values[0], tier="smoke", trials=10)

    found = parse(page(replace(plain, values=(row,)))).by_id("table-values").text

    assert "transcribed, trial run" in found
    assert "mean of 10" in found


@pytest.mark.parametrize(
    ("ratio", "shade"),
    [
        *[(1, "level"), (1.24, "level"), (1.25, "up1"), (2, "up2"), (7.9, "up3")],
        *[(8, "up4"), (300, "up4"), (0.81, "level"), (0.8, "down1"), (0.5, "down2")],
        *[(0.25, "down3"), (0.1, "down4")],
    ],
)
def test_shades_change_at_named_factors_in_both_directions(ratio: float, shade: str):
    verdict: Verdict = "faster" if ratio > 1 else "slower"

    shaded = words.heat(Ratio(value=ratio, verdict=verdict))

    assert shaded == shade


def test_the_policy_comes_first_and_allows_only_our_script(tree: Element):
    (top,) = tree.all("head")
    head = [child for child in top.children if isinstance(child, Element)]
    assert head[0].attributes == {"charset": "utf-8"}
    assert head[1].attributes["http-equiv"] == "Content-Security-Policy"
    (script,) = tree.all("script")
    seal = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    assert head[1].attributes["content"] == (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        f"script-src 'sha256-{seal}'; base-uri 'none'; form-action 'none'"
    )
    assert head[2].attributes == {"name": "referrer", "content": "no-referrer"}


def test_the_page_asks_nothing_of_any_server(tree: Element):
    assert tree.having("src") == []
    outside = [e for e in tree.having("href") if ":" in e.attributes["href"]]
    assert {e.attributes["href"] for e in outside} == {
        source.url for source in report().sources
    }
    assert all(e.attributes["rel"] == "noreferrer nofollow" for e in outside)
    assert "url(" not in tree.all("style")[0].text
    assert "@import" not in tree.all("style")[0].text


def test_files_beside_the_page_are_linked_by_name_only():
    odd = {"CSV": "values.csv", "Evil": "javascript:alert(1)", "Up": "../x"}
    tree = parse(html.render(report(), ENGLISH, files=odd))
    links = [e.attributes["href"] for e in tree.having("download")]
    assert links == ["values.csv"]


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_strangers_is_inert(text: str):
    shown = page(hostile(text))
    tree = parse(shown)
    assert len(tree.all("script")) == 1
    assert tree.all("img") == []
    assert not [e for e in tree.walk() if any(k.startswith("on") for k in e.attributes)]
    outside = [e.attributes["href"] for e in tree.having("href")]
    allowed = ("#", "https://example.org/", "report.", "values.")
    assert all(link.startswith((*allowed, text.strip() or "#")) for link in outside)
    assert not any(link.startswith("javascript:") for link in outside)
    assert not {"\u202e", "\u2066", "\x00", "\x1b"} & set(shown)
    assert "x" * 500 not in shown


def test_a_message_with_markup_stays_text():
    class Sly:
        def gettext(self, message: str) -> str:
            return f"<b onclick=x>{message}"

        def ngettext(self, one: str, many: str, n: int) -> str:
            return self.gettext(one if n == 1 else many)

        def pgettext(self, context: str, message: str) -> str:
            return self.gettext(message)

        def npgettext(self, context: str, one: str, many: str, n: int) -> str:
            return self.ngettext(one, many, n)

    odd = replace(ENGLISH, catalogue=Sly())
    tree = parse(html.render(report(), odd))
    assert not [e for e in tree.walk() if "onclick" in e.attributes]


def test_no_template_trusts_text():
    templates = resources.folder("reports") / "templates"
    for path in templates.rglob("*.j2"):
        text = path.read_text("utf-8")
        assert not re.search(r"\|\s*safe\b|Markup|autoescape", text), path
    code = Path(html.__file__).parent.glob("*.py")
    trusting = {p.name for p in code if "Markup(" in p.read_text("utf-8")}
    assert trusting == {"html.py"}
    assert Path(html.__file__).read_text("utf-8").count("Markup(") == 1


def test_the_script_is_small():
    script = resources.folder("reports") / "assets" / "report.js"
    assert len(script.read_bytes()) <= 4250
