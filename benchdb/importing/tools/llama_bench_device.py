"""On which kind of device a run of llama-bench computed, and how that is known."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from benchdb.exchange.lines import Accelerator, Device

# Names of backends as they register themselves, and the flags of 2023 and 2024.
_DEVICES: dict[str, Device] = {
    "cuda": "cuda",
    "musa": "unknown",
    "rocm": "rocm",
    "hip": "rocm",
    "metal": "metal",
    "mtl": "metal",
    "vulkan": "vulkan",
    "kompute": "vulkan",
    "sycl": "sycl",
    "opencl": "opencl",
    "cann": "npu",
    "gpu_blas": "unknown",
}
_BESIDE = {"", "blas", "rpc", "cpu", "accelerate", "amx", "zendnn"}  # not the device
FLAGS = (
    *("cuda", "opencl", "vulkan", "kompute", "metal", "sycl", "rpc"),
    *("gpu_blas", "blas"),
)


class Computed(msgspec.Struct, frozen=True):
    """The device of a run; *basis* and *missing* are those of a ``Run``."""

    device: Device
    basis: dict[str, str] = {}
    missing: dict[str, str] = {}


def computed(row: Mapping[str, Any], cards: Sequence[Accelerator]) -> Computed:
    """Return on what a run of these columns computed, with these discrete GPUs."""
    backends = _backends(row)
    if backends is None:
        return _unknown("no column names the backends")
    chosen = _chosen(row)
    found = {_device(name) for name in chosen or backends} - {None}
    if why := _on_cpu(row, backends, chosen, has_gpu=bool(found)):
        return Computed("cpu", {"device": why})
    if len(found) > 1:
        return _unknown(f"several backends: {_list(backends)}")
    device = found.pop() or "unknown"
    if device == "unknown":
        return _unknown(f"{_list(backends)} is no kind of device that benchdb knows")
    if device == "cuda" and cards and {card.vendor for card in cards} == {"AMD"}:
        return Computed("rocm", {"device": "the cuda backend on a GPU of AMD"})
    return Computed(device, {"device": f"the backends: {_list(backends)}"})


def _on_cpu(
    row: Mapping[str, Any],
    backends: Sequence[str],
    chosen: Sequence[str],
    *,
    has_gpu: bool,
) -> str | None:
    """Return why the run was the CPU's, if it was."""
    if chosen == ("none",):
        return "devices is none"
    if not has_gpu:
        return "no GPU among the backends"
    if row.get("n_gpu_layers") == 0:
        # Large batches may still be multiplied on the GPU: only the layers are told.
        return f"n_gpu_layers is 0: no layer on the GPU of {_list(backends)}"
    return None


def _unknown(why: str) -> Computed:
    return Computed("unknown", missing={"device": why})


def _backends(row: Mapping[str, Any]) -> tuple[str, ...] | None:
    if isinstance(listed := row.get("backends"), str):
        return tuple(one.strip() for one in listed.split(","))
    if not any(name in row for name in FLAGS):
        return None
    named = tuple(name for name in FLAGS if row.get(name) in (True, 1))
    # Every build for a GPU says gpu_blas too: alone it tells nothing.
    others = tuple(name for name in named if name != "gpu_blas")
    return others if {_device(name) for name in others} - {None} else named


def _chosen(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the backends of the column ``devices``: ``CUDA0/CUDA1``, ``none``."""
    listed = row.get("devices")
    if not isinstance(listed, str) or listed in ("", "auto"):
        return ()
    return tuple(re.sub(r"\d+$", "", one.strip()) for one in listed.split("/"))


def _device(backend: str) -> Device | None:
    """Return the kind of a backend's device; ``None`` where it is none of its own."""
    name = backend.lower()
    if name in _BESIDE:
        return None
    return _DEVICES.get(name, "unknown")


def _list(backends: Sequence[str]) -> str:
    return ", ".join(backends)
