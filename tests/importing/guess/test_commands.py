"""A command says what the figures below it ran with, up to the next command."""

from benchdb.cli.conversation import given
from benchdb.importing.document import Document
from benchdb.importing.guess.draft import propose
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import inferred, of_text, records

COMMAND = "python bench.py --num_gpus=1 --batch_size={} --model={}\n\n"
STEPS = """```
Step  Img/sec total_loss
1     images/sec: {}.2 +/- 0.0 (jitter = 0.0) 8.169
10    images/sec: {}.9 +/- 0.2 (jitter = 0.4) 7.593
20    images/sec: 72.9 +/- 0.2 (jitter = 0.4) 7.692
30    images/sec: 72.8 +/- 0.2 (jitter = 0.4) 7.691
```
"""
TWO = (
    "# Low speed on RX 580\n\nalice · comment\nthe Vega 56 is fast as well:\n\n"
    + COMMAND.format(32, "resnet50") + STEPS.format(76, 75)
    + "\n" + COMMAND.format(16, "alexnet") + STEPS.format(69, 70)
)  # fmt: skip


def proposed(text, answers):
    issue = Document("issue.md", text.encode())
    return propose(issue, readable(issue), answers)


def stored(text, answers):
    """Return the batch size, work, card and figure of each run."""
    return [
        (
            record.run.parameters.get("batch_size"),
            record.run.workload,
            [card.name for card in record.machine.chip.accelerators],
            record.end.values[0].value,
        )
        for record in records(proposed(text, answers), text)
    ]


def test_options_hold_up_to_the_next_command_and_the_text_above_beats_the_title():
    vega = ["Radeon RX Vega 56"]
    assert stored(TWO, {"readings": "yes"}) == [
        *((32, "resnet50", vega, it) for it in (76.2, 75.9, 72.9, 72.8)),
        *((16, "alexnet", vega, it) for it in (69.2, 70.9, 72.9, 72.8)),
    ]


def test_a_batch_size_of_some_commands_is_not_said_of_all_tables():
    rows = "\n## All\n\n| Network | Latency mean (ms) |\n|---|---|\n| vgg16 | 12.5 |\n"
    lone = "## Left\n\n" + COMMAND.format(32, "vgg16")
    assert "batch size" in inferred(of_text(lone + rows))

    other = "## Right\n\n" + COMMAND.format(64, "vgg16")
    assert "batch size" not in inferred(of_text(lone + other + rows))


def test_a_text_with_equals_signs_is_named_in_an_answer():
    answer = 'yes, but "--batch_size=16": precision fp16'
    assert given([f"readings={answer}", "unit of a=b=ms"]) == {
        "readings": answer,
        "unit of a=b": "ms",
    }
    result = records(proposed(TWO, {"readings": answer}), TWO)
    assert [it.run.precision for it in result] == [None] * 4 + ["fp16"] * 4


def test_commands_in_backticks_tell_figures_apart_as_settings():
    text = (
        "`python bench.py --model=resnet50 --batch_size=8 --replicated`\n"
        "Result: 2341.4 images/sec\n\n"
        "`python bench.py --model=resnet50 --batch_size=8`\n"
        "Result: 1076.9 images/sec\n"
    )
    assert stored(text, {"readings": "yes"}) == [
        (8, "resnet50", [], 2341.4),
        (8, "resnet50", [], 1076.9),
    ]
    (heading,) = [it for it in proposed(text, {}).questions if it.topic == "headings"]
    assert heading.likely == "setting"
