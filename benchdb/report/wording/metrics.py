"""Names of the metrics of ``schema/metrics.json``, short enough for a table."""

from functools import lru_cache

from benchdb.own_catalogue import own
from benchdb.report.language import Language


def metric_text(language: Language, metric: str) -> str:
    """Name what was measured."""
    mine = own().metric.get(metric)
    if mine is not None:
        return mine.short or mine.title
    return _known(language).get(metric, metric.replace("_", " "))


@lru_cache(maxsize=32)  # each row of a table names one
def _known(language: Language) -> dict[str, str]:
    pgettext = language.pgettext
    return {
        "script_wall_seconds": pgettext("metric", "whole script"),
        "script_user_seconds": pgettext("metric", "whole script, user time"),
        "script_system_seconds": pgettext("metric", "whole script, system time"),
        "epoch_seconds": pgettext("metric", "one epoch"),
        "operation_seconds": pgettext("metric", "one operation"),
        "step_seconds": pgettext("metric", "one step"),
        "first_step_seconds": pgettext("metric", "first step"),
        "import_seconds": pgettext("metric", "import of the framework"),
        "build_seconds": pgettext("metric", "building the model"),
        "data_seconds": pgettext("metric", "making the data"),
        "process_wall_seconds": pgettext("metric", "whole process"),
        "process_user_seconds": pgettext("metric", "whole process, user time"),
        "process_system_seconds": pgettext("metric", "whole process, system time"),
        "fit_samples_per_second": pgettext("metric", "throughput, whole epochs"),
        "samples_per_second": pgettext("metric", "throughput"),
        "epochs_per_hour": pgettext("metric", "epochs per hour"),
        "teraflops": pgettext("metric", "computing rate"),
        "gigabytes_per_second": pgettext("metric", "bandwidth"),
        "mfu_percent": pgettext("metric", "share of the chip's peak"),
        "sustained_percent": pgettext("metric", "sustained / burst"),
        "burst_samples_per_second": pgettext("metric", "throughput, burst"),
        "sustained_samples_per_second": pgettext("metric", "throughput, sustained"),
        "burst_teraflops": pgettext("metric", "computing rate, burst"),
        "sustained_teraflops": pgettext("metric", "computing rate, sustained"),
        "burst_tokens_per_second": pgettext("metric", "tokens per second, burst"),
        "sustained_tokens_per_second": pgettext(
            "metric", "tokens per second, sustained"
        ),
        "gpu_busy_percent": pgettext("metric", "GPU busy"),
        "mfu_at_clock_percent": pgettext("metric", "share of the peak at its clock"),
        "samples_per_joule": pgettext("metric", "samples per joule"),
        "script_cpu_percent": pgettext("metric", "CPU use of the script"),
        "process_cpu_percent": pgettext("metric", "CPU use of the process"),
        "peak_resident_bytes": pgettext("metric", "peak memory"),
        "peak_device_allocated_bytes": pgettext(
            "metric", "peak device memory in tensors"
        ),
        "peak_device_reserved_bytes": pgettext("metric", "peak device memory reserved"),
        "predicted_memory_bytes": pgettext("metric", "memory as predicted"),
        "peak_memory_observed_bytes": pgettext("metric", "peak memory as observed"),
        "peak_power_watts": pgettext("metric", "peak power"),
        "peak_soc_power_watts": pgettext("metric", "peak power of the chip"),
        "peak_gpu_power_watts": pgettext("metric", "peak power of the GPU"),
        "mean_power_watts": pgettext("metric", "mean power"),
        "idle_power_watts": pgettext("metric", "power at rest"),
        # TRANSLATORS: of the process that started the one that measures
        "parent_cpu_percent": pgettext("metric", "CPU use of the parent process"),
        "energy_joules": pgettext("metric", "energy"),
        "final_loss": pgettext("metric", "final loss"),
        "max_relative_error": pgettext("metric", "largest relative error"),
        "reported_samples_per_second": pgettext("metric", "throughput as reported"),
        "reported_step_seconds": pgettext("metric", "one step as reported"),
        "reported_value": pgettext("metric", "figure without a unit"),
        "score": pgettext("metric", "score"),
        "final_accuracy": pgettext("metric", "final accuracy"),
        "time_to_train_seconds": pgettext("metric", "training to the goal"),
        "tokens_per_second": pgettext("metric", "tokens per second"),
        "time_to_first_token_seconds": pgettext("metric", "time to the first token"),
        "tokens_per_joule": pgettext("metric", "tokens per joule"),
        # TRANSLATORS: seconds of sound transcribed in one second
        "speed_factor": pgettext("metric", "speed against real time"),
        "steps_per_second": pgettext("metric", "steps per second"),
        "image_seconds": pgettext("metric", "one image"),
        "work_seconds": pgettext("metric", "the stated work"),
        "energy_per_step_joules": pgettext("metric", "energy of a step"),
        # TRANSLATORS: of text that a model was not trained on; fewer is better
        "bits_per_byte": pgettext("metric", "bits per byte"),
        "time_per_token_seconds": pgettext("metric", "time per token"),
        "frames_per_second": pgettext("metric", "frames per second"),
        "operations_per_second": pgettext("metric", "operations per second"),
        "operation_synced_seconds": pgettext("metric", "one operation, synchronised"),
        "operation_cpu_seconds": pgettext("metric", "one operation, CPU time"),
        "first_operation_seconds": pgettext("metric", "first operation"),
        "load_seconds": pgettext("metric", "loading the model or the data"),
        "stored_bytes": pgettext("metric", "stored size"),
        "compile_seconds": pgettext("metric", "compiling"),
        "peak_memory_reported_bytes": pgettext("metric", "peak memory as reported"),
        "command_wall_seconds": pgettext("metric", "whole command"),
        "command_user_seconds": pgettext("metric", "whole command, user time"),
        "command_system_seconds": pgettext("metric", "whole command, system time"),
        "latency_mean_seconds": pgettext("metric", "latency, mean"),
        "latency_median_seconds": pgettext("metric", "latency, median"),
        "latency_p90_seconds": pgettext("metric", "latency, 90th percentile"),
        "latency_p95_seconds": pgettext("metric", "latency, 95th percentile"),
        "latency_p99_seconds": pgettext("metric", "latency, 99th percentile"),
    }
