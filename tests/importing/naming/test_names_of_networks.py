"""Networks and their weights, by the names that other people give them."""

import pytest

from benchdb.importing import naming


@pytest.mark.parametrize(
    ("text", "network", "weights"),
    [
        ("Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "Llama 3.1 8B", "Q4_K_M"),
        ("llama 7B mostly Q4_0", "Llama 7B", "Q4_0"),
        ("llama3.1:8b-instruct-q8_0", "Llama 3.1 8B", "Q8_0"),
        ("Qwen3-30B-A3B-Instruct-2507-4bit", "Qwen3 30B A3B", "4bit"),
        ("qwen2.5-coder:7b", "Qwen2.5 Coder 7B", None),
        ("DeepSeek-R1-Distill-Qwen-7B", "DeepSeek R1 Distill Qwen 7B", None),
        ("gpt-oss 120B MXFP4", "gpt-oss 120B", "MXFP4"),
        ("Phi-3.5-mini (bf16)", "Phi-3.5 mini", "bf16"),
        ("Mixtral 8x7B", "Mixtral 8x7B", None),
        ("Gemma 3n E4B", "Gemma 3n E4B", None),
        ("Qwen3-ASR-0.6B", "Qwen3 ASR 0.6B", None),
        ("yolo11n", "YOLO11n", None),
        ("Whisper large-v3-turbo", "Whisper large-v3-turbo", None),
        ("resnet50", "ResNet-50", None),
        ("SDXL", "Stable Diffusion XL", None),
        ("Qwen2-Audio", "Qwen2 Audio", None),
        ("Granite-4.0-H-Tiny", "Granite 4.0 H Tiny", None),
    ],
)
def test_networks_and_their_weights_are_named_alike(text, network, weights):
    assert naming.networks(text) == (network,)
    assert naming.quantization(text) == weights


@pytest.mark.parametrize("text", ["llama.cpp b3400", "Falcon", "M1 Max", "Qwen", ""])
def test_a_word_alone_is_no_network(text):
    assert naming.networks(text) == ()


def test_several_networks_and_weights_are_told_apart():
    text = "Llama 3.2 1B Q4_0 vs Qwen2.5 0.5B Q8_0"

    assert naming.networks(text) == ("Llama 3.2 1B", "Qwen2.5 0.5B")
    assert naming.quantization(text) is None
