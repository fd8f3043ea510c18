"""What tools print for processors and graphics cards, as vendors and names.

Chips are named as the collectors name them, so that the same chip is one chip.
"""

import re
from collections import Counter
from collections.abc import Iterable

from benchdb.exchange.lines import Accelerator, Chip

_APPLE = re.compile(
    r"(?:Apple )?(?P<name>[MA]\d+(?: Pro| Max| Ultra)?)(?: \(Virtual\))?"
    r"(?: (?P<p>\d{1,3})P\+(?P<e>\d{1,3})E(?:\+(?P<gpu>\d{1,3})GPU)?)?"
)
_MAKERS = {  # by the first of these that a name holds as a word
    "Intel": "Intel",
    "AMD": "AMD",
    "Radeon": "AMD",
    "NVIDIA": "NVIDIA",
    "GeForce": "NVIDIA",
    "Tesla": "NVIDIA",
    "Quadro": "NVIDIA",
    "RTX": "NVIDIA",
    "GTX": "NVIDIA",
    "Qualcomm": "Qualcomm",
    "Snapdragon": "Qualcomm",
    "Ampere": "Ampere",
    "Neoverse": "Arm",
    "Cortex": "Arm",
    "ARM": "Arm",
    "POWER": "IBM",
    "Apple": "Apple",
    "Moore Threads": "Moore Threads",
}
# What adds nothing: marks, generations, clock speeds, core counts, bare words.
_NOISE = re.compile(
    r"^\w{1,9}-Core (?=Intel)|\((?:R|TM|C)\)|[®™]|\bCPU\b|@.*|,.*|\(znver\d\)"
    r"|\b\d{1,2}(?:st|nd|rd|th) Gen\b|\b\w{1,9}-Core Processor\b|\(\d{1,4} cores?\)"
    r"|\b(?:with|w/) Radeon.*",
    re.IGNORECASE,
)
_DRIVER = re.compile(r" \((?:RADV|LLVM|AMD open|NVK|DG2|BMG|ACM|TGL)[^()]*\)$")
_INTEGRATED = re.compile(
    r"^Apple |Radeon(?: Vega \d+)? Graphics|Radeon \d{3,4}[MS]\b|\bU?HD Graphics"
    r"|\bIris\b|Arc Graphics|Arc 1\d0[TV]\b|llvmpipe|Adreno|Mali|\bGB10\b|\bOrin\b"
    # Displays of servers and of virtual machines, which compute nothing.
    r"|\bASPEED\b|\bMatrox\b|\bSVGA|\bvirtio|\bQXL\b|\bBochs\b|\bCirrus\b"
    r"|\bBasic (?:Display|Render)|\bHyper-V\b|\bVirtualBox\b|\bParallels\b",
    re.IGNORECASE,
)
_UNNAMED = re.compile(
    r"i386|arm|arm64|aarch64|(?:\d{1,4}[- ]cores? )?unknown|\d{1,4}[- ]cores?",
    re.IGNORECASE,
)
_NO_NAME = {"", "-", "?", "cpu", "unknown", "n/a", "none", "apple processor", "x86_64"}


def processor(printed: str) -> Chip | None:
    """Return the chip that a system calls *printed*, or ``None`` if that says nothing.

    Cores are told by names such as ``Apple M1 Pro 8P+2E+16GPU`` only: ``16-Core`` may
    be one of two sockets.
    """
    tidy = " ".join(printed.split())
    if apple := _APPLE.fullmatch(tidy):
        cores = int(apple["p"] or 0) + int(apple["e"] or 0)
        return Chip(
            vendor="Apple",
            name=apple["name"],
            cpu_cores=cores or None,
            gpu_cores=int(apple["gpu"] or 0) or None,
        )
    if tidy.lower() in _NO_NAME or _UNNAMED.fullmatch(tidy):
        return None
    vendor, name = _named(tidy)
    return Chip(vendor=vendor, name=name)


def accelerators(
    names: Iterable[str], memory_bytes: int | None = None
) -> tuple[Accelerator, ...]:
    """Return the discrete GPUs among *names*, equal ones counted.

    Chips of Apple and GPUs inside processors are left out: they belong to the chip.
    """
    plain = (_DRIVER.sub("", " ".join(one.split())) for one in names)
    found = Counter(_named(one) for one in plain if one and not _is_integrated(one))
    return tuple(
        Accelerator(vendor=vendor, name=name, memory_bytes=memory_bytes, count=count)
        for (vendor, name), count in sorted(found.items())
    )


def _is_integrated(name: str) -> bool:
    return _INTEGRATED.search(" ".join(_NOISE.sub(" ", name).split())) is not None


def _named(tidy: str) -> tuple[str, str]:
    bare = " ".join(_NOISE.sub(" ", tidy).split()) or tidy
    makers = (maker for word, maker in _MAKERS.items() if re.search(rf"\b{word}", bare))
    vendor = next(makers, "unknown")
    name = re.sub(rf"^{vendor}\s+", "", bare, flags=re.IGNORECASE)
    return vendor, name.removesuffix(" Processor") or bare
