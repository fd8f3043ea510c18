"""Tokens a second that memory or units cannot give, self tests, powers of nothing."""

import pytest

from benchdb.plausibility.rules import judge
from tests.observed_runs import codes, seen


def judged(rate, workload="llm-decode", **facts):
    """Return what the rules find in one run of a language model on an M1 Max."""
    model = {"model": "Llama 3.1 8B", "quantization": "Q4_K_M"}
    parameters = {**model, **facts.pop("parameters", {})}
    run = seen(
        **{
            "workload": workload,
            "parameters": parameters,
            "framework": "mlx",
            "values": {"tokens_per_second": rate},
            "chip_name": "M1 Max",
            "gpu_cores": 32,
            **facts,
        }
    )
    return judge([run])


def test_weights_are_read_once_for_a_token():
    (result,) = judged(130.0)

    # 8 billion parameters of 4 bits, less 15 %, at 400 GB/s.
    assert (result.code, result.metric) == ("above-peak", "tokens_per_second")
    assert result.detail == {
        "stated": 130,
        "peak": 118,
        "chip": "M1 Max, 32 GPU cores",
        "mode": "any",
        "weights": 3.4,
    }
    assert not judged(120.0)


def test_a_prompt_needs_two_operations_for_each_weight():
    (result,) = judged(1700.0, workload="llm-prefill")

    # An M1 Max has 10.6 TFLOP/s in fp32, in fp16 twice as many at most.
    assert result.detail["peak"] == 1560
    assert not judged(1600.0, workload="llm-prefill")


@pytest.mark.parametrize(
    "facts",
    [
        {"parameters": {"model": "Qwen3 30B A3B"}},
        {"parameters": {"model": "Mixtral 8x7B"}},
        {"parameters": {"model": "gpt-oss 20B"}},
        {"parameters": {"model": "Llama 4 Scout 17B"}},
        {"parameters": {"model": "gemma-3n-E4B"}},
        {"parameters": {"model": "something 8B"}},
        {"parameters": {"model": "Llama"}},
        {"parameters": {"quantization": "unlike any"}},
        {"parameters": {"draft_model": "Llama 3.2 1B"}},
        {"parameters": {"mode": "speculative"}},
        {"batch_size": 8},
        {"parameters": {"num_gpus": 2}},
        {"device": "cpu"},
        {"chip_name": "unknown"},
        {"workload": "llm-generate"},
    ],
)
def test_what_may_be_less_work_is_not_judged(facts):
    assert not judged(1000.0, **facts)


@pytest.mark.parametrize(
    ("own", "most"),
    [("4bit", 118), ("IQ4_XS", 118), ("Q8_0", 59), ("bf16", 29), ("mxfp4", 118)],
)
def test_fewer_bits_allow_more(own, most):
    assert judged(most * 1.1, parameters={"quantization": own})
    assert not judged(most * 0.95, parameters={"quantization": own})


def test_a_model_that_tests_the_program_is_no_result():
    runs = [
        seen(str(n), workload="llm-decode", parameters={"model": model})
        for n, model in enumerate(("test-model", "Dummy", "mock_model-2", "Llama test"))
    ]

    pairs = [(n, "self-test") for n in "012"]
    assert codes(judge(runs)) == pairs


@pytest.mark.parametrize(
    ("name", "cores", "gigabytes", "most"),
    [
        ("M4", 10, 128, 32),
        ("M4 Max", 32, 64, 36),  # only the larger variant was sold with more
        ("M4 Max", None, 64, None),
        ("M4 Max", 40, 128, None),
        ("M1", None, 16.5, None),
        ("M3 Ultra", 80, 512, None),
        ("M9", 10, 512, None),
    ],
)
def test_no_mac_has_more_memory_than_its_chip_was_sold_with(
    name, cores, gigabytes, most
):
    run = seen(chip_name=name, gpu_cores=cores, ram_bytes=int(gigabytes * 2**30))

    findings = judge([run], {"impossible-memory"})

    assert [finding.detail["most"] for finding in findings] == (
        [] if most is None else [most]
    )


def test_a_power_of_nothing_is_no_reading():
    power = {"mean_power_watts": 0.0, "energy_joules": 0.0, "peak_power_watts": 5.0}

    findings = judge([seen(values=power)])

    assert [(finding.code, finding.metric) for finding in findings] == [
        ("zero-power", "energy_joules"),
        ("zero-power", "mean_power_watts"),
    ]
