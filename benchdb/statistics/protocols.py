"""Versions of a source's protocol, and which of them were measured to be alike.

Figures of a source's own program and of each way in which we have done it again differ
until both were measured beside each other: ``schema/protocols.json`` keeps those
measurements, all processes of each version.
"""

from collections.abc import Iterator, Mapping
from functools import cache

import msgspec

from benchdb.resources import folder
from benchdb.statistics.comparison import SINGLE_THRESHOLD, Estimate, ratio

SOURCE = "source"  # the version that is the source's own program


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One protocol in several versions, measured in turns on one machine.

    *figures* are what each process gave, in the unit of the *metric*, by version.
    """

    workload: str
    setting: str
    framework: str
    device: str
    metric: str
    compiler: str
    chip: str
    framework_version: str
    measured: str
    remark: str = ""
    figures: Mapping[str, tuple[float, ...]]

    def compared(self) -> Iterator[tuple[tuple[str, str], Estimate]]:
        """Yield each pair of versions with the ratio of the second to the first."""
        names = sorted(self.figures)
        for number, other in enumerate(names):
            for name in names[:number]:
                pair = self.figures[other], self.figures[name]
                yield (name, other), ratio([pair])


@cache
def shipped() -> tuple[Measured, ...]:
    """Return the measurements that benchdb ships."""
    text = (folder("schema") / "protocols.json").read_bytes()
    return msgspec.json.decode(text, type=tuple[Measured, ...])


@cache
def followed(
    workload: str, setting: str, framework: str, device: str, *, version: int
) -> str | None:
    """Return what is equal for all figures of protocols that are alike.

    ``None`` stands for the source's own program.
    """
    own = (workload, setting, framework, device)
    alike = [
        {*pair}
        for measured in shipped()
        if (measured.workload, measured.setting, measured.framework, measured.device)
        == own
        for pair, estimate in measured.compared()
        if is_alike(estimate)
    ]
    names = {str(version)}
    while more := set[str]().union(*(it for it in alike if it & names)) - names:
        names |= more
    return None if SOURCE in names else f"seed protocol {min(names)}"


def is_alike(estimate: Estimate) -> bool:
    """Tell whether a ratio and all its interval are as good as 1."""
    least, most = 1 - SINGLE_THRESHOLD, 1 + SINGLE_THRESHOLD
    if estimate.low is None or estimate.high is None:
        return False
    return least <= estimate.low and estimate.high <= most
