"""Scaling: throughput against GPU cores, in one generation of chips."""

from math import log

import pytest
from msgspec.structs import replace

from benchdb.report import html
from benchdb.report.language import load
from benchdb.report.sections.scaling import Curve, generation, words
from benchdb.report.view.page import Report
from benchdb.report.wording.sections import (
    chart_alt,
    runs_text,
    section_chart,
    section_lead,
    section_title,
)
from benchdb.store.places import Place
from tests.report.section_page import section_of, to_rows
from tests.store_factory import Machine, Run
from tests.summary_page import RATE, page
from tests.view_fixture import empty

EN = load("en")
FAMILY = (("M1", 8, 100.0), ("M1 Max", 32, 300.0), ("M1 Ultra", 64, 500.0))
M5_ULTRA = ("M5 Ultra", None, 640.0)
MORE = ("resnet50", "bert-large", "mnist-cnn", "mobilenetv2-cifar10")
PLACE = Place(
    machine="m",
    source=None,
    vendor="Apple",
    chip="Apple M5 Pro",
    accelerator=None,
    model=None,
    ram_bytes=None,
    anonymous_id=None,
    device="metal",
    device_name="mps",
    measured=True,
)


def runs(
    chips: tuple[tuple[str, int | None, float], ...] = FAMILY,
    workload: str = "resnet50",
    **facts: object,
) -> list[Run]:
    return [
        Run(
            workload=workload,
            device="metal",
            machine=Machine(chip, gpu_cores=cores),
            values={RATE: rate},
            columns=facts,
        )
        for chip, cores, rate in chips
    ]


def curves(report: Report) -> dict[str, Curve]:
    generations = (
        report.sections["scaling"].generations if report.sections["scaling"] else ()
    )
    return {c.workload.name: c for one in generations for c in one.curves}


@pytest.fixture(scope="module", name="report")
def three_chips(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return page(tmp_path_factory.mktemp("store"), runs())


@pytest.fixture(scope="module", name="mixed")
def one_workload_for_each_case(tmp_path_factory: pytest.TempPathFactory) -> Report:
    two, last = FAMILY[:2], FAMILY[2:]
    frozen = {"batch_size": 128, "trainable": "last"}
    flagged, *good = runs(workload="efficientnet-b0")
    cases = [
        *runs((*two, ("M1 Max", 32, 310.0)), "mobilenetv2"),
        *runs((*two, ("M2 Max", 38, 400.0)), "lstm"),
        *[*runs(two, "mnist"), *runs(last, "mnist", precision="fp16")],
        *[*runs(two, "vgg16"), *runs(last, "vgg16", parameters=frozen)],
        *[replace(run, device="cpu") for run in runs(workload="alexnet")],
        *runs((*two, ("M1 Ultra", None, 500.0)), "resnet18"),
        *runs((("M5", 10, 90.0), ("M5 Max", 40, 350.0), M5_ULTRA), "resnet9"),
        *map(timed, runs(workload="distilbert")),
        *[replace(flagged, flags=[("outlier", RATE)]), *good],
        *[run for name in MORE for run in runs(workload=name)],
    ]
    return page(tmp_path_factory.mktemp("store"), cases)


def timed(run: Run) -> Run:
    rate = run.values[RATE]
    assert rate
    return replace(run, values={"script_wall_seconds": 15360 / rate})


def test_three_chips_of_one_generation_make_a_curve(report):
    curve = curves(report)["resnet50"]

    assert [(s.system.chip, s.gpu_cores) for s in curve.steps] == [
        ("M1", 8),
        ("M1 Max", 32),
        ("M1 Ultra", 64),
    ]
    assert report.sections["scaling"].generations[0].name == "M1"


def test_the_exponent_is_the_least_squares_slope_in_logs(report):
    points = [(log(cores), log(rate)) for _, cores, rate in FAMILY]
    middle = [sum(axis) / 3 for axis in zip(*points, strict=True)]
    over = sum((x - middle[0]) * (y - middle[1]) for x, y in points)

    curve = curves(report)["resnet50"]

    assert curve.exponent == pytest.approx(
        over / sum((x - middle[0]) ** 2 for x, _ in points)
    )
    assert words.power(EN, curve.exponent or 0) == "cores^0.8"


def test_the_words_say_that_it_is_less_than_in_proportion(report):
    title = "More GPU cores train faster, but not in proportion"

    assert section_title(EN, report, "scaling") == title
    assert section_lead(EN, report, "scaling").endswith(
        "Throughput grows as cores^0.8."
    )
    assert chart_alt(EN, report, "scaling") == (
        f"{title}. M1: ResNet-50 · cores^0.8 from 100\u00a0img/s on 8 cores to "
        "500\u00a0img/s on 64 cores."
    )
    assert runs_text(EN, report, "scaling").startswith("One run per figure")


def test_perfect_scaling_starts_at_the_smallest_gpu(report):
    plane = section_chart(EN, report, "scaling")

    assert plane
    (panel,) = plane.panels
    assert [(p.x, p.y) for p in panel.points] == [(c, r) for _, c, r in FAMILY]
    perfect, fitted = panel.strokes
    assert perfect.guide
    assert perfect.through == ((8, 100), (64, 800))
    assert panel.y.ends == (64, 512)
    assert fitted.label == "ResNet-50 · cores^0.8"


def test_the_line_through_the_dots_has_the_slope_of_the_exponent(report):
    curve = curves(report)["resnet50"]

    (few, low), (many, high) = curve.fit
    assert log(high / low) / log(many / few) == pytest.approx(curve.exponent)


def test_every_figure_of_the_table_leads_to_its_run(report):
    curve = curves(report)["resnet50"]

    linked = to_rows(html.render(report, EN), "scaling")

    assert linked == [f"run-{step.quantity.run[:12]}" for step in curve.steps]


def test_markdown_has_a_row_for_each_chip(report):
    (table,) = words.tables(EN, report.sections["scaling"])

    assert [row[1:] for row in table.rows] == [
        ("M1", "8", "100\u00a0img/s", "cores^0.8"),
        ("M1 Max", "32", "300\u00a0img/s", "cores^0.8"),
        ("M1 Ultra", "64", "500\u00a0img/s", "cores^0.8"),
    ]


def test_an_empty_section_says_how_to_fill_it(tmp_path):
    report = page(tmp_path, runs(FAMILY[:2]))

    assert report.sections["scaling"] is None
    assert (
        "benchdb collect --metal" in section_of(html.render(report, EN), "scaling").text
    )


@pytest.mark.parametrize(
    "workload",
    [
        pytest.param("mobilenetv2", id="two-core-counts"),
        pytest.param("lstm", id="another-generation"),
        pytest.param("mnist", id="another-precision"),
        pytest.param("vgg16", id="another-choice"),
        pytest.param("alexnet", id="the-cpu"),
        pytest.param("resnet18", id="cores-that-nobody-states"),
    ],
)
def test_no_curve_without_three_like_gpus(mixed, workload):
    assert workload in {row.workload.name for row in mixed.values}
    assert workload not in curves(mixed)


def test_the_only_variant_of_a_chip_stands_for_what_nobody_states(mixed):
    last = curves(mixed)["resnet9"].steps[-1]

    assert (last.system.chip, last.gpu_cores, last.basis) == (
        "M5 Ultra",
        80,
        "catalogue",
    )
    assert "M5 Ultra" in runs_text(EN, mixed, "scaling")


def test_generations_have_panels_of_their_own_on_equal_axes(mixed):
    plane = section_chart(EN, mixed, "scaling")

    assert plane
    assert [panel.title for panel in plane.panels] == ["M1", "M5"]
    assert len({(p.x.ends, p.y.ends) for p in plane.panels}) == 1


def test_a_flagged_figure_is_shown_but_gives_no_exponent(mixed):
    curve = curves(mixed)["efficientnet-b0"]

    assert len(curve.steps) == 3
    assert (curve.exponent, curve.fitted) == (None, 2)
    assert (
        words.label(EN, curve, mixed.sections["scaling"].generations[0])
        == "EfficientNet-B0"
    )


def test_a_time_becomes_a_throughput(mixed):
    steps = curves(mixed)["distilbert"].steps

    found = [step.quantity.value for step in steps]
    assert found == pytest.approx([rate for _, _, rate in FAMILY])
    assert all(step.quantity.derived for step in steps)


def test_more_workloads_than_looks_stand_in_the_table(mixed):
    plane = section_chart(EN, mixed, "scaling")

    assert plane
    assert {point.look for point in plane.panels[0].points} == set("01234")
    assert "1 more line stands in the table only." in runs_text(EN, mixed, "scaling")


@pytest.mark.parametrize(
    ("exponents", "title"),
    [
        ((0.5, 0.8), "More GPU cores train faster, but not in proportion"),
        ((0.95, 1.04), "Throughput grows in proportion to the GPU cores"),
        ((0.5, 1.0), "Scaling with GPU cores"),
        ((-0.3, 0.5), "Scaling with GPU cores"),
        ((None, None), "Scaling with GPU cores"),
    ],
)
def test_the_heading_says_no_more_than_all_curves_do(report, exponents, title):
    one = report.sections["scaling"].generations[0]
    changed = tuple(replace(one.curves[0], exponent=each) for each in exponents)
    section = replace(
        report.sections["scaling"], generations=(replace(one, curves=changed),)
    )

    assert words.title(EN, section) == title


@pytest.mark.parametrize(
    ("chip", "name"),
    [
        ("Apple M5 Pro", "M5"),
        ("M12", "M12"),
        ("Apple A18 Pro", "A18"),
        ("M1 Ultra 64c", "M1"),
        ("M1 (Virtual)", None),
        ("Core i7-8700B", None),
        ("GeForce RTX 3090", None),
    ],
)
def test_a_generation_is_a_letter_and_a_number(chip, name):
    found = generation(replace(PLACE, chip=chip))

    assert found == (name and ("Apple", name))


def test_a_card_in_a_mac_is_no_chip_of_its_generation():
    assert generation(replace(PLACE, device_name="AMD Radeon Pro 5500M")) is None


def test_without_the_section_there_is_neither_chart_nor_lead():
    report = empty()

    assert section_chart(EN, report, "scaling") is None
    assert section_lead(EN, report, "scaling") == ""
    assert runs_text(EN, report, "scaling") == ""
