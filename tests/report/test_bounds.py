"""A page has room for the first of each list; the rest is counted."""

import pytest
from msgspec.structs import replace

from benchdb.report import html
from benchdb.report.bounds import fitted
from benchdb.report.language import available, load
from benchdb.report.markdown.page import render as markdown
from benchdb.report.summary import summarise
from benchdb.report.view.page import Report
from benchdb.store import contents, newest
from benchdb.store.database import open_database, reading, writing
from tests import view_fixture
from tests.page import Element, parse
from tests.store_factory import Machine, Run, add
from tests.view_fixture import with_sections

EN = load("en")
REPORT = view_fixture.report()
CHIPS = [f"M{n}{tier}" for n in range(1, 6) for tier in ("", " Pro", " Max", " Ultra")]
SOURCES = 50
WORKS = ("resnet50", "mobilenetv2", "distilbert", "lstm", "matmul", "llm-decode")


def told_by(source: int) -> list[Run]:
    """Return what one of many sources tells: some work on some of the chips."""
    runs = []
    for n in range(24):
        chip, work = CHIPS[(source + n) % len(CHIPS)], WORKS[(source + n) % len(WORKS)]
        metric = {"matmul": "teraflops", "llm-decode": "tokens_per_second"}
        size = {"size": 1024 * (1 + n % 4)} if work == "matmul" else {"batch_size": 64}
        runs.append(
            Run(
                workload=work,
                device=("metal", "cpu")[n % 2],
                framework=("torch", "mlx", "tensorflow")[source % 3],
                machine=Machine(chip, model=f"Mac {n}", ram_gib=16, gpu_cores=8 + n),
                source=f"source {source}",
                values={metric.get(work, "script_wall_seconds"): 10.0 + n + source},
                columns={"parameters": {**size, "samples_total": 6400}},
                flags=[("outlier", None)] if n % 7 == 0 else (),
                told={"title": f"Source {source}, with a title of its own"},
            )
        )
    return runs


@pytest.fixture(scope="module", name="crowd")
def fifty_sources(tmp_path_factory: pytest.TempPathFactory) -> Report:
    engine = open_database(
        str(tmp_path_factory.mktemp("crowd") / "results.sqlite"), create=True
    )
    with writing(engine) as connection:
        for source in range(SOURCES):
            for run in told_by(source):
                add(connection, run)
        newest.renew(connection)
        contents.renew(connection)
    with reading(engine) as connection:
        return summarise(connection)


@pytest.fixture(scope="module", name="tree")
def page_of_fifty(crowd: Report) -> Element:
    return parse(html.render(crowd, EN))


@pytest.mark.parametrize("code", available())
def test_the_page_of_fifty_sources_is_as_short_as_any(crowd: Report, code: str):
    assert len(html.render(crowd, load(code)).encode()) <= 250_000


def test_what_has_no_room_is_counted_with_the_command_that_lists_it(
    crowd: Report, tree: Element
):
    shown = fitted(crowd)

    assert len(shown.values) < len(crowd.values)
    assert shown.more["machines"] == len(crowd.machines) - len(shown.machines)
    for section, command in (
        ("values", "benchdb list"),
        ("machines", "benchdb machines list"),
    ):
        text = tree.by_id(section).text
        rows = f"{shown.more[section]:,} more rows have no room here; {command}"
        assert rows in text
        assert rows in markdown(crowd, EN, {})


def test_all_that_leads_somewhere_leads_to_a_part_of_the_page(tree: Element):
    ids = {e.attributes["id"] for e in tree.having("id")}
    links = {e.attributes["href"] for e in tree.having("href")}

    assert {link[1:] for link in links if link.startswith("#")} <= ids
    assert sum(link.startswith("#run-") for link in links) > 50


def test_a_section_names_a_few_sources():
    ranking = REPORT.sections["ranking"]
    many = with_sections(REPORT, ranking=replace(ranking, sources=tuple("123456789")))
    section = parse(html.render(many, EN)).by_id("ranking")

    assert len([a for a in section.all("a") if "cite" in a.classes]) == 4
    assert "[4] …" in section.text


def test_counts_and_answers_are_of_everything(crowd: Report):
    shown = fitted(crowd)

    assert shown.values_count == crowd.values_count == 24 * SOURCES
    assert shown.sources_count == SOURCES
    assert shown.answers == crowd.answers


def test_the_baseline_and_marked_systems_stay_in_the_ranking():
    ranking = REPORT.sections["ranking"]
    first, *_ = ranking.rows
    others = tuple(
        replace(first, system=replace(first.system, key=f"other-{n}", chip=f"M{n}"))
        for n in range(40)
    )
    marked = replace(
        first, system=replace(first.system, key="me", here=True), covered=0
    )
    rows = (*others, *ranking.rows, marked)
    many = with_sections(REPORT, ranking=replace(ranking, rows=rows))
    shown = fitted(many)
    systems = [row.system for row in shown.sections["ranking"].rows]

    assert len(systems) == 12
    assert shown.more["ranking"] == len(rows) - 12
    assert {ranking.baseline, marked.system} <= {*systems}


def test_a_short_report_is_shown_whole(tmp_path):
    engine = open_database(str(tmp_path / "results.sqlite"), create=True)
    with writing(engine) as connection:
        for run in told_by(0)[:10]:
            add(connection, run)
        newest.renew(connection)
    with reading(engine) as connection:
        report = summarise(connection)

    assert fitted(report) is report
