"""What a proposed map leaves open or must not claim, and what cannot break it."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchdb.importing.document import Document
from benchdb.importing.guess import draft
from benchdb.importing.guess.column_profile import header_terms
from benchdb.importing.guess.draft import to_toml
from benchdb.importing.mapping.language import Column, Map, Table
from benchdb.importing.sheet import Cell, Sheet, SheetRow
from tests.importing.guess.guessed import meanings, of_text

TORCH = "# PyTorch {}\n\n"


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

    (table,) = draft.propose(Document("log.txt", b"torch"), [sheet]).map.table
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
def test_headers_are_sets_of_terms(header, expected):
    assert header_terms(header) == expected


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@settings(max_examples=40, deadline=None)
@given(name=TEXTS, cell=TEXTS, note=st.text(max_size=40))
def test_any_text_stays_what_it_is_in_toml(name, cell, note):
    column = Column(field="workload", values={cell: name}, set={name: 1.5, "b": True})
    map_ = Map(set={name: cell}, table=(Table(under=cell, columns={name: column}),))

    text = to_toml(map_, {(): [note], ("table", 0, "columns", name): [note]})
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

    found = draft.propose(Document("x.md", b"x"), [sheet])
    assert msgspec.toml.decode(found.toml, type=Map) == found.map


def test_a_table_of_too_many_columns_is_left_alone():
    names = tuple(f"c{n}" for n in range(1000))
    row = SheetRow(2, tuple(Cell("1 s", 2) for _ in names))

    found = draft.propose(Document("x.csv", b"x"), [Sheet("csv", 1, (), names, (row,))])
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

    found = draft.propose(
        Document("x.ipynb", b"x"), [Sheet("html", 1, (), ("a", "b"), (row,))]
    )
    assert found.map.table == ()


def test_figures_under_the_name_of_a_framework_are_no_versions():
    found = of_text(
        "| Operation | mlx_gpu | torch_gpu |\n|---|---|---|\n"
        "| Sort | 1.81 | 2.87 |\n| Sum | 5.51 | 9.12 |\n"
    )

    (table,) = found.map.table
    assert table.columns["mlx_gpu"].is_ == "value"
    assert table.columns["mlx_gpu"].set == {"framework": "mlx"}
    assert table.columns["torch_gpu"].set["framework"] == "torch"


def test_a_framework_of_one_column_is_not_that_of_its_neighbours():
    found = of_text(
        "**M1 Pro** - mlx 0.5.0\n\n| Operation | mlx_gpu | mps |\n|---|---|---|\n"
        "| Sort | 1.81 ms | 2.87 ms |\n| Sum | 5.51 ms | 9.12 ms |\n"
    )

    (table,) = found.map.table
    said = [field for one in table.headings.values() for field in one.set]
    assert "framework" not in {*found.map.set, *said}
    assert any("which framework" in one for one in found.undecided)


def test_a_heading_names_no_machine_for_rows_that_name_their_own():
    found = of_text(
        "# TensorFlow on Mac M1, Colab and others\n\n"
        "| Setup | s/epoch |\n|---|---|\n| M1 | 21 |\n| Colab, Tesla K80 | 10 |\n"
        "| Dell i7-9850H and Quadro T2000 | 9 |\n| Colab CPU | 99 |\n"
    )

    (table,) = found.map.table
    assert all("machine" not in one.set for one in table.headings.values())
    assert any("which machine" in one for one in found.undecided)


def test_a_workload_in_a_header_is_not_said_to_be_done_as_ours():
    found = of_text(
        TORCH.format("on CUDA") + "| GPU | resnet50 | vgg16 |\n|---|---|---|\n"
        "| RTX 3090 | 140 img/s | 80 img/s |\n"
    )

    (table,) = found.map.table
    assert table.columns["resnet50"].set["setting"] == "results"


def test_numbered_columns_are_figures_beside_a_score():
    head = "| Model | Chip | Score | Run 1 | Run 2 |\n|---|---|---|---|---|\n"

    (table,) = of_text(f"{head}| a | M1 | 108.2 | 2.43 | 7.69 |\n").map.table

    assert table.columns["Run 1"].is_ == table.columns["Run 2"].is_ == "value"


def test_a_score_of_which_less_is_better_is_undecided():
    head = "Lower is better.\n\n| Model | Chip | Score |\n|---|---|---|\n"

    found = of_text(f"{head}| a | M1 | 108.2 |\n")

    assert found.map.table[0].columns["Score"].metric == "reported_value"
    assert any("less is better" in one for one in found.undecided)


def test_machines_and_people_are_no_workloads():
    found = of_text(
        TORCH.format("") + "| Modèle | Processeur | Time (s) | contributor |\n"
        "|---|---|---|---|\n| MacBook Pro (2021) | M1 Pro | 12.5 | ann |\n"
        "| Mac mini (2020) | M1 | 14.5 | bob |\n"
    )

    fields = meanings(found.map.table[0])
    assert fields["Modèle"] == "model"
    assert fields["contributor"] == "ignore"
    assert any("which workload" in one for one in found.undecided)


def test_the_decimal_mark_of_the_table_is_written_where_a_column_is_ambiguous():
    found = of_text(
        TORCH.format("") + "| Model | VRAM | ppl |\n|---|---|---|\n"
        "| a | 5,194 MB | 6.45 |\n| b | 9,127 MB | 5.60 |\n"
    )

    assert found.map.table[0].columns["VRAM"].decimal == "."


def test_a_count_of_gpu_cores_is_no_device():
    found = of_text(
        "**M1 Pro (2E+8P+16GPU)** torch\n\n| Model | Time (s) |\n|---|---|\n| a | 5 |\n"
    )

    (table,) = found.map.table
    assert all("device" not in one.set for one in table.headings.values())


def test_the_same_columns_in_another_order_are_another_table():
    found = of_text(
        TORCH.format("on CUDA")
        + "| GPU | a | b |\n|---|---|---|\n| T4 | 5 ms | 6 ms |\n\n"
        + "| GPU | b | a |\n|---|---|---|\n| V100 | 3 ms | 4 ms |\n"
    )

    assert [one.lines for one in found.map.table] == [(3, 3), (7, 7)]
