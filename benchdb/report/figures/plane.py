"""Draw a chart on two axes as SVG, its marks where they stand on the page."""

from benchdb.report.figures.fonts import fonts
from benchdb.report.figures.legend import KEYS, TITLE, Bar, Key, key_rows, legend, title
from benchdb.report.figures.panel import LOOKS, PX, Plot, draw, room_around
from benchdb.report.figures.sheet import MARGIN, WIDTH, Mark, Sheet, blank, saved
from benchdb.report.geometry.lettering import cut
from benchdb.report.geometry.plane import Drawing, Sign, lay_out
from benchdb.report.planes import Plane

_COLUMNS = 2  # of panels; more would be too narrow for letters that cannot shrink
_GAP = 26.0  # between panels, in pixels
_LONGEST_KEY = 640.0  # nearly a row: what a mark means is not cut


def svg(plane: Plane, code: str, *, mirrored: bool = False) -> bytes:
    """Return *plane* as an SVG file; the same plane gives the same bytes.

    *mirrored* turns the words around, never the axes.
    """
    with fonts(code):
        figure = blank()
        draft = Sheet(figure, 0, mirrored=mirrored)
        columns = min(_COLUMNS, len(plane.panels) or 1)
        wide = ((WIDTH - 2 * MARGIN) / PX - _GAP * (columns - 1)) / columns
        drawing = lay_out(plane, (wide,), lambda text: draft.width(text) / PX)
        keys = key_rows(draft, [_key(draft, sign) for sign in drawing.signs])
        head = MARGIN + TITLE + KEYS * len(keys)
        above, below = room_around(plane)
        pitch = (above + drawing.frame.height + below) * PX
        rows = -(-len(plane.panels) // columns)
        height = head + rows * pitch + MARGIN
        figure.set_size_inches(WIDTH, height)
        sheet = Sheet(figure, height, mirrored=mirrored)
        title(sheet, plane.title)
        for n, row in enumerate(keys):
            legend(sheet, row, MARGIN + TITLE + (n + 0.5) * KEYS - 0.03)
        _panels(sheet, drawing, (head, pitch), columns)
        return saved(figure, plane.title)


def _panels(
    sheet: Sheet, drawing: Drawing, rows: tuple[float, float], columns: int
) -> None:
    """Draw all panels; *rows* are the top of the first row and the step, in inches."""
    head, pitch = rows
    wide = ((WIDTH - 2 * MARGIN) / PX - _GAP * (columns - 1)) / columns
    for n, axes in enumerate(drawing.panels):
        left = MARGIN / PX + n % columns * (wide + _GAP)
        top = (head + n // columns * pitch) / PX
        draw(Plot(sheet, drawing.frame, (left, top, wide), f"panel-{n}"), axes)


def _key(sheet: Sheet, sign: Sign) -> Key:
    shape, colour = LOOKS[sign.key.look]
    mark = Mark(0, shape, colour, sign.key.hollow, small=sign.key.look == "quiet")
    bar = Bar(0, 0, colour, dotted=sign.guide)
    return Key(
        cut(sign.key.text, _LONGEST_KEY, lambda text: sheet.width(text) / PX),
        mark if sign.mark else None,
        bar if sign.stroke else None,
    )
