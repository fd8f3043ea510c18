"""What macOS prints about hardware: every known way to read it wrongly."""

import pytest
from fingerprint import macos as parse
from fingerprint.facts import ChipName, chip_name, extract


@pytest.mark.parametrize(
    ("printed", "total"),
    [
        (8, 8),
        ("proc 8:4:4", 8),
        ("proc 16:12:4:0", 16),
        ("proc 18:6:0:12", 18),
        ("proc 12:0:8:4", 12),
        ("proc x", None),
        (None, None),
    ],
)
def test_only_the_total_is_read_from_number_processors(printed, total):
    assert extract(str(printed), parse.PROCESSORS).get("total") == total


def test_three_tiers_of_cores_come_fastest_first():
    text = """hw.nperflevels: 3
hw.perflevel2.physicalcpu: 8
hw.perflevel2.name: Efficiency
hw.perflevel0.physicalcpu: 2
hw.perflevel0.name: Super
hw.perflevel1.physicalcpu: 5
hw.perflevel1.name: Performance"""

    pairs = parse.core_levels(parse.sysctl(text))

    assert pairs == (("Super", 2), ("Performance", 5), ("Efficiency", 8))


def test_macos_12_has_tiers_without_names():
    text = "hw.perflevel1.physicalcpu: 4\nhw.perflevel0.physicalcpu: 6\n"

    pairs = parse.core_levels(parse.sysctl(text))

    assert pairs == (("Performance", 6), ("Efficiency", 4))


def test_one_standard_tier_is_no_tier():
    text = (
        "hw.nperflevels: 1\nhw.perflevel0.name: Standard\nhw.perflevel0.physicalcpu: 5"
    )

    values = parse.sysctl(text)

    assert parse.core_levels(values) == ()
    assert parse.core_count(values) == 5


def test_a_tier_without_its_count_leaves_tiers_unknown():
    text = "hw.nperflevels: 2\nhw.perflevel0.physicalcpu: 4\n"

    assert parse.core_levels(parse.sysctl(text)) == ()


def test_under_rosetta_system_profiler_knows_no_chip():
    text = """{"SPHardwareDataType": [{"cpu_type": "Unknown", "number_processors": 8,
        "current_processor_speed": "2,4 GHz", "machine_model": "Macmini9,1"}]}"""

    result = parse.hardware(text)

    assert "chip" not in result
    assert result["cpu_cores"] == 8


@pytest.mark.parametrize(
    ("facts", "family"),
    [
        ('"spdisplays_mtlgpufamilysupport": "spdisplays_metal4"', "Metal 4"),
        ('"spdisplays_metalfamily": "spdisplays_mtlgpufamilyapple7"', "Apple 7"),
        ('"spdisplays_metal": "spdisplays_supported"', None),
    ],
)
def test_the_family_of_metal_is_that_of_the_displays(facts, family):
    assert parse.metal_family(f'{{"SPDisplaysDataType": [{{{facts}}}]}}') == family


def test_an_untranslated_name_of_a_gpu_is_not_its_name():
    text = """{"SPDisplaysDataType": [{"_name": "kHW_AppleM1Item"},
        {"_name": "kHW_X", "sppci_model": "Apple M9 Pro", "sppci_cores": "17"}]}"""

    first, second = parse.displays(text)

    assert first == {}
    assert second == {"name": "Apple M9 Pro", "cores": 17}


def test_a_log_line_is_not_taken_for_a_report():
    line = "2026-03-04 05:06:07.008 system_profiler[1:2] Device PreExisted: yes"

    assert parse.profile(line) == {}
    assert parse.fields(line + "\n  Chip: Apple M3") == {"Chip": "Apple M3"}


def test_a_value_may_run_over_several_lines():
    text = "kern.version: Darwin 1.2\nbuilt: today\nhw.memsize: 1024\n"

    values = parse.sysctl(text)

    assert values["kern.version"] == "Darwin 1.2\nbuilt: today"
    assert values["hw.memsize"] == "1024"


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("Apple M1", ChipName("Apple", "M1")),
        ("Apple M10 Max", ChipName("Apple", "M10 Max")),
        ("Apple M2 Ultra", ChipName("Apple", "M2 Ultra")),
        ("Apple A18 Pro", ChipName("Apple", "A18 Pro")),
        ("Apple M4 Max (Virtual)", ChipName("Apple", "M4 Max", virtual=True)),
        ("Apple processor", None),
        ("Unknown", None),
        ("", None),
        ("6-Core Intel Core i9", ChipName("Intel", "Core i9")),
        ("Dual-Core Intel Core i5", ChipName("Intel", "Core i5")),
        (
            "Intel(R) Core(TM) i9-9880H CPU @ 2.30GHz",
            ChipName("Intel", "Core i9-9880H"),
        ),
        ("Intel(R) Xeon(R) Processor @ 2.60GHz", ChipName("Intel", "Xeon")),
        ("13th Gen Intel(R) Core(TM) i5-13600K", ChipName("Intel", "Core i5-13600K")),
        ("AMD EPYC 9654 96-Core Processor", ChipName("AMD", "EPYC 9654")),
        ("AMD Ryzen 7 5700G with Radeon Graphics", ChipName("AMD", "Ryzen 7 5700G")),
        ("Something Nobody Knows", None),
    ],
)
def test_a_chip_has_a_vendor_and_a_name(printed, expected):
    assert chip_name(printed) == expected


def test_gpu_cores_come_from_the_registry_in_either_form():
    text = '"gpu-core-count" = 18\n  "p-core-count" = <0a000000>'

    tiers = {"tiers": parse.registry("p-core-count")}
    assert extract(text, parse.GPU_REGISTRY) == {"cores": 18}
    assert extract(text, tiers) == {"tiers": 10}


@pytest.mark.parametrize(
    ("printed", "believed"),
    [("10.16", None), ("16.0", None), ("", None), ("14.5", "14.5"), ("10.15", "10.15")],
)
def test_versions_that_python_invents_are_not_believed(printed, believed):
    assert parse.believable_version(printed) == believed


def test_the_kernel_tells_rosetta_from_intel():
    version = "9.9.9 Darwin Kernel Version 9.9.9: today; root:xnu-1~1/RELEASE_"

    assert parse.uname(f"{version}ARM64_T6000 x86_64")["rosetta"] is True
    assert parse.uname(f"{version}ARM64_T6000 arm64")["rosetta"] is False
    assert parse.uname(f"{version}X86_64 x86_64")["rosetta"] is False


def test_a_host_name_in_uname_is_not_among_the_facts():
    line = (
        "Darwin secret-host 9.9.9 Darwin Kernel Version 9.9.9: x/RELEASE_X86_64 x86_64"
    )

    assert "secret-host" not in str(parse.uname(line))


def test_nothing_printed_means_nothing_known():
    assert parse.hardware(None) == {}
    assert parse.displays("") == ()
    assert parse.profile('["not", "a report"]') == {}
    assert parse.sysctl("") == {}
    assert parse.fields("") == {}
    assert parse.uname(None) == {}
    assert extract(None, parse.GPU_REGISTRY | parse.MACHINE_UUID) == {}
