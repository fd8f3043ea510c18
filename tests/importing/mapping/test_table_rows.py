import pytest

from benchdb.importing.document import DocumentError
from tests.importing.mapping.mapped import (
    BASE,
    PIVOT,
    SPEED,
    THROUGHPUT,
    items,
    only,
    records,
    refused,
    speed,
    speeds,
    table,
    value,
)

POWER = 'Power = { is = "value", metric = "peak_power_watts" }\n'


def test_a_row_becomes_a_run_with_its_place_and_the_characters_printed():
    record = only(speed("vgg16 | M1 Max | 140 img/sec"))
    figure = value(record, "reported_samples_per_second")

    assert (figure.value, figure.printed) == (140.0, "140 img/sec")
    assert figure.locator == "line 3, column Speed"
    assert record.machine.chip.name == "M1 Max"
    assert record.run.label == "transcribed"


def test_columns_are_found_whatever_their_case_and_markup():
    text = table("**MODEL** | `gpu` | Speed", "vgg16 | M1 | 3 img/s")

    assert speeds(items(SPEED, text)) == {"vgg16": 3.0}


def test_figures_under_equal_fields_are_one_run():
    claims = speed("vgg16 | M1 | 3 img/s | 42W", more=" | Power", toml=SPEED + POWER)
    record = only(claims)

    assert {item.metric: item.value for item in record.end.values} == {
        "reported_samples_per_second": 3.0,
        "peak_power_watts": 42.0,
    }
    assert record.run.locator == "line 3"


def test_figures_of_one_run_and_metric_are_all_refused_with_what_differs():
    same = ("vgg16 | M1 | 3 img/s", "VGG-16 | M1 | 4 img/s")
    claims = speed(*same, "alexnet | M1 | 9 img/s")
    (place, why), (other, _) = refused(claims)

    assert speeds(claims) == {"alexnet": 9.0}
    assert (place, other) == ("line 3, column Speed", "line 4, column Speed")
    assert "twice: reported_samples_per_second" in why
    assert "line 4, column Speed" in why
    assert "what differs is 'Model' ('vgg16', 'VGG-16')" in why


def test_figures_that_only_headings_tell_apart_are_refused_with_these():
    above, below = (
        table("Model | GPU | Speed", f"vgg16 | M1 | {n} img/s") for n in (3, 4)
    )
    claims = items(SPEED, f"## Fan on\n\n{above}\n\n## Fan off\n\n{below}")

    (_, why), (_, _) = refused(claims)
    assert why.endswith("one is under 'Fan on', the other under 'Fan off'")


def test_a_figure_that_is_printed_again_is_stored_once_with_both_places():
    rows = table("Model | GPU | Speed", "vgg16 | M1 | 3 img/s")
    claims = items(SPEED, f"## Results\n\n{rows}\n\n## In short\n\n{rows}")

    assert refused(claims) == []
    (value,) = only(claims).end.values
    assert value.value == 3.0
    assert value.locator == "line 5, column Speed; line 11, column Speed"


def test_a_collision_in_one_metric_leaves_the_other_figures_of_the_run():
    rows = ("vgg16 | M1 | 3 img/s | 5 W", "vgg16 | M1 | 4 img/s | ")
    claims = speed(*rows, more=" | Power", toml=SPEED + POWER)

    assert [why.partition(":")[0] for _, why in refused(claims)] == ["twice"] * 4


def test_a_figure_that_cannot_be_read_leaves_the_others_of_its_run():
    rows = ("vgg16 | M1 | 3 img/s | much", "alexnet | M1 | 9 img/s | 5 W")
    claims = speed(*rows, more=" | Power", toml=SPEED + POWER)

    assert speeds(claims) == {"vgg16": 3.0, "alexnet": 9.0}
    assert [place for place, _ in refused(claims)] == ["line 3, column Power"]


def test_a_pivot_has_a_run_for_each_column():
    claims = items(PIVOT, table("Model | M1 Max | fp16", "vgg16 | 12.5 | 3.5"))
    machine, precision = records(claims)

    assert machine.machine.chip.name == "M1 Max"
    assert precision.run.precision == "fp16"
    assert precision.machine.chip.name == "unknown"
    assert machine.run.locator == "line 3, column M1 Max"


def test_a_bad_cell_of_a_pivot_leaves_the_other_columns():
    claims = items(PIVOT, table("Model | M1 Max | fp16", "vgg16 | what | 3.5"))

    assert [place for place, _ in refused(claims)] == ["line 3, column M1 Max"]
    assert [record.run.precision for record in records(claims)] == ["fp16"]


BY_METRIC = """
[set]
workload = "vgg16"
[[table]]
[table.columns.Measure]
is = "metric"
values."Time (ms)" = "reported_step_seconds"
values.Memory = "peak_memory_reported_bytes"
values.Note = ""
[table.columns.M1]
is = "value"
set = { machine = "M1" }
[table.columns.M2]
is = "value"
set = { machine = "M2" }
"""


def test_rows_may_be_metrics():
    rows = ("Time (ms) | 20 | 10", "memory | 2 GB | 3 GB", "Note | good | bad")
    claims = items(BY_METRIC, table("Measure | M1 | M2", *rows))

    assert refused(claims) == []
    assert [
        (record.machine.chip.name, [item.value for item in record.end.values])
        for record in records(claims)
    ] == [("M1", [2e9, 0.02]), ("M2", [3e9, 0.01])]


def test_rows_are_meant_by_the_cell_that_names_their_metric_wherever_it_stands():
    meaning = '[table.rows]\n"^memory$" = { set = { "parameters.step" = "loading" } }\n'
    toml = BY_METRIC.replace(
        "[table.columns.Measure]", f"{meaning}[table.columns.Measure]"
    )
    claims = items(
        toml, table("M1 | M2 | Measure", "20 | 10 | Time (ms)", "2 GB | 3 GB | memory")
    )

    assert [
        (record.run.parameters, [figure.value for figure in record.end.values])
        for record in records(claims)
    ] == [
        ({}, [0.02]),
        ({}, [0.01]),
        ({"step": "loading"}, [2e9]),
        ({"step": "loading"}, [3e9]),
    ]


def test_a_row_that_is_no_metric_of_the_map_is_refused():
    claims = items(BY_METRIC, table("Measure | M1 | M2", "Loss | 1 | 2"))

    assert refused(claims) == [("line 3", "'Loss' is no metric that the map names")]


def test_rows_that_are_left_out_and_blank_rows_say_nothing():
    toml = BASE + "[[table]]\nskip = ['^Mean']" + THROUGHPUT
    claims = speed("Mean | M1 | 5 img/s", " | | ", "vgg16 | M1 | 3 img/s", toml=toml)

    assert refused(claims) == []
    assert speeds(claims) == {"vgg16": 3.0}


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("vgg16 | M1 | 3 | 4", ""),  # it has too many cells
        ("vgg16 | M1 | =cmd\\|' /C calc'!A0", "=cmd"),
        ("vgg16 | M1 | <script>alert(1)</script>", ""),
        (f"vgg16 | M1 | {'9' * 9000}", "200 characters"),
        ("vgg16 | M1 | \u202e3", "U+202E"),
        ("vgg16 | M1 | 1e308 kimg/s", "larger than what a float64 holds"),
        ("a\u202eb | \u202eM1 | 4 img/s", "U+202E"),
    ],
)
def test_hostile_and_ragged_rows_are_refused_and_the_rest_lands(row, why):
    claims = speed(row, "alexnet | M1 | 9 img/s")

    assert speeds(claims)["alexnet"] == 9.0
    assert [speed for speed in speeds(claims).values() if speed] == [9.0]
    assert why in str(refused(claims))


def test_kbytes_of_gnu_time_are_of_1024():
    label = "Maximum resident set size (kbytes)"
    columns = f"""
    [[table]]
    read = "key-value"
    set = {{ workload = "a" }}
    [table.columns]
    key = {{ is = "metric", values = {{ "{label}" = "peak_memory_observed_bytes" }} }}
    value = {{ is = "value" }}
    """

    record = only(items(BASE + columns, f"\t{label}: 2048\n"))
    assert value(record, "peak_memory_observed_bytes").value == 2048 * 1024


HEADINGS = """
[[table]]
context = ['batch (?P<parameters__batch_size>\\d+|small)']
[table.headings."(?i)larger"]
missing = { steps = "not printed for these" }
rows."vgg".set = { "parameters.steps" = 100 }
rows."vgg".basis = { steps = "line 9" }
"""


@pytest.mark.parametrize(("size", "kept"), [("64", 64), ("small", "small")])
def test_a_heading_above_the_table_sets_what_its_groups_name(size, kept):
    claims = speed(
        "vgg16 | M1 | 3 img/s",
        toml=BASE + HEADINGS + THROUGHPUT,
        above=f"## Results at batch {size}",
    )

    assert only(claims).run.parameters == {"batch_size": kept}


def test_a_heading_inside_the_table_holds_for_the_rows_that_follow():
    first, large, other = records(
        speed(
            "vgg16 | M1 | 3 img/s",
            "Larger batch 128 | | ",
            "vgg16 | M1 | 4 img/s",
            "alexnet | M1 | 5 img/s",
            toml=BASE + HEADINGS + THROUGHPUT,
        )
    )

    assert first.run.parameters == {}
    assert large.run.parameters == {"batch_size": 128, "steps": 100}
    assert large.run.basis["steps"] == "line 9"
    assert other.run.parameters == {"batch_size": 128}
    assert other.run.missing["steps"] == "not printed for these"


def test_a_heading_that_the_map_does_not_name_keeps_the_runs_apart():
    rows = ("vgg16 | M1 | 3 img/s", "With a fan | | ", "vgg16 | M1 | 4 img/s")
    plain, section = records(speed(*rows))

    assert plain.run.parameters == {}
    assert section.run.parameters == {"section": "With a fan"}
    assert "heading inside the table" in section.run.basis["section"]


def test_a_bold_row_of_a_pivot_is_a_heading_and_a_plain_one_was_not_measured():
    rows = ("**Vision** | | ", "vgg16 | 2 | 3", "alexnet | | ")
    claims = items(PIVOT, table("Model | M1 Max | fp16", *rows))

    assert refused(claims) == []
    assert {record.run.workload for record in records(claims)} == {"vgg16", "alexnet"}
    assert {record.run.parameters["section"] for record in records(claims)} == {
        "Vision"
    }


def test_a_text_that_fills_a_row_is_a_heading():
    text = table("Model | M1 Max | fp16", "Vision | Vision | Vision", "vgg16 | 2 | 3")
    result = records(items(PIVOT, text))

    assert {record.run.parameters["section"] for record in result} == {"Vision"}


def test_the_later_word_holds():
    toml = """
    [set]
    precision = "fp32"
    framework = "torch"
    [basis]
    precision = "the script casts nothing"
    [[table]]
    rows."^alex".set.precision = "bf16"
    [table.columns]
    Model = { field = "workload" }
    s = { is = "value", metric = "epoch_seconds" }
    """
    text = table("Model | s", "vgg16 | 2", "alexnet | 3")
    plain, changed = records(items(toml, text))

    assert plain.run.precision == "fp32"
    assert plain.run.basis["precision"] == "the script casts nothing"
    assert changed.run.precision == "bf16"
    assert "precision" not in changed.run.basis


def test_a_run_in_two_tables_has_the_lines_of_both_and_what_both_say():
    speed_table = "[[table]]\nbasis = { device = 'a' }\n" + THROUGHPUT
    power_table = speed_table.replace("'a'", "'b'").replace("Speed", "Power")
    power_table = power_table.replace("reported_samples_per_second", "peak_power_watts")
    power = table("Model | GPU | Power", "vgg16 | M1 | 4 W")
    toml = BASE + speed_table + power_table
    record = only(speed("vgg16 | M1 | 3 img/s", toml=toml, below=power))

    assert record.run.locator == "line 3, line 7"
    assert len(record.end.values) == 2
    assert record.run.basis["device"] == "a; b"


def test_the_name_of_the_file_sets_what_its_groups_name():
    toml = "name = '^(?P<machine>[a-z0-9 ]+)-bs(?P<parameters__batch_size>\\d+)'\n"
    columns = """
    [[table]]
    [table.columns]
    Model = { field = "workload" }
    s = { is = "value", metric = "epoch_seconds" }
    """
    text = table("Model | s", "vgg16 | 2")
    record = only(items(toml + BASE + columns, text, name="m1 max-bs32.md"))

    assert record.machine.chip.name == "M1 Max"
    assert record.run.parameters == {"batch_size": 32}


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("under = 'M2'", {"alexnet": 2.0}),
        ("lines = [1, 4]", {"vgg16": 1.0}),
        ("header = ['Speed']", {"vgg16": 1.0, "alexnet": 2.0}),
    ],
)
def test_a_table_is_meant_by_heading_line_or_header(asked, meant):
    other = table("Model | GPU | Speed", "alexnet | M2 | 2 img/s")
    claims = speed(
        "vgg16 | M1 | 1 img/s",
        toml=BASE + f"[[table]]\n{asked}\n" + THROUGHPUT,
        above="# On the M1",
        below=f"# On the M2\n\n{other}",
    )

    assert speeds(claims) == meant


def test_a_header_that_is_not_there_means_another_table():
    toml = BASE + "[[table]]\nheader = ['Loss']\n" + THROUGHPUT

    with pytest.raises(DocumentError, match="no table is one that the map means"):
        speed("vgg16 | M1 | 1 img/s", toml=toml)


def test_a_footnote_tells_how_a_figure_is_known():
    run = only(speed("vgg16 | M1 | 3 img/s*", below="\\* on battery\n")).run

    assert run.basis["reported_samples_per_second"].startswith("footnote *: ")


def test_a_flag_of_the_map_is_about_the_runs_at_its_place():
    flag = """
    [[flag]]
    lines = [4, 4]
    column = "Speed"
    code = "odd"
    detail = { seen = 1 }
    unknown = ["tool"]
    """
    rows = ("vgg16 | M1 | 1 img/s", "alexnet | M1 | 2 img/s")
    plain, odd = records(speed(*rows, toml=SPEED + flag))

    assert plain.end.flags == ()
    assert [(item.code, item.detail) for item in odd.end.flags] == [
        ("odd", {"seen": 1, "tool": None})
    ]


@pytest.mark.parametrize("place", ["lines = [9, 9]", "lines = [3, 9]\ncolumn = 'X'"])
def test_a_flag_that_is_about_no_run_is_told(place):
    flag = f"[[flag]]\n{place}\ncode = 'odd'\n"
    claims = speed("vgg16 | M1 | 1 img/s", toml=SPEED + flag)

    assert [why for _, why in refused(claims)] == [
        "the map's flag 'odd' is about no run"
    ]
