"""What PyTorch tells of how it executed something: kernels, attention, Metal's side."""

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from fingerprint.macos import metal_kernels
from harness.framework import Work
from torch.nn import functional

# Spans that the profiler draws over the kernels of a whole call.
_NO_KERNELS = ("Optimizer.", "ProfilerStep", "Torch-Compiled Region", "## ")
_ATTENTION = {0: "math", 1: "flash", 2: "memory-efficient", 3: "cudnn"}


def cuda_kernels(work: Work, steps: int) -> list[tuple[str, float, float]]:
    """Return name, begin and end in seconds of what CUDA computed in so many steps."""
    from torch.profiler import ProfilerActivity, profile  # noqa: PLC0415  heavy

    work.synchronise()
    with warnings.catch_warnings():
        # Of cycles, where there is a single one.
        warnings.filterwarnings("ignore", ".*Profiler clears events")
        with profile(activities=[ProfilerActivity.CUDA]) as seen:
            for _ in range(steps):
                work.step()
            work.synchronise()
        events = list(seen.events())
    return [
        (event.name, event.time_range.start / 1e6, event.time_range.end / 1e6)
        for event in events
        if event.device_type.name == "CUDA"
        and not getattr(event, "is_user_annotation", False)
        and not event.name.startswith(_NO_KERNELS)
    ]


@contextmanager
def attention_seen() -> Iterator[set[str]]:
    """Collect which kernel PyTorch chooses for each attention that is called inside.

    For those operands it is asked what it would choose; "" is where it cannot tell. A
    model that has been compiled calls nothing any more.
    """
    usual, seen = functional.scaled_dot_product_attention, set[str]()

    def spy(*operands: Any, **options: Any) -> Any:
        seen.add(_choice(*operands, **options))
        return usual(*operands, **options)

    functional.scaled_dot_product_attention = spy
    try:
        yield seen
    finally:
        functional.scaled_dot_product_attention = usual


def attention_kernels(run: Callable[[], Any]) -> str | None:
    """Return which kernels of attention *run* uses; None where nobody can tell."""
    with attention_seen() as seen:
        run()
    return None if not seen or "" in seen else ", ".join(sorted(seen))


def _choice(query: Any, key: Any, value: Any, *others: Any, **options: Any) -> str:
    kind = query.device.type
    operands = [query, key, value]
    if torch.is_autocast_enabled(kind):  # as attention itself would do it
        operands = [it.to(torch.get_autocast_dtype(kind)) for it in operands]
    try:
        chosen = torch._fused_sdp_choice(*operands, *others, **options)
    except (AttributeError, NotImplementedError, RuntimeError, TypeError):
        return ""
    return _ATTENTION.get(int(chosen), "")


def metal_path() -> dict[str, str | None]:
    """Return what decides which kernels Metal has, by the SDK of the wheel."""
    library = Path(torch.__file__).with_name("lib") / "libtorch_cpu.dylib"
    allowed = os.environ.get("PYTORCH_ENABLE_MPS_FALLBACK", "") not in ("", "0")
    return metal_kernels(library) | {"fallback_allowed": "yes" if allowed else "no"}
