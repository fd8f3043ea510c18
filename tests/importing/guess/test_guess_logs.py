"""Maps proposed for what programs print: the readers settle what their columns are."""

import json

from benchdb.exchange.record import Record
from benchdb.importing.document import Document
from benchdb.importing.guess import draft
from benchdb.importing.mapping.language import Table
from benchdb.importing.mapping.run_groups import read
from benchdb.importing.provenance import NOTHING
from benchdb.importing.sheet import Reader
from benchdb.importing.sheets import READERS, readable
from tests.importing.guess.guessed import asked, meanings, records

KERAS = """Epoch 1/2
100/100 [==============================] - 5s 50ms/step - loss: 0.7
Epoch 2/2
100/100 [==============================] - 4s 40ms/step - loss: 0.5
"""


def table_of(reader: Reader, text: str) -> Table:
    document = Document("log.txt", text.encode())
    (table,) = draft.propose(document, READERS[reader](document)).map.table
    return table


def test_counts_beside_a_keras_bar_are_settings_and_no_seconds():
    assert meanings(table_of("keras", KERAS)) == {
        "epoch": "parameters.epoch",
        "of": "parameters.epochs",
        "steps": "parameters.steps",
        "seconds": "epoch_seconds",
        "per step": "reported_step_seconds",
        "loss": "ignore",  # of each step
    }


def test_the_counts_of_a_bar_are_no_figures():
    text = "vgg: 100%|████| 250/250 [03:08<00:00,  1.33it/s]\n"
    document = Document("log.txt", text.encode())

    proposal = draft.propose(document, READERS["tqdm"](document))
    assert not any("done" in key.split() or "of of" in key for key in asked(proposal))
    assert {key.split(" of ")[0] for key in asked(proposal)} <= {
        *("time", "meaning", "work", "machine", "device", "framework"),
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


def test_times_of_a_command_are_those_of_its_processor_and_of_the_clock():
    table = table_of("epochs", "  12.50 real  11.00 user  1.25 sys\n")

    assert meanings(table) == {
        "command": "workload",
        "real": "script_wall_seconds",
        "user": "script_user_seconds",
        "sys": "script_system_seconds",
    }


def test_keras_times_of_nought_and_accuracies_of_one_epoch_are_no_results():
    bar = "22/22 [====] - 0s 1ms/step - loss: 1.9 - accuracy: 0.3"
    bar += " - val_loss: 1.3 - val_accuracy: 0.4\n"
    document = Document("log.txt", f"Epoch 4/80\n{bar}".encode())
    answers = {"work": "new: tiny"}
    map_ = draft.propose(document, READERS["keras"](document), answers).map

    items = read(document, map_, NOTHING)
    (record,) = [item for item in items if isinstance(item, Record)]
    pairs = {it.metric: (it.value, it.reason) for it in record.end.values}
    assert pairs["reported_step_seconds"] == (0.001, None)
    assert pairs["epoch_seconds"][0] is None
    assert "printed as 0" in str(pairs["epoch_seconds"][1])

    document = Document("log.txt", bar.encode())  # of which epoch, is not said
    left = "\n".join(draft.propose(document, READERS["keras"](document)).left_out)
    assert "'accuracy': of training, beside 'val_accuracy'" in left
    assert "'val_accuracy': of each step" in left


SERVER = """# llama-server -m tiny.gguf on M2 Ultra GPU
0.01.003.884 I slot launch_slot_: id  0 | task 7 | processing task, is_child = 0
0.02.158.483 I slot print_timing: id  0 | task 7 | \
prompt eval time =      20.00 ms /    10 tokens (    2.00 ms per token,   500.00 \
tokens per second)
0.02.158.738 I slot print_timing: id  0 | task 7 |        eval time =     100.00 ms \
/     5 tokens (   20.00 ms per token,    50.00 tokens per second)
0.02.159.298 I slot print_timing: id  0 | task 7 |       total time =     120.00 ms \
/    15 tokens
0.02.159.403 I slot print_timing: id  0 | task 7 |    graphs reused =          3
0.02.159.504 I slot      release: id  0 | task 7 | stop processing: n_tokens = 15
"""


def test_a_server_stamps_each_line_of_a_request_and_its_other_lines_name_nothing():
    document = Document("run.log", SERVER.encode())
    result = records(draft.propose(document, readable(document)), SERVER, "run.log")

    assert {(o.run.workload, v.value) for o in result for v in o.end.values} == {
        ("llm-prefill", 500),
        ("llm-decode", 50),
        ("llm-generate", 0.12),
    }
    assert all(
        record.run.parameters == {"prompt_tokens": 10, "generated_tokens": 5}
        for record in result
    )


def test_equal_steps_under_two_headings_are_two_runs_however_deep_the_headings():
    steps = "global_step: 10 images_per_sec: {}\nglobal_step: 20 images_per_sec: {}\n"
    text = "# resnet50 training with torch on M1 GPU\n\n## short\n"
    text += steps.format(60.5, 61.5) + "\n## long\n\nWith these options:\n\n"
    text += steps.format(70.5, 71.5)
    document = Document("results.md", text.encode())
    proposal = draft.propose(
        document, readable(document), {"headings of short": "setting"}
    )

    steps_of = {
        value.value: record.run.parameters["step"]
        for record in records(proposal, text)
        for value in record.end.values
    }
    assert steps_of == {60.5: 10, 61.5: 20, 70.5: 10, 71.5: 20}


REPEATED = """# resnet50 training with torch on M3 Pro

$ python bench.py
Load time: 2.5 s
CPU time: 1.50 s
GPU time: 0.25 s

CPU time: 1.70 s
GPU time: 0.35 s

CPU time: 1.60 s
GPU time: 0.30 s
"""


def of_log(text: str) -> draft.Proposal:
    document = Document("results.md", text.encode())
    return draft.propose(document, readable(document))


def test_lines_that_a_program_prints_again_are_the_samples_of_one_run():
    proposal = of_log(REPEATED)
    question = next(it for it in proposal.questions if it.key.startswith("repeat of"))
    assert [*question.choices] == ["samples", "nothing"]

    stored = {
        (record.run.device, value.value, value.derived)
        for record in records(proposal, REPEATED)
        for value in record.end.values
    }
    assert stored == {
        ("unknown", 2.5, "median of 1 samples"),
        ("cpu", 1.6, "median of 3 samples"),
        ("metal", 0.3, "median of 3 samples"),
    }


def test_lists_of_one_heading_that_blank_lines_part_are_asked_about_together():
    text = "# resnet50 training with torch on M1 GPU\n\n```\n"
    text += (
        "\n\n".join(("Peak host memory: 1.5 GB", "Peak device memory: 3.5 GB"))
        + "\n```\n"
    )
    proposal = of_log(text)

    stored = {
        record.run.parameters["variant"]: value.value
        for record in records(proposal, text)
        for value in record.end.values
    }
    assert stored == {"Peak host memory": 1.5e9, "Peak device memory": 3.5e9}


def test_a_mean_of_what_a_program_printed_again_and_again_is_no_figure_beside_it():
    text = "# resnet50 inference with torch on M1 GPU\n\n```\n"
    text += "".join(f"step time: {it} s\n" for it in (0.2, 0.5, 0.8))
    text += "\nAverage step time: 0.50 s\n```\n"
    proposal = of_log(text)

    assert "'Average step time': sums up 'step time'" in "\n".join(proposal.left_out)
    (record,) = records(proposal, text)
    assert [value.value for value in record.end.values] == [0.5]
    assert [series.values for series in record.series] == [(0.2, 0.5, 0.8)]


def test_a_list_of_times_is_no_list_of_settings_though_its_labels_name_steps():
    text = "# Diffusion on an M2\n\n- SD 1.5, 20 steps: 14.2s\n- SDXL, 30 steps: 96s\n"
    columns = table_of("bullets", text).columns

    assert columns["value"].metric == "work_seconds"
