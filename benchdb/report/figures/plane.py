"""Draw a chart on two axes as SVG."""

from benchdb.report.planes import Plane


def svg(plane: Plane, code: str, *, mirrored: bool = False) -> bytes:
    """Return *plane* as an SVG file; the same plane gives the same bytes."""
    del plane, code, mirrored
    return b""
