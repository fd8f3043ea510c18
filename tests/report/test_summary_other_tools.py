"""Other devices, and the benchmarks of other tools: where they stand on the page."""

from pathlib import Path
from typing import get_args

import pytest

from benchdb.exchange.messages import Device
from benchdb.merge import import_files
from benchdb.report import html
from benchdb.report.charts import mpl
from benchdb.report.language import available, load
from benchdb.report.markdown import page as markdown
from benchdb.report.summary import summarise
from benchdb.report.view.page import Report
from benchdb.store.database import open_database, reading
from tests.foreign_files import sample_folders
from tests.page import parse
from tests.store_factory import Machine, Run
from tests.summary_page import FIT, WALL, page, three_published

REPORTED = "reported_samples_per_second"
EN = load("en")
PC = Machine("Ryzen 9 9950X", "AMD", None, gpu="Radeon RX 7900 XTX")


@pytest.fixture(scope="module")
def devices(tmp_path_factory: pytest.TempPathFactory) -> Report:
    runs = [
        Run(workload, device, PC, values={FIT: 100.0 + number, WALL: 9.0 + number})
        for number, device in enumerate(get_args(Device))
        for workload in ("resnet50", "lstm")
    ]
    return page(tmp_path_factory.mktemp("devices"), runs)


@pytest.mark.parametrize("code", available())
def test_every_device_has_its_place_on_the_page(devices, code):
    language = load(code)
    shown = html.render(devices, language)
    text = markdown.render(devices, language, {})

    assert len(devices.sections["ranking"].rows) == len(get_args(Device))
    assert all(name in shown and name in text for name in ("ROCm", "SYCL", "TPU"))
    if code == "en":
        assert "device not stated" in shown


def test_every_device_has_its_place_in_the_charts(devices):
    images = dict(mpl.images(devices, EN))

    assert b"Vulkan" in images["ranking"]
    assert images["distance"]


@pytest.mark.parametrize(
    ("device", "name", "counts"),
    [
        ("cuda", None, True),
        ("rocm", "AMD Radeon RX 7900 XTX", True),
        ("vulkan", "Radeon RX 7900 XTX", True),
        ("vulkan", None, False),
        ("opencl", "AMD Ryzen 9 9950X", False),
        ("npu", "Radeon RX 7900 XTX", False),
        ("unknown", None, False),
    ],
)
def test_a_reference_is_surely_a_card(tmp_path, device, name, counts):
    runs = [
        run
        for workload in ("resnet50", "lstm")
        for run in (
            Run(
                workload, device, PC, values={FIT: 900.0}, columns={"device_name": name}
            ),
            Run(workload, "cpu", Machine("M1"), values={FIT: 90.0}),
        )
    ]

    assert (page(tmp_path, runs).sections["distance"] is not None) == counts


def test_chips_that_nobody_names_are_compared_with_nothing(tmp_path):
    nameless = Machine("unknown", "unknown", None, None)
    runs = [*three_published(), Run(machine=nameless, values={WALL: 1.0})]

    report = page(tmp_path, runs)

    assert len(report.sections["ranking"].rows) == report.systems_count == 3
    assert "chip not stated" in html.render(report, EN)


def test_other_benchmarks_stand_in_the_table_of_values_only(tmp_path):
    machines = [Machine(chip) for chip in ("M1", "M2", "M3", "M4")]
    runs = [
        Run(name, machine=mac, framework="cpython", values={"operation_seconds": 1e-8})
        for name in ("pytest-benchmark/telco", "pytest-benchmark/nbody")
        for mac in machines
    ]

    report = page(tmp_path, runs)
    shown = html.render(report, EN)

    assert [
        report.sections["metal"],
        report.sections["ranking"],
        report.sections["distance"],
    ] == [None] * 3
    assert {row.metric for row in report.values} == {"operation_seconds"}
    assert "<h1>Benchmark results and their sources</h1>" in shown
    assert "10.0\u00a0ns" in shown
    tree = parse(shown)
    assert not tree.all(id="ranking")
    assert "open" in tree.by_id("all-values").attributes


def test_a_run_of_ours_among_them_brings_the_questions_back(tmp_path):
    other = Run("pytest-benchmark/telco", values={"operation_seconds": 0.01})

    report = page(tmp_path, [other, *three_published()])

    assert [w.name for w in report.sections["ranking"].workloads] == [
        *["resnet50", "mobilenetv2", "distilbert", "lstm"]
    ]
    assert "pytest-benchmark/telco" in {row.workload.name for row in report.values}


def test_reported_rates_compare_within_one_document(tmp_path):
    runs = [
        Run(name, machine=Machine(chip), values={REPORTED: rate}, source=source)
        for chip, rate, source in (
            ("M1", 10.0, "a"),
            ("M2", 20.0, "a"),
            ("M3", 9.0, "b"),
        )
        for name in ("resnet50", "lstm")
    ]

    ranking = page(tmp_path, runs, baseline="M1").sections["ranking"]

    assert ranking
    ratios = {row.system.chip: row.cells[0].ratio for row in ranking.rows}
    assert {chip: ratio and ratio.differs for chip, ratio in ratios.items()} == {
        "M1": (),
        "M2": (),
        "M3": ("protocol",),
    }


def test_a_reported_step_becomes_a_rate_by_its_batch(tmp_path):
    step = {"reported_step_seconds": 2.0}
    runs = [
        Run(name, machine=Machine(chip), values=step if chip == "M1" else {FIT: 128.0})
        for name in ("resnet50", "mobilenetv2")
        for chip in ("M1", "M2", "M3")
    ]

    ranking = page(tmp_path, runs, baseline="M2").sections["ranking"]

    assert ranking
    (row,) = (row for row in ranking.rows if row.system.chip == "M1")
    assert row.cells[0].quantity
    assert row.cells[0].quantity.value == pytest.approx(64.0)


@pytest.fixture(scope="module", params=sample_folders(), ids=lambda path: path.name)
def samples(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Report:
    """Return the page of files of foreign tools, and of nothing else."""
    folder: Path = tmp_path_factory.mktemp("samples")
    engine = open_database(str(folder / "results.sqlite"), create=True)
    names = ("llama-bench.json", "pytest_benchmark_two.json", "hyperfine_two.json")
    taken = list(import_files(engine, [request.param / name for name in names]))
    assert all(one.clean for one in taken)
    with reading(engine) as connection:
        return summarise(connection)


def test_every_run_of_a_tool_is_in_the_table_with_its_figure(samples):
    assert len({row.run for row in samples.values}) == 6
    assert all(row.quantity and row.locator for row in samples.values)
    assert {row.metric for row in samples.values} == {
        "command_wall_seconds",
        "operation_seconds",
        "tokens_per_second",
    }


@pytest.mark.parametrize("code", available())
def test_a_page_of_tools_alone_reads_well_in_every_language(samples, code):
    shown = html.render(samples, load(code))
    text = markdown.render(samples, load(code), {})

    gpus = ("GeForce RTX 3060", "GeForce RTX 3090 Ti")  # ours, that of the shared file
    assert [gpu in shown for gpu in gpus].count(True) == 1
    before, sources, _ = shown.split("<main")[1].partition("id=sources")
    assert sources
    assert "unknown" not in before
    assert "unknown" not in text
