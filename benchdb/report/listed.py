"""Which figures of a run the table of values lists: a headline, and what is beside it.

Whatever else a run has is in the database, and ``benchdb show`` tells it.
"""

from benchdb.catalogue import workloads
from benchdb.report.measurement import RATES, TIMES_OF_A_STEP, TIMES_OF_ALL_SAMPLES
from benchdb.report.quantities import workload_of

# The first that a run has is its headline; an operation counts its own way.
_TRAINING = (*RATES, *TIMES_OF_ALL_SAMPLES, "epochs_per_hour", *TIMES_OF_A_STEP)
_OPERATION = ("teraflops", "gigabytes_per_second", "operation_seconds")
_MOVING = ("bandwidth", "elementwise")  # memory, and hardly compute
# What the benchmarks of others tell, the most telling first.
_TOLD = (
    "tokens_per_second",
    "frames_per_second",
    "operations_per_second",
    "operation_synced_seconds",
    "time_to_train_seconds",
    "command_wall_seconds",
    "latency_median_seconds",
    "latency_mean_seconds",
    "latency_p90_seconds",
    "latency_p99_seconds",
    "time_to_first_token_seconds",
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
    "command_user_seconds",
    "command_system_seconds",
    "stored_bytes",
    "peak_memory_reported_bytes",
)
# What else a run's reader looks for.
BESIDE = (
    "fit_samples_per_second",
    "first_operation_seconds",
    "time_to_first_token_seconds",
    "latency_p90_seconds",
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
LISTED = tuple(dict.fromkeys((*_OPERATION, *_TRAINING, *_TOLD, *BESIDE)))


def headlines(workload: str) -> tuple[str, ...]:
    """Return the metrics that may head a run of *workload*, the first choice first."""
    operation = workload_of(workload).kind == "operation"
    ours = (*_OPERATION, *_TRAINING) if operation else (*_TRAINING, *_OPERATION)
    order = (*ours, *_TOLD) if workload in workloads() else (*ours, *_TOLD, *BESIDE)
    if workload in _MOVING:
        return tuple(dict.fromkeys(("gigabytes_per_second", *order)))
    return order
