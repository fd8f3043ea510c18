"""What words of other people mean: chips, workloads, frameworks, devices, systems."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict

from benchdb.catalogue import chips as catalogue
from benchdb.importing import naming

PUBLISHED = Path(__file__).parents[3] / "published"
GIB = 2**30
MBP = "MacBook Pro"
CORES = {"cpu_cores": 14, "gpu_cores": 20}


def chip_facts(text: str, **options: Any) -> dict[str, Any]:
    """Return the facts of the chip in *text* that are there."""
    chip = naming.chip(text, **options)
    assert chip is not None, text
    empty = (None, "", False)
    return {k: v for k, v in asdict(chip).items() if v not in empty} | {
        "count": chip.count
    }


def named(text: str, **options: Any) -> tuple[str, str] | None:
    chip = naming.chip(text, **options)
    return (chip.vendor, chip.name) if chip else None


def transcribed_machines() -> list[dict[str, Any]]:
    lines = [
        json.loads(line)
        for path in sorted(PUBLISHED.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith('{"type":"machine"')
    ]
    return [line for line in lines if "label" in line and line["label"] != "3090"]


@pytest.mark.parametrize("line", transcribed_machines(), ids=lambda line: line["label"])
def test_the_labels_transcribed_by_hand_name_their_chips(line):
    chip = naming.chip(line["label"])

    assert chip is not None
    assert (chip.vendor, chip.name) == (line["chip"]["vendor"], line["chip"]["name"])
    assert chip.gpu_cores == line["chip"].get("gpu_cores")
    assert chip.cpu_cores == line["chip"].get("cpu_cores")
    assert chip.ram_bytes == line["chip"].get("ram_bytes")
    assert chip.accelerator == ("accelerators" in line["chip"])


@pytest.mark.parametrize("chip", catalogue(), ids=lambda chip: chip.name)
def test_every_chip_of_the_catalogue_is_known_by_its_own_name(chip):
    assert named(f"{chip.vendor} {chip.name}") == (chip.vendor, chip.name)
    assert named(chip.name) == (chip.vendor, chip.name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("RTX 3090", ("NVIDIA", "GeForce RTX 3090")),
        ("3090 Ti", ("NVIDIA", "GeForce RTX 3090 Ti")),
        ("GTX1080Ti", ("NVIDIA", "GeForce GTX 1080 Ti")),
        ("RTX 2080S", ("NVIDIA", "GeForce RTX 2080 SUPER")),
        ("RTX 3070 Mobile", ("NVIDIA", "GeForce RTX 3070 Laptop GPU")),
        ("RTX A5000 Laptop GPU", ("NVIDIA", "RTX A5000 Laptop GPU")),
        ("RTX A2000 8GB Laptop GPU", ("NVIDIA", "RTX A2000 8GB Laptop GPU")),
        ("RTX 3500 Ada Laptop", ("NVIDIA", "RTX 3500 Ada Generation Laptop GPU")),
        ("RTX 4090D", ("NVIDIA", "GeForce RTX 4090 D")),
        ("RTX 5090 D v2", ("NVIDIA", "GeForce RTX 5090 D v2")),
        ("A6000", ("NVIDIA", "RTX A6000")),
        ("RTX 6000 Ada", ("NVIDIA", "RTX 6000 Ada Generation")),
        ("T4", ("NVIDIA", "Tesla T4")),
        ("V100", ("NVIDIA", "Tesla V100")),
        ("V100 SXM2 32GB", ("NVIDIA", "Tesla V100-SXM2-32GB")),
        ("A100 PCIe 80GB", ("NVIDIA", "A100 80GB PCIe")),
        ("A100 (40GB)", ("NVIDIA", "A100")),
        ("H100 SXM5", ("NVIDIA", "H100 80GB HBM3")),
        ("H200 NVL", ("NVIDIA", "H200 NVL")),
        ("RX 7900 XTX", ("AMD", "Radeon RX 7900 XTX")),
        ("MI250X", ("AMD", "Instinct MI250X")),
        ("Radeon Pro 5500M", ("AMD", "Radeon Pro 5500M")),
        ("AMD Ryzen 7 5700U with Radeon Graphics", ("AMD", "Ryzen 7 5700U")),
        ("Threadripper 3990X", ("AMD", "Ryzen Threadripper 3990X")),
        ("AMD EPYC 7742 64-Core Processor", ("AMD", "EPYC 7742")),
        ("5600X", ("AMD", "5600X")),
        ("Intel(R) Core(TM) i7-8700B CPU @ 3.20GHz", ("Intel", "Core i7-8700B")),
        ("i9 9900K", ("Intel", "Core i9-9900K")),
        ("Core i7 2018", ("Intel", "Core i7")),
        ("Core m3", ("Intel", "Core m3")),
        ("Xeon E5-2690 v4", ("Intel", "Xeon E5-2690 v4")),
        ("Intel Xeon CPU E5-2687W 0", ("Intel", "Xeon E5-2687W")),
        ("Intel(R) Xeon(R) Platinum 8480+", ("Intel", "Xeon Platinum 8480+")),
        ("Xeon W-2295", ("Intel", "Xeon W-2295")),
        ("Ryzen 7 PRO 5850U", ("AMD", "Ryzen 7 PRO 5850U")),
        ("Radeon Pro W7900", ("AMD", "Radeon PRO W7900")),
        ("GH200 480GB", ("NVIDIA", "GH200 480GB")),
        ("Cortex-A76", ("Arm", "Cortex-A76")),
        ("GeForce 940MX", ("NVIDIA", "GeForce 940MX")),
        ("Snapdragon X Elite", ("Qualcomm", "Snapdragon X Elite")),
        ("TPU v3-8", ("Google", "TPU v3")),
        ("m1_max", ("Apple", "M1 Max")),
        ("M6 Pro", ("Apple", "M6 Pro")),
        ("M1칩", ("Apple", "M1")),
        ("\uff2d\uff11 \uff2d\uff41\uff58", ("Apple", "M1 Max")),
        ("Maxwell Titan X", ("NVIDIA", "GeForce GTX TITAN X")),
        ("Titan X (Pascal)", ("NVIDIA", "TITAN X (Pascal)")),
    ],
)
def test_a_chip_gets_the_name_that_systems_print(text, name):
    assert named(text) == name


def test_cores_and_memory_beside_a_name_are_read():
    facts = {"vendor": "Apple", "name": "M1 Max", "count": 1}
    facts |= {"cpu_cores": 10, "gpu_cores": 32, "ram_bytes": 64 * GIB}

    assert chip_facts("M1 Max (10C CPU, 32C GPU, 64GB)") == facts
    assert chip_facts("M1 Max 10/32 64 Go") == facts
    assert chip_facts("Apple M1 Max, CPU 10코어, GPU 32코어, 64GB RAM") == facts


def test_a_bare_count_of_cores_is_what_the_catalogue_leaves_it_to_be():
    assert chip_facts("M1 Pro 16c")["gpu_cores"] == 16
    assert chip_facts("M1 Pro 10c")["cpu_cores"] == 10


def test_a_count_that_may_be_of_either_is_left_in_the_rest():
    chip = naming.chip("M1 8-core")

    assert chip is not None
    assert (chip.cpu_cores, chip.gpu_cores, chip.rest) == (None, None, "8-core")


def test_a_disk_and_a_bandwidth_are_no_memory():
    assert chip_facts("M1 16GB RAM 512GB SSD")["ram_bytes"] == 16 * GIB
    assert chip_facts("M2 Pro 32 GB, 200 GB/s")["ram_bytes"] == 32 * GIB
    assert "ram_bytes" not in chip_facts("M1 16GB/512GB")


def test_the_mac_around_a_chip_is_its_model():
    assert (
        chip_facts('MacBook Pro 16" 2021 M1 Pro 16GB')["model"]
        == 'MacBook Pro (16" 2021)'
    )
    assert chip_facts("M1 맥북 에어")["model"] == "MacBook Air"
    assert (
        chip_facts("Mac Studio M2 Ultra 192GB (2023)")["model"] == "Mac Studio (2023)"
    )


def test_cards_are_counted_and_have_their_own_memory():
    assert chip_facts("8xA100")["count"] == 8
    assert chip_facts("dual RTX 4090 24GB")["count"] == 2
    assert chip_facts("RTX 4090 24GB")["ram_bytes"] == 24 * GIB


def test_memory_in_brackets_beside_a_count_may_be_of_all_cards():
    known = chip_facts("2x RTX PRO 6000 (192GB)")
    assert (known["count"], known.get("ram_bytes"), known["rest"]) == (2, None, "192GB")
    assert chip_facts("2x RTX 4090 24GB")["ram_bytes"] == 24 * 2**30


def test_a_number_alone_is_a_card_only_in_a_column_of_cards():
    assert named("3090") is None
    assert named("3090", numbers=True) == ("NVIDIA", "GeForce RTX 3090")
    assert named("1080Ti", numbers=True) == ("NVIDIA", "GeForce GTX 1080 Ti")
    assert named("140", numbers=True) is None


@pytest.mark.parametrize(
    "text", ["M1 / M1 Pro", "M1 Pro/Max", "i9-9900K + RTX 2080 Ti", "M1 vs V100"]
)
def test_several_chips_are_not_one(text):
    assert naming.chip(text) is None


def test_several_chips_can_be_asked_for():
    chips = naming.chips_in("i9-9900K + RTX 2080 Ti")

    assert [chip.name for chip in chips] == ["Core i9-9900K", "GeForce RTX 2080 Ti"]
    assert [chip.accelerator for chip in chips] == [False, True]


@pytest.mark.parametrize(
    "text",
    ["", "hello", "ResNet50", "128", "m5.large", "A10", "Intel", "GPU", "M" * 9999],
)
def test_what_names_no_chip_is_none(text):
    assert naming.chip(text) is None


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("12th Gen Intel(R) Core(TM) i7-12700K", ("Intel", "Core i7-12700K")),
        ("Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", ("Intel", "Xeon E5-2680 v4")),
        ("INTEL(R) XEON(R) PLATINUM 8568Y+", ("Intel", "Xeon Platinum 8568Y+")),
        ("AMD Ryzen 9 7950X 16-Core Processor", ("AMD", "Ryzen 9 7950X")),
        ("i7-9750H", ("Intel", "Core i7-9750H")),
        ("Intel(R) N100", ("Intel", "N100")),
        ("POWER9", ("IBM", "POWER9")),
        ("Fujitsu A64FX", ("unknown", "Fujitsu A64FX")),
    ],
)
def test_a_processor_has_the_name_of_the_system_without_what_adds_nothing(
    printed, name
):
    chip = naming.processor(printed)

    assert chip is not None
    assert (chip.vendor, chip.name) == name
    assert chip.cpu_cores is None


def test_a_processor_of_apple_has_the_cores_that_its_name_tells():
    chip = naming.processor("Apple M1 Pro 8P+2E+16GPU")

    assert chip is not None
    assert (chip.name, chip.cpu_cores, chip.gpu_cores) == ("M1 Pro", 10, 16)


@pytest.mark.parametrize("printed", ["", "arm64", "x86_64", "16 cores", "unknown"])
def test_what_names_no_processor_is_none(printed):
    assert naming.processor(printed) is None


def test_discrete_cards_are_counted_and_those_inside_chips_left_out():
    names = ["NVIDIA GeForce RTX 3090", "RTX 3090", "Radeon RX 6800 (RADV NAVI21)"]
    names += ["NVIDIA RTX A2000 12GB", "Apple M1", "Intel(R) UHD Graphics 630"]

    cards = naming.accelerators(names)

    assert [(card.vendor, card.name, card.count) for card in cards] == [
        ("AMD", "Radeon RX 6800", 1),
        ("NVIDIA", "GeForce RTX 3090", 2),
        ("NVIDIA", "RTX A2000 12GB", 1),
    ]


def test_the_rest_keeps_what_was_not_understood():
    assert chip_facts("Google Colab, Nvidia Tesla T4")["rest"] == "Google Colab"
    assert chip_facts("M1 Max GPU")["rest"] == "GPU"
    assert chip_facts("Apple M1 (Virtual)")["virtual"] is True


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ResNet-50", "resnet50"),
        ("resnet_50", "resnet50"),
        ("ResNet50 training", "resnet50"),
        ("mobilenet_v2", "mobilenetv2"),
        ("MobileNet V2", "mobilenetv2"),
        ("BERTLarge", "bert-large"),
        ("distilbert-base-uncased", "distilbert"),
        ("EfficientNet B0", "efficientnet-b0"),
        ("MNIST CNN", "mnist-cnn"),
        ("lstm.py", "lstm"),
        ("vgg16_model", "vgg16"),
        ("GEMM", "matmul"),
        ("행렬 곱셈", "matmul"),
        ("矩阵乘法", "matmul"),
        ("ResNet50 inference", "resnet50-inference"),
        ("ResNet50V2", None),
        ("efficientnet", None),
        ("MobileNet", None),
        ("BERT", None),
        ("", None),
    ],
)
def test_a_workload_is_ours_or_none(text, name):
    assert naming.workload(text) == name


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [
        ("TensorFlow 2.7", "tensorflow", "2.7"),
        ("tensorflow-macos 2.12", "tensorflow", "2.12"),
        ("TF2.5", "tensorflow", "2.5"),
        ("tf.keras", "tensorflow", None),
        ("PyTorch 1.13.0.dev20220611", "torch", "1.13.0.dev20220611"),
        ("torch==2.1.0+cu118", "torch", "2.1.0+cu118"),
        ("PyTorch Nightly (2.11.0.dev + cu128)", "torch", "2.11.0.dev+cu128"),
        ("torch 2.1 + cpu offload", "torch", "2.1"),
        ("mlx 0.5", "mlx", "0.5"),
        ("llama.cpp", "llama.cpp", None),
        ("Core ML", "coreml", None),
        ("TensorRT 10.3", "tensorrt", "10.3"),
        ("TRT FP16", "tensorrt", None),
        ("TensorRT-LLM 0.12.0", "tensorrt-llm", "0.12.0"),
        ("trtllm", "tensorrt-llm", None),
        ("PyTorch vs TensorFlow", None, None),
        ("tf32", None, None),
        ("ORT 1.17", "onnxruntime", "1.17"),
        ("5/5 (ort: 0.91s)", None, None),  # a mean
        ("needle 0.1", "needle", "0.1"),
        ("1M needle, 512k production", None, None),  # in a haystack
    ],
)
def test_a_framework_and_its_version_are_told(text, name, version):
    assert naming.framework(text) == name
    assert naming.framework_version(text) == version


@pytest.mark.parametrize(
    ("text", "device"),
    [
        ("mps", "metal"),
        ("Metal (MPS)", "metal"),
        ("GPU (MPS)", "metal"),
        ("cuda:0", "cuda"),
        ("CUDA0", "cuda"),
        ("Vulkan1", "vulkan"),
        ("ROCm0", "rocm"),
        ("CPU", "cpu"),
        ("ANE", "npu"),
        ("GPU", None),
        ("CPU/GPU", None),
        ("without Metal", None),
        ("CPU, no GPU", "cpu"),
        ("pure CPU without CoreML", "cpu"),
        ("ja", None),
        ("nein", None),
    ],
)
def test_a_device_is_told_where_it_is_clear(text, device):
    assert naming.device(text) == device


def test_a_gpu_is_clear_where_its_chip_is_known():
    assert naming.device("GPU", naming.chip("M1")) == "metal"
    assert naming.device("GPU", naming.chip("T4")) == "cuda"
    assert naming.device("GPU", naming.chip("RX 580")) is None


@pytest.mark.parametrize(
    ("text", "precision"),
    [
        ("half", "fp16"),
        ("torch.float16", "fp16"),
        ("FP32", "fp32"),
        ("bfloat16", "bf16"),
        ("int8", "int8"),
        ("mixed", "mixed"),
        ("mixed_float16", "fp16-mixed"),
        ("Mixed precision (F16/F32)", "fp16-mixed"),
        ("AMP (bf16)", "bf16-mixed"),
        ("Q4_K_M", "q4_k_m"),
        ("4-bit", "4-bit"),
        ("fp16/fp32", None),
        ("float", None),
    ],
)
def test_a_precision_is_told_where_it_is_clear(text, precision):
    assert naming.precision(text) == precision


@pytest.mark.parametrize(
    ("text", "system"),
    [
        ("macOS 12.4 (21F79)", ("macOS", "12.4", "21F79")),
        ("macOS 12.01 (Monterey)", ("macOS", "12.01", None)),
        ("Monterey", ("macOS", "12", None)),
        ("Mac OS X 10.15.7", ("macOS", "10.15.7", None)),
        ("Ubuntu 22.04.3 LTS", ("Ubuntu", "22.04.3", None)),
        ("Debian 12", ("Debian GNU/Linux", "12", None)),
        ("Windows 11", ("Windows", "11", None)),
        ("Linux", ("Linux", None, None)),
        ("Monterey 13.1", None),
        ("macOS or Ubuntu 20.04", None),
        ("", None),
    ],
)
def test_a_system_is_told_unless_it_contradicts_itself(text, system):
    assert naming.os(text) == system


@pytest.mark.parametrize(
    ("text", "name", "facts"),
    [
        ("m3-max_40c_128gb", "M3 Max", {"gpu_cores": 40, "ram_bytes": 128 * GIB}),
        ("macbook-pro-m1-max-32gpu", "M1 Max", {"gpu_cores": 32, "model": MBP}),
        ("mba_m4_16gb", "M4", {"ram_bytes": 16 * GIB, "model": "MacBook Air"}),
        ("m1_air", "M1", {"model": "MacBook Air"}),
        ("M1 Pro 16GPU", "M1 Pro", {"gpu_cores": 16}),
        ("M2 8c/10g", "M2", {"cpu_cores": 8, "gpu_cores": 10}),
        ("M4 Pro 14C/20G 48GB", "M4 Pro", CORES | {"ram_bytes": 48 * GIB}),
        ("M3 Ultra (32c/80g)", "M3 Ultra", {"cpu_cores": 32, "gpu_cores": 80}),
        # No GPU of that many cores is sold: it is the memory.
        ("M1 Max 32c/64g", "M1 Max", {"gpu_cores": 32, "ram_bytes": 64 * GIB}),
        ("M3 Max (14-core, 30-core GPU)", "M3 Max", {"cpu_cores": 14, "gpu_cores": 30}),
        ("M1 Max 33GPU", "M1 Max", {"gpu_cores": 33}),  # kept as printed
    ],
)
def test_cores_and_memory_are_read_from_names_of_files_too(text, name, facts):
    assert chip_facts(text) == {"vendor": "Apple", "name": name, "count": 1, **facts}


@pytest.mark.parametrize(
    ("text", "named_chips"),
    [
        ("M5 Max Pro", ()),
        ("M1 Pro Max", ()),
        ("M1 Pro/Max", ("M1 Pro", "M1 Max")),
        ("M1 Pro vs M1 Max", ("M1 Pro", "M1 Max")),
        ("M5 and M6", ("M5", "M6")),
    ],
)
def test_no_variant_is_taken_for_another(text, named_chips):
    assert naming.chip(text) is None
    assert tuple(chip.name for chip in naming.chips_in(text)) == named_chips


@pytest.mark.parametrize(
    ("text", "chip"),
    [
        ("DGX Spark", ("NVIDIA", "GB10")),
        ("NVIDIA DGX Spark (GB10)", ("NVIDIA", "GB10")),
        ("Strix Halo (Radeon 8060S)", ("AMD", "Strix Halo")),
        ("Ryzen AI Max+ 395 w/ Radeon 8060S", ("AMD", "Ryzen AI Max+ 395")),
        ("Strix Halo (Ryzen AI Max+ 395)", ("AMD", "Ryzen AI Max+ 395")),
        ("RTX_5070_Ti", ("NVIDIA", "GeForce RTX 5070 Ti")),
        ("PRO 6000 Blackwell", ("NVIDIA", "RTX PRO 6000 Blackwell")),
        ("RTX A6000", ("NVIDIA", "RTX A6000")),
        ("Jetson Orin", ("NVIDIA", "Jetson Orin")),
    ],
)
def test_machines_known_by_another_name_are_named_by_their_chip(text, chip):
    assert named(text) == chip


def test_a_card_whose_suffixes_are_joined_is_one_beside_a_processor():
    names = [chip.name for chip in naming.chips_in("R9_7900X-4070TiS")]
    assert names == ["Ryzen 9 7900X", "GeForce RTX 4070 Ti SUPER"]


@pytest.mark.parametrize("text", ["no CoreML", "without MLX", "eager, not JAX"])
def test_a_framework_that_something_did_without_is_not_named(text):
    assert naming.framework(text) is None
    assert naming.frameworks(text) == set()


@pytest.mark.parametrize(
    ("text", "name", "also", "model"),
    [
        ("M2 mini Pro (12/19)", "M2 Pro", "M2", "Mac mini"),
        ("M1 MacBook Pro Max 64GB", "M1 Max", "M1", "MacBook Pro"),
        ("M2 (8 cores) Pro", "M2", "M2 Pro", None),
        ("MacBook Pro M1", "M1", None, "MacBook Pro"),
        ("M3 Max", "M3 Max", None, None),
    ],
)
def test_a_word_of_a_tier_apart_from_the_name_says_which_chip_it_may_be_too(
    text, name, also, model
):
    known = naming.chip(text)
    assert known is not None
    assert (known.name, known.also, known.model) == (name, also, model)


@pytest.mark.parametrize(
    ("vendor", "beside", "device"),
    [
        ("AMD", ("Ubuntu", "torch"), "rocm"),
        ("AMD", ("macOS", "torch"), "metal"),
        ("AMD", ("Windows", "torch"), None),
        ("AMD", ("", "llama.cpp"), None),
        ("NVIDIA", ("Windows", "ollama"), "cuda"),
    ],
)
def test_by_what_a_gpu_computes_follows_from_what_there_is_one_way_for(
    vendor, beside, device
):
    assert naming.gpu_of(vendor, *beside) == device
