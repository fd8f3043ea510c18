"""Workloads and metrics of one's own: what is taken, and what is refused in a line."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchdb import catalogue, own_catalogue
from benchdb.cli.figure_text import figure
from benchdb.errors import UsageError
from benchdb.metric_kinds import compared, headlines, listed, unit_of
from benchdb.report.workloads import workload_of

METRIC = 'title = "Lines sorted in a second"\nunit = "line/s"\ndirection = "higher"\n'


@pytest.fixture
def write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], None]]:
    cached = (own_catalogue.own, catalogue.metrics, catalogue.workloads)
    every = (*cached, listed, compared, headlines, unit_of, workload_of)

    def clear() -> None:
        for each in every:
            each.cache_clear()

    def write(text: str) -> None:
        (tmp_path / "config").mkdir(exist_ok=True)
        (tmp_path / "config" / "catalogue.toml").write_text(text)
        clear()

    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path))
    clear()
    yield write
    clear()


def test_they_stand_beside_those_of_benchdb(write):
    write(
        f"[metric.sorted_lines]\n{METRIC}"
        '[workload.sort]\ntitle = "Sorting"\ncell = ["lines"]\n'
        'metrics = ["sorted_lines", "operation_seconds"]\n'
    )

    assert catalogue.metrics()["sorted_lines"].short == "Lines sorted in a second"
    assert "teraflops" in catalogue.metrics()
    assert headlines("sort")[:2] == ("sorted_lines", "operation_seconds")
    assert unit_of("sorted_lines", "sort") == "line/s"
    assert listed()[-1] == "sorted_lines"
    assert "sorted_lines" in compared()


@pytest.mark.parametrize("unit", ["line/s", "lines/s"])
def test_what_a_rate_counts_has_one_plural_however_its_unit_is_written(write, unit):
    write(f"[metric.sorted_lines]\n{METRIC.replace('line/s', unit)}")

    assert figure(7.0, "sorted_lines", "matmul") == "7.00 lines/s"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[metric.x", "Expected ']'"),
        ("[metrics.x]\n", "no 'metrics' belongs here; did you mean 'metric'?"),
        (f"[metric.BIG]\n{METRIC}", "metric 'BIG': a name is like"),
        (f"[metric.teraflops]\n{METRIC}", "benchdb has a metric 'teraflops' itself"),
        (f"[metric.x]\n{METRIC}titel = 1", "no field 'titel'; did you mean 'title'?"),
        (
            "[metric.x]\n" + METRIC.replace("higher", "highest"),
            "metric 'x': no direction 'highest'; did you mean 'higher'?",
        ),
        ('[metric.x]\ntitle = "x"\n', "missing required field `unit`"),
        ("[metric]\nx = 1\n", "metric 'x': it is a table: [metric.x]"),
        ('[workload.x]\ntitle = "x"\ncell = "a"\n', "Expected `array`, got `str`"),
        ('[workload.matmul]\ntitle = "x"\n', "benchdb has a workload 'matmul' itself"),
        (
            '[workload.x]\ntitle = "x"\nmetrics = ["teraflop"]\n',
            "workload 'x': no metric 'teraflop'; did you mean 'teraflops'?",
        ),
    ],
)
def test_a_mistake_is_one_line_with_the_file_and_what_was_meant(write, text, why):
    write(text)

    with pytest.raises(UsageError) as error:
        catalogue.workloads()

    assert str(error.value).startswith(f"{own_catalogue.path()}: ")
    assert why in str(error.value)
    assert "\n" not in str(error.value)
