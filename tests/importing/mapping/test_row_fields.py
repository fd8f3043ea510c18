import pytest

from benchdb.errors import UsageError
from tests.importing.mapping.mapped import (
    BASE,
    SPEED,
    THROUGHPUT,
    items,
    only,
    records,
    refused,
    speed,
    table,
)


def seconds(columns, head, *rows, before=BASE):
    """Return what a map makes of rows that begin with a model and end with seconds."""
    toml = f"""
    [[table]]
    [table.columns]
    s = {{ is = "value", metric = "epoch_seconds" }}
    {"" if "Model" in columns else 'Model = { field = "workload" }'}
    {columns}
    """
    return items(before + toml, table(f"Model | {head} | s", *rows))


def test_a_column_that_the_map_does_not_name_becomes_a_parameter():
    run = only(speed("vgg16 | M1 | 3 img/s | 2", more=" | Opt. level")).run

    assert run.parameters == {"opt_level": 2}
    assert run.basis["opt_level"] == "column Opt. level, which the map does not name"


def test_a_column_that_the_map_does_not_name_keeps_rows_apart():
    rows = ("vgg16 | M1 | 3 img/s | 4", "vgg16 | M1 | 5 img/s | 8")
    result = records(speed(*rows, more=" | 배치"))

    assert [record.run.parameters for record in result] == [{"배치": 4}, {"배치": 8}]


def test_a_blank_cell_of_a_column_that_the_map_does_not_name_says_nothing():
    assert only(speed("vgg16 | M1 | 3 img/s | ", more=" | Note")).run.parameters == {}


BS = 'BS = { field = "parameters.batch_size" }\n'


def test_a_column_that_would_hide_another_is_refused():
    rows = "vgg16 | M1 | 3 img/s | 4 | 8"
    ((place, why),) = refused(speed(rows, more=" | BS | Batch size", toml=SPEED + BS))

    assert place == "line 3"
    assert why.startswith("column 'Batch size' is not in the map")


def test_a_batch_size_that_is_no_number_is_refused():
    claims = speed("vgg16 | M1 | 3 img/s | huge", more=" | BS", toml=SPEED + BS)

    assert refused(claims) == [("line 3", "'huge' is no batch size")]


@pytest.mark.parametrize(
    ("cell", "size"), [("64", 64), ("bs=64", 64), ("Batch 8", 8), ("M=16", 16)]
)
def test_a_batch_size_is_a_number_whatever_stands_before_it(cell, size):
    claims = speed(f"vgg16 | M1 | 3 img/s | {cell}", more=" | BS", toml=SPEED + BS)

    assert only(claims).run.parameters == {"batch_size": size}


@pytest.mark.parametrize("rates", [("0.5", "0.5"), ("1", "1.0")])
def test_equal_numbers_are_equal_however_they_are_printed(rates):
    rows = [f"vgg16 | M1 | {n} img/s | {rate}" for n, rate in enumerate(rates, 3)]
    columns = 'LR = { field = "parameters.learning_rate" }\n'
    claims = speed(*rows, more=" | LR", toml=SPEED + columns)

    assert records(claims) == []
    assert "twice" in refused(claims)[0][1]


def test_the_words_of_a_column_mean_what_the_map_says():
    columns = """
    [table.columns.Metal]
    field = "device"
    values = { ja = "metal", nein = "cpu" }
    cells.Ja = { basis = { device = "column Metal: ja" } }
    """
    before = '[set]\nframework = "torch"\n'
    rows = ("vgg16 | ja | 2", "vgg16 | NEIN | 3")
    result = seconds(columns, "Metal", *rows, before=before)
    metal, cpu = records(result)

    assert (metal.run.device, cpu.run.device) == ("metal", "cpu")
    assert metal.run.basis["device"] == "column Metal: ja"
    assert "device" not in cpu.run.basis


def test_a_word_that_is_no_device_stays_with_the_run_as_a_setting():
    result = seconds('On = { field = "device" }', "On", "vgg16 | potato | 2", before="")
    (run,) = (it.run for it in records(result))

    assert run.device == "unknown"
    assert run.parameters["device"] == "potato"
    assert run.missing["device"] == "'potato': no device that is known"


def test_a_column_of_fields_may_stand_for_others_as_well():
    columns = """
    Model = { field = "workload", set = { precision = "fp16" } }
    On = { field = "device" }
    """
    run = only(seconds(columns, "On", "vgg16 | mps | 2", before="")).run

    assert (run.precision, run.device) == ("fp16", "metal")


def test_a_blank_cell_leaves_the_default_and_else_says_that_nothing_is_printed():
    columns = """
    Precision = { field = "precision" }
    Compiler = { field = "compiler" }
    """
    before = '[set]\nprecision = "fp32"\n'
    head = "Precision | Compiler"
    run = only(seconds(columns, head, "vgg16 |  | - | 2", before=before)).run

    assert run.precision == "fp32"
    assert (run.compiler, run.missing["compiler"]) == (None, "not printed")


def test_a_blank_cell_may_repeat_the_one_above():
    toml = SPEED.replace('"workload"', '"workload", blank = "above"')
    claims = speed("vgg16 | M1 | 3 img/s", " | M2 | 4 img/s", toml=toml)

    assert [record.run.workload for record in records(claims)] == ["vgg16", "vgg16"]


def test_a_row_without_a_workload_is_refused():
    place, why = "line 3, column Speed", "nothing says which workload this is"

    assert refused(speed(" | M1 | 3 img/s")) == [(place, why)]


def test_a_date_and_a_seed_are_taken_as_what_they_are():
    columns = """
    Date = { field = "started" }
    Seed = { field = "seed" }
    """
    rows = ("vgg16 | 2022-07-10 | 7 | 2", "alexnet | yesterday | 7 | 2")
    result = seconds(columns, "Date | Seed", *rows, before="")
    (record,) = records(result)

    assert (record.run.started, record.run.seed) == ("2022-07-10", 7)
    assert "'yesterday' is no date" in refused(result)[0][1]


def test_a_workload_that_only_its_name_makes_ours_has_a_setting_of_its_own():
    run = only(speed("ResNet-50 | M1 | 3 img/s")).run

    assert (run.workload, run.setting) == ("resnet50", "results")
    assert run.basis["workload"] == "printed as ResNet-50"
    assert "nothing says that the work is done as ours" in run.basis["setting"]


def test_a_workload_that_the_map_gives_is_ours():
    toml = BASE + "[workloads.resnet50]\nmatch = ['ResNet-50']\n[[table]]" + THROUGHPUT
    run = only(speed("resnet-50 | M1 | 3 img/s", toml=toml)).run

    assert (run.workload, run.setting, run.basis) == ("resnet50", "standard", {})


def test_a_workload_that_nobody_knows_keeps_its_name():
    run = only(speed("My Model v3 | M1 | 3 img/s")).run

    assert (run.workload, run.setting) == ("my-model-v3", "results")


def test_columns_that_the_map_does_not_name_may_be_ignored():
    ignoring = SPEED.replace("[[table]]", '[[table]]\nothers = "ignore"')
    rows = table("Model | GPU | Speed | Note", "vgg16 | M1 | 3 img/s | by night")
    assert only(items(ignoring, rows)).run.parameters == {}


def test_groups_of_a_pattern_set_fields_and_whole_cells_win():
    columns = r"""
    Model = { field = "workload" }
    Weights.field = "parameters.model"
    Weights.pattern = '(?P<parameters__model>.+)-(?P<parameters__quantization>Q\d)'
    Weights.values = { "llama-3-Q8" = "Llama 3" }
    """
    rows = ("a | llama-3-Q8 | 1 s", "a | phi-4-Q4 | 2 s", "a | other | 3 s")
    assert [
        record.run.parameters for record in records(seconds(columns, "Weights", *rows))
    ] == [
        {"model": "Llama 3", "quantization": "Q8"},
        {"model": "phi-4", "quantization": "Q4"},
        {"model": "other"},
    ]


def test_rows_are_left_out_by_what_a_cell_says():
    columns = """
    Success = { is = "ignore", skip = { "^False$" = "it failed" } }
    """
    (record,) = records(
        seconds(columns, "Success", "a | False | 9 s", "b | True | 1 s")
    )
    assert record.run.workload == "b"


def test_a_pattern_whose_group_is_no_field_is_an_error_of_the_map():
    with pytest.raises(UsageError, match="group 'colour' is no field"):
        seconds('A = { field = "seed", pattern = "(?P<colour>.)" }', "A", "x | 1 | 1 s")
