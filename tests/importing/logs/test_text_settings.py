"""Settings that a program prints stand beside its figures; other lines name nothing."""

import pytest

from benchdb.importing.document import Document
from benchdb.importing.logs.line_text import banner, command
from benchdb.importing.logs.settings import settings_in
from benchdb.importing.sheets import readable
from tests.importing.sheet_texts import only_row, read, texts


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Batch size: 64", {"Batch size": "64"}),
        ("2024-03-01 10:22:31 INFO lr = 0.001", {"lr": "0.001"}),
        ("learning rate 0.001", {"learning rate": "0.001"}),
        ("Overriding: batch_size = 12", {"batch_size": "12"}),
        ("  Num examples = 25,000", {"Num examples": "25,000"}),
        ("task=detect, model=tiny.pt, epochs=3, batch=16", {"batch": "16"}),
        ("args: {'model': 'tiny', 'lr': 0.1, 'epochs': 2}", {"epochs": "2"}),
        ("Namespace(model='org/tiny', lr=0.1, verbose=True)", {"model": "org/tiny"}),
        ("$ python x.py --batch-size 8 --device=mps --fast", {"device": "mps"}),
        ('go test -benchtime=10s -count=5 -device="CUDA0"', {"device": "CUDA0"}),
        ("$ BS=16 DEFAULT_FLOAT=half python x.py", {"DEFAULT_FLOAT": "half"}),
    ],
)
def test_settings_are_known_by_their_names(line, expected):
    values = {setting.name: setting.value for setting in settings_in(line)}

    assert values.items() >= expected.items()
    assert not values.keys() & {"task", "verbose", "fast"}


@pytest.mark.parametrize(
    "line",
    [
        "Throughput: 64 img/s",
        "step=10 lr=0.1 loss=0.5",
        "epoch=3 batch=64 time=12.5s",
        "batch: 12.5 ms",
        "epoch: 12.5",
        "{'train_runtime': 12.5, 'lr': 0.1, 'epoch': 3.0, 'batch': 8}",
        "Steps per second: 12",
    ],
)
def test_figures_and_lines_of_progress_are_no_settings(line):
    assert settings_in(line) == []


def test_settings_hold_for_the_figures_below_up_to_the_next_command():
    text = (
        "$ train --batch-size 64\nlr=0.1\nTime: 12.5 s\n"
        "$ train --batch-size 32\nTime: 10.5 s\n"
    )
    first, second = read("key-value", text)

    assert first.header == ("key", "value", "batch-size", "lr")
    assert first.inherited == ("batch-size", "lr")
    assert [cell.line for cell in first.rows[0].cells] == [3, 3, 1, 2]
    assert texts(first) == [("Time", "12.5 s", "64", "0.1")]
    assert (second.header[2:], texts(second)[0][2:]) == (("batch-size",), ("32",))


def test_a_setting_below_a_figure_of_its_block_is_not_about_the_next():
    sheets = read("key-value", "Time: 1.5 s\nBatch size: 64\n\nTime: 2.5 s\n")

    assert [sheet.header for sheet in sheets] == [("key", "value")] * 2


def test_settings_of_a_code_block_hold_inside_alone():
    text = "```\nbatch size: 64\nTime: 1.5 s\n```\n```\nTime: 2.5 s\n```\n"

    assert [len(sheet.header) for sheet in read("key-value", text)] == [3, 2]


@pytest.mark.parametrize(
    "stamp",
    [
        "[2024-03-01 10:22:31,125] [INFO] [timer.py:26:stop] ",
        "10:22:31 ",
        "[10:22:31] ",
        "10:22:31.125 | ",
        "Mar  1 10:22:31 ",
        "(EngineCore pid=37364) INFO 03-01 10:22:31 [model.py:62] ",
        "(Worker_TP0 pid=37364, ip=10.0.0.4) 10:22:31 ",
        "(EngineCore pid=37364) ",
    ],
)
def test_the_clock_of_a_log_is_no_figure(stamp):
    assert only_row("epochs", f"{stamp}step 250/5000 | 240.5 ms") == {
        "step": "250",
        "steps": "5000",
        "ms": "240.5 ms",
    }


def test_a_time_that_a_clock_shows_is_one():
    assert only_row("epochs", "00:01:31 elapsed 00:02:31 user 00:00:03 system")["user"]
    assert only_row("key-value", "Total time: 00:12:31")["value"] == "00:12:31"
    assert read("key-value", "Start time: 10:22:31\nfinished at: 10:31:07\n") == ()
    assert read("epochs", "Epoch 1 train begin 21:35:02\n") == ()


def test_a_plural_in_brackets_is_no_second():
    text = "CPU(s): 8\nCore(s) per socket: 4\nTime(s): 12\n"
    (sheet,) = read("key-value", text)

    assert [row[0] for row in texts(sheet)] == ["CPUs", "Cores per socket", "Time(s)"]


def test_what_a_training_reached_is_no_figure_of_its_own():
    text = "epoch = 3.0\nloss: 0.31\ntrain_samples_per_second = 62.3\n"
    (sheet,) = read("key-value", text)

    assert texts(sheet) == [("train_samples_per_second", "62.3", "3.0", "0.31")]
    assert sheet.inherited == ("epoch", "loss")
    assert only_row("key-value", "Final loss: 0.31") == {
        "key": "Final loss",
        "value": "0.31",
    }


def figures(text: str) -> dict[str, str]:
    sheets = readable(Document("run.log", text.encode()))
    return {row[0]: row[1] for sheet in sheets for row in texts(sheet)}


def test_a_figure_alone_in_a_log_has_its_words_as_label():
    text = """Loading weights...
Finished training in 73.2 seconds
Training took 12m 3s
average step 0.21 s
throughput = 812 images/sec
Stage done in 2 min 5 s
waiting up to 180s
latency p50 12.1 ms p95 20.2 ms
"""
    assert figures(text) == {
        "Finished training in": "73.2 seconds",
        "Training": "12m 3s",
        "average step": "0.21 s",
        "throughput": "812 images/sec",
        "Stage done in": "2 min 5 s",
        "latency p50": "12.1 ms",
        "latency p95": "20.2 ms",
    }


@pytest.mark.parametrize(
    "line",
    [
        "120/500",
        "10:22:31 loading data",
        "Loading pretrained weights",
        "compiling the model... (takes a while)...",
        "number of files: 12",
        "LOCAL_RANK: 0 - WORLD_SIZE: [1]",
        "GPU available: True (cuda), used: True",
        "It took 12 s in all",
        "Iter 20: loss 1.91, rate 0.79, memory 9.41",
        "=> Values from three executions",
    ],
)
def test_a_line_of_a_log_that_names_nothing_is_no_heading(line):
    (sheet,) = read("key-value", f"M1 Max\n{line}\nThroughput: 12 img/s\n")[-1:]

    assert sheet.context == ("M1 Max",)


@pytest.mark.parametrize(
    "line", ["Epoch Time(s): 8.7", "total elapsed = 12 min", "a | 0.5 | b 1.5 | c 9.41"]
)
def test_in_markdown_too_what_was_timed_is_no_heading_of_what_is_below(line):
    text = f"M1 Max\n{line}\nEpoch 1 | loss 0.5 | 3.5 s\n\n```\n```\n"
    (sheet,) = read("epochs", text)

    assert sheet.context == ("M1 Max",)


def test_the_number_of_a_device_is_no_datum():
    (sheet,) = read("key-value", "torch 2.1\ndevice cuda:1\nThroughput: 12 img/s\n")

    assert sheet.context == ("torch 2.1", "device cuda:1")


def test_bars_of_loading_are_no_work():
    text = "Fetching 8 files: 100%|#| 8/8 [00:02<00:00, 4.0it/s]\n"
    text += "infer: 100%|#| 9/9 [00:03<00:00, 3.0it/s]\n"

    assert [row[0] for row in texts(*read("tqdm", text))] == ["infer"]


def test_statistics_behind_a_head_are_statistics_of_that():
    row = only_row("epochs", "Inference latency (ms): mean=3.2 p50=3.1 p95=4.5")

    assert row == {
        "Inference latency (ms) mean": "3.2",
        "Inference latency (ms) p50": "3.1",
        "Inference latency (ms) p95": "4.5",
    }


def test_pairs_that_a_stroke_joins_are_several():
    assert only_row("epochs", "epoch=0/step=10, SamplesPerSec=55.5") == {
        "epoch": "0",
        "step": "10",
        "SamplesPerSec": "55.5",
    }


def test_a_banner_that_counts_is_no_heading():
    (sheet,) = read("key-value", "=== M1 ===\n--- Epoch 1 ---\nTime: 12.5 s\n")

    assert sheet.context == ("M1",)


@pytest.mark.parametrize(
    "line",
    [
        "CUDA_VISIBLE_DEVICES=0,1 /opt/llama-server -m /root/Q-4B.gguf -c 4096 -ub 512",
        "./build/bin/llama-server -m ~/models/Q-4B.gguf -c 4096 -ub 512",
    ],
)
def test_a_command_needs_no_prompt(line):
    (sheet,) = read("key-value", f"Batch size: 8\n{line}\nTime: 12.5 s\n")

    assert sheet.context == (line,)
    assert sheet.header[2:] == ("model", "context length", "n_ubatch")
    assert texts(sheet) == [("Time", "12.5 s", "Q-4B.gguf", "4096", "512")]


@pytest.mark.parametrize(
    "line",
    ["images/s -- 12.5", "a and/or b", "./x --n 3  1.5s user 0.2s system 98% cpu"],
)
def test_other_lines_are_no_commands(line):
    assert command(line) is None


def test_a_dict_behind_a_banner_holds_for_the_figures_below():
    text = "=== A1: {'pl': 'auto', 'kv': 'fp8'}\n"
    text += "A1: up=2s all={'x_ms': 1.5, 'y': 2.5} err=\n"
    (sheet,) = read("epochs", text)

    assert sheet.context == ("A1",)
    assert sheet.header == ("up", "x_ms", "y", "pl", "kv")
    assert texts(sheet) == [("2s", "1.5", "2.5", "auto", "fp8")]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("=== a-16k === (idle 57C)", "a-16k"),
        ("2024-03-01 10:22:31 === b", "b"),
        ("--- c ---", "c"),
        ("=== Total time: 12.3 s", ""),
        ("=== Epoch 3", ""),
        ("-- d", ""),
    ],
)
def test_a_bar_and_a_name_are_a_banner_but_for_figures(line, title):
    assert banner(line) == title


def test_what_is_done_heads_nothing():
    text = "=== a ===\nTime: 1.5 s\n--- a done (exit 0) ---\n\nTime: 2.5 s\n"

    assert [sheet.context for sheet in read("key-value", text)] == [("a",)] * 2


@pytest.mark.parametrize(
    "shell",
    ["$ go test -bench .", r"C:\x>go test -bench .", "go test -benchtime=10s -bench ."],
)
def test_of_the_console_of_a_test_its_benchmarks_alone_are_figures(shell):
    text = f"{shell} -device=Vulkan0\ngoos: linux\ncpu: EPYC 7443P\n"
    text += "BenchmarkRun-8\t  99\t 110913774 ns/op\t 270.5 tokens/s\n"
    text += "BenchmarkRun-8\t 100\t 111035054 ns/op\t 270.2 tokens/s\n"
    text += "PASS\nok  \tgithub.com/x/llama\t61.199s\n"
    document = Document("run.md", f"# Run\n\n```\n{text}```\n".encode())

    (sheet,) = readable(document)

    assert sheet.header[2:] == ("ns/op", "tokens/s", "device", "cpu")
    assert texts(sheet)[1][2:] == (
        *("111035054 ns/op", "270.2 tokens/s"),
        *("Vulkan0", "EPYC 7443P"),
    )
    assert sheet.context[1].startswith("go test")
