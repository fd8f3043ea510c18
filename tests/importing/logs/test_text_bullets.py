import pytest

from tests.importing.sheet_texts import FIXTURES, one, read, read_file, texts


def test_lists_under_headings_and_under_other_bullets():
    found = read_file("bullets", FIXTURES / "lists.md")

    assert [(sheet.context, texts(sheet)) for sheet in found] == [
        (
            ("Results", "M1 Max"),
            [
                ("ResNet50", "140 img/s"),
                ("VGG16", "60.5 img/s"),
                ("BERT", "12 seq/s"),
                ("DistilBERT", "30 seq/s"),
            ],
        ),
        (
            ("Results", "Others", "M1 Pro"),
            [("ResNet50", "100 img/s"), ("VGG16", "OOM")],
        ),
        (
            ("Results", "Others", "M2 Ultra (64 GB)", "CPU"),
            [("ResNet50", "20 img/s")],
        ),
        (
            ("Results", "Others", "M2 Ultra (64 GB)", "GPU"),
            [("ResNet50", "300 img/s")],
        ),
    ]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("- ResNet50: 140 img/s", "ResNet50", "140 img/s"),
        ("* M1 Max — 12 s", "M1 Max", "12 s"),
        ("• M1 Max – ~12 s", "M1 Max", "~12 s"),
        ("2) M1 Max = 12 s", "M1 Max", "12 s"),
        ("- [x] M1 Max (12,5 s)", "M1 Max", "12,5 s"),
        ("- **RTX 3090 (24 GB)**: 400 img/s", "RTX 3090 (24 GB)", "400 img/s"),
        ("- [M1](https://example.org/1) - 12 s", "M1", "12 s"),
    ],
)
def test_a_bullet_of_a_name_and_a_figure(text, key, value):
    assert one("bullets", text) == {"key": key, "value": value}


@pytest.mark.parametrize(
    "text",
    [
        "- Install it",
        "- See https://example.org/12",
        "- It was seen, after all that we did in these days: 12 of them were there.",
        "---",
        "- well - known",
        "ResNet50: 140 img/s",
    ],
)
def test_a_bullet_without_a_figure_is_left_alone(text):
    assert read("bullets", text) == ()


def test_a_bullet_with_a_figure_above_others_loses_nothing():
    outer, inner = read("bullets", "- ResNet50: 140 img/s\n  - batch: 64\n")

    assert texts(outer) == [("ResNet50", "140 img/s")]
    assert inner.context == ("ResNet50: 140 img/s",)
    assert texts(inner) == [("batch", "64")]
