"""Columns that look like settings or times and are none: how it went, and firsts."""

from tests.importing.guess.guessed import (
    figures,
    meanings,
    of_text,
    question,
    records,
    table,
)

SWEEP = table(
    "model | context | status | runnable | passed | delta_from_32k | peak_vram_mib"
    " | note",
    "a-7b | 32768 | ok | yes | 18 | 0 | 17112 | Runnable under 23 GiB guard.",
    "a-7b | 65536 | guard | no | | | 23630 | Stopped at load by the VRAM guard.",
)


def test_outcomes_are_no_settings():
    proposal = of_text(SWEEP)
    (explained,) = proposal.map.table
    left = ("status", "runnable", "passed", "delta_from_32k")
    assert {meanings(explained)[name] for name in left} == {"ignore"}
    assert [it for it in proposal.left_out if "how it went" in it] == [
        f"line 1: {name!r} is how it went, no setting" for name in left
    ]


def test_a_row_keeps_the_note_that_says_how_it_failed():
    proposal = of_text(SWEEP, {"failures of note": "kept"})
    assert [it.run.conditions.get("remark") for it in records(proposal, SWEEP)] == [
        None,
        "Stopped at load by the VRAM guard.",
    ]
    why = "line 1: 'note': but for how runs failed, no setting"
    assert why in proposal.left_out


def test_a_first_step_is_no_first_token():
    text = table("prefill_tps | gen_tps | gen_first_ms", "621.5 | 41.2 | 26.8")
    line = question(of_text(text), "time of gen_first_ms")
    assert line.likely == "leave-out"


def test_the_time_to_the_first_token_is_one_still():
    text = table("Model | First token (ms) | tok/s", "a | 26.8 | 41.2")
    metrics = {metric for _, metric, _ in figures(of_text(text), text)}
    assert "time_to_first_token_seconds" in metrics


def test_lags_trends_and_batches_that_were_served_are_no_times():
    text = table(
        "p95_ms | mean_send_lag_ms | mean_served_batch | latency_trend",
        "5707.36 | 0.83 | 1.5 | 4.4",
    )
    assert {metric for _, metric, _ in figures(of_text(text), text)} == {
        "latency_p95_seconds"
    }


def test_sizes_of_data_are_settings():
    page = "# Copy on M2 Max\n\n"
    text = page + table("size (GB) | bandwidth (GB/s)", "0.5 | 310.5", "2 | 330.5")
    proposal = of_text(text)
    assert [it.run.parameters["size_gb"] for it in records(proposal, text)] == [0.5, 2]


def test_of_slow_steps_the_time_of_each_is_read():
    text = "# LoRA on M2 Max\n\n" + table(
        "Model | speed", "a | 1.44it/s", "b | 7.34s/it"
    )
    assert [it[1:] for it in figures(of_text(text), text)] == [
        ("steps_per_second", 1.44),
        ("reported_step_seconds", 7.34),
    ]


def test_a_line_that_begins_with_mixed_precision_is_about_that_of_all_runs():
    text = table("Operation | ms", "matmul | 2.5") + (
        "\n- **Mixed precision** optimization (F16/F32) automatically applied\n"
    )
    assert records(of_text(text), text)[0].run.precision == "fp16-mixed"
