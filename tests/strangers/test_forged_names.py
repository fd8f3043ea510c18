"""Chips and devices that cannot be of one machine, and chips that were never made."""

import pytest

from benchdb.plausibility.rules import judge
from tests.observed_runs import codes, seen
from tests.strangers.forgeries import (
    PROCESSES,
    chip,
    doubts,
    forged,
    grades,
    import_,
    on,
    shown,
)


@pytest.mark.parametrize(
    ("changes", "code", "letter"),
    [
        (
            [
                chip(name="M4 Ultra", gpu_cores=80),
                on("run", device="metal", device_name="Apple M1 Ultra"),
                on("environment", os_name="macOS", os_version="26.0"),
            ],
            "contradicting-names",
            "X",
        ),
        (
            [
                chip(name="M4 Max", gpu_cores=40),
                on("run", device="metal"),
                on("environment", os_name="macOS", os_version="26.0"),
            ],
            "contradicting-names",
            "X",
        ),
        ([chip(name="M4 Max", gpu_cores=40)], "impossible-device", "X"),
        ([on("run", device_name="NVIDIA H100")], "contradicting-names", "X"),
        (
            [
                chip(name="M4 Ultra", gpu_cores=80),
                on("run", device="cpu", device_name="Apple M4 Ultra"),
            ],
            "unknown-chip",
            None,
        ),
    ],
)
def test_names_that_contradict_are_found(tmp_path, changes, code, letter):
    path = forged(tmp_path / "forged.jsonl", *changes)
    import_(database := tmp_path / "results.sqlite", path)

    runs = shown(database)

    assert doubts(runs)[code, None] == PROCESSES
    assert letter is None or grades(runs) == {letter}


@pytest.mark.parametrize(
    ("vendor", "name", "device", "device_name", "cards"),
    [
        ("Apple", "M4 Max", "metal", "Apple M4 Max", ()),
        ("Apple", "M1", "cpu", "Apple M1 (Virtual)", ()),
        ("Apple", "M2 Pro", "metal", "M2 Pro GPU", ()),
        ("Apple", "M9 Ultra", "metal", "Apple M9 Ultra", ()),  # newer than we know
        ("Apple", "A12Z", "metal", "Apple A12Z", ()),
        ("Intel", "Core m5-6Y54", "cpu", "Intel m5", ()),
        ("Intel", "Core i7", "metal", "GeForce GT 750M", ()),
        ("Intel", "Xeon", "cuda", "NVIDIA H200", ("H200",)),
        ("Intel", "Xeon", "cuda", "Tesla V100-SXM2-16GB", ("V100",)),
        ("AMD", "Ryzen", "cuda", "NVIDIA GeForce RTX 3090", ("RTX 3080", "RTX 3090")),
        ("AMD", "Ryzen", "cuda", "GPU 24GB", ("RTX 3090",)),
    ],
)
def test_names_that_agree_or_say_little_are_not_doubted(
    vendor, name, device, device_name, cards
):
    run = seen(
        chip_vendor=vendor,
        chip_name=name,
        device=device,
        device_name=device_name,
        accelerators=cards,
    )

    assert [code for _, code in codes(judge([run]))] == []
