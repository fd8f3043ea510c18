"""All sheets of one document: tables, and habits of running text side by side."""

import pytest

from benchdb.importing.document import Document, DocumentError
from benchdb.importing.sheets import READERS, readable
from tests.importing.sheet_texts import texts
from tests.importing.tables.test_notebook_sheets import cell, printed, saved

MIXED = """# M1 Max

Epoch 1/2
100/100 [====================] - 2s 18ms/step - loss: 0.5
Epoch 2/2
100/100 [====================] - 2s 17ms/step - loss: 0.4

real    0m1.500s
user    0m1.000s
sys     0m0.100s

Batch size: 32
Throughput: 140 img/s

| Model | img/s |
|---|---|
| ResNet | 140 |

- VGG: 72 img/s

train:  10%|█         | 25/250 [00:18<02:50,  1.33it/s]
train: 100%|██████████| 250/250 [03:08<00:00,  1.33it/s]
"""


def kinds(name: str, text: str) -> list[tuple[str, int]]:
    sheets = readable(Document(name, text.encode()))
    return [(sheet.kind, sheet.line) for sheet in sheets]


def test_several_habits_of_one_document_are_read_side_by_side():
    assert kinds("run.md", MIXED) == [
        *(("keras", 4), ("key-value", 8), ("key-value", 13), ("markdown", 15)),
        *(("bullets", 19), ("tqdm", 22)),
    ]


@pytest.mark.parametrize("name", ["run.md", "run.txt", "run.log"])
def test_no_line_is_read_twice(name):
    sheets = readable(Document(name, MIXED.encode()))

    lines = [row.line for sheet in sheets for row in sheet.rows]
    assert len(lines) == len(set(lines)) == 9


@pytest.mark.parametrize("name", ["run.md", "run.txt"])
def test_what_is_json_in_a_code_block_is_read_as_nothing_else(name):
    block = '{"model": "vgg16",\n "runs": [\n  {"batch": 1, "time_ms": 12.5},\n'
    block += '  {"batch": 2,\n   "time_ms": 20.5}\n ]}'
    text = f"# M1 Max\n\n```json\n{block}\n```\n\nThroughput: 140 img/s\n"

    assert kinds(name, text) == [("json", 6), ("key-value", 12)]


def test_what_a_notebook_prints_as_json_is_read_as_that():
    document = saved(cell("code", "", printed('{"model": "vgg16", "time_ms": 12.5}\n')))
    (sheet,) = readable(document)

    assert (sheet.kind, texts(sheet)) == ("json", [("vgg16", "12.5")])
    assert READERS["json"](document) == (sheet,)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("x.json", '{"a": {"b": 1}}', [("json", 1)]),
        ("x.jsonl", '{"a": 1}\n{"a": 2}', [("json", 1)]),
        ("x.txt", '{"a": 1}', [("json", 1)]),
        ("x.yml", "a: 1", [("yaml", 1)]),
        ("x.csv", "a,b\n1.5,2.5", [("csv", 1)]),
        ("x.txt", "{'runtime': 1.5, 'loss': 0.5}", [("epochs", 1)]),
    ],
)
def test_what_a_document_is_decides_how_it_is_read(name, text, expected):
    assert kinds(name, text) == expected


def test_what_is_called_json_and_is_none_is_told():
    with pytest.raises(DocumentError, match="line 1, column 2: no JSON"):
        kinds("x.json", "{'runtime': 1.5}")


def test_a_notebook_has_tables_and_what_it_prints():
    text = "| Model | s |\n|---|---|\n| A | 1.5 |\n\nTotal: 12 s\n"
    table, total = readable(saved(cell("code", "", printed(text))))

    assert (table.kind, texts(table)) == ("markdown", [("A", "1.5")])
    assert (total.kind, texts(total)) == ("key-value", [("Total", "12 s")])


TEXT = """=== M1 Max ===
Training time : 12.5 s
Total time taken for 5 epochs = 0.75 min
Inference took 12.3 ms per image
=== M2 ===
Average time: 3.2s

matmul 1024   1.23 ms   1.75 TFLOPS
matmul 2048   8.23 ms   2.05 TFLOPS

- M1 Pro
  - ResNet50
    - batch 32: 140 img/s

llama_print_timings: load time =  30.25 ms
llama_print_timings: eval time = 1234.50 ms / 512 runs   (  2.41 ms per token, \
 414.74 tokens per second)

50/50 [00:27<00:00,  1.84it/s]
"""


def test_what_text_says_stands_under_the_banner_and_bullets_that_it_stands_under():
    sheets = readable(Document("run.txt", TEXT.encode()))

    values = {row[:2]: sheet.context[0] for sheet in sheets for row in texts(sheet)}
    assert values == {
        ("Training time", "12.5 s"): "M1 Max",
        ("Total time taken for 5 epochs", "0.75 min"): "M1 Max",
        ("Inference", "12.3 ms per image"): "M1 Max",
        ("Average time", "3.2s"): "M2",
        ("matmul 1024", "1.23 ms"): "M2",
        ("matmul 2048", "8.23 ms"): "M2",
        ("batch 32", "140 img/s"): "M2",
        ("30.25 ms", "1234.50 ms"): "M2",
        ("", "50"): "M2",
    }
    nested = next(sheet for sheet in sheets if sheet.kind == "bullets")
    assert nested.context[-2:] == ("M1 Pro", "ResNet50")


def test_figures_without_a_header_are_named_by_their_units():
    sheets = readable(Document("x", TEXT.encode()))
    columns = next(sheet for sheet in sheets if sheet.kind == "fixed-width")

    assert columns.header == ("column 1", "ms", "TFLOPS")


def test_a_time_of_loading_that_a_process_prints_again_is_of_its_first_request():
    request = "llama_print_timings: load time =  {} ms\n"
    request += "llama_print_timings: eval time = {} ms / 30 runs\n\n"
    text = request.format(28.5, 49) + request.format(28.5, 54) + request.format(31, 50)

    first, again = readable(Document("run.txt", text.encode()))

    name = "eval time", "eval time count"
    assert first.header == ("load time", *name)
    assert texts(first) == [("28.5 ms", "49 ms", "30"), ("31 ms", "50 ms", "30")]
    assert again.header == ("load time again", *name)
    assert texts(again) == [("28.5 ms", "54 ms", "30")]


REQUESTS = """### M2 Max, gemma 7B
eval rate:  {} tokens/s
load duration: 12.5ms

### M4 Pro, with MLX
Prompt: 512 tokens, {} tokens-per-sec
Generation: 100 tokens, 23.1 tokens-per-sec
Peak memory: 4.2 GB
"""


def test_what_runtimes_print_of_a_request_has_a_column_for_each_figure():
    text = TEXT + REQUESTS.format("11.2", "261.7")
    sheets = readable(Document("x", text.encode()))
    llama, ollama, mlx = (sheet for sheet in sheets if sheet.kind == "timings")

    assert llama.header[1:] == (
        "eval time",
        "eval time count",
        "eval time ms per token",
        "eval time tokens per second",
    )
    assert texts(llama) == [("30.25 ms", "1234.50 ms", "512", "2.41", "414.74")]
    assert (ollama.context, texts(ollama)) == (
        ("M2 Max, gemma 7B",),
        [("11.2 tokens/s", "12.5ms")],
    )
    assert texts(mlx) == [("512", "261.7", "100", "23.1", "4.2 GB")]


def test_marks_of_repetition_say_what_stands_above_them():
    text = "| Chip | GPU | s |\n|---|---|---|\n| M1 | 8 | 1.5 |\n| 〃 | ditto | 2.5 |\n"
    (sheet,) = readable(Document("x.md", (text + "| chip | gpu | S |\n").encode()))

    assert texts(sheet) == [("M1", "8", "1.5"), ("M1", "8", "2.5")]
    assert sheet.rows[1].cells[0].raw == "〃"


def test_below_a_header_with_another_unit_no_row_is_read_by_the_first():
    text = """| Model | Time (ms) |
|---|---|
| A | 12.5 |
| Model | Time (s) |
| B | 1.5 |
| Model | Time (ms) |
| C | 2.5 |
"""
    (sheet,) = readable(Document("x.md", text.encode()))

    why = "below another header of the same table, in line 4"
    assert texts(sheet) == [("A", "12.5"), ("C", "2.5")]
    assert [(bad.number, bad.reason) for bad in sheet.bad] == [(4, why), (5, why)]


YOLO = """# M2 Macbook

```
> python benchmark.py cpu

0: 384x640 17 persons, 25.8ms
Speed: 1.2ms preprocess, 25.8ms inference, 0.5ms postprocess at shape (1, 3)
                Format Status❔  Size (MB)  Inference time (ms/im)
0              PyTorch       ✅        6.2                   10.45
1  TensorFlow GraphDef       ✅       12.1                   70.00
2      TensorFlow Lite       ✅       12.1                    8.73
```
"""


def test_tables_of_pandas_are_read_between_the_blanks_that_all_their_lines_have():
    table = readable(Document("x.md", YOLO.encode()))[-1]

    assert table.header == (
        *("column 1", "Format", "Status❔", "Size (MB)"),
        "Inference time (ms/im)",
    )
    assert texts(table) == [
        ("0", "PyTorch", "✅", "6.2", "10.45"),
        ("1", "TensorFlow GraphDef", "✅", "12.1", "70.00"),
        ("2", "TensorFlow Lite", "✅", "12.1", "8.73"),
    ]


def test_figures_in_lines_of_no_habit_stand_with_the_words_of_their_clauses():
    (_, sheet, _) = readable(Document("x.md", YOLO.encode()))

    assert (sheet.kind, sheet.header) == ("sentences", ("key", "time"))
    assert texts(sheet) == [
        ("Speed preprocess", "1.2ms"),
        ("Speed inference", "25.8ms"),
        ("Speed postprocess at shape", "0.5ms"),
    ]
    assert "python benchmark.py cpu" in sheet.context[-1]


def test_a_column_of_units_belongs_to_the_numbers_beside_it():
    text = "|metric|value|unit|\n|---|---|---|\n|load|29.1|s|\n|p50|30|ms|\n|n|10||\n"
    (sheet,) = readable(Document("x.md", text.encode()))

    assert [it[1] for it in texts(sheet)] == ["29.1 s", "30 ms", "10"]
