"""Whether this Python can reach Metal at all, before any framework is asked."""

import platform

import _ask

_NEED = "Metal needs a Mac with Apple silicon and macOS 14 or newer"


def metal_obstacle() -> tuple[str, str] | None:
    """Return why there is no Metal here and what to do; None on Apple silicon."""
    # Of this process: under Rosetta every program claims to run on x86_64.
    architecture = (_ask.run("uname", "-m") or platform.machine()).strip()
    if _ask.platform() != "darwin":
        return f"this is {platform.system()} on {architecture}", _NEED
    if architecture == "arm64":
        return None
    if (_ask.run("sysctl", "hw.optional.arm64") or "").strip().endswith("1"):
        # The frameworks have no Metal there: the Mac has, an arm64 Python finds it.
        return (
            "this Python is an Intel build, which runs under Rosetta",
            "install an arm64 Python and the frameworks in it",
        )
    return "this Mac has an Intel processor", f"measure with --no-metal; {_NEED}"
