"""Other devices, and the benchmarks of other tools: where they stand on the page."""

from pathlib import Path
from typing import get_args

import pytest

from benchdb.exchange.messages import Device
from benchdb.merge import import_files
from benchdb.report.language import load
from benchdb.report.summary import summarise
from benchdb.report.view.report_view import Report
from benchdb.store.database import open_database, reading
from tests.foreign_files import sample_folders
from tests.store_factory import Machine, Run
from tests.summary_page import FIT, WALL, page

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


@pytest.fixture(scope="module", params=sample_folders(), ids=lambda path: path.name)
def samples(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Report:
    """Return the page of files of foreign tools, and of nothing else."""
    folder: Path = tmp_path_factory.mktemp("samples")
    engine = open_database(str(folder / "results.sqlite"), create=True)
    names = ("llama-bench.json", "pytest_benchmark_two.json", "hyperfine_two.json")
    taken = list(import_files(engine, [request.param / name for name in names]))
    assert all(outcome.clean for outcome in taken)
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
