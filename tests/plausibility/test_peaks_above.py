"""Figures above what the chip can do at most."""

from typing import Any

import pytest
from msgspec.structs import replace

from benchdb.catalogue import Peak, chips
from benchdb.plausibility import ceilings
from benchdb.plausibility.rules import judge
from tests.observed_runs import codes, seen

CARD: dict[str, Any] = {"device": "cuda", "chip_vendor": "Intel", "chip_name": "Xeon"}


Rows = list[tuple[float, dict[str, Any], bool]]
OF_MAC: Rows = [
    (2.5, {"precision": "fp32"}, False),
    (2.7, {"precision": "fp32"}, False),  # within what clocks allow
    (2.9, {"precision": "fp32"}, True),
    (2.5, {"precision": "fp32", "gpu_cores": 7}, True),
    (2.5, {"precision": "fp32", "gpu_cores": 99}, False),  # no such variant
    (5.0, {"precision": None}, False),
    (6.0, {"precision": None}, True),
    (6.0, {"precision": "fp16"}, True),
    (60.0, {"precision": "int8"}, False),  # not known
    (60.0, {"precision": "fp64"}, False),
    (60.0, {"chip_name": "M5"}, False),  # matrix units of unknown rate
    (60.0, {"chip_name": "M99"}, False),
    (60.0, {"device": "cpu"}, False),  # clocks and units vary
    (60.0, {"chip_vendor": "AMD"}, False),
    (60.0, {"parameters": {"nodes": 4}}, False),
    (60.0, {"parameters": {"nodes": 1, "n_gpu_layers": 99}}, True),
]
OF_CARD: Rows = [
    (900.0, {"device_name": "NVIDIA H200"}, False),
    (1300.0, {"device_name": "NVIDIA H200"}, True),
    (100.0, {"device_name": "NVIDIA H200", "precision": "fp32"}, False),  # as tf32
    (90.0, {"device_name": "NVIDIA H200", "precision": "fp64"}, True),
    (400.0, {"device_name": "A100"}, True),  # larger than any of that name
    (300.0, {"device_name": "A100"}, False),
    (1300.0, {"accelerators": ("A100",) * 8}, False),
    (3000.0, {"accelerators": ("A100",) * 8}, True),
    (90.0, {"device_name": "RTX 3090", "precision": "fp16-mixed"}, True),
    (90.0, {"device_name": "RTX 3090 Ti"}, False),  # not in the catalogue
    (900.0, {"device_name": "RTX 4090"}, False),  # no 16-bit rate is known
    (90.0, {"device_name": "GPU"}, False),
    (90.0, {"device_name": None}, False),
    (90.0, {"chip_vendor": "NVIDIA", "chip_name": "Tesla T4"}, True),
]
OF_MEMORY: Rows = [
    (60.0, {}, False),
    (90.0, {}, True),
    (90.0, {"workload": "L2 cache"}, False),
    (90.0, {"parameters": {"size": 8192}}, True),
    (90.0, {"parameters": {"size": 1024}}, False),  # fits into a cache
    (90.0, {"workload": "elementwise", "label": "measured"}, False),
    (5e3, {**CARD, "device_name": "H200"}, False),
    (6e3, {**CARD, "device_name": "H200"}, True),
    (90.0, {"chip_name": "M99"}, False),
]
OF_SAMPLES = [
    ({"fit_samples_per_second": 70.0}, {}, False),
    ({"fit_samples_per_second": 700.0}, {}, True),
    ({"samples_per_second": 700.0}, {"label": "measured", "source": None}, True),
    ({"step_seconds": 0.1}, {"batch_size": 128}, True),
    ({"step_seconds": 0.1}, {}, False),  # of how many samples is not known
    ({"samples_per_second": 700.0}, {"parameters": {"image_size": 32}}, False),
    ({"samples_per_second": 700.0}, {"parameters": {"image_size": 224}}, True),
    ({"samples_per_second": 700.0}, {"parameters": {"trainable": "x"}}, False),
    ({"samples_per_second": 700.0}, {"setting": "inference"}, False),
    ({"samples_per_second": 700.0}, {"framework": "mlx"}, True),
    ({"samples_per_second": 9e9}, {"workload": "llama-bench/pp"}, False),
    ({"samples_per_second": 9e9}, {"workload": "matmul"}, False),
    ({"samples_per_second": 9e9}, {"workload": "mobilenetv2-cifar10"}, False),
    ({"samples_per_second": 700.0}, {"chip_name": "M99"}, False),
]
MATMUL: dict[str, Any] = {"workload": "matmul"}


@pytest.mark.parametrize(
    ("values", "facts", "doubtful"),
    [
        *(({"teraflops": n}, MATMUL | facts, odd) for n, facts, odd in OF_MAC),
        *(({"teraflops": n}, MATMUL | CARD | facts, odd) for n, facts, odd in OF_CARD),
        *(
            ({"gigabytes_per_second": n}, {"workload": "bandwidth", **facts}, odd)
            for n, facts, odd in OF_MEMORY
        ),
        *OF_SAMPLES,
    ],
)
def test_more_than_the_chip_can_do_is_above_its_peak(values, facts, doubtful):
    run = seen(values=values, **facts)

    assert codes(judge([run])) == [("a", "above-peak")] * doubtful


def test_the_peak_is_told_with_its_chip_and_mode():
    run = seen(gpu_cores=8, values={"fit_samples_per_second": 700.0})

    assert [finding.detail for finding in judge([run])] == [
        {"stated": 16.03, "peak": 5.235, "chip": "M1, 8 GPU cores", "mode": "any"}
    ]


@pytest.mark.parametrize(
    ("percent", "facts", "doubtful"),
    [
        (101.0, {"workload": "lstm"}, True),
        (119.0, {"workload": "lstm", **CARD}, False),  # a card that boosts
        (121.0, {"workload": "lstm", **CARD}, True),
        (220.0, {"workload": "vgg16"}, False),  # fewer multiplications than counted
        (230.0, {"workload": "vgg16"}, True),
        (220.0, {"workload": "conv"}, False),
        (280.0, {"workload": "conv", **CARD}, True),
    ],
)
def test_a_share_of_the_peak_has_room_for_boost_and_for_convolutions(
    percent, facts, doubtful
):
    run = seen(values={"mfu_percent": percent}, **facts)

    assert codes(judge([run])) == [("a", "above-peak")] * doubtful


def test_a_convolution_may_take_fewer_multiplications_than_are_counted():
    rates = [{"teraflops": 4.0}, {"teraflops": 7.0}]  # an M1 has 2.6

    runs = [
        seen(str(n), workload="conv", precision="fp32", values=rate)
        for n, rate in enumerate(rates)
    ]

    assert codes(judge(runs, {"above-peak"})) == [("1", "above-peak")]


@pytest.fixture
def cards_with_fp8(monkeypatch):
    """A catalogue whose cards compute twice as fast in fp8 as in bf16."""
    more = tuple(
        replace(
            chip,
            peaks={
                **chip.peaks,
                "fp8": Peak(2 * chip.peaks["bf16"].flops_per_second, "sheet", "high"),
            },
        )
        for chip in chips()
        if "bf16" in chip.peaks
    )
    ceilings._highest.cache_clear()
    monkeypatch.setattr(ceilings, "chips", lambda: more)
    yield
    ceilings._highest.cache_clear()


@pytest.mark.usefixtures("cards_with_fp8")
@pytest.mark.parametrize(
    ("precision", "doubtful"),
    [("bf16", True), ("fp16-mixed", True), (None, True), ("fp8", False)],
)
def test_a_rate_in_fewer_bits_lets_no_16_bit_work_be_faster(precision, doubtful):
    run = seen(
        workload="matmul",
        values={"teraflops": 1300.0},
        **CARD,
        device_name="NVIDIA H200",
        precision=precision,
    )

    assert codes(judge([run])) == [("a", "above-peak")] * doubtful


@pytest.mark.parametrize(("precision", "doubtful"), [("fp32", True), ("fp16", False)])
def test_samples_are_held_against_the_peak_of_the_precision_at_work(
    precision, doubtful
):
    # About 9 TFLOP/s; an M1 has 2.6 in fp32, and convolutions 2.25 times that.
    run = seen(values={"fit_samples_per_second": 400.0}, precision=precision)

    assert codes(judge([run])) == [("a", "above-peak")] * doubtful
