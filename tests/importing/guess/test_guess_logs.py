"""Maps proposed for what programs print: the readers settle what their columns are."""

import json

from benchdb.importing.document import Document
from benchdb.importing.guess import draft
from benchdb.importing.mapping.language import Table
from benchdb.importing.sheet import Reader
from benchdb.importing.sheets import READERS
from tests.importing.guess.guessed import asked, meanings

VERBOSE = """$ /usr/bin/time -v python train.py
\tCommand being timed: "python train.py"
\tUser time (seconds): 8.25
\tSystem time (seconds): 1.50
\tPercent of CPU this job got: 97%
\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:10.05
\tMaximum resident set size (kbytes): 2048
\tSwaps: 0
\tExit status: 0
"""
KERAS = """Epoch 1/2
100/100 [==============================] - 5s 50ms/step - loss: 0.7
Epoch 2/2
100/100 [==============================] - 4s 40ms/step - loss: 0.5
"""


def table_of(reader: Reader, text: str) -> Table:
    document = Document("log.txt", text.encode())
    (table,) = draft.propose(document, READERS[reader](document)).map.table
    return table


def test_each_line_of_gnu_time_is_its_own_metric():
    table = table_of("time", VERBOSE)

    assert meanings(table) == {
        "command": "workload",
        "User time (seconds)": "script_user_seconds",
        "System time (seconds)": "script_system_seconds",
        "Percent of CPU this job got": "script_cpu_percent",
        "Elapsed (wall clock) time (h:mm:ss or m:ss)": "script_wall_seconds",
        "Maximum resident set size (kbytes)": "peak_memory_observed_bytes",
        "Swaps": "ignore",
        "Exit status": "parameters.exit_status",
    }
    assert table.columns["Maximum resident set size (kbytes)"].unit == "KiB"


def test_the_total_of_ipython_is_no_wall_time():
    text = "CPU times: user 3 s, sys: 1 s, total: 4 s\nWall time: 5 s\n"

    found = meanings(table_of("time", text))

    assert found["total"] == "ignore"
    assert found["Wall time"] == "script_wall_seconds"


def test_counts_beside_a_keras_bar_are_settings_and_no_seconds():
    assert meanings(table_of("keras", KERAS)) == {
        "epoch": "parameters.epoch",
        "of": "parameters.epochs",
        "steps": "parameters.steps",
        "seconds": "epoch_seconds",
        "per step": "reported_step_seconds",
        "loss": "final_loss",
    }


def test_the_counts_of_a_bar_are_no_figures():
    text = "vgg: 100%|████| 250/250 [03:08<00:00,  1.33it/s]\n"
    document = Document("log.txt", text.encode())

    found = draft.propose(document, READERS["tqdm"](document))
    assert not any("done" in key.split() or "of of" in key for key in asked(found))
    assert {key.split(" of ")[0] for key in asked(found)} <= {
        *("time", "meaning", "work", "machine", "framework"),
    }


def test_what_a_notebook_prints_is_read_at_the_lines_of_its_file():
    cell = {
        "cell_type": "code",
        "outputs": [{"text": KERAS.splitlines(keepends=True)}],
        "source": ["fit()\n"],
    }
    text = json.dumps({"cells": [cell]}, indent=1)
    document = Document("run.ipynb", text.encode())

    (sheet,) = READERS["keras"](document)

    lines = text.split("\n")
    assert [row.cells[3].text for row in sheet.rows] == ["5s", "4s"]
    assert all("step - loss" in lines[row.line - 1] for row in sheet.rows)


def test_a_notebook_on_one_line_names_the_cell():
    cell = {"cell_type": "code", "outputs": [{"text": KERAS}], "source": []}
    document = Document("run.ipynb", json.dumps({"cells": [cell]}).encode())

    (sheet,) = READERS["keras"](document)

    assert sheet.context == ("cell 1",)
    assert {row.line for row in sheet.rows} == {1}
