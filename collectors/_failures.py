"""What a framework raised, as a status and one line."""

from _private import redact

_OUT_OF_MEMORY_TYPES = {"MemoryError", "OutOfMemoryError", "ResourceExhaustedError"}
_OUT_OF_MEMORY_TEXTS = (
    "out of memory",
    "can't allocate memory",
    "not enough memory",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "CUDNN_STATUS_ALLOC_FAILED",
    "Invalid buffer size",  # Metal: one buffer larger than any may be
)
_UNSUPPORTED_TYPES = {"NotImplementedError", "UnimplementedError"}
_UNSUPPORTED_TEXTS = (
    "could not create a primitive",  # oneDNN
    "not implemented for",
    "Cannot convert a MPS Tensor to float64",
    "BFloat16 is not supported on MPS",
    "BFloat16 is only supported on MacOS 14",
)


def failure_status(failure: Exception) -> str:
    """Return oom, unsupported or failed for what a framework raised."""
    types = {kind.__name__ for kind in type(failure).__mro__}
    said = str(failure)
    if types & _OUT_OF_MEMORY_TYPES or any(t in said for t in _OUT_OF_MEMORY_TEXTS):
        return "oom"
    if types & _UNSUPPORTED_TYPES or any(t in said for t in _UNSUPPORTED_TEXTS):
        return "unsupported"
    return "failed"


def first_line(failure: Exception) -> str:
    """Return the first line of what went wrong; frameworks add pages to it."""
    # Cut only then: half a path may not look like one.
    return redact(str(failure).strip().partition("\n")[0][:5000])[:500]
