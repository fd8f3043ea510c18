"""Matrix products made up for a test, and the page of them."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from benchdb.report.language import load
from benchdb.report.sections.sweep import Sweep, SweepLine
from benchdb.report.view.page import Report
from tests.report.section_page import Pages
from tests.store_factory import Machine, Run

H200 = Machine("Xeon", "Intel", None, 512, gpu="NVIDIA H200", ours="gpu")
MAC = Machine("Apple M1 Max", "Apple", "Mac Studio", 64, ours="mac")
SIZES = (512, 1024, 2048, 4096)
EN = load("en")


def products(
    rates: Mapping[int, float | None],
    machine: Machine = H200,
    device: str = "cuda",
    **facts: Any,
) -> list[Run]:
    """Return one run for each size, at its rate in TFLOPS."""
    base = Run(
        workload="matmul",
        device=device,
        machine=machine,
        framework=facts.pop("framework", "torch"),
        source=facts.pop("source", None),
        flags=facts.pop("flags", ()),
        devices=facts.pop("devices", ()),
    )
    columns: dict[str, Any] = {
        "campaign": "c",
        "started": "2026-03-04T05:06:07Z",
        "batch_size": 1,
    }
    columns |= {"compiler": "eager", **facts}
    metric = columns.pop("metric", "teraflops")
    more = columns.pop("more", {})
    packed = columns.pop("packed", base.packed)
    return [
        replace(
            base,
            packed=packed,
            # Its time is what a grade rests on.
            values={"operation_seconds": rate and 2e-12 * size**3 / rate, metric: rate},
            columns={**columns, "parameters": {"size": size, **more}},
        )
        for size, rate in rates.items()
    ]


def steady(rate: float, sizes: Iterable[int] = SIZES) -> dict[int, float | None]:
    return dict.fromkeys(sizes, rate)


def sweep(pages: Pages, runs: Iterable[Run], **wishes: Any) -> Sweep:
    found: Sweep | None = pages.of(runs, **wishes).sections["sweep"]
    assert found is not None
    return found


def spaced(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def only(found: Sweep) -> SweepLine:
    (line,) = found.lines
    return line


@pytest.fixture(scope="module", name="report")
def three_precisions(pages: Pages) -> Report:
    runs = [
        *products({512: 8.0, 1024: 38.0, 2048: 50.0, 4096: 51.0}),
        *products({512: 90.0, 1024: 200.0, 2048: 600.0, 4096: 650.0}, precision="bf16"),
        *products({4096: 340.0}, precision="tf32"),
        *products(steady(0.2), device="cpu"),
        *products(steady(9.0), MAC, "metal"),
    ]
    return pages.of(runs)
