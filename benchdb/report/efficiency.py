"""Per watt: throughput against power, and samples per joule."""

from benchdb.report.material import Material
from benchdb.report.view.efficiency import Efficiency


def section(material: Material) -> Efficiency | None:
    """Return the section, or ``None`` without its data."""
    del material
    return None
