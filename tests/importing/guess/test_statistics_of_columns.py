"""Columns of means, extremes and percentiles: one metric, and the statistic."""

import pytest

from tests.importing.guess.guessed import of_statistics, of_text, table


@pytest.mark.parametrize(
    ("header", "metric"),
    [
        ("mean_latency_ms | min_latency_ms | max_latency_ms", "latency_mean_seconds"),
        ("avg img/s | min img/s | max img/s", "reported_samples_per_second"),
        ("p50 step (ms) | fastest step (ms) | p100 step (ms)", "reported_step_seconds"),
    ],
)
def test_extremes_are_the_same_metric_with_their_statistic(header, metric):
    text = "# resnet50 inference with torch on M1 CPU\n\n" + table(
        f"Model | {header}", "resnet50 | 12.5 | 11.5 | 14.5"
    )
    kept = of_statistics(of_text(text), text)

    assert {it[1] for it in kept} == {metric}
    assert len({it[0] for it in kept}) == 3
    assert kept[2][0] == "max"


def test_repeated_means_are_not_pooled_with_repeated_medians():
    text = "# resnet50 inference with torch on M1 CPU\n\n" + table(
        "Model | mean latency (ms) | p50 latency (ms) | p100 latency (ms)",
        "resnet50 | 12.5 | 11.5 | 19.5",
        "resnet50 | 14.5 | 13.5 | 21.5",
    )
    kept = of_statistics(of_text(text, {"readings": "yes"}), text)

    assert {*kept} == {
        ("", "latency_mean_seconds", 0.0135),
        ("", "latency_median_seconds", 0.0125),
        ("max", "latency_mean_seconds", 0.0205),
    }


@pytest.mark.parametrize(
    ("header", "metric"),
    [
        ("50.00 percentile latency (ns)", "latency_median_seconds"),
        ("90th percentile latency (ns)", "latency_p90_seconds"),
        ("95.00 percentile latency (ns)", "latency_p95_seconds"),
        ("99.00 percentile latency (ns)", "latency_p99_seconds"),
        ("99.90 percentile latency (ns)", "latency_mean_seconds p99.9"),
        ("97th percentile latency (ns)", "latency_mean_seconds p97"),
        ("p99.9 latency (ns)", "latency_mean_seconds p99.9"),
        ("p99 tok/s", "tokens_per_second p99"),
    ],
)
def test_a_percentile_has_a_metric_of_its_own_or_is_a_statistic(header, metric):
    text = "# yolo inference with torch on M1 CPU\n\n" + table(
        f"Model | mean latency (ns) | {header}", "yolov8n | 5045678 | 5512456"
    )
    column = of_text(text).map.table[0].columns[header]
    name, _, statistic = metric.partition(" ")

    assert column.metric == name
    assert column.set.get("parameters.statistic", "") == statistic
    left = f"{header!r}: the p" in "\n".join(of_text(text).left_out)
    assert left == (metric == "ignore")
