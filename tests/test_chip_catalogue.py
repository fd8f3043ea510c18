"""The catalogue of chips agrees with facts, with itself and with what systems print."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchdb.catalogue import Chip, chips, find_chip
from tests.shared_material import SHARED

FIXTURES = Path(__file__).parent / "fixtures"
CAPTURED = json.loads((FIXTURES / "capture_facts.json").read_text("utf-8"))
# Facts of some chips, and of all of them where the collected table is.
TABLES = [FIXTURES / "chip_facts.csv"]
if SHARED.is_dir():
    TABLES.append(SHARED / "facts" / "chips.csv")
# Tiers of cores, fastest first; a family of chips, smallest first.
SPEEDS = ("Super", "Performance", "Efficiency")
FAMILIES = [
    ("M1", "M1 Pro", "M1 Max", "M1 Ultra"),
    ("M2", "M2 Pro", "M2 Max", "M2 Ultra"),
    ("M3", "M3 Pro", "M3 Max", "M3 Ultra"),
    ("M4", "M4 Pro", "M4 Max"),
    ("M5", "M5 Pro", "M5 Max", "M5 Ultra"),
]


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


def facts_of(table: Path) -> list[dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as file:
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


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_the_chips_of_a_table_are_catalogued_in_its_order_with_its_numbers(table):
    rows = [as_catalogued(row) for row in facts_of(table)]

    catalogued = [as_collected(chip) for chip in chips()]

    assert [chip for chip in catalogued if chip in rows] == rows


def test_the_catalogue_has_all_chips_that_were_collected():
    assert len(chips()) >= 56
    assert all(len(facts_of(table)) <= len(chips()) for table in TABLES[1:])


def test_no_two_chips_are_the_same_variant_and_those_of_a_name_come_smallest_first():
    variants = [(c.vendor, c.name, c.gpu_cores, c.cpu_cores) for c in chips()]
    apple = [c for c in chips() if c.vendor == "Apple" and c.gpu_cores]

    assert len(set(variants)) == len(variants)
    for name in {chip.name for chip in apple}:
        cores = [(c.cpu_cores, c.gpu_cores) for c in apple if c.name == name]
        assert cores == sorted(cores)


@pytest.mark.parametrize("chip", chips(), ids=lambda c: f"{c.name} {c.gpu_cores}")
def test_a_chip_agrees_with_itself(chip):
    clock, lanes = chip.gpu_clock_mhz, chip.gpu_alus
    if "fp32" in chip.peaks:
        # A rate by formula names the figures of its formula.
        fp32 = chip.peaks["fp32"]
        assert fp32.flops_per_second == lanes * 2 * clock * 1e6
        assert fp32.basis == f"{lanes} ALUs × 2 FLOP × {clock} MHz"
    else:
        assert clock is None
    for peak in chip.peaks.values():
        assert peak.confidence in {"high", "medium", "low"}
        assert peak.basis
    if chip.vendor == "Apple":
        tiers = list(chip.cpu_levels)
        assert sum(chip.cpu_levels.values()) == chip.cpu_cores
        assert tiers == sorted(tiers, key=SPEEDS.index)
        assert lanes == (chip.gpu_cores and 128 * chip.gpu_cores)
        assert chip.peaks.keys() <= {"fp32"}  # nothing is guessed beyond it


def largest(name: str) -> dict[str, Any]:
    chip = find_chip("Apple", name)
    assert chip is not None
    return as_collected(chip)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family[0])
@pytest.mark.parametrize(
    "quantity", ["cpu_cores", "gpu_cores", "max_memory_gb", "gigabytes_per_second"]
)
def test_a_family_grows_from_its_first_chip_to_its_largest(family, quantity):
    amounts = [largest(name)[quantity] for name in family]

    assert amounts == sorted(amounts)


@pytest.mark.parametrize("generation", ["M1", "M2", "M3", "M5"])
def test_an_ultra_is_two_maxes(generation):
    half = largest(f"{generation} Max")
    whole = largest(f"{generation} Ultra")

    tiers = {tier: 2 * cores for tier, cores in half["cpu_levels"].items()}
    assert whole["cpu_levels"] == tiers
    assert whole["gpu_cores"] == 2 * half["gpu_cores"]
    # Apple rounds: 819 GB/s are twice 400, and 1.2 TB/s twice 614.
    assert whole["gigabytes_per_second"] == pytest.approx(
        2 * half["gigabytes_per_second"], rel=0.03
    )


def test_a_card_computes_twice_as_fast_in_16_bits_as_in_tf32():
    peaks = [chip.peaks for chip in chips() if "tf32" in chip.peaks]

    assert len(peaks) == 6
    for modes in peaks:
        fast = modes["fp16"].flops_per_second
        assert modes["bf16"].flops_per_second == fast
        assert fast == pytest.approx(2 * modes["tf32"].flops_per_second, rel=0.01)


@pytest.mark.parametrize("name", PEAKS)
def test_peaks_are_those_of_the_research(name):
    teraflops, terabytes = PEAKS[name]

    chip = find_chip("Apple" if name.startswith("M1") else "NVIDIA", name)

    assert chip is not None
    assert chip.peaks.keys() == teraflops.keys()
    for mode, expected in teraflops.items():
        # By formula, M1's clocks give 2 % more than Apple's own round figure.
        exactness = 0.025 if mode == "fp32" else 1e-9
        value = chip.peaks[mode].flops_per_second / 1e12
        assert value == pytest.approx(expected, rel=exactness)
    assert chip.memory_bandwidth_bytes_per_second == pytest.approx(
        terabytes * 1e12, rel=0.01
    )


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

    assert find_chip("Apple", facts["chip"]) in variants
    assert fitting


def test_apple_s_gpus_are_found_with_the_cores_that_a_mac_counts():
    counted = {
        (gpu[1], gpu[2])
        for facts in CAPTURED.values()
        for gpu in facts.get("gpus", ())
        if gpu[2] is not None
    }

    assert len(counted) >= 6
    assert [pair for pair in sorted(counted) if find_chip("Apple", *pair) is None] == []


# The last two as other forms of nvidia-smi and its exporter print them.
CARDS = {
    *(facts["name"] for n, facts in CAPTURED.items() if "nvidia/" in n),
    *("H200", "Tesla V100-SXM2-16GB"),
}


def test_nvidia_s_cards_have_the_names_that_nvidia_smi_prints():
    result = {name for name in CARDS if find_chip("NVIDIA", name)}

    assert result == {
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
    assert find_chip("NVIDIA", "NVIDIA H100 80GB HBM3") is find_chip(
        "NVIDIA", "H100 80GB HBM3"
    )
    assert find_chip("Apple", "Apple M1 (Virtual)") is find_chip("Apple", "M1")


def test_of_several_variants_the_cores_decide_or_the_largest_counts():
    def bandwidth(cores: int | None) -> float | None:
        chip = find_chip("Apple", "M5 Max", cores)
        return chip.memory_bandwidth_bytes_per_second if chip else None

    assert (bandwidth(32), bandwidth(40), bandwidth(None)) == (460e9, 614e9, 614e9)
    assert find_chip("Apple", "M1 Max", 20) is None
    assert find_chip("Apple", "H200") is None
