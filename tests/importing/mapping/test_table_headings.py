import pytest

from benchdb.importing.document import DocumentError
from tests.importing.mapping.mapped import (
    BASE,
    PIVOT,
    THROUGHPUT,
    items,
    only,
    records,
    refused,
    speeds,
    table,
    value,
)


def test_an_approximate_figure_is_flagged():
    text = table("Model | GPU | Speed", "vgg16 | M1 | ~1.80 img/s")
    record = only(items(BASE + "[[table]]" + THROUGHPUT, text))

    assert value(record, "reported_samples_per_second").value == 1.8
    assert [flag.code for flag in record.end.flags] == ["approximate"]


HEADINGS = """
[[table]]
context = ['batch (?P<parameters__batch_size>\\d+)']
[table.headings."(?i)larger"]
missing = { steps = "not printed for these" }
rows."vgg".set = { "parameters.steps" = 100 }
rows."vgg".basis = { steps = "line 9" }
"""


def test_a_heading_above_the_table_sets_what_its_groups_name():
    text = "## Results at batch 64\n\n" + table(
        "Model | GPU | Speed", "vgg16 | M1 | 3 img/s"
    )
    run = only(items(BASE + HEADINGS + THROUGHPUT, text)).run

    assert run.parameters == {"batch_size": 64}


def test_a_heading_whose_group_is_no_number_is_kept_as_it_is():
    context = "context = ['(?P<parameters__batch_size>small) batch']\n"
    text = "## With a small batch\n\n" + table(
        "Model | GPU | Speed", "vgg16 | M1 | 3 img/s"
    )
    run = only(items(BASE + "[[table]]\n" + context + THROUGHPUT, text)).run

    assert run.parameters == {"batch_size": "small"}


def test_a_heading_inside_the_table_holds_for_the_rows_that_follow():
    text = table(
        "Model | GPU | Speed",
        "vgg16 | M1 | 3 img/s",
        "Larger batch 128 | | ",
        "vgg16 | M1 | 4 img/s",
        "alexnet | M1 | 5 img/s",
    )
    first, large, other = records(items(BASE + HEADINGS + THROUGHPUT, text))

    assert first.run.parameters == {}
    assert large.run.parameters == {"batch_size": 128, "steps": 100}
    assert large.run.basis["steps"] == "line 9"
    assert other.run.parameters == {"batch_size": 128}
    assert other.run.missing["steps"] == "not printed for these"


def test_a_heading_that_the_map_does_not_name_keeps_the_runs_apart():
    text = table(
        "Model | GPU | Speed",
        "vgg16 | M1 | 3 img/s",
        "With a fan | | ",
        "vgg16 | M1 | 4 img/s",
    )
    plain, section = records(items(BASE + "[[table]]" + THROUGHPUT, text))

    assert plain.run.parameters == {}
    assert section.run.parameters == {"section": "With a fan"}
    assert "heading inside the table" in section.run.basis["section"]


def test_a_bold_row_of_a_pivot_is_a_heading_and_a_plain_one_was_not_measured():
    text = table(
        "Model | M1 Max | fp16", "**Vision** | | ", "vgg16 | 2 | 3", "alexnet | | "
    )
    found = items(BASE + PIVOT, text)

    assert refused(found) == []
    assert {record.run.workload for record in records(found)} == {"vgg16", "alexnet"}
    assert {record.run.parameters["section"] for record in records(found)} == {"Vision"}


def test_a_text_that_fills_a_row_is_a_heading():
    text = table("Model | M1 Max | fp16", "Vision | Vision | Vision", "vgg16 | 2 | 3")
    found = records(items(BASE + PIVOT, text))

    assert {record.run.parameters["section"] for record in found} == {"Vision"}


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


def test_figures_of_one_run_in_two_tables_have_both_lines():
    toml = (
        BASE
        + "[[table]]"
        + THROUGHPUT
        + THROUGHPUT.replace("[table.columns]", "[[table]]\n[table.columns]")
        .replace("Speed", "Power")
        .replace("reported_samples_per_second", "peak_power_watts")
    )
    text = (
        table("Model | GPU | Speed", "vgg16 | M1 | 3 img/s")
        + "\n\n"
        + table("Model | GPU | Power", "vgg16 | M1 | 4 W")
    )
    record = only(items(toml, text))

    assert record.run.locator == "line 3, line 7"
    assert len(record.end.values) == 2


def test_what_two_tables_say_of_one_run_is_kept_of_both():
    toml = BASE + "[[table]]\nbasis = { device = 'a' }\n" + THROUGHPUT
    toml += (
        THROUGHPUT.replace(
            "[table.columns]", "[[table]]\nbasis = { device = 'b' }\n[table.columns]"
        )
        .replace("Speed", "Power")
        .replace("reported_samples_per_second", "peak_power_watts")
    )
    text = (
        table("Model | GPU | Speed", "vgg16 | M1 | 3 img/s")
        + "\n\n"
        + table("Model | GPU | Power", "vgg16 | M1 | 4 W")
    )

    assert only(items(toml, text)).run.basis["device"] == "a; b"


def test_the_name_of_the_file_sets_what_its_groups_name():
    toml = "name = '^(?P<machine>[a-z0-9 ]+)-bs(?P<parameters__batch_size>\\d+)'\n"
    text = table("Model | s", "vgg16 | 2")
    columns = """
    [[table]]
    [table.columns]
    Model = { field = "workload" }
    s = { is = "value", metric = "epoch_seconds" }
    """
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
    tables = (
        "# On the M1",
        table("Model | GPU | Speed", "vgg16 | M1 | 1 img/s"),
        "# On the M2",
        table("Model | GPU | Speed", "alexnet | M2 | 2 img/s"),
    )
    found = items(BASE + f"[[table]]\n{asked}\n" + THROUGHPUT, "\n\n".join(tables))

    assert speeds(found) == meant


def test_a_header_that_is_not_there_means_another_table():
    text = table("Model | GPU | Speed", "vgg16 | M1 | 1 img/s")

    with pytest.raises(DocumentError, match="no table is one that the map means"):
        items(BASE + "[[table]]\nheader = ['Loss']\n" + THROUGHPUT, text)


def test_a_footnote_tells_how_a_figure_is_known():
    text = (
        table("Model | GPU | Speed", "vgg16 | M1 | 3 img/s*") + "\n\n\\* on battery\n"
    )
    run = only(items(BASE + "[[table]]" + THROUGHPUT, text)).run

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
    text = table(
        "Model | GPU | Speed", "vgg16 | M1 | 1 img/s", "alexnet | M1 | 2 img/s"
    )
    plain, odd = records(items(BASE + "[[table]]" + THROUGHPUT + flag, text))

    assert plain.end.flags == ()
    assert [(one.code, one.detail) for one in odd.end.flags] == [
        ("odd", {"seen": 1, "tool": None})
    ]


@pytest.mark.parametrize("place", ["lines = [9, 9]", "lines = [3, 9]\ncolumn = 'X'"])
def test_a_flag_that_is_about_no_run_is_told(place):
    flag = f"[[flag]]\n{place}\ncode = 'odd'\n"
    text = table("Model | GPU | Speed", "vgg16 | M1 | 1 img/s")
    found = items(BASE + "[[table]]" + THROUGHPUT + flag, text)

    assert [why for _, why in refused(found)] == [
        "the map's flag 'odd' is about no run"
    ]
