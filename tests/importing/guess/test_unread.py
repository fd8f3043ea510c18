"""Figures that no reader takes are named with their lines, whatever the document."""

import shlex

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess.draft import propose
from benchdb.importing.logs.sentences import figures
from benchdb.importing.sheets import readable

NOWHERE = "in no table and no list that can be read"


def left_out(text: str, name: str = "run.log") -> list[str]:
    """Return what the card of *text* says of lines that nothing reads."""
    document = Document(name, text.encode())
    left = propose(document, readable(document)).left_out
    return [
        item.removesuffix(f": {NOWHERE}") for item in left if item.endswith(NOWHERE)
    ]


@pytest.mark.parametrize(
    "figure",
    [
        "latency_ms: 12.3",
        "ttft_mean_s': 1.74",
        "tps = 33",
        "decode_tok_per_s=339.5",
        "Latency (ms): 12.3",
        '"peak_vram_gb": 7.5',
        '"tps": [33.5',
    ],
)
def test_a_number_whose_name_says_the_unit_is_a_figure(figure):
    (line,) = left_out(
        f"Notes\n\nhere, in [[a, list; of, things, {figure}]]; so it is.\n"
    )

    assert line.startswith("line 3: ")
    assert figure.strip("'\"")[-4:] in line


@pytest.mark.parametrize(
    "text",
    [
        "timeout_s: 30 and [some, more]; words.",
        "Namespace(batch_s=30, sec_multiplier=1, other=2)",
        "it began at 12:30:05, on 2024-03-01; and [so] on.",
        "a 36GB machine; with [a list, of things]",
        "min: 0, of [what; is not, said]",
        "I core/common_runtime/gpu/gpu_device.cc:1344] [what; it is]",
    ],
)
def test_settings_clocks_and_sizes_of_machines_are_no_unread_figures(text):
    assert left_out(f"Notes\n\n{text}\n") == []


def test_the_rest_of_a_line_is_named_where_one_figure_of_it_is_read():
    text = "model a startup=198s rows=[[ttft_s: 2.5], [ttft_s: 3.5]] end\n"
    document = Document("run.log", text.encode())
    (sheet,) = readable(document)

    assert [cell.text for cell in sheet.rows[0].cells] == ["startup", "198s"]
    assert left_out(text) == ["line 1: 'ttft_s: 2.5, ttft_s: 3.5'"]


def test_a_figure_is_unread_though_a_cell_of_its_line_holds_the_same_number():
    text = (
        "batch | ms\n---|---\n16 | 2.5\n\nwe saw, with 16 of them, 16 ms; and so on.\n"
    )

    assert left_out(text, "results.md") == ["line 5: '16 ms'"]


def test_sizes_beside_figures_and_those_of_vram_are_named():
    text = "# Notes\n\n| a | ms |\n|---|---|\n| x | 2.5 |\n\n"
    text += "It took 12 s, with 9,769 MB of it.\n\nThe model needs 23 GB VRAM.\n"

    assert left_out(text, "results.md") == [
        "line 7: '12 s, 9,769 MB'",
        "line 9: '23 GB'",
    ]


def test_many_lines_are_named_by_ranges_and_none_without_its_place():
    table = "| a | ms |\n|---|---|\n| x | 2.5 |\n\n"
    prose = "".join(f"We then saw {n}.5 ms of it.\n" for n in range(1, 41))
    text = f"{table}{prose}\n\n\nAnd in the end 99.5 s of it.\n"

    assert left_out(text, "results.md") == [
        "lines 5-44: 40 figures, such as '1.5 ms'",
        "line 48: '99.5 s'",
    ]


PAGE = "<!DOCTYPE html><html><style>\na { transition: 0.2s }\n</style><body>\n"


def test_code_and_styles_of_a_page_name_no_figures_but_results_in_scripts():
    text = PAGE + "<script>\nlet a = `<animate dur='0.6s'/>`, H = 280;\n"
    text += "const rows = [{name: 'x', tps: 58.25}];\n</script></body></html>\n"

    assert left_out(text, "page.html") == ["line 6: 'tps: 58.25'"]


def test_columns_that_only_blanks_part_read_nothing_where_no_figure_is_taken():
    text = "Kernels on an M2\n"
    text += "               total        used        free      shared   available\n"
    text += "Mem:           7.4Gi       472Mi       6.8Gi        15Mi       6.8Gi\n"
    text += "[10:00:00] RUN: the kernels, one by one, of all that were built here\n"
    text += "softmax fp16 fused           65536     0.0163 ms     32.1 GB/s\n"
    text += "softmax fp16 eager           65536     0.0301 ms     17.4 GB/s\n"
    text += "softmax fp16 eager          262144     0.0576 ms     36.4 GB/s\n"

    assert left_out(text) == [
        "line 5: '0.0163 ms, 32.1 GB/s'",
        "line 6: '0.0301 ms, 17.4 GB/s'",
        "line 7: '0.0576 ms, 36.4 GB/s'",
    ]


def test_numbers_of_a_page_that_stand_alone_are_figures():
    bars = ("62.3", "1,041", "B200 1.5", "M2 Max 12.25", "512 default 159.0")
    others = ("7", "12%", "2nd", "as of 2026")
    elements = "\n".join(f"<div>{text}</div>" for text in (*bars, *others))
    page = f"<!doctype html>\n<html><body>\n{elements}\n</body></html>\n"

    left = left_out(f"{page}<p>It ran at 5 tok/s.</p>\n", "bars.html")

    assert left[:5] == [f"line {n}: {text!r}" for n, text in enumerate(bars, 3)]
    assert len(left) == 5


@pytest.mark.parametrize(
    "text",
    ["512 default 159.0 as it ships", "Quant B, the biggest, no prediction → 20.06"],
)
def test_a_number_among_few_words_of_a_page_is_a_figure(text):
    page = f"<html><body><h2>Tokens</h2><div>{text}</div></body></html>"
    (line,) = left_out(page, "page.html")
    assert text in line


@pytest.mark.parametrize(
    "text",
    ["Drawn with --gpu-share 0.90", "2B: 4.0 GB weights", "It is 2.5 times as old."],
)
def test_options_sizes_and_sentences_of_a_page_are_no_figures(text):
    page = f"<html><body><h2>Tokens</h2><div>{text}</div></body></html>"
    assert left_out(page, "page.html") == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("~25% low (measured 283.8 vs 371.7), as is known", "283.8, 371.7"),
        ("which read 8614.6 on c128 against 8644.9 then.", "8614.6, 8644.9"),
        ("unchanged: 388.2 vs 388.0 tok/s, as before.", "388.2"),
        ("A smaller file: 23.0 predicted → 19.63 was met.", "23.0, 19.63"),
    ],
)
def test_numbers_that_are_compared_are_figures(text, numbers):
    (line, *_) = left_out(f"Notes\n\nSome words, {text}\n", "notes.md")
    assert line == f"line 3: {numbers!r}"


def test_figures_in_long_texts_of_json_are_named():
    text = r"Prompt read in 9 s\nWritten: 100 tokens, 23.1 tokens/s\n"
    text += "and all of it as it was asked for, in full, without any fault."
    record = f'{{"layers": 16, "seconds": 30, "stdout": "{text}"}}\n'

    assert left_out(record, "a.json") == ["line 1: '9 s, 23.1 tokens/s'"]


def test_a_long_bullet_beside_a_table_is_prose_whose_figures_are_named():
    text = "| net | time |\n|---|---|\n| vgg | 16 s |\n\n- vgg: it took 16.5 s\n"
    text += "- vgg: the first of its runs was as slow as 1.39 s, pulling the mean up.\n"

    assert left_out(text, "a.md") == ["line 6: '1.39 s'"]


def test_versions_that_are_compared_are_no_figures():
    assert left_out("Notes\n\nIt ran with 2.4.1 rather than 2.5.0, then.\n") == []


def test_a_rate_that_something_is_divided_by_is_no_figure():
    text = (
        "Loading, on a T4\n\n```\nweights:  2.2GB / 300 GB/s = ~7.3ms at least\n```\n"
    )
    document = Document("notes.md", text.encode())
    (sheet,) = readable(document)

    assert [cell.text for row in sheet.rows for cell in row.cells][1::2] == ["~7.3ms"]
    assert left_out(text, "notes.md") == ["line 4: '2.2GB, 300 GB/s'"]


def test_numbers_that_a_table_without_figures_drops_are_named():
    text = "Notes on an M2\n\n| Case | Initial RAM (MB) | Cells | Steps |\n"
    text += "|---|---|---|---|\n"
    text += "| a | 2797 | 3 | 20 |\n| b | 2781 | 4 | 30 |\n"
    document = Document("notes.md", text.encode())
    left = propose(document, readable(document)).left_out

    assert "'Initial RAM (MB)'" in "".join(left)


def test_blanks_around_the_slash_of_a_rate_are_part_of_it():
    text = "Speed\n123.6 Tokens / Second, in 12 ms / 3 steps\n"

    assert figures(text) == ["123.6 Tokens / Second", "12 ms"]


@pytest.mark.parametrize(
    ("line", "template"),
    [
        (
            "it's done: ttft 12.5 ms over 3 prompts, and 45 tokens/s, all told",
            "it's done: ttft {figure 1} ms over {figure 2} prompts, and {figure 3} "
            "tokens/s, all",
        ),
        ("vllm: [throughput: [17.1, 66.2, null]]", None),
        ("\x1b[1mall of it\x1b[0m was done in 12 minutes, which is long enough", None),
        ("after all of it, 1.5 ± 0.2 ms is what 4x8 of [[1, 2]] take", None),
    ],
)
def test_the_template_that_is_proposed_for_a_line_reads_it(line, template):
    text = f"| Model | ms |\n|---|---|\n| vgg | 3.5 |\n\n{line}\n"
    document = Document("a.md", text.encode())

    *_, result = propose(document, readable(document)).left_out
    (proposed,) = shlex.split(result.partition("--answer ")[2])
    proposed = proposed.removeprefix("line=")

    assert template in (None, proposed)
    rows = [it for it in readable(document, [proposed]) if it.template == proposed]
    assert [row.line for it in rows for row in it.rows] == [5]


def test_no_template_is_proposed_where_none_reads_a_line():
    text = f"Notes\n\n{'so ' * 400}fast: 12 ms\n"
    document = Document("a.md", text.encode())

    assert left_out(text, "a.md") == ["line 3: '12 ms'"]
    assert "line=" not in str(propose(document, readable(document)).left_out)


def test_options_of_a_command_and_what_go_prints_of_all_tests_are_no_figures():
    text = "# Run\n\n```\n$ go test -benchtime=10s --timeout 30s\n"
    text += "ok  \tgithub.com/x/llama\t61.199s\n```\n\nIt took 12 s.\n"

    assert left_out(text, "a.md") == []
    assert left_out(text + "\n$ chat -q4 45.2 tok/s\n", "a.md") == [
        "line 10: '45.2 tok/s'"
    ]
    assert figures("ok  \tgithub.com/x/llama\t61.199s") == []
    assert figures("ok  \tllama\t61.199s") == ["61.199s"]


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("The test of the model came to **15.27 TPS**, on the GPU.", "15.27 TPS"),
        ("19 of [them], as we read, made 35.61 TOPS in INT8; so be it.", "35.61 TOPS"),
        ("The other one took 20.2 GB to load, while this did not.", "20.2 GB"),
        ("It takes 17-20 ms/token, [as we saw]; no less.", "17-20 ms/token"),
        ("A cold model [as it is now] needs 35+ seconds; no less.", "35+ seconds"),
    ],
)
def test_figures_in_doubt_ranges_and_sizes_that_something_took_are_named(text, figure):
    table = "| a | ms |\n|---|---|\n| x | 2.5 |\n"

    assert left_out(f"{table}\n{text}\n", "a.md") == [f"line 5: {figure!r}"]


def test_lines_of_a_list_of_settings_that_is_left_out_are_named():
    text = "# Results\n\n```\nGPU: 0\nWith sigmoid: false\nWorkspace size: 1.85MB\n"
    text += "19447\nf() took 344 microseconds\n```\n"

    assert left_out(text, "a.md") == [
        "line 6: '1.85MB'",
        "line 8: '344 microseconds'",
    ]


def test_a_template_of_one_row_leaves_the_others_of_its_line_in_the_table():
    text = "| Model | tok/s |\n|---|---|\n| a | 1.5 |\\n| b | 2.5 |\\n| c | 3.5 |\n"
    document = Document("a.md", text.encode())
    template, table = readable(document, ["| {model} | {tok/s} |..."])[::-1]

    assert [len(it.rows) for it in (template, table)] == [1, 3]


def test_figures_in_a_drawn_box_of_text_are_listed():
    box = (
        "┌──────────────────────────────┐\n"
        "│  Gathered against masked     │\n"
        "├──────────────────────────────┤\n"
        "│  N=128: gathered = 7.08ms    │\n"
        "│  N=256: gathered = 12.35ms   │\n"
        "└──────────────────────────────┘\n"
    )
    left = "\n".join(left_out(f"# Attention on M4\n\n{box}", "README.md"))
    assert "7.08ms" in left
    assert "12.35ms" in left or "2 figures" in left


def test_columns_beside_a_ratio_alone_are_named():
    text = "# Tuning wren, torch on A100\n\n| exp | mix ratio | train speed | loss |\n"
    text += "|---|---|---|---|\n| lora | 2.0 | 0.92(8 samples/9 seconds) | 1.07 |\n"
    document = Document("README.md", text.encode())
    answers = {"readings": "yes, but loss: leave-out"}
    left = propose(document, readable(document), answers).left_out
    assert "line 3: 'train speed': numbers beside no figures" in left


def test_the_size_of_weights_that_are_loaded_is_listed():
    text = "# vLLM on MI300X\n\n| Model | tok/s |\n|---|---|\n| wren 7B | 30.5 |\n"
    text += "\nWeights load at 55.57 GiB, leaving 37.47 GiB of KV cache.\n"
    assert any("55.57 GiB" in it for it in left_out(text, "README.md"))
