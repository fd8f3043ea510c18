import pytest

from tests.importing.mapping.mapped import (
    BASE,
    THROUGHPUT,
    items,
    only,
    records,
    refused,
    table,
)


def test_a_column_that_the_map_does_not_name_becomes_a_parameter():
    text = table("Model | GPU | Speed | Opt. level", "vgg16 | M1 | 3 img/s | 2")
    run = only(items(BASE + "[[table]]" + THROUGHPUT, text)).run

    assert run.parameters == {"opt_level": 2}
    assert run.basis["opt_level"] == "column Opt. level, which the map does not name"


def test_a_column_that_the_map_does_not_name_keeps_rows_apart():
    text = table(
        "Model | GPU | Speed | 배치",
        "vgg16 | M1 | 3 img/s | 4",
        "vgg16 | M1 | 5 img/s | 8",
    )
    found = records(items(BASE + "[[table]]" + THROUGHPUT, text))

    assert [record.run.parameters for record in found] == [{"배치": 4}, {"배치": 8}]


def test_a_column_that_would_hide_another_is_refused():
    toml = THROUGHPUT + 'BS = { field = "parameters.batch_size" }\n'
    text = table(
        "Model | GPU | Speed | BS | Batch size", "vgg16 | M1 | 3 img/s | 4 | 8"
    )
    ((place, why),) = refused(items(BASE + "[[table]]" + toml, text))

    assert place == "line 3"
    assert why.startswith("column 'Batch size' is not in the map")


def test_the_words_of_a_column_mean_what_the_map_says():
    toml = """
    [[table]]
    [table.columns]
    Model = { field = "workload" }
    s = { is = "value", metric = "epoch_seconds" }
    [table.columns.Metal]
    field = "device"
    values = { ja = "metal", nein = "cpu" }
    cells.Ja = { basis = { device = "column Metal: ja" } }
    """
    text = table("Model | s | Metal", "vgg16 | 2 | ja", "vgg16 | 3 | NEIN")
    metal, cpu = records(items('[set]\nframework = "torch"\n' + toml, text))

    assert (metal.run.device, cpu.run.device) == ("metal", "cpu")
    assert metal.run.basis["device"] == "column Metal: ja"
    assert "device" not in cpu.run.basis


def test_a_device_that_is_none_is_refused():
    toml = """
    [[table]]
    [table.columns]
    Model = { field = "workload" }
    On = { field = "device" }
    s = { is = "value", metric = "epoch_seconds" }
    """
    found = items(toml, table("Model | On | s", "vgg16 | potato | 2"))

    assert "'potato' is no device" in refused(found)[0][1]


def test_a_blank_cell_leaves_the_default_and_else_says_that_nothing_is_printed():
    toml = """
    [set]
    precision = "fp32"
    [[table]]
    [table.columns]
    Model = { field = "workload" }
    Precision = { field = "precision" }
    Compiler = { field = "compiler" }
    s = { is = "value", metric = "epoch_seconds" }
    """
    run = only(
        items(toml, table("Model | Precision | Compiler | s", "vgg16 |  | - | 2"))
    ).run

    assert run.precision == "fp32"
    assert (run.compiler, run.missing["compiler"]) == (None, "not printed")


def test_a_blank_cell_may_repeat_the_one_above():
    toml = THROUGHPUT.replace('"workload"', '"workload", blank = "above"')
    text = table("Model | GPU | Speed", "vgg16 | M1 | 3 img/s", " | M2 | 4 img/s")
    found = items(BASE + "[[table]]" + toml, text)

    assert [record.run.workload for record in records(found)] == ["vgg16", "vgg16"]


def test_a_row_without_a_workload_is_refused():
    text = table("Model | GPU | Speed", " | M1 | 3 img/s")
    found = items(BASE + "[[table]]" + THROUGHPUT, text)

    assert refused(found) == [
        ("line 3, column Speed", "nothing says which workload this is")
    ]


def test_a_date_and_a_seed_are_taken_as_what_they_are():
    toml = """
    [[table]]
    [table.columns]
    Model = { field = "workload" }
    Date = { field = "started" }
    Seed = { field = "seed" }
    s = { is = "value", metric = "epoch_seconds" }
    """
    text = table(
        "Model | Date | Seed | s",
        "vgg16 | 2022-07-10 | 7 | 2",
        "alexnet | yesterday | 7 | 2",
    )
    found = items(toml, text)
    (record,) = records(found)

    assert (record.run.started, record.run.seed) == ("2022-07-10", 7)
    assert "'yesterday' is no date" in refused(found)[0][1]


def test_a_workload_that_only_its_name_makes_ours_has_a_setting_of_its_own():
    text = table("Model | GPU | Speed", "ResNet-50 | M1 | 3 img/s")
    run = only(items(BASE + "[[table]]" + THROUGHPUT, text)).run

    assert (run.workload, run.setting) == ("resnet50", "results")
    assert run.basis["workload"] == "printed as ResNet-50"
    assert "nothing says that the work is done as ours" in run.basis["setting"]


def test_a_workload_that_the_map_gives_is_ours():
    toml = BASE + "[workloads.resnet50]\nmatch = ['ResNet-50']\n[[table]]" + THROUGHPUT
    text = table("Model | GPU | Speed", "resnet-50 | M1 | 3 img/s")
    run = only(items(toml, text)).run

    assert (run.workload, run.setting) == ("resnet50", "standard")
    assert run.basis == {}


def test_a_workload_that_nobody_knows_keeps_its_name():
    text = table("Model | GPU | Speed", "My Model v3 | M1 | 3 img/s")
    run = only(items(BASE + "[[table]]" + THROUGHPUT, text)).run

    assert (run.workload, run.setting) == ("my-model-v3", "results")


def test_a_batch_size_that_is_no_number_is_refused():
    toml = THROUGHPUT + 'BS = { field = "parameters.batch_size" }\n'
    text = table("Model | GPU | Speed | BS", "vgg16 | M1 | 3 img/s | huge")

    assert refused(items(BASE + "[[table]]" + toml, text)) == [
        ("line 3", "'huge' is no batch size")
    ]


@pytest.mark.parametrize(("cell", "size"), [("64", 64), ("bs=64", 64), ("Batch 8", 8)])
def test_a_batch_size_is_a_number_whatever_stands_before_it(cell, size):
    toml = THROUGHPUT + 'BS = { field = "parameters.batch_size" }\n'
    text = table("Model | GPU | Speed | BS", f"vgg16 | M1 | 3 img/s | {cell}")
    run = only(items(BASE + "[[table]]" + toml, text)).run

    assert run.parameters == {"batch_size": size}


@pytest.mark.parametrize("rates", [("0.5", "0.5"), ("1", "1.0")])
def test_equal_numbers_are_equal_however_they_are_printed(rates):
    toml = THROUGHPUT + 'LR = { field = "parameters.learning_rate" }\n'
    rows = [f"vgg16 | M1 | 3 img/s | {rate}" for rate in rates]
    found = items(BASE + "[[table]]" + toml, table("Model | GPU | Speed | LR", *rows))

    assert records(found) == []
    assert "twice" in refused(found)[0][1]


def test_a_blank_cell_of_a_column_that_the_map_does_not_name_says_nothing():
    text = table("Model | GPU | Speed | Note", "vgg16 | M1 | 3 img/s | ")

    assert only(items(BASE + "[[table]]" + THROUGHPUT, text)).run.parameters == {}


def test_a_column_of_fields_may_stand_for_others_as_well():
    toml = """
    [[table]]
    [table.columns]
    Model = { field = "workload", set = { precision = "fp16" } }
    On = { field = "device" }
    s = { is = "value", metric = "epoch_seconds" }
    """
    run = only(items(toml, table("Model | On | s", "vgg16 | mps | 2"))).run

    assert (run.precision, run.device) == ("fp16", "metal")
