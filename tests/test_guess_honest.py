"""What a proposed map must not claim, as found in how people publish."""

from tests.guessed import meanings, of_text

TORCH = "# PyTorch {}\n\n"


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


def test_tables_that_only_their_headings_tell_apart_get_a_section():
    rows = "| GPU | vgg16 |\n|---|---|\n| RTX 3090 | {} ms |\n\n"

    found = of_text(
        TORCH.format("")
        + f"## 32-bit\n\n{rows.format(31)}## 16-bit\n\n{rows.format(15)}"
    )

    (table,) = found.map.table
    sections = {one.set.get("parameters.section") for one in table.headings.values()}
    assert {"32-bit", "16-bit"} <= sections


def test_a_number_is_a_setting_only_where_it_tells_rows_apart():
    head = TORCH.format("on M1") + "| # | Model | Time (s) |\n|---|---|---|\n"

    (twice,) = of_text(f"{head}| 1 | a | 5.1 |\n| 2 | a | 5.2 |\n").map.table
    (once,) = of_text(f"{head}| 1 | a | 5.1 |\n| 2 | b | 5.2 |\n").map.table

    assert twice.columns["#"].field == "parameters.number"
    assert once.columns["#"].is_ == "ignore"


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
