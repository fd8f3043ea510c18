"""impossible-device: a kind of device that the machine cannot have."""

from collections.abc import Iterator, Sequence

from benchdb.plausibility.observed import Finding, Observed

CODE = "impossible-device"
# Macs have had GPUs of these, and what is unknown may be any.
_METAL = frozenset({"apple", "intel", "amd", "unknown", ""})
_NO_MACOS = (
    *("linux", "ubuntu", "debian", "fedora", "centos", "red hat", "rhel", "rocky"),
    *("almalinux", "arch", "alpine", "opensuse", "windows", "freebsd", "android"),
)


def findings(runs: Sequence[Observed]) -> Iterator[Finding]:
    """Yield runs by CUDA on Apple silicon, and by Metal where there is none.

    An Apple machine with a discrete GPU (in a case of its own) may have CUDA.
    """
    for run in runs:
        if run.device not in ("cuda", "metal"):
            continue
        vendor, system = run.chip_vendor.casefold(), (run.os_name or "").casefold()
        cuda = run.device == "cuda" and vendor == "apple" and not run.accelerators
        other = vendor not in _METAL or system.startswith(_NO_MACOS)
        if cuda or (run.device == "metal" and other):
            facts = {"device": run.device, "chip": run.chip_name}
            if run.os_name is not None and not cuda:
                facts["os_name"] = run.os_name
            yield Finding(run.run, CODE, None, facts)
