"""Every chart on two axes, by the name of its section."""

from collections.abc import Callable, Mapping

from benchdb.report.language import Language
from benchdb.report.planes import Plane, batches, efficiency, normal, scaling, sweep
from benchdb.report.view.page import Report

PLANES: Mapping[str, Callable[[Report, Language], Plane | None]] = {
    "efficiency": efficiency.plane,
    "batches": batches.plane,
    "scaling": scaling.plane,
    "sweep": sweep.plane,
    "normal": normal.plane,
}
