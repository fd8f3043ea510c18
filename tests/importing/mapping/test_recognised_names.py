"""What headings and cells name in words that benchdb knows, recognised when read."""

import msgspec
import pytest

from benchdb import catalogue
from benchdb.importing.mapping.fields import machine
from benchdb.importing.mapping.language import Map
from benchdb.importing.mapping.maps import faults
from benchdb.importing.mapping.recognition import recognised
from tests.importing.mapping.mapped import items, only, records, refused, table

NAMED = """
[[table]]
names = ["machine", "device", "framework"]
[table.columns]
Model = { field = "workload" }
Speed = { is = "value", metric = "reported_samples_per_second" }
"""
SETUP = NAMED.replace("Model =", 'Setup = { names = ["machine", "device"] }\nModel =')
ROW = table("Model | Speed", "vgg16 | 3 img/s")


def test_the_nearest_heading_that_names_a_machine_holds():
    first, second = records(
        items(NAMED, f"# PyTorch on M1 Max 32c\n\n{ROW}\n\n## RTX 3090 GPU\n\n{ROW}")
    )

    assert (first.machine.chip.name, first.machine.chip.gpu_cores) == ("M1 Max", 32)
    assert second.machine.chip.accelerators[0].name == "GeForce RTX 3090"
    assert second.machine.chip.gpu_cores is None
    assert (second.run.device, second.run.framework) == ("cuda", "torch")
    assert second.run.basis["device"] == "heading: RTX 3090 GPU"


def test_a_heading_of_several_machines_and_frameworks_names_none():
    record = only(items(NAMED, f"# JAX on M1\n\n## M2 and M3, torch or MLX\n\n{ROW}"))

    assert record.machine.chip.name == "unknown"
    assert record.run.framework == "unknown"


def test_a_cell_names_the_machine_and_the_side_that_ran():
    rows = ("M1 Max GPU | vgg16 | 3 img/s", "M1 Max CPU | vgg16 | 1 img/s")
    gpu, cpu = records(items(SETUP, table("Setup | Model | Speed", *rows)))

    assert (gpu.machine.chip, gpu.machine.label) == (cpu.machine.chip, "Apple M1 Max")
    assert (gpu.run.device, cpu.run.device) == ("metal", "cpu")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("efficientvit_m4 FP16 Training speed", {}),
        ("tf_efficientnetv2_b0 FP32", {}),
        ("tf_efficientnet_b4 batch 8", {"parameters.batch_size": 8}),
        ("somenet_b4", {}),
        ("batch 0", {}),
        ("MiniMax-M2 on H100", {"accelerator": "NVIDIA H100"}),
        ("Llama 2 7B M2 Ultra", {"chip": "Apple M2 Ultra"}),
        ("p100_latency", {}),
        ("p100 latency (ms)", {}),
        ("tesla p100", {"accelerator": "NVIDIA Tesla P100"}),
        ("MI355X vs B200", {}),
    ],
)
def test_what_stands_inside_of_another_name_names_nothing(text, named):
    layer = recognised(text, ["machine", "framework", "batch_size"])

    assert layer.set == named


def test_a_machine_that_nobody_knows_keeps_its_label_and_no_chip():
    text = table("Setup | Model | Speed", "Ascend 910B | vgg16 | 3 img/s")
    record = only(items(SETUP, f"# M1 Max\n\n{text}"))

    assert record.machine.label == "Ascend 910B"
    assert record.machine.chip.name == "unknown"


@pytest.mark.parametrize(
    ("machine_text", "device"),
    [("M3", "metal"), ("RTX 4090", "cuda"), ("Ryzen 9 7950X", "unknown")],
)
def test_gpu_is_that_of_the_machine_where_its_maker_has_one_way(machine_text, device):
    toml = f'[set]\ndevice = "gpu"\nmachine = "{machine_text}"\n{NAMED}'
    record = only(items(toml, ROW))

    assert record.run.device == device


@pytest.mark.parametrize("entry", catalogue.chips()[::7], ids=lambda item: item.name)
def test_a_chip_named_in_a_heading_is_that_of_the_catalogue(entry):
    facts = recognised(f"{entry.vendor} {entry.name}", ("machine",))

    chip = machine(facts.set, {}).chip
    assert (chip.vendor, chip.name) == (entry.vendor, entry.name)


def test_other_rows_than_those_of_metrics_can_be_left_out():
    toml = """
[set]
workload = "vgg16"
[[table]]
[table.columns]
Name = { is = "metric", values = { "Speed" = "tokens_per_second", "*" = "" } }
Value = { is = "value" }
"""
    claims = items(toml, table("Name | Value", "Speed | 3 tok/s", "Layers | 12"))

    assert [value.metric for value in only(claims).end.values] == ["tokens_per_second"]
    assert refused(claims) == []


def test_a_table_of_which_the_only_figures_are_ignored_is_told_what_to_do():
    toml = '[[table]]\n[table.columns]\nTime = { is = "ignore" }\n'

    (fault,) = faults(msgspec.toml.decode(toml, type=Map))
    assert "'Time' is ignored" in fault
    assert "left out of the map whole" in fault


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("batch 64", 64),
        ("b64", 64),
        ("bs=32", 32),
        ("2B 8bit", None),
        ("9B 8-bit", None),
    ],
)
def test_billions_of_parameters_are_no_batch(text, size):
    named = recognised(text, ["batch_size"]).set

    assert named.get("parameters.batch_size") == size


def test_the_name_of_one_of_several_chips_is_no_batch_size():
    facts = recognised("MI355X vs B200, at b32", ["machine", "batch_size"])

    assert facts.set == {"parameters.batch_size": 32}


@pytest.mark.parametrize(
    ("heading", "instance"),
    [
        ("GBM on r4.8xlarge", "r4.8xlarge"),
        ("g3.4xlarge (Tesla M60)", "g3.4xlarge"),
        ("r4.8xlarge and p3.2xlarge", None),
    ],
)
def test_the_machine_of_a_cloud_keeps_its_name(heading, instance):
    record = only(items(NAMED, f"# {heading}\n\n{ROW}"))

    assert record.run.conditions.get("instance") == instance


def test_the_processor_of_a_machine_is_not_what_ran():
    values = recognised("cpu: Apple M4 Max", ["machine", "device"]).set

    assert values == {"chip": "Apple M4 Max"}


def test_metal_of_a_cloud_is_no_device():
    assert recognised("AWS c5.metal", ["machine", "device"]).set == {}
