"""Columns of words and counts that tell rows apart and are no work and no figure."""

from tests.importing.guess.guessed import of_text, records, table

HEADER = "GPU | {} | Drive | Sample Size | Speed (FPS)"
ROWS = (
    "RTX 3070 | {} | NVME SSD | >1400 | 19.5",
    "RTX 3070 | {} | NVME SSD | >1400 | 40",
)


def text_of(header, first, second):
    one, other = ROWS
    return table(HEADER.format(header), one.format(first), other.format(second))


def test_a_drive_is_no_work_and_the_size_of_a_sample_no_time():
    text = "## RIFE\n\n" + text_of("Size/Factor", "1920x1080 - 2x", "1280x720 - 2x")
    found = records(of_text(text, {"readings": "yes"}), text)

    assert [it.run.workload for it in found] == ["rife", "rife"]
    assert [[one.value for one in it.end.values] for it in found] == [[19.5], [40]]
    assert [it.run.parameters["size_factor"] for it in found] == [
        "1920x1080 - 2x",
        "1280x720 - 2x",
    ]
    assert {it.run.conditions["drive"] for it in found} == {"NVME SSD"}
    assert {it.run.parameters["sample_size"] for it in found} == {">1400"}


def test_a_column_that_is_answered_a_setting_is_not_left_out_and_tells_rows_apart():
    text = "## RIFE\n\n" + text_of("Speedup", "a bit faster", "much faster")
    left = of_text(text)
    assert "line 3: 'Speedup' compares in words" in left.left_out
    assert any("repetitions" in it.reading() for it in left.questions)

    named = "yes, but Speedup: setting; work: new: rife"
    found = of_text(text, {"readings": named})
    assert not found.left_out
    assert not found.questions
    assert [it.run.parameters["speedup"] for it in records(found, text)] == [
        "a bit faster",
        "much faster",
    ]
