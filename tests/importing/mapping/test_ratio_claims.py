import pytest

from tests.importing.mapping.mapped import claims, items, refused

RATIOS = """
[set]
framework = "torch"
machine = "M1 Max"
setting = "standard"
[[table]]
[table.columns]
Model = { field = "workload" }
CPU = { is = "value", metric = "epoch_seconds", unit = "s", set = { device = "cpu" } }
GPU = { is = "value", metric = "epoch_seconds", unit = "s", set = { device = "metal" } }
[table.columns.Faster]
is = "ratio"
metric = "epoch_seconds"
numerator = { device = "cpu" }
denominator = { device = "metal" }
"""


def table(*rows: str) -> str:
    return "\n".join(("| Model | CPU | GPU | Faster |", "|---|---|---|---|", *rows))


def test_a_ratio_is_recomputed_from_the_figures_beside_it():
    (claim,) = claims(items(RATIOS, table("| vgg16 | 20 | 5 | 4.0x |")))

    assert (claim.value, claim.unit, claim.recomputed) == (4.0, "x", 4.0)
    assert (claim.printed, claim.locator) == ("4.0x", "line 3, column Faster")
    assert claim.about == {"workload": "vgg16", "chip": "M1 Max"}
    assert claim.statement == "Faster of VGG16: 4.0x"
    assert claim.flags == ()


def test_a_ratio_that_does_not_follow_is_flagged():
    (claim,) = claims(items(RATIOS, table("| vgg16 | 20 | 5 | 7.0x |")))

    assert claim.recomputed == 4.0
    assert [flag.code for flag in claim.flags] == ["ratio-mismatch"]


def test_a_ratio_of_rates_is_judged_the_other_way_round():
    toml = RATIOS.replace("epoch_seconds", "epochs_per_hour").replace('"s"', '"1/h"')
    toml = toml.replace("numerator =", "x =").replace("denominator =", "numerator =")
    toml = toml.replace("x =", "denominator =").replace(', unit = "1/h"', "")
    row = "| vgg16 | 5 epochs/h | 20 epochs/h | 4.0x |"
    (claim,) = claims(items(toml, table(row)))

    assert (claim.recomputed, claim.flags) == (4.0, ())


def test_a_ratio_without_its_figures_is_not_recomputed():
    (claim,) = claims(items(RATIOS, table("| vgg16 | 20 | - | 4.0x |")))

    assert (claim.value, claim.recomputed) == (4.0, None)


def test_a_ratio_of_which_nothing_says_what_it_compares_is_kept():
    toml = RATIOS.replace("numerator", "# numerator").replace("denom", "# denom")
    (claim,) = claims(items(toml, table("| vgg16 | 20 | 5 | 400% |")))

    assert (claim.value, claim.unit, claim.recomputed) == (400.0, "%", None)


def test_a_ratio_of_figures_of_other_work_names_none():
    toml = """
    [set]
    machine = "M1 Max"
    [[table]]
    [table.columns]
    Weights = { field = "parameters.quantization" }
    [table.columns.Prefill]
    is = "value"
    metric = "tokens_per_second"
    set = { workload = "llm-prefill" }
    [table.columns.Gain]
    is = "ratio"
    """
    text = "| Weights | Prefill | Gain |\n|---|---|---|\n| Q8_0 | 500 tok/s | 1.5x |"
    records = items(toml, text)
    (claim,) = claims(records)

    assert (claim.value, claim.statement) == (1.5, "Gain: 1.5x")
    assert claim.about == {"chip": "M1 Max", "quantization": "Q8_0"}
    assert refused(records) == []


def test_the_statement_is_filled_in_without_obeying_the_document():
    toml = RATIOS + 'statement = "{workload} gains {printed} ({header}, {none})"\n'
    (claim,) = claims(items(toml, table("| {printed.__class__} | 20 | 5 | 4x |")))

    assert claim.statement == "printed-class gains 4x (Faster, {none})"


def test_a_missing_ratio_is_no_claim():
    records = items(RATIOS, table("| vgg16 | 20 | 5 | - |"))

    assert (claims(records), refused(records)) == ([], [])


@pytest.mark.parametrize("cell", ["3 GB", "much"])
def test_a_cell_that_is_no_ratio_is_refused(cell):
    records = items(RATIOS, table(f"| vgg16 | 20 | 5 | {cell} |"))

    assert claims(records) == []
    assert [place for place, _ in refused(records)] == ["line 3, column Faster"]


def test_a_ratio_among_too_many_runs_is_not_recomputed():
    toml = RATIOS.replace('Model = { field = "workload" }', "").replace(
        'setting = "standard"', 'workload = "vgg16"'
    )
    rows = [f"| variant {number} | 20 | 5 | 4x |" for number in range(101)]
    result = claims(items(toml, table(*rows)))

    assert len(result) == 101
    assert {claim.recomputed for claim in result} == {None}
