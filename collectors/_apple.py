"""Whether this Python can reach Metal at all, before any framework is asked."""

import platform
import sys

_NEED = "Metal needs a Mac with Apple silicon and macOS 14 or newer"


def metal_obstacle() -> tuple[str, str] | None:
    """Return why there is no Metal here and what to do; None on Apple silicon."""
    if sys.platform != "darwin":
        return f"this is {platform.system()} on {platform.machine()}", _NEED
    if platform.machine() != "arm64":
        # Under Rosetta every Mac claims to be x86_64, and frameworks have no Metal.
        return "this Python is an Intel build", f"install an arm64 Python; {_NEED}"
    return None
