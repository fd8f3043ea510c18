"""Batch size: what a larger batch changes, on each system."""

from benchdb.report.material import Material
from benchdb.report.view.batches import Batches


def section(material: Material) -> Batches | None:
    """Return the section, or ``None`` without its data."""
    del material
    return None
