"""Pages of sources and of machines: what they gave, and what was measured when."""

from benchdb.report.language import load
from benchdb.site import machine_page, source_page
from benchdb.site.pages import Frame, render
from tests.page import parse
from tests.site.sites import html_of, site_with
from tests.store_factory import Machine, Run
from tests.summary_page import WALL


def pages(module, folder, runs):
    with site_with(folder, runs) as site:
        return {page.address: page for page in module.pages(site)}


def text(page) -> str:
    return parse(render(page, load("en"), Frame(("en",)))).text


def test_a_source_has_a_page_with_all_its_figures(tmp_path):
    runs = [
        Run(machine=Machine(chip="M1"), values={WALL: 10.0}, source="paper"),
        Run(machine=Machine(chip="M2"), values={WALL: 8.0}, source="paper"),
        Run(machine=Machine(chip="M3"), values={WALL: 7.0}, source="other"),
    ]
    made = pages(source_page, tmp_path, runs)

    assert set(made) == {"source/paper", "source/other"}
    facts = made["source/paper"].facts
    assert facts.chips == ("M1", "M2")
    assert facts.table.total == 2
    counts = parse(html_of(made["source/paper"])).all("dd")
    assert [count.text for count in counts] == ["2", "2", "1"]


def test_a_machine_that_was_measured_has_a_page_with_its_sessions(tmp_path):
    def process(day: int) -> Run:
        columns = {
            "campaign": f"c{day}",
            "replicate": 0,
            "tier": "quick",
            "label": "measured",
            "started": f"2026-11-0{day}T10:00:00Z",
        }
        return Run(
            machine=Machine("M4 Max", ours="mine"),
            source=None,
            framework="torch",
            values={"samples_per_second": 100.0 + day},
            columns=columns,
        )

    published = Run(machine=Machine(chip="M1"), values={WALL: 10.0})
    made = pages(machine_page, tmp_path, [process(1), process(2), published])

    ((address, page),) = made.items()
    assert address.startswith("machine/")
    assert [session.campaign for session in page.facts.sessions] == ["c2", "c1"]
    assert page.facts.runs == 2
    assert "2026-11-02 10:00" in text(page)
    assert "PyTorch" in text(page)


def test_names_and_dates_keep_their_order_from_right_to_left(tmp_path):
    columns = {
        "campaign": "20261101-a",
        "label": "measured",
        "started": "2026-11-01T10:00:00Z",
    }
    run = Run(
        machine=Machine("M4 Max", ours="mine"),
        source=None,
        values={"samples_per_second": 100.0},
        columns=columns,
    )
    (page,) = pages(machine_page, tmp_path, [run]).values()
    isolated = {element.text for element in parse(html_of(page, "ar")).all("bdi")}

    assert {"20261101-a", "2026-11-01 10:00"} <= isolated
