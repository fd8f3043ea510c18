import pytest

from tests.documents import Mapped, each
from tests.importing.sheet_texts import FIXTURES, only_row, read, read_file, texts

MODELS = ("vgg16_model", "alexnet", "resnet_18", "mobilenet_v2", "efficientnet_b0")


@each("epochs")
def test_the_article_has_four_blocks_of_its_models(mapped: Mapped):
    models = MODELS[:3] if mapped.is_ours else MODELS
    above = "Seconds of an epoch" if mapped.is_ours else "Time result"
    sheets = read_file("key-value", mapped.path)
    blocks = [sheet for sheet in sheets if above in sheet.context[-1]]

    starts = [127, 136, 160, 166] if mapped.is_ours else [258, 269, 297, 305]
    assert [sheet.line for sheet in blocks] == starts
    for sheet in blocks:
        assert sheet.header == ("key", "value")
        assert tuple(row[0] for row in texts(sheet)) == models
        assert [row.line - sheet.line for row in sheet.rows] == [*range(len(models))]


@each("epochs")
def test_what_stands_above_a_block_of_the_article_is_its_context(mapped: Mapped):
    sheets = read_file("key-value", mapped.path)
    contexts = {sheet.line: sheet.context for sheet in sheets}

    if mapped.is_ours:
        assert contexts[127] == ("측정", "CPU에서", "Seconds of an epoch on device=cpu")
        assert contexts[166][-2:] == (
            "32 batch MPS",
            "Seconds of an epoch on device=mps",
        )
    else:
        assert contexts[258] == ("테스트", "CPU 결과", "Time result with device=cpu")
        assert contexts[305][-2:] == ("64 batch MPS", "Time result with device=mps")


@each("epochs")
def test_the_program_in_the_article_is_not_read(mapped: Mapped):
    sheets = read_file("key-value", mapped.path)
    lines = {row.line for sheet in sheets for row in sheet.rows}
    program = range(86, 119) if mapped.is_ours else range(146, 251)

    assert not lines & set(program)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("vgg16_model: 188.27877402305603", "vgg16_model", "188.27877402305603"),
        ("Images/sec: 72.8", "Images/sec", "72.8"),
        (
            "(EngineCore pid=37364) INFO 08-07 18:21:50 [monitor.py:81] Initial "
            "profiling/warmup run took 0.02 s",
            "Initial profiling/warmup run",
            "0.02 s",
        ),
        ("  alexnet : 35,9 s", "alexnet", "35,9 s"),
        ("images_per_sec=64", "images_per_sec", "64"),
        ("wall time = 12.5 ms", "wall time", "12.5 ms"),
        ("resnet  ....  12.3", "resnet", "12.3"),
        ("resnet....: 12.3", "resnet", "12.3"),
        ("resnet -> 12.3 s", "resnet", "12.3 s"),
        ("resnet         12.3", "resnet", "12.3"),
        ("**Throughput**: `72.8 img/s`", "Throughput", "72.8 img/s"),
        ('  "resnet": 12.3,', "resnet", "12.3"),
        ("{'resnet': 12.3,", "resnet", "12.3"),
        ("吞吐量：72.8", "吞吐量", "72.8"),
        ("2023-01-02 12:00:00,123 - INFO - Speed: 72 img/s", "Speed", "72 img/s"),
        ("INFO:root:Speed: 72 img/s", "Speed", "72 img/s"),
        ("\x1b[32mSpeed\x1b[0m: 72 img/s", "Speed", "72 img/s"),
        (
            "Time: 1:02 (of 7 runs, 10 loops each)",
            "Time",
            "1:02 (of 7 runs, 10 loops each)",
        ),
    ],
)
def test_a_name_and_a_value_in_every_shape_that_is_printed(text, key, value):
    assert only_row("key-value", text) == {"key": key, "value": value}


@pytest.mark.parametrize(
    "text",
    [
        "see https://example.org:8080/12",
        "url: https://example.org/12",
        "The results are as follows: 12 things were seen and done by us all.",
        "Note: nothing is measured here, it is only said.",
        "10:30",
        "numpy==1.23.0",
        "Loss: 0.5 Time: 12.3s",
        "a=1 b=2",
        "Time result with device=cpu",
        "# Images/sec: 72.8",
        "- ResNet50: 140 img/s",
        "$ batch=64",
        "| a: 1 | b: 2 |",
        "Train: 100%|███| 250/250 [03:08<00:00, 1.33it/s]",
        "print('x=', 12)",
    ],
)
def test_what_is_no_pair_of_a_name_and_a_value_is_left_alone(text):
    assert read("key-value", text) == ()


def test_words_are_values_but_make_no_sheet_without_a_figure():
    assert read("key-value", "device: mps\nchip: Apple M1 Max") == ()
    (sheet,) = read("key-value", "device: mps\nvgg: OOM\nalexnet: 3")
    assert texts(sheet) == [("vgg", "OOM", "mps"), ("alexnet", "3", "mps")]
    (sheet,) = read("key-value", "Dogs: of many kinds\nvgg: 3")
    assert (sheet.context, texts(sheet)) == (("Dogs: of many kinds",), [("vgg", "3")])


def test_words_at_the_beginning_say_what_the_figures_are_about():
    text = "Model: vgg\nTime: 12 s\nModel: alexnet\nTime: 3 s\nMemory: 1 GB\n"

    first, second = read("key-value", text)
    assert texts(first) == [("Time", "12 s", "vgg")]
    assert texts(second) == [("Time", "3 s", "alexnet"), ("Memory", "1 GB", "alexnet")]
    assert first.header == ("key", "value", "Model")


def test_a_blank_line_ends_a_sheet_and_what_is_above_still_holds():
    first, second = read("key-value", "On M1:\nvgg: 1\n\nalexnet: 2\n")

    assert (first.context, second.context) == (("On M1",), ("On M1",))


def test_a_new_line_above_replaces_the_old_one():
    sheets = read(
        "key-value", "device=cpu is used\nvgg: 1\ndevice=mps is used\nvgg: 2\n"
    )

    assert [one_.context for one_ in sheets] == [
        ("device=cpu is used",),
        ("device=mps is used",),
    ]


def test_indentation_says_what_a_group_holds_for():
    text = "M1:\n  cpu:\n    vgg: 1\n  gpu:\n    vgg: 2\n  total: 3\nM2:\n  vgg: 4\n"

    assert [one_.context for one_ in read("key-value", text)] == [
        ("M1", "cpu"),
        ("M1", "gpu"),
        ("M1",),
        ("M2",),
    ]


def test_headings_of_each_kind_are_context():
    text = (
        "Title\n=====\n\n<details><summary>More</summary>\n\n=== Run 1 ===\n"
        "**fast**\n\nvgg: 1\n\n</details>\n\nvgg: 2\n"
    )

    first, second = read("key-value", text)
    assert first.context == ("Title", "More", "Run 1", "fast")
    assert second.context == ("Title",)


def test_a_line_of_its_own_that_is_a_machine_is_a_heading():
    text = "# Slow on M2 Ultra\n\nM4 Max, 40 GPU cores\n\nwith torch 2.4\n\nvgg: 1\n\n"
    text += "M1\n\nNothing else ran on my M3.\n\nvgg: 2\n"

    first, second = read("key-value", text)
    assert first.context == (
        "Slow on M2 Ultra",
        "M4 Max, 40 GPU cores",
        "with torch 2.4",
    )
    assert second.context == ("Slow on M2 Ultra", "M1")


def test_a_bold_line_above_a_fold_holds_inside_it_as_for_tables():
    fold = "<details>\n<summary>CPU</summary>\n\nvgg: 1\n\n</details>\n"

    (sheet,) = read("key-value", f"# T\n\n**M1**\n\n{fold}")
    assert sheet.context == ("T", "M1", "CPU")


def test_a_comment_inside_a_fence_holds_inside_alone():
    text = "# Top\n```\n# M1\nvgg: 1\n```\nvgg: 2\n"

    assert [one_.context for one_ in read("key-value", text)] == [
        ("Top", "M1"),
        ("Top",),
    ]


def test_the_paragraph_above_a_fence_holds_inside():
    text = "On M1 Max:\n\n```\nbatch 64\nvgg: 1\n```\n"

    (sheet,) = read("key-value", text)
    assert sheet.context == ("On M1 Max", "batch 64")


@pytest.mark.parametrize(
    "text",
    [
        "```python\nlearning_rate = 0.1\n```",
        "```\nimport torch\nlearning_rate = 0.1\n```",
        "---\ntitle: x\nweight: 12\n---\n",
        "<!--\nvgg: 1\n-->",
        "<style>\nwidth: 1\n</style>",
        "WARNING: 12",
        "2024-05-06 07:08:09.1: W tensorflow/core/x.cc:12] 3",
    ],
)
def test_programs_front_matter_comments_and_warnings_are_not_read(text):
    assert read("key-value", text) == ()


def test_escapes_stay_in_the_raw_text_of_a_cell():
    (sheet,) = read("key-value", "\x1b[1mvgg\x1b[0m: 1\nalexnet: 2")

    assert sheet.rows[0].cells[1].raw == "\x1b[1mvgg\x1b[0m: 1"
    assert sheet.rows[1].cells[1].raw == "2"


def test_the_number_of_a_device_is_no_figure():
    text = "AlexNet training on cuda:0\n1947.0 examples/sec on cuda:0\nTime: 5 s\n"

    (sheet,) = read("key-value", text)

    assert texts(sheet) == [("Time", "5 s")]


def test_lists_under_headings_and_under_other_bullets():
    sheets = read_file("bullets", FIXTURES / "lists.md")

    assert [(sheet.context, texts(sheet)) for sheet in sheets] == [
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
        (("Results", "Others", "M2 Ultra (64 GB)", "CPU"), [("ResNet50", "20 img/s")]),
        (("Results", "Others", "M2 Ultra (64 GB)", "GPU"), [("ResNet50", "300 img/s")]),
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
    assert only_row("bullets", text) == {"key": key, "value": value}


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


def test_what_is_said_once_holds_up_to_where_it_is_said_anew():
    text = """Device: M1 Max (MPS)

Model: ResNet-50
Throughput: 112.3 images/sec
Model: ViT-B/16
Throughput: 62.3 images/sec
Device: M2

Model: VGG16
Throughput: 12.3 images/sec
"""
    rows = [row for sheet in read("key-value", text) for row in texts(sheet)]

    assert rows == [
        ("Throughput", "112.3 images/sec", "M1 Max (MPS)", "ResNet-50"),
        ("Throughput", "62.3 images/sec", "M1 Max (MPS)", "ViT-B/16"),
        ("Throughput", "12.3 images/sec", "M2", "VGG16"),
    ]


def test_what_stands_below_a_figure_of_its_block_is_not_about_the_next():
    text = "Time: 1.5 s\nDevice: cpu\n\nTime: 2.5 s\nDevice: mps\n"

    assert [sheet.header for sheet in read("key-value", text)] == [("key", "value")] * 2


def test_a_figure_in_brackets_with_another_unit_has_a_column_of_its_own():
    text = "PyTorch (MPS) : 14.21 ms (9.67 TFLOPS)\nMLX : 12.98 ms (10.59 TFLOPS)\n"
    (sheet,) = read("key-value", text)

    assert sheet.header == ("key", "value", "value (in brackets)")
    assert texts(sheet) == [
        ("PyTorch (MPS)", "14.21 ms", "9.67 TFLOPS"),
        ("MLX", "12.98 ms", "10.59 TFLOPS"),
    ]


def test_two_figures_of_one_bullet_are_two_columns():
    text = (
        "- GPU\n  - RTX 3060: 7.5 it/s, 9 s/image\n  - RTX 4090: 20 it/s, 4 s/image\n"
    )
    (sheet,) = read("bullets", text)

    assert sheet.header == ("key", "value", "value (2)")
    assert texts(sheet) == [
        ("RTX 3060", "7.5 it/s", "9 s/image"),
        ("RTX 4090", "20 it/s", "4 s/image"),
    ]


@pytest.mark.parametrize("text", ["Time: {}, {}", "- Time — **{}** vs {}"])
def test_two_figures_that_say_of_what_they_are_are_two_rows(text):
    line = text.format("12.4 s (GPU)", "98.1 s (CPU)")
    (sheet,) = read("bullets" if line[0] == "-" else "key-value", line)

    assert texts(sheet) == [("Time (GPU)", "12.4 s"), ("Time (CPU)", "98.1 s")]


def test_a_bullet_is_no_heading_of_the_one_below_it():
    (sheet,) = read("bullets", "# T\n\n- Install it\n- ResNet50: 140 img/s\n")

    assert sheet.context == ("T",)


def test_what_ends_in_a_colon_above_a_list_is_a_heading_of_it():
    text = (
        "# Diffusion\n\nOn an Apple M2:\n\n- SD 1.5: 14.2s\n- SDXL: 96s\n\n"
        "On a RTX 4070:\n\n- SD 1.5: 1.9s\n- SDXL: 9.8s\n\n"
        "Others.\n\n- SD 1.5: 3.5s\n"
    )
    sheets = read("bullets", text)

    assert [(it.context, len(it.rows)) for it in sheets] == [
        (("Diffusion", "On an Apple M2"), 2),
        (("Diffusion", "On a RTX 4070"), 2),
        (("Diffusion",), 1),
    ]
