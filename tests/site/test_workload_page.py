"""Pages of workloads: a table for each protocol, and what may be said of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from benchdb.site import workload_page
from benchdb.site.content import Site
from tests.compared import campaign
from tests.site import sites
from tests.site.sites import html_of, in_english, page_at, site_with
from tests.store_factory import Machine, Run

WALL, FIT = "script_wall_seconds", "fit_samples_per_second"
M1, PRO, MAX = (Machine(name) for name in ("M1", "M1 Pro", "M1 Max"))
RIG = Machine("Core i7", "Intel", None, 32, gpu="NVIDIA GeForce RTX 3090")
RESNET = "workload/resnet50"


def script(
    seconds: float, machine: Machine, device: str = "metal", **facts: Any
) -> Run:
    return Run(machine=machine, device=device, values={WALL: seconds}, **facts)


def rate(value: float, machine: Machine, device: str = "metal", **columns: Any) -> Run:
    return Run(
        machine=machine,
        device=device,
        values={FIT: value},
        source="other",
        columns=columns,
    )


def decoded(
    value: float, machine: Machine, model: str = "Llama 3.1 8B", **columns: Any
) -> Run:
    return Run(
        "llm-decode",
        machine=machine,
        device="metal",
        framework="llama.cpp",
        values={"tokens_per_second": value},
        columns={
            "batch_size": None,
            "parameters": {"model": model, "quantization": "Q4_K_M"},
            **columns,
        },
    )


def facts_and_words(
    folder: Path, runs: Sequence[Run], address: str = RESNET
) -> tuple[Any, Any]:
    """Return what a page shows, in no language and in English."""
    with site_with(folder, runs) as site:
        page = page_at(site, address, workload_page.pages)
        return page.facts, in_english(page)


def test_systems_stand_from_the_fastest_with_their_ratio_to_the_m1(
    tmp_path: Path,
) -> None:
    runs = [script(400, M1), script(100, MAX), script(1600, M1, "cpu")]
    _, words = facts_and_words(tmp_path, runs)

    (section,) = words.parts["sections"]
    assert [(row.chip, row.device, row.ratio, row.note) for row in section.rows] == [
        ("M1 Max", "Metal", "4.0×", ""),
        ("M1", "Metal", "", "baseline"),
        ("M1", "CPU", "0.25×", ""),
    ]


def test_more_images_per_second_stand_above_fewer(tmp_path: Path) -> None:
    _, words = facts_and_words(tmp_path, [rate(50, M1), rate(150, MAX)])

    (section,) = words.parts["sections"]
    assert [row.chip for row in section.rows] == ["M1 Max", "M1"]
    assert section.better == "img/s; more is better"


def test_two_protocols_have_a_table_each_and_no_ratio_between_them(
    tmp_path: Path,
) -> None:
    runs = [script(400, M1), script(100, PRO), rate(50, MAX), rate(500, RIG, "cuda")]
    facts, words = facts_and_words(tmp_path, runs)

    assert [
        (table.metric, {row.chip for row in table.rows}) for table in facts.tables
    ] == [(WALL, {"M1", "M1 Pro"}), (FIT, {"M1 Max", "GeForce RTX 3090"})]
    assert [row.ratio for row in words.parts["sections"][1].rows] == ["", ""]
    assert "2 protocols are on this page" in words.parts["headline"].basis


def test_another_precision_has_no_ratio_to_the_m1(tmp_path: Path) -> None:
    unlike = script(100, MAX, columns={"precision": "fp16"})
    _, words = facts_and_words(tmp_path, [script(400, M1), unlike])

    (section,) = words.parts["sections"]
    assert [(row.chip, row.precision, row.ratio) for row in section.rows] == [
        ("M1 Max", "fp16", ""),
        ("M1", "fp32", ""),
    ]


def test_the_headline_says_what_metal_and_the_fastest_mac_give(
    tmp_path: Path,
) -> None:
    runs = [
        script(400, M1),
        script(100, MAX),
        script(1600, M1, "cpu"),
        script(1000, MAX, "cpu"),
    ]
    _, words = facts_and_words(tmp_path, runs)

    headline = words.parts["headline"]
    assert headline.text == "The M1 Max is 4.0× as fast as the M1, both with Metal."
    assert headline.metal == "With Metal a chip is 4.0–10.0× as fast as on its CPU."


def test_a_flagged_figure_leads_no_headline(tmp_path: Path) -> None:
    runs = [script(400, M1), script(200, PRO)]
    doubtful = script(10, MAX, flags=[("outlier", WALL)])
    _, words = facts_and_words(tmp_path, [*runs, doubtful])

    headline = words.parts["headline"]
    assert headline.text == "The M1 Pro is 2.0× as fast as the M1, both with Metal."
    assert "1 flagged figure is left out." in headline.basis
    (section,) = words.parts["sections"]
    first = section.rows[0]
    assert (first.chip, first.plot.marks[0].look) == ("M1 Max", "flagged")
    assert first.note == "⚑ outlier among peers"


def test_an_impossible_system_keeps_its_figure_and_bears_the_doubt(
    tmp_path: Path,
) -> None:
    doubted = script(100, MAX, flags=[("impossible-os", None)])
    _, words = facts_and_words(tmp_path, [script(400, M1), doubted])

    headline = words.parts["headline"]
    assert headline.text == "The M1 Max is 4.0× as fast as the M1, both with Metal."
    assert "⚑ M1 Max: macOS impossible." in headline.basis


def test_without_the_m1_there_is_no_headline(tmp_path: Path) -> None:
    facts, words = facts_and_words(tmp_path, [script(100, MAX), script(200, PRO)])

    assert len(facts.tables) == 1
    assert words.parts["headline"] is None


def test_batch_sizes_and_precisions_stand_side_by_side(tmp_path: Path) -> None:
    runs = [
        rate(value, RIG, "cuda", batch_size=batch, precision=precision)
        for value, batch, precision in (
            (500, 128, "fp32"),
            (510, 256, "fp32"),
            (900, 128, "fp16"),
            (940, 256, "fp16"),
        )
    ]
    facts, words = facts_and_words(tmp_path, runs)

    (table,) = facts.tables
    assert [point.batch_size for point in table.grid.points] == [128, 256]
    grid = words.parts["sections"][0].grid
    assert grid.heads == ("batch 128", "batch 256")
    assert [
        (line.way, [cell.text.split()[0] for cell in line.cells]) for line in grid.lines
    ] == [
        ("TensorFlow · fp16", ["900", "940"]),
        ("TensorFlow · fp32", ["500", "510"]),
    ]


def test_processes_of_one_machine_have_an_interval(tmp_path: Path) -> None:
    mine = Machine("M1 Max", ours="bbbbbbbb22222222")
    _, words = facts_and_words(tmp_path, campaign("c", 100.0, machine=mine))

    row = words.parts["sections"][0].rows[0]
    assert row.plot.whisker is not None
    low, high = map(float, row.figure.limits.split("–"))
    assert low < 100 < high


def test_language_models_stand_by_model_those_of_most_systems_first(
    tmp_path: Path,
) -> None:
    runs = [
        *(decoded(value, it) for value, it in ((10, M1), (20, PRO), (40, MAX))),
        *(decoded(value, it, "Qwen2.5 14B") for value, it in ((5, PRO), (18, MAX))),
    ]
    facts, words = facts_and_words(tmp_path, runs, "workload/llm-decode")

    assert [(it.model, it.systems, it.figures) for it in facts.models] == [
        ("Llama 3.1 8B", 3, 3),
        ("Qwen2.5 14B", 2, 2),
    ]
    assert [section.title for section in words.parts["sections"]] == [
        "Llama 3.1 8B · Q4_K_M",
        "Qwen2.5 14B · Q4_K_M",
    ]
    assert facts.tables == ()
    first = words.parts["sections"][0]
    assert [row.ratio for row in first.rows] == ["4.0×", "2.0×", ""]


def test_what_only_others_can_measure_has_no_command(tmp_path: Path) -> None:
    answered = replace(decoded(10, M1), workload="llm-generate")
    facts, _ = facts_and_words(tmp_path, [answered], "workload/llm-generate")

    assert facts.missing == ()


def test_text_that_only_others_wrote_comes_with_the_commands_that_write_it(
    tmp_path: Path,
) -> None:
    facts, _ = facts_and_words(tmp_path, [decoded(10, M1)], "workload/llm-decode")

    assert [item.command for item in facts.missing] == [
        "benchdb collect llm-decode --metal --tier standard",
        "benchdb collect llm-decode --metal "
        "--set quantization=none --set quantization=4bit",
    ]


def test_what_nobody_measured_with_metal_comes_with_its_command(
    tmp_path: Path,
) -> None:
    facts, words = facts_and_words(tmp_path, [rate(500, RIG, "cuda")])

    assert [item.command for item in facts.missing] == [
        "benchdb collect resnet50 --metal"
    ]
    assert words.parts["missing"][0][0] == "Nobody has measured ResNet-50 with Metal."


def test_the_head_has_the_catalogues_facts(tmp_path: Path) -> None:
    _, words = facts_and_words(tmp_path, [script(400, M1)])

    known = {fact.name: fact.value for fact in words.parts["facts"]}
    assert known["Model"] == "23.6 M parameters"
    assert known["Input"] == "224 × 224"
    assert known["Training"] == "SGD, batch 128"


def test_the_head_names_the_checks_that_the_newest_run_passed(tmp_path: Path) -> None:
    gates = {"device": {"status": "passed"}, "loss": {"status": "not-checked"}}
    mine = Machine("M1 Max", ours="bbbbbbbb22222222")
    runs = campaign("c", 100.0, machine=mine, columns={"checks": {"gates": gates}})
    facts, words = facts_and_words(tmp_path, runs)

    assert facts.workload.gates == ("device",)
    known = {fact.name: (fact.value, fact.more) for fact in words.parts["facts"]}
    assert known["Checks"] == ("1 passed", "device")


@pytest.fixture(scope="module", name="shipped")
def shipped_site() -> Site:
    return sites.shipped()


def test_resnet50_of_the_shipped_database(shipped: Site) -> None:
    words: Any = in_english(page_at(shipped, RESNET, workload_page.pages))
    first = words.parts["sections"][0]
    ratios = {
        (row.chip, row.device): row.ratio
        for row in first.rows
        if row.framework == "TensorFlow"
    }

    # 579.18 s of the M1 over 59.91, 113.65, 222.72 and 1141.11 s.
    assert ratios["M1 Ultra", "Metal"] == "9.7×"
    assert ratios["M1 Max", "Metal"] == "5.1×"
    assert ratios["M1 Pro", "Metal"] == "2.6×"
    assert ratios["M1 Max", "CPU"] == "0.51×"
    assert words.parts["headline"].metal == (
        "With Metal a chip is 3.5–10.0× as fast as on its CPU."
    )


def test_pages_of_the_shipped_database_are_light(shipped: Site) -> None:
    for page in workload_page.pages(shipped):
        for code in ("en", "ar"):
            assert len(html_of(page, code).encode()) <= 250_000, page.address
