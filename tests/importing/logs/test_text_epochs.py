import pytest

from tests.importing.sheet_texts import only_row, read, texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Epoch 3, time 12.3s", {"epoch": "3", "time": "12.3s"}),
        (
            "Epoch [3/10] Loss: 0.5 Time: 12.3 s",
            {"epoch": "3", "of": "10", "Loss": "0.5", "Time": "12.3 s"},
        ),
        ("[Epoch 3] loss 0.5", {"epoch": "3", "loss": "0.5"}),
        (
            "Iteration 200 (1.98 iter/s, 50.43s/100 iters), loss = 1.4",
            {
                "step": "200",
                "iter/s": "1.98 iter/s",
                "time per 100 iters": "50.43s",
                "loss": "1.4",
            },
        ),
        (
            "`SIZE: 2048; elapsed time: 0.05s; performance: 303.9 GFLOPS`",
            {"SIZE": "2048", "elapsed time": "0.05s", "performance": "303.9 GFLOPS"},
        ),
        *(
            (
                f"{epoch} 1  {step} 100/1487  {loss} 6.5  5 img/s",
                {
                    "epoch": "1",
                    "step": "100",
                    "steps": "1487",
                    loss: "6.5",
                    "img/s": "5 img/s",
                },
            )
            for epoch, step, loss in (
                ("epoca", "paso", "perdida"),
                ("Época", "passo", "perda"),
                ("époque", "étape", "perte"),
                ("Epoche", "Schritt", "Verlust"),
                ("Epoca", "passo", "perdita"),
                ("Эпоха", "шаг", "потери"),
                ("轮次", "步", "损失"),
                ("エポック", "ステップ", "損失"),
                ("에폭", "스텝", "손실"),
            )
        ),
        (
            "  squeezenet_int8  min =   65.72  max =   66.05  avg =   65.84",
            {
                "key": "squeezenet_int8",
                "min": "65.72",
                "max": "66.05",
                "avg": "65.84",
            },
        ),
        (  # words of no language that is known here
            "epoka 1  krok 100/1487  5 img/s",
            {
                "epoka": "1",
                "krok": "100",
                "krok in all": "1487",
                "img/s": "5 img/s",
            },
        ),
        ("epoch=3 step=100 loss=1e-05", {"epoch": "3", "step": "100", "loss": "1e-05"}),
        (
            "| epoch   3 |   200/ 2983 batches | lr 5.00 | ms/batch 12.34 | ppl  94.50",
            {
                "epoch": "3",
                "step": "200",
                "steps": "2983",
                "lr": "5.00",
                "ms/batch": "12.34",
                "ppl": "94.50",
            },
        ),
        (
            "Train Epoch: 1 [640/60000 (1%)]\tLoss: 0.50",
            {
                "phase": "Train",
                "epoch": "1",
                "step": "640",
                "steps": "60000",
                "value (in brackets)": "1%",
                "Loss": "0.50",
            },
        ),
        (
            "Epoch: [0][ 10/391]\tTime  0.123 ( 0.456)\tLoss 6.9e+00 (7.0e+00)",
            {
                "epoch": "0",
                "step": "10",
                "steps": "391",
                "Time": "0.123",
                "Time (in brackets)": "0.456",
                "Loss": "6.9e+00",
                "Loss (in brackets)": "7.0e+00",
            },
        ),
        (
            "step   10/1000 | loss 4.51 (+1.2z)| 123.45 ms | 45.6% MFU | 9876 tok/s",
            {
                "step": "10",
                "steps": "1000",
                "loss": "4.51",
                "loss (in brackets)": "+1.2z",
                "ms": "123.45 ms",
                "MFU": "45.6%",
                "tok/s": "9876 tok/s",
            },
        ),
        (
            "Iter 10: Train loss 2.3, Tokens/sec 234.5, Peak mem 12.3 GB",
            {
                "step": "10",
                "Train loss": "2.3",
                "Tokens/sec": "234.5",
                "Peak mem": "12.3 GB",
            },
        ),
        (
            " iteration   100/  500 | time per iteration (ms): 1234.5 | lr: 1E-4",
            {
                "step": "100",
                "steps": "500",
                "lr": "1E-4",
                "time per iteration (ms)": "1234.5",
            },
        ),
        (
            "{'train_runtime': 12.3, 'train_samples_per_second': 45.6, 'epoch': 3.0}",
            {
                "train_runtime": "12.3",
                "train_samples_per_second": "45.6",
                "epoch": "3.0",
            },
        ),
        ('{"loss": 0.5, "time": 12.3}', {"loss": "0.5", "time": "12.3"}),
        (
            "2023-01-02 12:00:00,123 - INFO - Epoch 3: loss=0.5, time=12.3 s",
            {"epoch": "3", "loss": "0.5", "time": "12.3 s"},
        ),
        (
            "python3 x.py  64,10s user 2,30s system 131% cpu 50,700 total",
            {
                "command": "python3 x.py",
                "user": "64,10s",
                "system": "2,30s",
                "cpu": "131%",
                "total": "50,700",
            },
        ),
        (
            "54.17user 3.32system 0:49.70elapsed 115%CPU (0avgtext+0avgdata",
            {
                "command": "",
                "user": "54.17",
                "system": "3.32",
                "elapsed": "0:49.70",
                "CPU": "115%",
            },
        ),
        (
            "       12.50 real        11.00 user         1.25 sys",
            {"command": "", "real": "12.50", "user": "11.00", "sys": "1.25"},
        ),
        (
            "CPU times: user 1.5 s, sys: 250 ms, total: 1.75 s",
            {"user": "1.5 s", "sys": "250 ms", "total": "1.75 s"},
        ),
        ("Epoch 1 took 12.3s", {"epoch": "1", "took": "12.3s"}),
        (
            "Model: resnet50, Batch size: 64, Time: 12.3 s",
            {"Model": "resnet50", "Batch size": "64", "Time": "12.3 s"},
        ),
        ("Epoch 1, 54,17s, Loss 0,5", {"epoch": "1", "s": "54,17s", "Loss": "0,5"}),
        (
            "Epoch 5/5 Elapsed: 0:01:02.5 Speed: 1,234.5 img/s",
            {"epoch": "5", "of": "5", "Elapsed": "0:01:02.5", "Speed": "1,234.5 img/s"},
        ),
        (
            "Epoch 2 - 1 m 30 s - 5 it/s",
            {"epoch": "2", "m 30 s": "1 m 30 s", "it/s": "5 it/s"},
        ),
        (
            "Epoch 0 | Speed (img/s) nan | GPU 296.2 MB",
            {"epoch": "0", "Speed (img/s)": "nan", "GPU": "296.2 MB"},
        ),
    ],
)
def test_the_lines_of_training_logs(text, expected):
    assert only_row("epochs", text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Epoch 1 of our company was long",
        "Epoch 00003: val_loss improved from 0.52 to 0.41, saving model to best.h5",
        "The M1 needs 12 s, while the M2 needs 10 s: a win.",
        "We trained for 10 epochs, see Epoch 3 in Figure 2: it took 12 hours.",
        "foo(a=1, b=2)",
        "vgg16: 12.3",
        "450/450 - 3s - loss: 0.4 - acc: 0.8 - 6ms/step",
        "9/9 [====] - 2s 1ms/step - loss: 0.2 - acc: 0.3",
        "{'a': [1, 2], 'b': 3}",
        "{'a': __import__('os').system('x'), 'b': 1}",
        "$ train epoch=1 loss=2",
        "2024-05-06 07:08:09.1",
    ],
)
def test_prose_calls_and_lines_of_others_are_left_alone(text):
    assert read("epochs", text) == ()


def test_lines_with_equal_names_are_one_sheet_and_others_another():
    text = "".join(
        f"Epoch {n}, train loss 0.5, time 12.{n}s\nEpoch {n}, val loss 0.6\n"
        for n in range(1, 4)
    )

    train, val = read("epochs", text)
    assert [row.line for row in train.rows] == [1, 3, 5]
    assert [row.line for row in val.rows] == [2, 4, 6]
    assert texts(val)[2] == ("3", "0.6")


def test_epochs_that_start_again_are_another_sheet():
    text = "Epoch 1, time 5s\nEpoch 2, time 5s\nEpoch 1, time 4s\n"

    assert [len(sheet.rows) for sheet in read("epochs", text)] == [2, 1]


def test_each_model_has_its_own_context():
    text = "=== vgg ===\nEpoch 1, time 5s\n=== alexnet ===\nEpoch 1, time 4s\n"

    assert [one_.context for one_ in read("epochs", text)] == [("vgg",), ("alexnet",)]


def test_the_head_of_a_line_may_name_the_unit_of_what_it_lists():
    (sheet,) = read(
        "epochs", "Timings in us: Init: 464, First inference: 37888, Mean: 9.5"
    )

    assert texts(sheet) == [("Timings in us", "464 us", "37888 us", "9.5 us")]


def test_a_run_of_warming_up_is_told_and_no_row():
    text = (
        "Run 1: prefill=2708ms decode=66.1tok/s (warmup)\n"
        "Run 2: prefill=273ms decode=69.4tok/s\n"
    )
    (sheet,) = read("epochs", text)

    assert texts(sheet) == [("Run 2", "273ms", "69.4tok/s")]
    assert [bad.reason for bad in sheet.bad] == ["a run of warming up"]


def test_a_coefficient_of_variation_is_a_statistic_of_what_stands_before_them():
    text = "wall_TPS   mean= 77.5   std= 2.5   CV= 2.8%   min=74.89   max=79.88"
    (sheet,) = read("epochs", text)

    assert sheet.header == ("key", "mean", "std", "CV", "min", "max")
    assert texts(sheet) == [("wall_TPS", "77.5", "2.5", "2.8%", "74.89", "79.88")]


def test_the_process_of_a_line_is_no_figure_of_what_it_lists():
    row = only_row("epochs", "(APIServer pid=37364) args: {'batch': 8, 'time_s': 1.5}")
    assert row == {"key": "args", "batch": "8", "time_s": "1.5"}


def test_the_source_of_a_warning_and_where_a_checkpoint_went_head_no_figures():
    (sheet,) = read(
        "epochs",
        "/home/x/prune.py:164: FutureWarning: `autocast(args...)` is deprecated.\n"
        "  with torch.cuda.amp.autocast():\n"
        "  epoca 0  paso 0/1487  loss 6.502  5 img/s\n"
        "  nuevo mejor (56.04%) -> /home/x/ck.pth.best\n"
        "  epoca 1  paso 0/1487  loss 3.055  192 img/s\n",
    )
    assert sheet.context == ()
    assert len(sheet.rows) == 2


def test_a_gap_sets_the_name_of_a_line_apart_from_what_it_lists():
    text = (
        "  run-1      wall= 13.05s  ttft=   107ms  toks=1000\n"
        "  run-2      wall= 13.35s  ttft=   141ms  toks=1000\n"
    )
    (sheet,) = read("epochs", text)

    assert sheet.header == ("key", "wall", "ttft", "toks")
    assert texts(sheet) == [
        ("run-1", "13.05s", "107ms", "1000"),
        ("run-2", "13.35s", "141ms", "1000"),
    ]


def test_the_rank_and_the_clock_before_a_line_are_no_figures_of_it():
    text = (
        "[rank0] 2025-02-01 08:01:10 | iter 10 | loss 2.13 | 3.81 s/iter\n"
        "[rank0] 2025-02-01 08:01:48 | iter 20 | loss 2.05 | 3.79 s/iter\n"
    )
    (sheet,) = read("epochs", text)

    assert sheet.header == ("step", "loss", "s/iter")


def test_what_stands_before_the_colon_in_lines_of_one_form_is_their_key():
    (sheet,) = read(
        "epochs",
        "This repo: trained on RTX 2080Ti PSNR: 23.9 | time: 259 s\n"
        "Official repo: trained on RTX 2080Ti PSNR: 24.6 | time: 254 s\n",
    )

    assert sheet.header == ("key", "value", "PSNR", "time")
    assert texts(sheet) == [
        ("This repo", "trained on RTX 2080Ti", "23.9", "259 s"),
        ("Official repo", "trained on RTX 2080Ti", "24.6", "254 s"),
    ]
