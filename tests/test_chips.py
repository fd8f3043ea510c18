"""Chips of the catalogue are found under the names that systems print."""

import json
from pathlib import Path

import pytest

from benchdb.catalogue import Chip, chips, find_chip

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


@pytest.mark.parametrize("name", PEAKS)
def test_peaks_are_those_of_the_research(name):
    teraflops, terabytes = PEAKS[name]

    chip = find_chip(vendor_of(name), name)

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
    assert [one for one in sorted(counted) if find_chip("Apple", *one) is None] == []


# The last two as other forms of nvidia-smi and its exporter print them.
CARDS = {
    *(facts["name"] for n, facts in CAPTURED.items() if "nvidia/" in n),
    *("H200", "Tesla V100-SXM2-16GB"),
}


def test_nvidia_s_cards_have_the_names_that_nvidia_smi_prints():
    found = {name for name in CARDS if find_chip("NVIDIA", name)}

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
