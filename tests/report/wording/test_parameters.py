"""Parameters of work in words: what has some, and what keeps its name."""

import pytest

from benchdb.report.language import load
from benchdb.report.wording.parameters import KNOWN, distinction_text, parameter_text
from benchdb.report.wording.terms import model_text

EN = load("en")


@pytest.mark.parametrize(
    ("name", "fact", "text"),
    [
        ("model", "Llama 3.1 8B", "Llama 3.1 8B"),
        ("prompt_tokens", "512", "prompt 512"),
        ("classes", "8", "classes: 8"),
        ("layout", "channels_last", "memory layout channels_last"),
        ("n_ubatch", "512", "n ubatch 512"),
    ],
)
def test_a_parameter_is_said_in_words_or_keeps_its_name(name, fact, text):
    assert parameter_text(EN, name, fact) == text


@pytest.mark.parametrize("name", KNOWN)
def test_words_of_a_parameter_hold_its_value_once(name):
    assert parameter_text(EN, name, "@").count("@") == 1


def test_what_tells_figures_from_each_other_is_said_part_by_part():
    text = distinction_text(EN, "image_size 96 · standard · 2026-03-01 08:10")
    assert text == "image size 96 · standard · 2026-03-01 08:10"


def test_a_model_comes_first_and_its_depth_last():
    facts = {"depth": "4096", "quantization": "Q4_K_M", "flash_attn": "1", "model": "L"}
    assert model_text(EN, facts) == "L · Q4_K_M · depth 4096 · flash attention 1"
