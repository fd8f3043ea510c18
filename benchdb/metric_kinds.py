"""Which metrics are a speed, which the table of values lists, and how each is shown."""

from functools import cache, lru_cache

from benchdb.catalogue import metrics, workloads
from benchdb.own_catalogue import own

# The metrics that say how fast something trains, and how each becomes a rate.
_RATES = ("samples_per_second", "fit_samples_per_second")
_REPORTED_RATE, _REPORTED_STEP = "reported_samples_per_second", "reported_step_seconds"
RATES = (*_RATES, _REPORTED_RATE)
TIMES_OF_ALL_SAMPLES = ("script_wall_seconds", "epoch_seconds")
TIMES_OF_A_STEP = ("step_seconds", _REPORTED_STEP)
# What was timed in these is the author's to say, so they compare within a document.
REPORTED = (_REPORTED_RATE, _REPORTED_STEP)
# The best defined first.
SPEEDS = (*_RATES, *TIMES_OF_ALL_SAMPLES, "step_seconds", *REPORTED)
# What language models do: a rate of tokens, which is one of no samples.
TOKENS = ("tokens_per_second",)
# Whoever times these steps gives their rate as well.
BESIDE_THEIR_RATE = ("step_seconds",)

# The first that a run has is its headline; an operation counts its own way.
_TRAINING = (*RATES, *TIMES_OF_ALL_SAMPLES, "epochs_per_hour", *TIMES_OF_A_STEP)
_OPERATION = ("teraflops", "gigabytes_per_second", "operation_seconds")
_MOVING = ("bandwidth", "elementwise")  # memory, and hardly compute
# What the benchmarks of others tell, the most telling first.
_OF_OTHERS = (
    "tokens_per_second",
    "speed_factor",
    "frames_per_second",
    "steps_per_second",
    "operations_per_second",
    "image_seconds",
    "work_seconds",
    "operation_synced_seconds",
    "time_to_train_seconds",
    "command_wall_seconds",
    "latency_median_seconds",
    "latency_mean_seconds",
    "latency_p90_seconds",
    "latency_p95_seconds",
    "latency_p99_seconds",
    "time_to_first_token_seconds",
    "time_per_token_seconds",
    "first_operation_seconds",
    "operation_cpu_seconds",
    "load_seconds",
    "compile_seconds",
    "score",
    "reported_value",
    "final_accuracy",
    "mfu_percent",
    "samples_per_joule",
    "tokens_per_joule",
    "energy_joules",
    "energy_per_step_joules",
    "bits_per_byte",
    "command_user_seconds",
    "command_system_seconds",
    "stored_bytes",
    "peak_memory_reported_bytes",
)
# What two results are compared in: all speeds and times of the work itself.
_COMPARED = frozenset(
    {
        *SPEEDS,
        *_OPERATION,
        *_TRAINING,
        *_OF_OTHERS[: _OF_OTHERS.index("score") + 1],
    }
)
# How long a speed lasts: what stays of the first seconds, and both rates.
STAYS = "sustained_percent"
LASTING = (
    STAYS,
    *(
        f"{part}_{rate}"
        for rate in ("tokens_per_second", "teraflops", "samples_per_second")
        for part in ("burst", "sustained")
    ),
)
# What else a run's reader looks for.
BESIDE_THE_HEADLINE = (
    *LASTING,
    "fit_samples_per_second",
    "first_operation_seconds",
    "time_to_first_token_seconds",
    "latency_p90_seconds",
    "latency_p95_seconds",
    "latency_p99_seconds",
    "final_accuracy",
    "tokens_per_joule",
    "peak_power_watts",
    "peak_soc_power_watts",
    "peak_gpu_power_watts",
    "mean_power_watts",
    "peak_memory_observed_bytes",
    "peak_memory_reported_bytes",
)
# Whatever else a run has is in the database, and ``benchdb show`` tells it.
_LISTED = tuple(
    dict.fromkeys((*_OPERATION, *_TRAINING, *_OF_OTHERS, *BESIDE_THE_HEADLINE))
)
_UNITS = {"TFLOP/s": "TFLOPS", "1/h": "epoch/h", "1": ""}
_COUNTED = {
    "frames_per_second": "frame",
    "operations_per_second": "op",
    "steps_per_second": "step",
    "tokens_per_joule": "token",
    "tokens_per_second": "token",
}
# People read memory in binary units under decimal names, and so sources print it.
_BYTES = ((2**30 / 10, 2**30, "GB"), (2**20 / 10, 2**20, "MB"), (0, 2**10, "kB"))


@cache
def listed() -> tuple[str, ...]:
    """Return the metrics that tables of values have, in order; the user's own last."""
    return (*_LISTED, *own().metric)


@cache
def compared() -> frozenset[str]:
    """Return the metrics that two results are compared in."""
    mine = {name for name, it in own().metric.items() if it.direction != "none"}
    return _COMPARED | mine


@lru_cache(maxsize=4096)  # whoever compares asks for each pair
def headlines(workload: str) -> tuple[str, ...]:
    """Return the metrics that may head a run of *workload*, the first choice first."""
    known = workloads().get(workload)
    trains = known is not None and known.trains
    ours = (*_TRAINING, *_OPERATION) if trains else (*_OPERATION, *_TRAINING)
    first = known.headlines if known else ()
    if workload in _MOVING:
        first = ("gigabytes_per_second",)
    last = () if known else BESIDE_THE_HEADLINE
    return tuple(dict.fromkeys((*first, *ours, *_OF_OTHERS, *last, *own().metric)))


@lru_cache(maxsize=4096)  # as every figure has one
def unit_of(metric: str, workload: str) -> str:
    """Return the unit token of *metric*; a rate counts the workload's samples."""
    unit = metrics()[metric].unit
    metric = metric.removeprefix("burst_").removeprefix("sustained_")
    if unit in ("1/s", "1/J"):
        known = workloads().get(workload)
        sample = known.sample_unit if known else "sample"
        return _COUNTED.get(metric, sample) + unit.removeprefix("1")
    return _UNITS.get(unit, unit)


def scaled(value: float, unit: str) -> tuple[float, str]:
    """Return by what to divide *value*, and the unit that it has then."""
    if unit != "B":
        return 1, unit
    return next((size, name) for least, size, name in _BYTES if abs(value) >= least)
