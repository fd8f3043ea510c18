"""What a proposed map leaves open, and what cannot break it."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchdb.importing.document import Document
from benchdb.importing.guess import draft
from benchdb.importing.guess.header_terms import ideas
from benchdb.importing.guess.toml import written
from benchdb.importing.mapping.language import Column, Map, Table
from benchdb.importing.sheet import Cell, Sheet, SheetRow
from tests.guessed import meanings, of_text


def test_inferences_are_not_taken_for_our_training():
    found = of_text(
        "# Inference with CUDA (torch)\n\n"
        "| Model | GPU | Latency |\n|---|---|---|\n| ResNet-50 | T4 | 4.1 ms |\n"
    )

    (table,) = found.map.table
    assert table.columns["Model"].values == {"ResNet-50": "resnet50-inference"}
    assert table.columns["Latency"].metric == "latency_mean_seconds"


def test_a_figure_without_a_unit_is_undecided():
    found = of_text("# torch\n\n| Thing | Foo |\n|---|---|\n| bar | 12 |\n")

    assert found.map.table[0].columns["Foo"].metric == "reported_value"
    assert "'Foo': which metric? the header names no unit" in found.undecided


def test_numbers_that_can_be_two_are_undecided():
    found = of_text("| Model | Time (s) |\n|---|---|\n| vgg16 | 1,234 |\n")

    assert any("'1,234' can be two numbers" in one for one in found.undecided)


def test_two_columns_of_one_metric_are_told_apart():
    text = "| Model | Enc. | Dec. |\n|---|---|---|\n| tiny | 39 ms | 2 ms |\n"
    (table,) = of_text(text).map.table

    assert table.columns["Enc."].set == {"parameters.column": "Enc."}
    assert table.columns["Dec."].set == {"parameters.column": "Dec."}


def test_two_frameworks_in_the_text_are_undecided():
    text = "PyTorch and JAX.\n\n| Model | Time |\n|---|---|\n| vgg16 | 3 s |\n"

    found = of_text(text)
    assert "framework" not in found.map.set
    assert any("the text names jax, torch" in one for one in found.undecided)


def test_the_only_framework_in_the_text_is_assumed():
    text = "| Model | Time |\n|---|---|\n| vgg16 | 3 s |\n\nMade by PyTorch.\n"

    assert of_text(text).map.set["framework"] == "torch"


def test_equal_headers_under_other_headings_are_other_figures():
    table = "| Model | M1 | M2 |\n|---|---|---|\n| vgg16 | 12 | 13 |\n\n"
    found = of_text(f"## Time (ms)\n\n{table}## Throughput (img/s)\n\n{table}")

    first, second = found.map.table
    assert (first.lines, second.lines) == ((3, 3), (9, 9))
    assert first.columns["M1"].unit == "ms"
    assert second.columns["M1"].metric == "reported_samples_per_second"


def test_equal_headers_under_headings_of_machines_are_one_table():
    table = "| Model | Time (s) |\n|---|---|\n| vgg16 | 12 |\n\n"
    found = of_text(f"# JAX\n\n## M1\n\n{table}## M2 Pro GPU\n\n{table}")

    (one,) = found.map.table
    assert one.headings["M1"].set["machine"] == "m1"
    assert one.headings["M2 Pro GPU"].set["device"] == "metal"


def test_the_file_name_can_tell_the_device():
    found = of_text("Model,GFLOPS\nmatmul,3.5\n", "torch_cpu.csv")

    assert found.map.set["device"] == "cpu"
    assert found.map.set["framework"] == "torch"


def test_settings_beside_figures_are_parameters():
    rows = (
        "| model | params | ngl | t/s |\n|---|---|---|---|\n| llama | 6.7 B | 99 | 9 |"
    )
    (table,) = of_text(rows).map.table

    assert meanings(table) == {
        "model": "workload",
        "params": "parameters.params",
        "ngl": "parameters.ngl",
        "t/s": "tokens_per_second",
    }


def key_value(lines: list[tuple[str, str]], context: tuple[str, ...]) -> Sheet:
    rows = tuple(
        SheetRow(n, (Cell(key, n), Cell(value, n)))
        for n, (key, value) in enumerate(lines, start=2)
    )
    return Sheet("key-value", 1, context, ("key", "value"), rows)


def test_keys_with_values_are_read_by_their_reader():
    sheet = key_value(
        [("vgg16_model", "188.278"), ("alexnet", "35.99")],
        ("Time result with device=cpu",),
    )

    (table,) = draft.proposed(Document("log.txt", b"torch"), [sheet]).map.table
    assert table.read == "key-value"
    assert meanings(table) == {"key": "workload", "value": "script_wall_seconds"}
    assert table.headings["Time result with device=cpu"].set == {"device": "cpu"}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("BatchSize", {"batchsize"}),
        ("batch_size", {"batchsize"}),
        ("Stapelgröße", {"batchsize"}),
        ("批大小", {"batchsize"}),
        ("Trainingszeit", {"time"}),
        ("Peak Power GPU", {"peak", "power", "gpu"}),
        ("학습 시간", {"time"}),
        ("Speed-up", {"ratio"}),
        ("Foo", set()),
    ],
)
def test_headers_are_sets_of_ideas(header, expected):
    assert ideas(header) == expected


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@settings(max_examples=40, deadline=None)
@given(name=TEXTS, cell=TEXTS, note=st.text(max_size=40))
def test_any_text_stays_what_it_is_in_toml(name, cell, note):
    column = Column(field="workload", values={cell: name}, set={name: 1.5, "b": True})
    map_ = Map(set={name: cell}, table=(Table(under=cell, columns={name: column}),))

    text = written(map_, {(): [note], ("table", 0, "columns", name): [note]})
    assert msgspec.toml.decode(text, type=Map) == map_


def test_text_that_hides_or_reorders_shows_its_escapes():
    found = of_text(
        "| Model | Time (s) |\n|---|---|\n| a\u202eb | 3 |\n| c\x07 | 4 |\n"
    )

    assert "\u202e" not in found.toml
    assert "\x07" not in found.toml


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=4), TEXTS)
def test_no_table_makes_it_fail(rows, above):
    cells = [SheetRow(n, tuple(Cell(t, n) for t in row)) for n, row in enumerate(rows)]
    sheet = Sheet("markdown", 1, (above,), ("Model", "Time", "x"), tuple(cells))

    found = draft.proposed(Document("x.md", b"x"), [sheet])
    assert msgspec.toml.decode(found.toml, type=Map) == found.map


def test_a_table_of_too_many_columns_is_left_alone():
    names = tuple(f"c{n}" for n in range(1000))
    row = SheetRow(2, tuple(Cell("1 s", 2) for _ in names))

    found = draft.proposed(
        Document("x.csv", b"x"), [Sheet("csv", 1, (), names, (row,))]
    )
    assert found.map.table == ()
    assert "1000 columns" in found.undecided[0]


def test_a_table_without_figures_is_left_out_and_told():
    words = "| Step | Command |\n|---|---|\n| first | pip install |\n\n"
    found = of_text(f"{words}| Model | Time (s) |\n|---|---|\n| vgg16 | 12 |\n")

    assert len(found.map.table) == 1
    left_out = "left out: the table at line 1 (Step, Command) has no figures"
    assert left_out in found.assumptions


def test_halves_of_surrogate_pairs_are_no_table_for_toml():
    row = SheetRow(2, (Cell("\ud800", 2), Cell("1 s", 2)))

    found = draft.proposed(
        Document("x.ipynb", b"x"), [Sheet("html", 1, (), ("a", "b"), (row,))]
    )
    assert found.map.table == ()
