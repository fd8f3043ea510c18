import pytest

from benchdb.exchange.messages import Accelerator, Chip
from benchdb.exchange.validation import RefusedError
from benchdb.importing.mapping.fields import Known, device_name, environment, machine
from benchdb.importing.mapping.language import MappedEnvironment, MappedMachine

M1_MAX = MappedMachine(
    chip=Chip(vendor="Apple", name="M1 Max", cpu_cores=10),
    model="MacBook Pro",
    missing={"ram_bytes": "not printed", "gpu_cores": "not printed"},
)
MAPPED = {"m1-max": M1_MAX}
GIB = 2**30


NOT_PRINTED = "not printed"
ULTRA = "Mac Studio, Apple M1 Ultra"
UNKNOWN_CORES = {"cpu_cores": NOT_PRINTED, "gpu_cores": NOT_PRINTED}


def card(name, vendor="NVIDIA"):
    return (Accelerator(vendor=vendor, name=name),)


@pytest.mark.parametrize(
    ("fields", "facts"),
    [
        # a machine of the map is taken as it is, and columns complete it
        (
            {"machine": "m1-max"},
            {"cpu_cores": 10, "model": "MacBook Pro", "missing": M1_MAX.missing},
        ),
        (
            {"machine": "m1-max", "ram": "64 GB", "gpu_cores": "32-core"},
            {"ram_bytes": 64 * GIB, "gpu_cores": 32, "missing": {}},
        ),
        ({"machine": "m1-max", "ram": "-"}, {"ram_bytes": None}),
        # columns may say what it is
        (
            {"model": "Mac Studio", "chip": "Apple M1 Ultra", "ram": "128 GB"},
            {"vendor": "Apple", "name": "M1 Ultra", "ram_bytes": 128 * GIB}
            | {"model": "Mac Studio", "label": ULTRA, "missing": UNKNOWN_CORES},
        ),
        # or one text
        (
            {"machine": "M1 Max (10C CPU, 32C GPU, 64GB)"},
            {"cpu_cores": 10, "gpu_cores": 32, "ram_bytes": 64 * GIB}
            | {"missing": {"model": NOT_PRINTED}},
        ),
        # a card alone stands for the chip; a number in a column of cards is one
        (
            {"machine": "Tesla T4"},
            {"name": "Tesla T4", "accelerators": card("Tesla T4")},
        ),
        (
            {"accelerator": "3090", "chip": "Ryzen 9 5900X"},
            {"name": "Ryzen 9 5900X", "accelerators": card("GeForce RTX 3090")},
        ),
        # a GPU that is a part of a chip names it
        (
            {"chip": "Cortex-A725", "accelerator": "NVIDIA GB10"},
            {"vendor": "NVIDIA", "name": "GB10", "accelerators": ()},
        ),
        (
            {"chip": "Apple M1 Max 10-core CPU", "accelerator": "M1 Max"},
            {"name": "M1 Max", "cpu_cores": 10, "accelerators": ()},
        ),
        # what nobody knows keeps its name
        (
            {"accelerator": "Warp 9"},
            {"vendor": "unknown", "name": "Warp 9"}
            | {"accelerators": card("Warp 9", "unknown")},
        ),
        ({"chip": "Zephyr 1"}, {"vendor": "unknown", "name": "Zephyr 1"}),
        ({"machine": "the old server"}, {"name": "unknown", "label": "the old server"}),
        ({}, {"name": "unknown", "label": None}),
    ],
)
def test_a_machine_is_what_its_fields_and_its_map_say(fields, facts):
    result = machine(fields, MAPPED)

    for name, fact in facts.items():
        assert getattr(result if hasattr(result, name) else result.chip, name) == fact


@pytest.mark.parametrize(
    ("fields", "name", "why"),
    [
        ({"machine": "Tesla T4"}, "cpu", "not printed; the GPU stands for the chip"),
        ({"chip": "Zephyr 1"}, "chip", "not recognised in what is printed"),
        ({}, "chip", NOT_PRINTED),
    ],
)
def test_what_is_not_known_of_a_machine_has_a_reason(fields, name, why):
    assert machine(fields, {}).missing[name] == why


def test_a_map_can_say_why_a_fact_of_a_machine_is_missing():
    reasons = {"memory_bytes": "rounded", "ram_bytes": "rounded", "model": "rounded"}

    result = machine({"accelerator": "L4", "ram": "64 GB"}, {}, reasons)

    assert result.missing["memory_bytes"] == "rounded"
    assert result.missing["model"] == NOT_PRINTED
    assert "ram_bytes" not in result.missing


@pytest.mark.parametrize(
    ("field", "text", "why"),
    [
        ("cpu_cores", "8", "cpu_cores is 8, but the machine has 10"),
        ("model", "Mac Studio", "model 'Mac Studio', but the machine is a MacBook Pro"),
        ("cpu_cores", "many", "'many' is no number of cores"),
        ("ram", "12 s", "'12 s' is no size of memory"),
        ("ram", "lots", "lots"),
        ("ram", "1e200 GB", "no size of memory"),
        ("ram", "<64 GB", "'<64 GB' is no size of memory"),
    ],
)
def test_what_contradicts_a_machine_or_says_nothing_is_refused(field, text, why):
    with pytest.raises(RefusedError, match=why):
        machine({"machine": "m1-max", field: text}, MAPPED)


@pytest.mark.parametrize(
    ("fields", "device", "name"),
    [
        ({"chip": "M1"}, "cpu", "M1"),
        ({"chip": "M1"}, "metal", "M1"),
        ({"chip": "Core i7"}, "metal", None),
        ({"machine": "Tesla T4"}, "cuda", "Tesla T4"),
        ({"machine": "DGX Spark"}, "cuda", "GB10"),
        ({"chip": "Cortex-A725", "accelerator": "NVIDIA GB10"}, "cuda", "GB10"),
        ({"machine": "Tesla T4"}, "cpu", None),
        ({}, "cpu", None),
        ({"chip": "M1"}, "unknown", None),
    ],
)
def test_the_device_is_named_where_there_is_no_choice(fields, device, name):
    assert device_name(device, machine(fields, {}).chip) == name


MACOS = MappedEnvironment(os_name="macOS", missing={"os_version": "not printed"})


def test_columns_complete_an_environment_of_the_map():
    columns = {"os_version": "12.4", "kernel": "21.5.0"}
    known = Known({"environment": "mac", **columns})

    result = environment(known, {"mac": MACOS})

    assert (result.os_name, result.os_version, result.missing) == ("macOS", "12.4", {})
    assert result.kernel == "21.5.0"


def test_what_contradicts_an_environment_is_refused():
    known = Known({"environment": "mac", "os_name": "Linux"})

    with pytest.raises(RefusedError, match="os_name is Linux, but the environment has"):
        environment(known, {"mac": MACOS})


def test_the_same_in_another_case_contradicts_nothing():
    known = Known({"environment": "mac", "os_name": "MacOS"})

    assert environment(known, {"mac": MACOS}).os_name == "macOS"


def test_an_environment_of_which_nothing_is_said_says_so():
    result = environment(Known({"framework": "torch"}), {})

    assert result.framework == "torch"
    assert set(result.missing) == {"os_name", "os_version", "framework_version"}


def test_the_reason_of_the_map_says_why_software_is_not_known():
    why = {"os_version": "printed as Darwin 25.2.0", "batch_size": "not printed"}
    known = Known({"os_name": "macOS", "framework_version": "b7948"}, missing=why)

    result = environment(known, {})

    assert result.missing == {"os_version": "printed as Darwin 25.2.0"}


def test_what_a_named_environment_says_of_a_gap_goes_before_the_map():
    why = {"os_version": "printed elsewhere", "python": "printed as 3.x"}
    known = Known({"environment": "mac"}, missing=why)

    result = environment(known, {"mac": MACOS})

    assert result.missing == {"os_version": "not printed", "python": "printed as 3.x"}
