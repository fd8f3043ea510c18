import pytest

from tests.importing.sheet_texts import FIXTURES, one, read, read_file, texts


def test_only_the_last_state_of_each_bar_counts():
    plain, with_loss = read_file("tqdm", FIXTURES / "bars.log")

    assert plain.context == ("Model: vgg",)
    assert texts(plain) == [("Train", "50", "50", "00:25", "2.00it/s")]
    assert with_loss.context == ("Model: alexnet",)
    assert with_loss.header[-1] == "loss"
    assert texts(with_loss) == [("Train", "50", "50", "00:05", "10.00it/s", "0.5")]


def test_a_bar_that_stopped_is_bad():
    *_, sheet = read_file("tqdm", FIXTURES / "bars.log")

    assert [one_.reason for one_ in sheet.bad] == ["the bar stopped at 20 of 50"]


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
    assert tuple(one("tqdm", text).values()) == expected


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
