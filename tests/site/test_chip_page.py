"""Pages of chips: Metal against the CPU, reports of a kind, family, what is missing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchdb.site import chip_page
from benchdb.site.content import Site
from benchdb.site.family import family_name
from benchdb.site.pages import Page
from tests.page import parse
from tests.site import sites
from tests.site.sites import html_of, in_english, page_at, site_with
from tests.store_factory import Machine, Run

WALL = "script_wall_seconds"
M1, PRO, MAX, ULTRA = (Machine(name) for name in ("M1", "M1 Pro", "M1 Max", "M1 Ultra"))
M1_MAX = "chip/m1-max"
NBSP = "\u00a0"


def script(
    seconds: float, machine: Machine = MAX, device: str = "metal", **facts: Any
) -> Run:
    return Run(machine=machine, device=device, values={WALL: seconds}, **facts)


def reports(rates: Sequence[float], cores: int | None = 32, **facts: Any) -> list[Run]:
    """Return what strangers reported of a chip's GPU with so many cores."""
    return [
        Run(
            "llm-decode",
            machine=Machine("M1 Max", model=None, gpu_cores=cores),
            device="metal",
            framework="llamafile",
            source="localscore",
            values={"tokens_per_second": rate},
            columns={
                "setting": "localscore",
                "precision": None,
                "compiler": None,
                "batch_size": None,
                "locator": f"row {rate}",
                "parameters": {"model": "Llama 3.1 8B", "quantization": "Q4_K_M"},
            },
            **facts,
        )
        for rate in rates
    ]


def page_of(folder: Path, runs: Sequence[Run], address: str = M1_MAX) -> Page:
    """Return a page, with its words made while the database is open."""
    with site_with(folder, runs) as site:
        return page_at(site, address, chip_page.pages)


def facts_and_words(
    folder: Path, runs: Sequence[Run], here: str | None = None
) -> tuple[Any, Any]:
    """Return what the page of the M1 Max shows, in no language and in English."""
    with site_with(folder, runs, here) as site:
        page = page_at(site, M1_MAX, chip_page.pages)
        return page.facts, in_english(page)


def test_metal_is_held_against_the_cpu_of_the_same_chip(tmp_path: Path) -> None:
    runs = [
        script(100, device="cpu"),
        script(20),
        script(90, device="cpu", workload="mobilenetv2"),
        script(30, workload="mobilenetv2"),
    ]
    facts, words = facts_and_words(tmp_path, runs)

    (result,) = facts.metal.ranges
    assert (result.low, result.high) == pytest.approx((3.0, 5.0))
    (group,) = words.parts["metal"]["groups"]
    assert [
        (row.work, row.base.text, row.other.text, row.verdict.text)
        for row in group.rows
    ] == [
        ("ResNet-50", f"100{NBSP}s", f"20.0{NBSP}s", "5.0× as fast"),
        ("MobileNetV2", f"90.0{NBSP}s", f"30.0{NBSP}s", "3.0× as fast"),
    ]
    assert words.parts["metal"]["title"] == (
        "Training: 3.0–5.0× as fast with Metal as on the CPU"
    )


def test_what_takes_longer_with_metal_is_said_as_long(tmp_path: Path) -> None:
    runs = [
        script(100, device="cpu"),
        script(20),
        script(10, device="cpu", workload="mnist"),
        script(60, workload="mnist"),
    ]
    _, words = facts_and_words(tmp_path, runs)

    assert words.parts["metal"]["title"] == (
        "Training: with Metal up to 5.0× as fast as on the CPU, or up to 6.0× as long"
    )
    (group,) = words.parts["metal"]["groups"]
    slower = group.rows[-1]
    assert (slower.verdict.text, slower.verdict.tone) == ("6.0× as long", "slower")
    assert [mark.look for mark in slower.plot.marks] == ["cpu", "down"]


def test_a_flagged_pair_is_outlined_and_in_no_range(tmp_path: Path) -> None:
    runs = [
        script(100, device="cpu"),
        script(20),
        script(900, device="cpu", workload="mnist", flags=[("outlier", WALL)]),
        script(10, workload="mnist"),
    ]
    facts, words = facts_and_words(tmp_path, runs)

    (result,) = facts.metal.ranges
    assert (result.n, facts.metal.flagged) == (1, 1)
    assert result.high == pytest.approx(5.0)
    (group,) = words.parts["metal"]["groups"]
    (row,) = [row for row in group.rows if row.work == "MNIST MLP"]
    assert row.plot.marks[1].look == "flagged"
    assert row.verdict.tone == "dim"
    assert "1 flagged pair is left out of the range." in words.parts["metal"]["lead"]


def test_figures_under_unlike_conditions_are_hollow_and_name_them(
    tmp_path: Path,
) -> None:
    runs = [script(100, device="cpu"), script(20, columns={"precision": "fp16"})]
    facts, words = facts_and_words(tmp_path, runs)

    assert facts.metal.ranges == ()
    ((row,),) = [group.rows for group in words.parts["metal"]["groups"]]
    assert row.plot.marks[1].look == "unlike"
    assert row.note == "precision"


def test_frameworks_and_protocols_have_groups_of_their_own(tmp_path: Path) -> None:
    torch: dict[str, Any] = {"framework": "torch", "source": "other"}
    runs = [
        script(100, device="cpu"),
        script(20),
        script(70, device="cpu", **torch),
        script(7, **torch),
    ]
    facts, _ = facts_and_words(tmp_path, runs)

    assert {
        (group.framework, group.sources, len(group.cells))
        for group in facts.metal.groups
    } == {("tensorflow", ("paper",), 1), ("torch", ("other",), 1)}


def test_reports_of_a_kind_stand_around_their_median(tmp_path: Path) -> None:
    runs = [*reports([30.0, 33.0, 36.0]), *reports([28.0], cores=24)]
    facts, words = facts_and_words(tmp_path, runs)

    assert [
        (strip.gpu_cores, strip.median.value, strip.results, strip.at_least)
        for strip in facts.usual
    ] == [(32, 33.0, 3, True), (24, 28.0, 1, False)]
    several, single = words.parts["normal"]["rows"]
    assert (several.limits, several.machines) == ("30.0–36.0", "≥ 1")
    assert several.spread == "± 9% around the median"
    assert (single.limits, single.spread) == ("–", "one report: no range")
    assert several.figures == "30 33 36"


def test_work_that_one_machine_did_once_is_no_question_of_normal(
    tmp_path: Path,
) -> None:
    facts, words = facts_and_words(tmp_path, reports([30.0]))

    assert facts.usual == ()
    assert words.parts["normal"] is None
    assert "normal" not in {name for name, _ in words.contents}


def test_the_marked_machine_stands_among_the_others(tmp_path: Path) -> None:
    mine = Machine("M1 Max", ours="me", gpu_cores=32)
    own = Run(
        "llm-decode",
        machine=mine,
        device="metal",
        framework="llamafile",
        source=None,
        values={"tokens_per_second": 20.0},
        columns={
            "setting": "localscore",
            "precision": None,
            "compiler": None,
            "batch_size": None,
            "campaign": "c",
            "parameters": {"model": "Llama 3.1 8B", "quantization": "Q4_K_M"},
        },
    )
    runs = [*reports([30.0, 33.0, 36.0]), own]
    _, words = facts_and_words(tmp_path, runs, here="me")

    row = words.parts["normal"]["rows"][0]
    assert "here" in {mark.look for mark in row.plot.marks}
    assert row.standing == "this machine: 0.63× the median, slow"


def test_a_family_is_held_against_the_m1_with_metal(tmp_path: Path) -> None:
    runs = [
        *(script(s, M1, workload=w) for s, w in ((400, "resnet50"), (80, "mnist"))),
        *(script(s, PRO, workload=w) for s, w in ((200, "resnet50"), (100, "mnist"))),
        *(script(s, MAX, workload=w) for s, w in ((100, "resnet50"), (40, "mnist"))),
    ]
    facts, words = facts_and_words(tmp_path, runs)

    assert facts.ladders.chips == ("M1", "M1 Pro", "M1 Max")
    ((ladder),) = words.parts["family"]["ladders"]
    assert [(row.chip, row.mean, row.spread, row.note) for row in ladder.rows] == [
        ("M1", "1.0×", "", "baseline"),
        ("M1 Pro", "", "0.80–2.0×", ""),
        ("M1 Max", "2.8×", "2.0–4.0×", ""),
    ]
    assert [row.current for row in ladder.rows] == [False, False, True]


def test_prefill_and_decode_are_never_in_one_mean(tmp_path: Path) -> None:
    def tokens(rate: float, machine: Machine, workload: str) -> Run:
        return Run(
            workload,
            machine=machine,
            device="metal",
            framework="llamafile",
            values={"tokens_per_second": rate},
            columns={"parameters": {"model": "A 1B"}, "batch_size": None},
        )

    runs = [
        tokens(rate * more, machine, workload)
        for rate, workload in ((100.0, "llm-prefill"), (10.0, "llm-decode"))
        for machine, more in ((M1, 1.0), (MAX, 4.0 if rate > 50 else 2.0))
    ]
    facts, _ = facts_and_words(tmp_path, runs)

    assert {
        ladder.kind: [round(it, 6) for it in ladder.members[-1].sound]
        for ladder in facts.ladders.ladders
    } == {"decode": [2.0], "prefill": [4.0]}


def test_neighbours_are_those_of_the_family_with_figures(tmp_path: Path) -> None:
    runs = [script(10, machine) for machine in (M1, MAX, ULTRA)]
    facts = page_of(tmp_path, runs).facts

    assert (facts.before, facts.after) == ("M1", "M1 Ultra")
    assert facts.pair == "a=m1-max-metal&b=m1-ultra-metal"


@pytest.mark.parametrize(
    ("chip", "family"),
    [
        ("M1", "M1"),
        ("M4 Max", "M4"),
        ("A18 Pro", "A18"),
        ("GeForce RTX 3090 Ti", "GeForce RTX 3000"),
        ("Radeon RX 7900 XTX", "Radeon RX 7900"),
        ("H200", ""),
        ("unknown", ""),
    ],
)
def test_families(chip: str, family: str) -> None:
    assert family_name(chip) == family


def test_what_is_missing_comes_with_its_command(tmp_path: Path) -> None:
    facts, words = facts_and_words(tmp_path, [script(20)])

    assert {item.lack: item.command for item in facts.missing} == {
        "metal": "benchdb collect lstm mnist mobilenetv2 distilbert matmul --metal",
        "repeats": "benchdb collect resnet50 --metal --tier standard",
        "energy": "benchdb collect resnet50 --metal --powermetrics",
        "tokens": "llama-bench -m MODEL.gguf -o jsonl | benchdb import -",
    }
    assert words.parts["missing"][0][0] == (
        "Of the standard suite nobody has measured LSTM, MNIST MLP, MobileNetV2, "
        "DistilBERT, and Matrix product on an M1 Max."
    )


def test_a_processor_alone_has_figures_and_no_section_of_macs(tmp_path: Path) -> None:
    intel = Machine("Core i9-10900X", "Intel", None, 64)
    with site_with(tmp_path, [script(20, intel, "cpu")]) as site:
        page = page_at(site, "chip/core-i9-10900x", chip_page.pages)
        tree = parse(html_of(page))

    assert (page.facts.metal, page.facts.missing) == (None, ())
    ids = {it.attributes["id"] for it in tree.having("id")}
    assert not {"metal", "normal", "family", "missing"} & ids
    assert "all" in ids


def test_names_of_strangers_are_harmless(tmp_path: Path) -> None:
    odd = Machine("<b>M1 Max\u202e", "Apple", None)
    runs = [script(100, odd, "cpu", workload="<i>\u200f"), script(20, odd)]
    with site_with(tmp_path, runs) as site:
        (page,) = chip_page.pages(site)
        text = html_of(page)

    assert not [bad for bad in ("<b>M1", "\u202e", "<i>") if bad in text]


@pytest.fixture(scope="module", name="shipped")
def shipped_site() -> Site:
    return sites.shipped()


def test_the_m1_max_of_the_shipped_database(shipped: Site) -> None:
    page = page_at(shipped, M1_MAX, chip_page.pages)
    words: Any = in_english(page)

    whole = {
        row.work: (row.base.text, row.other.text, row.verdict.text)
        for group in words.parts["metal"]["groups"]
        if "m1tensorbench" in group.protocol
        for row in group.rows
    }
    # As printed by m1tensorbench: 1141.11 and 113.65, 86.43 and 596.62 seconds.
    assert whole["ResNet-50"] == (f"1,141{NBSP}s", f"114{NBSP}s", "10.0× as fast")
    assert whole["MNIST MLP"] == (f"86.4{NBSP}s", f"597{NBSP}s", "6.9× as long")

    local = {
        (row.work, row.place): (row.median.text, row.limits, row.results)
        for row in words.parts["normal"]["rows"]
        if "localscore" in row.place
    }
    named = "LLM decode · Llama 3.1 8B · Q4_K_M"
    assert local[named, "32 GPU cores · llamafile · localscore"] == (
        f"33.7{NBSP}tokens/s",
        "31.6–37.9",
        3,
    )


def test_pages_of_the_shipped_database_are_light(shipped: Site) -> None:
    pages = {page.address: page for page in chip_page.pages(shipped)}

    for name in ("m1-max", "m4-max", "geforce-rtx-3090", "h200"):
        for code in ("en", "ar"):
            assert len(html_of(pages[f"chip/{name}"], code).encode()) <= 250_000


def test_the_table_of_a_chip_counts_as_many_figures_as_its_head():
    """What failed is a row, and no figure."""
    tables = [page.facts for page in chip_page.pages(sites.shipped())]

    assert any(table.figures.total < len(table.figures.rows) for table in tables)
    assert [
        table for table in tables if table.figures.total != table.chip.figures
    ] == []
