"""What names in texts of others mean: chips, workloads, frameworks, devices, systems.

Each function returns what a whole text names, and ``None`` where it names nothing that
we know, or several things.
"""

from benchdb.importing.naming.chips import (
    UNKNOWN,
    RecognisedChip,
    accelerators,
    chip,
    chips_in,
    processor,
)
from benchdb.importing.naming.devices import (
    device,
    framework,
    framework_version,
    frameworks,
    os,
    precision,
)
from benchdb.importing.naming.sizes import model
from benchdb.importing.naming.words import tidied
from benchdb.importing.naming.workloads import workload

__all__ = [
    "UNKNOWN",
    "RecognisedChip",
    "accelerators",
    "chip",
    "chips_in",
    "device",
    "framework",
    "framework_version",
    "frameworks",
    "model",
    "os",
    "precision",
    "processor",
    "tidied",
    "workload",
]
