"""All sheets of one document: tables, and habits of running text side by side."""

import pytest

from benchdb.importing.document import Document, DocumentError
from benchdb.importing.sheets import readable
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
    found = readable(Document(name, text.encode()))
    return [(sheet.kind, sheet.line) for sheet in found]


def test_several_habits_of_one_document_are_read_side_by_side():
    assert kinds("run.md", MIXED) == [
        *(("keras", 4), ("time", 8), ("key-value", 12), ("markdown", 15)),
        *(("bullets", 19), ("tqdm", 22)),
    ]


@pytest.mark.parametrize("name", ["run.md", "run.txt", "run.log"])
def test_no_line_is_read_twice(name):
    found = readable(Document(name, MIXED.encode()))

    lines = [row.line for sheet in found for row in sheet.rows]
    assert len(lines) == len(set(lines)) == 8


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
