"""Scaling: throughput against GPU cores within one generation of chips."""

from benchdb.report.material import Material
from benchdb.report.view.scaling import Scaling


def section(material: Material) -> Scaling | None:
    """Return the section, or ``None`` without its data."""
    del material
    return None
