import pytest

from benchdb.exchange.lines import Accelerator, Chip
from benchdb.exchange.validation import RefusedError
from benchdb.importing.mapping.fields import device_name, environment, machine
from benchdb.importing.mapping.language import MappedEnvironment, MappedMachine

M1_MAX = MappedMachine(
    chip=Chip(vendor="Apple", name="M1 Max", cpu_cores=10),
    model="MacBook Pro",
    missing={"ram_bytes": "not printed", "gpu_cores": "not printed"},
)
MAPPED = {"m1-max": M1_MAX}


def test_a_machine_of_the_map_is_taken_as_it_is():
    found = machine({"machine": "m1-max"}, MAPPED)

    assert (found.chip, found.model, found.missing) == (
        M1_MAX.chip,
        "MacBook Pro",
        M1_MAX.missing,
    )


def test_columns_complete_a_machine_of_the_map():
    fields = {"machine": "m1-max", "ram": "64 GB", "gpu_cores": "32-core"}
    found = machine(fields, MAPPED)

    assert (found.chip.ram_bytes, found.chip.gpu_cores) == (64 * 2**30, 32)
    assert found.missing == {}


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


def test_a_machine_is_made_of_what_columns_say():
    fields = {"model": "Mac Studio", "chip": "Apple M1 Ultra", "ram": "128 GB"}
    found = machine(fields, {})

    assert (found.chip.vendor, found.chip.name) == ("Apple", "M1 Ultra")
    assert found.chip.ram_bytes == 128 * 2**30
    assert (found.model, found.label) == ("Mac Studio", "Mac Studio, Apple M1 Ultra")
    assert found.missing == {"cpu_cores": "not printed", "gpu_cores": "not printed"}


def test_a_text_may_describe_the_whole_machine():
    found = machine({"machine": "M1 Max (10C CPU, 32C GPU, 64GB)"}, {})

    assert (found.chip.cpu_cores, found.chip.gpu_cores) == (10, 32)
    assert found.chip.ram_bytes == 64 * 2**30
    assert found.missing == {"model": "not printed"}


def test_a_card_alone_stands_for_the_chip():
    found = machine({"machine": "Tesla T4"}, {})

    assert found.chip.accelerators == (Accelerator(vendor="NVIDIA", name="Tesla T4"),)
    assert found.chip.name == "Tesla T4"
    assert found.missing["cpu"] == "not printed; the GPU stands for the chip"


def test_a_number_in_a_column_of_cards_is_a_card():
    found = machine({"accelerator": "3090", "chip": "Ryzen 9 5900X"}, {})

    assert found.chip.name == "Ryzen 9 5900X"
    assert [one.name for one in found.chip.accelerators] == ["GeForce RTX 3090"]


def test_a_card_that_nobody_knows_keeps_its_name():
    found = machine({"accelerator": "Warp 9"}, {})

    assert (found.chip.vendor, found.chip.name) == ("unknown", "Warp 9")
    assert found.chip.accelerators == (Accelerator(vendor="unknown", name="Warp 9"),)


def test_a_chip_that_nobody_knows_keeps_its_name():
    found = machine({"chip": "Zephyr 1"}, {})

    assert (found.chip.vendor, found.chip.name) == ("unknown", "Zephyr 1")
    assert found.missing["chip"] == "not recognised in what is printed"


def test_a_machine_that_is_no_chip_is_known_by_its_label():
    found = machine({"machine": "the old server"}, {})

    assert (found.chip.name, found.label) == ("unknown", "the old server")


def test_a_machine_of_which_nothing_is_said_says_so():
    found = machine({}, {})

    assert (found.chip.name, found.label) == ("unknown", None)
    assert found.missing["chip"] == "not printed"


def test_memory_that_is_not_printed_stays_unknown():
    assert machine({"machine": "m1-max", "ram": "-"}, MAPPED).chip.ram_bytes is None


@pytest.mark.parametrize(
    ("fields", "device", "name"),
    [
        ({"chip": "M1"}, "cpu", "M1"),
        ({"chip": "M1"}, "metal", "M1"),
        ({"chip": "Core i7"}, "metal", None),
        ({"machine": "Tesla T4"}, "cuda", "Tesla T4"),
        ({"machine": "Tesla T4"}, "cpu", None),
        ({}, "cpu", None),
        ({"chip": "M1"}, "unknown", None),
    ],
)
def test_the_device_is_named_where_there_is_no_choice(fields, device, name):
    assert device_name(device, machine(fields, {}).chip) == name


MACOS = MappedEnvironment(os_name="macOS", missing={"os_version": "not printed"})


def test_columns_complete_an_environment_of_the_map():
    found = environment({"environment": "mac", "os_version": "12.4"}, {"mac": MACOS})

    assert (found.os_name, found.os_version, found.missing) == ("macOS", "12.4", {})


def test_what_contradicts_an_environment_is_refused():
    with pytest.raises(RefusedError, match="os_name is Linux, but the environment has"):
        environment({"environment": "mac", "os_name": "Linux"}, {"mac": MACOS})


def test_the_same_in_another_case_contradicts_nothing():
    fields = {"environment": "mac", "os_name": "MacOS"}

    assert environment(fields, {"mac": MACOS}).os_name == "macOS"


def test_an_environment_of_which_nothing_is_said_says_so():
    found = environment({"framework": "torch"}, {})

    assert found.framework == "torch"
    assert set(found.missing) == {"os_name", "os_version", "framework_version"}
