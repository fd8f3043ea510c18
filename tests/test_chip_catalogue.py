"""The catalogue of chips agrees with the collected facts and with itself."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from benchdb.catalogue import Chip, chips, find_chip
from tests.shared_material import SHARED

# Facts of some chips, and of all of them where the collected table is.
TABLES = [Path(__file__).parent / "fixtures" / "chip_facts.csv"]
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


def apple_chips() -> list[Chip]:
    return [chip for chip in chips() if chip.vendor == "Apple"]


def largest(name: str) -> Chip:
    chip = find_chip("Apple", name)
    assert chip is not None
    return chip


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


def test_the_catalogue_has_as_many_chips_as_were_collected():
    assert len(chips()) == 56
    assert all(len(facts_of(table)) == 56 for table in TABLES[1:])


def test_no_two_chips_are_the_same_variant():
    variants = [(c.vendor, c.name, c.gpu_cores, c.cpu_cores) for c in chips()]

    assert len(set(variants)) == len(variants)


def test_fp32_follows_from_lanes_and_clock():
    for chip in chips():
        if "fp32" not in chip.peaks:
            assert chip.gpu_clock_mhz is None
            continue
        assert chip.gpu_alus is not None
        assert chip.gpu_clock_mhz is not None
        rate = chip.gpu_alus * 2 * chip.gpu_clock_mhz * 1e6
        assert chip.peaks["fp32"].flops_per_second == rate


def test_a_rate_by_formula_names_the_figures_of_its_formula():
    for chip in chips():
        if "fp32" in chip.peaks:
            formula = f"{chip.gpu_alus} ALUs × 2 FLOP × {chip.gpu_clock_mhz} MHz"
            assert chip.peaks["fp32"].basis == formula


def test_the_tiers_of_a_chip_are_its_cores_and_come_fastest_first():
    for chip in apple_chips():
        tiers = list(chip.cpu_levels)

        assert sum(chip.cpu_levels.values()) == chip.cpu_cores
        assert tiers == sorted(tiers, key=SPEEDS.index)


def test_every_gpu_core_of_apple_has_128_lanes():
    for chip in apple_chips():
        assert chip.gpu_alus == (chip.gpu_cores and 128 * chip.gpu_cores)


def test_the_variants_of_a_chip_come_smallest_first():
    for name in {chip.name for chip in apple_chips() if chip.gpu_cores}:
        cores = [(c.cpu_cores, c.gpu_cores) for c in apple_chips() if c.name == name]

        assert cores == sorted(cores)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family[0])
@pytest.mark.parametrize(
    "quantity", ["cpu_cores", "gpu_cores", "max_memory_gb", "gigabytes_per_second"]
)
def test_a_family_grows_from_its_first_chip_to_its_largest(family, quantity):
    amounts = [as_collected(largest(name))[quantity] for name in family]

    assert amounts == sorted(amounts)


@pytest.mark.parametrize("generation", ["M1", "M2", "M3", "M5"])
def test_an_ultra_is_two_maxes(generation):
    half = as_collected(largest(f"{generation} Max"))
    whole = as_collected(largest(f"{generation} Ultra"))

    tiers = {tier: 2 * cores for tier, cores in half["cpu_levels"].items()}
    assert whole["cpu_levels"] == tiers
    assert whole["gpu_cores"] == 2 * half["gpu_cores"]
    # Apple rounds: 819 GB/s are twice 400, and 1.2 TB/s twice 614.
    assert whole["gigabytes_per_second"] == pytest.approx(
        2 * half["gigabytes_per_second"], rel=0.03
    )


def test_a_card_computes_twice_as_fast_in_16_bits_as_in_tf32():
    peaks = [chip.peaks for chip in chips() if "tf32" in chip.peaks]

    assert len(peaks) == 5
    for modes in peaks:
        fast = modes["fp16"].flops_per_second
        assert modes["bf16"].flops_per_second == fast
        assert fast == pytest.approx(2 * modes["tf32"].flops_per_second, rel=0.01)


def test_nothing_is_guessed_of_apple_beyond_fp32():
    modes = {mode for c in chips() if c.vendor == "Apple" for mode in c.peaks}

    assert modes == {"fp32"}


def test_every_peak_says_where_it_is_from():
    peaks = [peak for chip in chips() for peak in chip.peaks.values()]

    assert {peak.confidence for peak in peaks} <= {"high", "medium", "low"}
    assert all(peak.basis for peak in peaks)
