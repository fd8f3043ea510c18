"""The page of a run: from its figure to its samples, or to the source's characters."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from benchdb.exchange.packing import Series, pack
from benchdb.identity import digest
from benchdb.report import scope
from benchdb.report.language import load
from benchdb.report.view.atoms import Room
from benchdb.site import run, workload_page
from benchdb.site.content import content
from benchdb.site.pages import Frame, Page, data, render
from benchdb.site.run import RunFacts
from benchdb.store.database import open_database, reading
from tests.page import parse
from tests.site.sites import site_with
from tests.store_factory import Machine, Run
from tests.summary_page import WALL
from tests.written_reports import store

RATE = "samples_per_second"
GATES: dict[str, Any] = {
    "gates": {
        "device": {"status": "passed", "asked": "metal", "found": ["metal"]},
        "loss": {"status": "failed", "finite": False},
    },
    "steady": {"drift_pct": 0.4, "steady": True},
    "during": {"load_1m_max": 1.5},
}


def process(number: int, rate: float, **columns) -> Run:
    blocks = tuple(1 / rate + step * 1e-5 for step in range(12))
    series = [Series("warmup", 1, (0.5, 0.4)), Series("measure", 2, blocks)]
    facts = {
        "campaign": "night",
        "replicate": number,
        "replicates": 3,
        "tier": "standard",
        "label": "measured",
        "started": f"2026-11-0{number + 1}T10:00:00Z",
        "collector": "with_torch",
        "collector_version": "0.1.0",
        "collector_sha256": "ab" * 32,
        "checks": GATES | {"gates": {"device": GATES["gates"]["device"]}},
        "conditions_before": {"gpu_temperature_celsius": 35},
        **columns,
    }
    return Run(
        device="metal",
        framework="torch",
        machine=Machine("M4 Max", ours="mine"),
        source=None,
        values={RATE: rate, "step_seconds": 1 / rate},
        columns=facts,
        packed=pack(series),
    )


def pages(folder, runs) -> list[Page]:
    with site_with(folder, runs) as site:
        return [*run.pages(site)]


def shown(page: Page, code: str = "en"):
    return parse(render(page, load(code), Frame((code,))))


@pytest.fixture
def measured(tmp_path) -> Page:
    (page,) = pages(tmp_path, [process(n, 100.0 + n) for n in range(3)])
    return page


def test_a_page_says_its_step_and_what_the_next_one_asks_for(measured):
    text = " ".join(shown(measured).text.split())

    assert measured.facts.trust == "samples"
    assert "raw samples; next is samples and gates, which asks for" in text
    assert f"benchdb collect {measured.facts.workload}" in text


def test_processes_of_a_cell_share_a_page(measured):
    facts = measured.facts

    assert isinstance(facts, RunFacts)
    assert [item.value for item in facts.processes] == [102.0, 101.0, 100.0]
    assert facts.quantity is not None
    assert facts.quantity.n == 3
    assert measured.address == f"run/{facts.run[:12]}"


def test_every_sample_is_drawn_in_its_order_and_kept_in_the_data(measured):
    (warm, blocks) = measured.facts.processes[0].series
    page = shown(measured)
    dots = [item for item in page.all("circle") if "cx" in item.attributes]
    plotted = [dot for dot in dots if dot.attributes.get("r") == "3"]

    assert (warm.phase, blocks.phase, len(blocks.seconds)) == ("warmup", "measure", 12)
    assert len(plotted) == 14
    places = [float(item.attributes["cx"].rstrip("%")) for item in plotted]
    assert places == sorted(places)
    assert b'"seconds":[0.5,0.4]' in data(measured)


def test_gates_and_conditions_stand_on_the_page(measured):
    text = shown(measured).text

    assert "Gates: 1 passed" in text
    assert "asked for metal; found metal" in text
    assert "GPU temperature 35\N{NO-BREAK SPACE}°C" in text
    assert "drift 0.40%" in text


def test_a_failed_gate_disqualifies_and_is_named(tmp_path):
    (page,) = pages(tmp_path, [process(0, 100.0, checks=GATES)])

    assert page.facts.grade.letter == "X"
    assert "Gates: 1 passed, 1 failed" in shown(page).text


def test_a_published_figure_shows_the_characters_of_its_source(tmp_path):
    (page,) = pages(
        tmp_path, [Run(values={WALL: 113.65}, printed={WALL: "1:53,65 total"})]
    )
    text = shown(page).text

    assert "1:53,65 total" in text
    assert "The source published no samples" in text
    assert "No gate is recorded" in text
    assert "Others published it" in text


def test_a_run_without_a_figure_says_why(tmp_path):
    reason = "MPS backend out of memory"
    failed = process(0, 1.0, status="oom", reason=reason)
    (page,) = pages(tmp_path, [replace(failed, values={})])

    assert "out of memory" in shown(page).text
    assert page.facts.quantity is None


@pytest.mark.parametrize("code", ["ar", "ja"])
def test_figures_are_isolated_in_every_language(measured, code):
    page = render(measured, load(code), Frame((code,)))

    assert re.search(r"<h1><bdi>\S*102|<h1><bdi>\S*101", page)
    assert f'lang="{code}"' in page or f"lang={code}" in page


def test_a_hostile_name_is_only_text(tmp_path):
    evil = '"><script>alert(1)</script>'
    (page,) = pages(
        tmp_path, [Run(machine=Machine(chip=evil, model=evil), values={WALL: 3.0})]
    )

    assert "<script>alert" not in render(page, load("en"), Frame(("en",)))


def measured_twice() -> tuple[list[Run], list[Run]]:
    """Return the processes of a machine, and those of another one before it."""
    names = ("device", "parameter_count", "loss")
    proven = {"gates": {name: {"status": "passed"} for name in names}}
    own = [process(n, 100.0 + n, checks=proven, seed=n) for n in range(3)]
    day = {"campaign": "day", "started": "2026-10-01T10:00:00Z"}
    others = [
        replace(
            process(n, 98.0 + n, checks=proven, **day | {"seed": 1000 + n}),
            machine=Machine("M4 Max", ours="theirs"),
        )
        for n in range(3)
    ]
    return own, others


SAID = "Replicated on 2 machines, agreement ± 1.1%."


def test_the_page_says_who_measured_the_figure_again_and_bears_a_badge(tmp_path):
    own, others = measured_twice()
    with site_with(tmp_path, [*own, *others]) as site:
        (of_work,) = workload_page.pages(site)
        both = [*map(shown, run.pages(site))]

    for page in both:
        labels = [item.attributes.get("aria-label") for item in page.all("svg")]
        assert SAID in page.text
        assert "replicated: 2 × ± 1.1%" in labels
    assert SAID in shown(of_work).text


def test_what_has_no_room_on_the_site_measured_a_figure_again_all_the_same(
    tmp_path, monkeypatch
):
    first, others = measured_twice()
    link = {"reproduces": digest([repr(first[0])])}
    rerun = [
        replace(
            item,
            columns={
                **item.columns,
                "campaign": "rerun",
                "started": "2026-11-09T10:00:00Z",
                **(link if item is first[0] else {}),
            },
        )
        for item in first
    ]
    monkeypatch.setattr(scope, "WHOLE", len(rerun))
    engine = open_database(str(store(tmp_path, [*first, *others, *rerun])))
    with (
        reading(engine) as connection,
        scope.selected(connection, scope.Wanted()) as newest,
    ):
        (page,) = run.pages(content(connection, newest))
    engine.dispose()

    assert newest.room == Room(runs=3, of_runs=9)
    assert SAID in shown(page).text
    assert "Reproduced here 1 time, within 0.0%." in shown(page).text
