"""Laws of language models: prefill by GPU cores, decode by memory bandwidth."""

import math
from collections.abc import Sequence
from typing import Any

import pytest

from benchdb.report import html
from benchdb.report.language import load
from benchdb.report.sections.scaling import words
from benchdb.report.sections.scaling.laws import Law, Laws, fitted
from benchdb.report.wording.sections import section_chart, section_lead, section_title
from tests.report.section_page import Pages, pages_of_one_store, section_of
from tests.store_factory import Machine, Run

__all__ = ["pages_of_one_store"]

EN = load("en")
# Chips of the catalogue with the bandwidth that it gives them, in GB/s.
CHIPS = (
    ("M1", 8, 68.25),
    ("M2", 10, 100.0),
    ("M1 Pro", 16, 200.0),
    ("M3 Max", 30, 300.0),
    ("M1 Max", 32, 400.0),
    ("M1 Ultra", 64, 800.0),
)
TOKENS = "tokens_per_second"


def ran(chip: str, cores: int, rate: float, work: str, **facts: Any) -> Run:
    model = {"model": "Llama 3.1 8B", "quantization": "Q4_K_M"}
    columns = {
        "setting": "llama-bench",
        "precision": None,
        "compiler": None,
        "batch_size": None,
        "parameters": {**model, **facts.pop("parameters", {})},
    }
    return Run(
        workload=work,
        device=facts.pop("device", "metal"),
        framework="llama.cpp",
        machine=Machine(chip, gpu_cores=cores),
        source=facts.pop("source", "thread"),
        values={TOKENS: rate},
        columns={**columns, **facts},
    )


def prefill(power: float = 0.9, **facts: Any) -> list[Run]:
    rates = ((chip, n, 20 * n**power) for chip, n, _ in CHIPS)
    return [ran(*one, "llm-prefill", **facts) for one in rates]


def decode(power: float = 0.7, **facts: Any) -> list[Run]:
    rates = ((chip, n, 2 * width**power) for chip, n, width in CHIPS)
    return [ran(*one, "llm-decode", **facts) for one in rates]


def laws(pages: Pages, runs: Sequence[Run]) -> Laws:
    found: Laws = pages.of(runs).sections["scaling"].laws
    return found


def only(pages: Pages, runs: Sequence[Run]) -> Law:
    (law,) = laws(pages, runs).shown
    return law


def test_prefill_is_held_against_cores_and_decode_against_bandwidth(pages):
    found = laws(pages, [*prefill(), *decode()])

    assert [(law.workload.name, law.against) for law in found.shown] == [
        ("llm-prefill", "cores"),
        ("llm-decode", "bandwidth"),
    ]
    assert [one.amount for one in found.shown[0].bins] == [n for _, n, _ in CHIPS]
    assert [one.amount for one in found.shown[1].bins] == [w for *_, w in CHIPS]
    assert [law.exponent for law in found.shown] == pytest.approx([0.9, 0.7])


def test_the_interval_is_students_of_the_slope():
    points = [(1.0, 1.0), (2.0, 2.2), (4.0, 3.7), (8.0, 8.5), (16.0, 15.0)]
    xs, ys = ([math.log(one) for one in axis] for axis in zip(*points, strict=True))
    middle, height = sum(xs) / 5, sum(ys) / 5
    across = sum((x - middle) ** 2 for x in xs)
    slope = sum((x - middle) * y for x, y in zip(xs, ys, strict=True)) / across
    rest = sum(
        (y - height - slope * (x - middle)) ** 2 for x, y in zip(xs, ys, strict=True)
    )

    found, half, line = fitted(points)

    assert found == pytest.approx(slope)
    # The quantile for 0.975 and three degrees of freedom, from a table.
    assert half == pytest.approx(3.182446 * math.sqrt(rest / 3 / across))
    assert [x for x, _ in line] == [1.0, 16.0]


def test_a_bin_stands_with_the_median_of_its_results(pages):
    more = [
        ran("M1 Max", 32, rate, "llm-prefill", source=f"blog {rate}")
        for rate in (1.0, 5000.0)
    ]
    law = only(pages, [*prefill(), *more])
    (mean,) = [one for one in law.bins if one.chip == "M1 Max"]

    assert mean.results == 3
    assert mean.median == pytest.approx(20 * 32**0.9)


@pytest.mark.parametrize(
    "other",
    [
        {"parameters": {"quantization": "F16"}},
        {"parameters": {"prompt_tokens": 512}},
        {"setting": "localscore"},
        {"device": "cuda"},
    ],
)
def test_no_line_goes_through_unlike_work(pages, other):
    few, rest = prefill()[:3], prefill(**other)[3:]

    assert pages.of([*few, *rest]).sections["scaling"] is None


def test_through_four_bins_goes_no_line(pages):
    assert pages.of(prefill()[:4]).sections["scaling"] is None


def test_flagged_figures_are_in_no_median(pages):
    flagged = Run(
        **{
            **{name: getattr(prefill()[0], name) for name in Run.__struct_fields__},
            "machine": Machine("M2 Ultra", gpu_cores=76),
            "flags": [("outlier", TOKENS)],
        }
    )

    assert len(only(pages, [*prefill(), flagged]).bins) == len(CHIPS)


def test_the_chart_has_the_models_with_most_bins_and_a_bounded_number(pages):
    runs = [
        run
        for n in range(9)
        for run in prefill(parameters={"model": f"model {n}"})[: 6 if n < 5 else 5]
    ]
    found = pages.of(runs)
    chart = section_chart(EN, found, "scaling")
    shown = found.sections["scaling"].laws

    assert chart is not None
    (panel,) = chart.panels
    assert (len(panel.strokes), len(panel.points)) == (3, 18)
    assert [len(law.bins) for law in shown.shown] == [6, 6, 6, 6, 6, 5]
    assert shown.more == 3
    assert [key.text for key in chart.keys] == [f"model {n} Q4_K_M" for n in range(3)]


def test_the_sentences_say_exponent_interval_and_number_of_bins(pages):
    found = pages.of([*prefill(), *decode()])
    lead = section_lead(EN, found, "scaling")

    assert section_title(EN, found, "scaling") == (
        "Prompts are read faster with more GPU cores, answers are written faster with "
        "more memory bandwidth"
    )
    assert (
        "LLM prefill · Llama 3.1 8B · Q4_K_M, Metal · llama.cpp · llama-bench: grows "
        "as cores^0.90 (95% interval of the exponent: 0.90 to 0.90; 6 kinds of "
        "machines)."
    ) in lead
    assert "grows as bandwidth^0.70" in lead


def test_the_page_has_laws_and_medians(pages):
    found = pages.of([*prefill(), *decode()])
    text = section_of(html.render(found, EN), "scaling").text
    head, *medians = words.law_tables(EN, found.sections["scaling"])

    assert [row[2:] for row in head.rows] == [
        ("cores^0.90", "0.90 to 0.90", "6"),
        ("bandwidth^0.70", "0.70 to 0.70", "6"),
    ]
    assert [row[:2] for row in medians[0].rows] == [(c, str(n)) for c, n, _ in CHIPS]
    assert medians[1].rows[0][:3] == ("M1", "8", "68.3")
    assert "cores^0.90" in text
    assert "bandwidth^0.70" in text
