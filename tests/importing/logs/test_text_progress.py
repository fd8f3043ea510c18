"""Bars of progress: what Keras and tqdm left on the screen."""

import pytest

from benchdb.importing.document import Document
from benchdb.importing.sheets import readable
from tests.importing.sheet_texts import FIXTURES, only_row, read, read_file, texts


def test_keras_3_with_escapes_counts_as_it_stood_last():
    training, evaluation = read_file("keras", FIXTURES / "keras_3_terminal.log")

    assert training.header == (
        *("epoch", "of", "steps", "seconds", "per step"),
        *("accuracy", "loss", "val_accuracy", "val_loss", "model"),
    )
    assert [row[:-1] for row in texts(training)] == [
        ("1", "2", "300", "3s", "7ms/step", "0.8000", "0.6000", "0.9000", "0.3000"),
        ("2", "2", "300", "2s", "7ms/step", "0.9100", "0.2900", "0.9300", "0.2500"),
    ]
    assert evaluation.header[:5] == ("steps", "seconds", "per step", "accuracy", "loss")
    assert texts(evaluation) == [("80", "1s", "7ms/step", "0.9300", "0.2500", "cnn")]


def test_the_command_and_the_line_right_above_are_context_and_no_chatter():
    training, _ = read_file("keras", FIXTURES / "keras_3_terminal.log")

    assert training.context == (
        "python3 train.py --model cnn",
        "Metal device set to: Apple M1 Max",
    )


def test_keras_2_in_a_readme_stands_under_its_headings():
    cpu, gpu = read_file("keras", FIXTURES / "keras_2_pasted.md")

    assert cpu.context == ("CNN on a laptop", "CPU")
    assert texts(cpu)[1] == ("2", "2", "450", "8s", "18ms/step", "0.2020", "0.9402")
    assert [row.line for row in cpu.rows] == [7, 9]
    assert gpu.header[5] == "per epoch"
    assert texts(gpu) == [
        ("1", "2", "450", "3s", "6ms/step", "3s/epoch", "0.4090", "0.8810")
    ]


def test_an_epoch_that_never_ended_is_bad():
    _, gpu = read_file("keras", FIXTURES / "keras_2_pasted.md")
    (bad,) = gpu.bad

    assert (bad.number, bad.reason) == (18, "not finished: 120 of 450 steps")


def test_colours_whose_escape_character_was_lost():
    text = "Epoch 1/1\n[1m9/9[0m [32m━━━━[0m[37m[0m [1m4s[0m 2ms/step - loss: 0.2"

    assert only_row("keras", text) == {
        "epoch": "1",
        "of": "1",
        "steps": "9",
        "seconds": "4s",
        "per step": "2ms/step",
        "loss": "0.2",
    }


def test_lines_without_a_bar_or_a_count():
    assert (
        only_row("keras", "Epoch 2/5\n - 2s - loss: 0.2 - acc: 0.9")["seconds"] == "2s"
    )
    assert (
        only_row("keras", "9/9 - 0s - 900us/step - loss: 0.1")["per step"]
        == "900us/step"
    )


def test_a_second_training_is_a_second_sheet():
    bar = "9/9 [====] - 2s 1ms/step - loss: 0.2\n"
    text = f"Epoch 1/2\n{bar}Epoch 2/2\n{bar}Epoch 1/2\n{bar}"

    assert [len(sheet.rows) for sheet in read("keras", text)] == [2, 1]


def test_two_evaluations_of_equal_length_are_two():
    bar = "9/9 [====] - 0s 1ms/step - loss: 0.2\n"

    (sheet,) = read("keras", bar + bar)
    assert len(sheet.rows) == 2


def test_prose_and_dates_are_left_alone():
    assert (
        read("keras", "12/24 of them\nEpoch of steam\n3/4 - 5 things were seen") == ()
    )


def test_only_the_last_state_of_each_bar_counts():
    plain, with_loss = read_file("tqdm", FIXTURES / "bars.log")

    assert texts(plain) == [("Train", "50", "50", "00:25", "2.00it/s", "vgg")]
    assert with_loss.header[-2:] == ("loss", "Model")
    assert texts(with_loss) == [
        ("Train", "50", "50", "00:05", "10.00it/s", "0.5", "alexnet")
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Train : vgg16: 100%|██████| 250/250 [03:08<00:00,  1.33it/s]",
            ("Train : vgg16", "250", "250", "03:08", "1.33it/s"),
        ),
        (
            "100% 250/250 [03:08<00:00, 1.33it/s]",
            ("", "250", "250", "03:08", "1.33it/s"),
        ),
        ("1234it [00:10, 120.2it/s]", ("", "1234", "", "00:10", "120.2it/s")),
        (
            "x:  0%|   | 0/9 [00:00<?, ?it/s]x: 100%|##| 9/9 [1:00:09<00:00, 1.00s/it]",
            ("x", "9", "9", "1:00:09", "1.00s/it"),
        ),
    ],
)
def test_the_shapes_of_a_bar(text, expected):
    assert tuple(only_row("tqdm", text).values()) == expected


def test_equal_bars_of_two_epochs_are_two():
    bars = "".join(f"Epoch {n}: 100%|#| 5/5 [00:01<00:00, 5.0it/s]\n" for n in (1, 2))

    (sheet,) = read("tqdm", bars)
    assert [row[0] for row in texts(sheet)] == ["Epoch 1", "Epoch 2"]


def test_a_description_that_changes_while_the_bar_grows_is_one_bar():
    text = (
        "loss 0.9:  50%|##  | 5/10 [00:05<00:05,  1.00s/it]\n"
        "loss 0.4: 100%|####| 10/10 [00:10<00:00,  1.00s/it]\n"
    )

    (sheet,) = read("tqdm", text)
    assert texts(sheet) == [("loss 0.4", "10", "10", "00:10", "1.00s/it")]
    assert sheet.bad == ()


def test_what_is_no_bar_is_left_alone():
    assert read("tqdm", "100% of 5/5 [yes: no]\n12 items [a: b]\n5% | 3") == ()


def test_a_bar_of_any_length_hides_nothing_that_is_printed_below_it():
    text = """Starting the main run...
  0%|          | 0/300 [00:00<?, ?it/s]
  1%|          | 2/300 [00:09<22:21, 4.50s/it]
 50%|#####     | 150/300 [00:52<00:21, 6.99it/s]
100%|##########| 300/300 [01:31<00:00, 3.29it/s]
========== Results ==========
Benchmark duration (s):           91.25
Request throughput (req/s):       3.29
=============================
"""
    bar, results = readable(Document("serve.log", text.encode()))

    assert (bar.kind, texts(bar)[0][1:]) == (
        "tqdm",
        ("300", "300", "01:31", "3.29it/s"),
    )
    assert texts(results) == [
        ("Benchmark duration (s)", "91.25"),
        ("Request throughput (req/s)", "3.29"),
    ]
