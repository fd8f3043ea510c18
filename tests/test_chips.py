"""The catalogue of chips: the collected facts under the names that systems print."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchdb.chips import Chip, chips, find
from tests.shared_material import SHARED

CAPTURED = json.loads(
    (Path(__file__).parent / "fixtures" / "capture_facts.json").read_text("utf-8")
)
# Dense TFLOP/s and TB/s as the research on measuring lists them; fp32 is rounded there.
PEAKS: dict[str, tuple[dict[str, float], float]] = {
    "H200": ({"bf16": 989, "fp16": 989, "tf32": 495, "fp32": 67, "fp64": 67}, 4.8),
    "H100 80GB HBM3": (
        {"bf16": 989, "fp16": 989, "tf32": 495, "fp32": 67, "fp64": 67},
        3.35,
    ),
    "A100-SXM4-80GB": (
        {"bf16": 312, "fp16": 312, "tf32": 156, "fp32": 19.5, "fp64": 19.5},
        2.04,
    ),
    "Tesla V100-SXM2-32GB": ({"fp16": 125, "fp32": 15.7}, 0.9),
    "GeForce RTX 3090": ({"bf16": 71, "fp16": 71, "tf32": 35.6, "fp32": 35.6}, 0.94),
    "Tesla T4": ({"fp16": 65, "fp32": 8.1}, 0.32),
    "M1": ({"fp32": 2.6}, 0.068),
    "M1 Pro": ({"fp32": 5.2}, 0.2),
    "M1 Max": ({"fp32": 10.4}, 0.4),
    "M1 Ultra": ({"fp32": 20.8}, 0.8),
}


def vendor_of(name: str) -> str:
    return "NVIDIA" if any(one.name == name for one in cards()) else "Apple"


def cards() -> list[Chip]:
    return [chip for chip in chips() if chip.vendor == "NVIDIA"]


def collected() -> list[dict[str, str]]:
    path = SHARED / "facts" / "chips.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def as_catalogued(row: dict[str, str]) -> dict[str, Any]:
    """Return a collected row as the catalogue would say it."""
    tiers = re.findall(r"(\d+) (\w+)", row["cpu_detail"])
    names = {
        "cpu_cores": "cpu_cores",
        "gpu_cores": "gpu_cores",
        "gpu_alus": "gpu_alus",
        "gpu_clock_mhz": "gpu_clock_mhz",
        "max_memory_gb": "max_ram_gb",
    }
    counts = {ours: row[theirs] for ours, theirs in names.items()}
    bandwidth, rate = row["mem_bandwidth_gbs"], row["fp32_tflops"]
    return {
        "name": re.sub(r"^(NVIDIA|Intel) | \(SXM5?\)$", "", row["name"]),
        "kind": "soc" if row["kind"] == "apple-soc" else "gpu",
        "confidence": row["confidence"],
        "cpu_levels": {name: int(cores) for cores, name in tiers},
        **{n: int(v) if v.isdecimal() else None for n, v in counts.items()},
        "gigabytes_per_second": float(bandwidth) if bandwidth else None,
        "fp32_teraflops": float(rate) if rate else None,
    }


def as_collected(chip: Chip) -> dict[str, Any]:
    bandwidth, fp32 = chip.memory_bandwidth_bytes_per_second, chip.peaks.get("fp32")
    return {
        "name": chip.name,
        "kind": chip.kind,
        "confidence": chip.confidence,
        "cpu_levels": chip.cpu_levels,
        "cpu_cores": chip.cpu_cores,
        "gpu_cores": chip.gpu_cores,
        "gpu_alus": chip.gpu_alus,
        "gpu_clock_mhz": chip.gpu_clock_mhz,
        "max_memory_gb": chip.max_memory_gb,
        "gigabytes_per_second": bandwidth and bandwidth / 1e9,
        "fp32_teraflops": fp32 and round(fp32.flops_per_second / 1e12, 3),
    }


def test_every_collected_chip_is_catalogued_with_the_same_numbers():
    assert [as_collected(chip) for chip in chips()] == [
        as_catalogued(row) for row in collected()
    ]
    assert len(chips()) == 56


def test_no_two_chips_are_the_same_variant():
    variants = [(c.vendor, c.name, c.gpu_cores, c.cpu_cores) for c in chips()]

    assert len(set(variants)) == len(variants)


@pytest.mark.parametrize("name", PEAKS)
def test_peaks_are_those_of_the_research(name):
    teraflops, terabytes = PEAKS[name]

    chip = find(vendor_of(name), name)

    assert chip is not None
    assert chip.peaks.keys() == teraflops.keys()
    for mode, expected in teraflops.items():
        # By formula, M1's clocks give 2 % more than Apple's own round figure.
        exactness = 0.025 if mode == "fp32" else 1e-9
        found = chip.peaks[mode].flops_per_second / 1e12
        assert found == pytest.approx(expected, rel=exactness)
    assert chip.memory_bandwidth_bytes_per_second == pytest.approx(
        terabytes * 1e12, rel=0.01
    )


def test_fp32_follows_from_lanes_and_clock():
    for chip in chips():
        if "fp32" not in chip.peaks:
            assert chip.gpu_clock_mhz is None
            continue
        assert chip.gpu_alus is not None
        assert chip.gpu_clock_mhz is not None
        rate = chip.gpu_alus * 2 * chip.gpu_clock_mhz * 1e6
        assert chip.peaks["fp32"].flops_per_second == rate


def test_nothing_is_guessed_of_apple_beyond_fp32():
    modes = {mode for c in chips() if c.vendor == "Apple" for mode in c.peaks}

    assert modes == {"fp32"}


def test_every_peak_says_where_it_is_from():
    peaks = [peak for chip in chips() for peak in chip.peaks.values()]

    assert {peak.confidence for peak in peaks} <= {"high", "medium", "low"}
    assert all(peak.basis for peak in peaks)


APPLE = {
    name: facts
    for name, facts in CAPTURED.items()
    if str(facts.get("chip")).startswith("Apple ") and not facts.get("virtual")
}


@pytest.mark.parametrize("capture", APPLE)
def test_an_apple_chip_is_found_as_a_mac_names_it(capture):
    facts = APPLE[capture]
    name = facts["chip"].removeprefix("Apple ")
    variants = [chip for chip in chips() if chip.name == name]
    cores = facts.get("cores", facts.get("cpu_cores"))
    memory = facts.get("ram", facts.get("memory_bytes", 0))

    fitting = [
        chip
        for chip in variants
        if cores in (None, chip.cpu_cores)
        and (chip.max_memory_gb or 0) * 2**30 >= memory
        and facts.get("levels", [*map(list, chip.cpu_levels.items())])
        == [*map(list, chip.cpu_levels.items())]
    ]

    assert find("Apple", facts["chip"]) in variants
    assert fitting


def test_apple_s_gpus_are_found_with_the_cores_that_a_mac_counts():
    counted = {
        (gpu[1], gpu[2])
        for facts in CAPTURED.values()
        for gpu in facts.get("gpus", ())
        if gpu[2] is not None
    }

    assert len(counted) >= 6
    assert [one for one in sorted(counted) if find("Apple", *one) is None] == []


CARDS = {
    facts["name"] for n, facts in CAPTURED.items() if "nvidia/" in n if "name" in facts
}


def test_nvidia_s_cards_have_the_names_that_nvidia_smi_prints():
    found = {name for name in CARDS if find("NVIDIA", name)}

    assert found == {
        "A100-SXM4-40GB",
        "A100-SXM4-80GB",
        "GeForce RTX 3090",
        "GeForce RTX 4090",
        "H100 80GB HBM3",
        "H200",
        "Tesla T4",
        "Tesla V100-SXM2-16GB",
        "Tesla V100-SXM2-32GB",
    }


def test_the_vendor_may_be_part_of_the_name():
    assert find("NVIDIA", "NVIDIA H100 80GB HBM3") is find("NVIDIA", "H100 80GB HBM3")
    assert find("Apple", "Apple M1 (Virtual)") is find("Apple", "M1")


def test_of_several_variants_the_cores_decide_or_the_largest_counts():
    def bandwidth(cores: int | None) -> float | None:
        chip = find("Apple", "M5 Max", cores)
        return chip.memory_bandwidth_bytes_per_second if chip else None

    assert (bandwidth(32), bandwidth(40), bandwidth(None)) == (460e9, 614e9, 614e9)
    assert find("Apple", "M1 Max", 20) is None
    assert find("Apple", "H200") is None
