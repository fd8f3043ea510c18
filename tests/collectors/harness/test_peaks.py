"""What a collector knows about the most that a chip can do."""

import pytest
from harness.gates import CHIPS, Peak, peak_of

from benchdb.catalogue import chips
from benchdb.resources import folder


def test_collectors_and_benchdb_read_the_same_catalogue():
    assert folder("collectors") / "catalogue" / "chips.json" == CHIPS


@pytest.mark.parametrize(
    ("printed", "precision", "teraflops", "gigabytes"),
    [
        ("NVIDIA H100 80GB HBM3", "bf16", 989, 3352),
        ("NVIDIA H200", "tf32", 495, 4800),
        ("NVIDIA H200", "fp64", 67, 4800),
        ("NVIDIA A100-SXM4-80GB", "fp16", 312, 2039),
        ("Tesla V100-SXM2-16GB", "fp16", 125, 900),
        ("Tesla T4", "fp16", 65, 320),
        ("NVIDIA GeForce RTX 3090", "bf16", 71, 936),
        ("GeForce RTX 3090", "tf32", 35.6, 936),
    ],
)
def test_a_cuda_card_is_known_by_the_name_that_its_driver_prints(
    printed, precision, teraflops, gigabytes
):
    peak = peak_of("cuda", printed, None, precision)

    assert peak.flops_per_second == teraflops * 1e12
    assert peak.bytes_per_second == gigabytes * 1e9


def test_a_mac_is_known_by_chip_and_cores():
    small = peak_of("metal", "M1 Max", 24, "fp32")
    large = peak_of("metal", "Apple M1 Max", 32, "fp32")

    assert small.flops_per_second == 3072 * 2 * 1296e6
    assert (small.bytes_per_second, small.clock_mhz) == (400e9, 1296)
    assert large == peak_of("metal", "M1 Max", None, "fp32")


def test_of_unknown_cores_no_variant_has_a_higher_peak():
    for chip in chips():
        if chip.vendor != "Apple" or "fp32" not in chip.peaks:
            continue
        most = peak_of("metal", chip.name, None, "fp32")
        assert (most.flops_per_second or 0) >= chip.peaks["fp32"].flops_per_second
        assert (most.bytes_per_second or 0) >= (
            chip.memory_bandwidth_bytes_per_second or 0
        )


def test_a_rate_that_nobody_states_is_unknown_and_the_memory_is_known_all_the_same():
    peak = peak_of("metal", "M3 Max", 40, "bf16")

    assert peak.flops_per_second is None
    assert peak.bytes_per_second == 400e9
    assert peak.no_rate == "the catalogue of chips has no bf16 rate of M3 Max"


@pytest.mark.parametrize(
    ("device", "name", "cores", "why"),
    [
        ("cpu", "M1 Max", 32, "what a CPU can do at most"),
        ("cuda", None, None, "the name of the GPU is not known"),
        ("cuda", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", None, "has no NVIDIA A100"),
        ("cuda", "GeForce RTX 3090 Laptop GPU", None, "has no GeForce RTX 3090 L"),
        ("cuda", "M1 Max", None, "has no M1 Max"),
        ("metal", "Apple GPU", None, "has no Apple GPU"),
        ("metal", "M1 Max", 20, "has no M1 Max with 20 GPU cores"),
        ("metal", "A18 Pro", None, "has no fp32 rate of A18 Pro"),
    ],
)
def test_what_has_no_known_peak_has_a_reason(device, name, cores, why):
    peak = peak_of(device, name, cores, "fp32")

    assert (peak.flops_per_second, peak.bytes_per_second) == (None, None)
    assert why in peak.no_rate
    assert why.replace("fp32 rate", "memory bandwidth") in peak.no_bandwidth


@pytest.mark.parametrize(
    ("printed", "highest", "teraflops"),
    [
        ("NVIDIA GeForce RTX 3090", 2100, 71 * 2100 / 1695),
        ("NVIDIA H200", 1980, 989),  # no higher than the catalogue has it
        ("NVIDIA H200", 1200, 989),  # a limit of somebody's is no peak
        ("NVIDIA H200", None, 989),
    ],
)
def test_a_card_that_boosts_computes_more_than_its_rates_say(
    printed, highest, teraflops
):
    peak = peak_of("cuda", printed, None, "bf16")

    assert peak.boosted(highest) == pytest.approx(teraflops * 1e12)


def test_what_has_no_rate_has_none_at_any_clock():
    assert Peak(None, 4e11, 1500).boosted(3000) is None
    assert Peak(1e12, None).boosted(3000) == 1e12
