"""Paper for the charts beside Markdown: words, strokes and marks, placed in inches.

Text is drawn as outlines, and Latin letters come from the font that matplotlib
brings, so a chart looks alike on every machine. The same chart gives the same bytes.
"""

import io
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

Shape = Literal["circle", "square", "triangle", "diamond", "down", "plus", "star"]
MARKERS = {
    "circle": "o",
    "square": "s",
    "triangle": "^",
    "diamond": "D",
    "down": "v",
    "plus": "P",
    "star": "*",
}

PAPER, INK, QUIET, RULE, GRID = "#fdfdfc", "#16191d", "#59626c", "#aeb4bb", "#e4e7ea"
BLUE, ORANGE, PURPLE, GREEN, OLIVE = (
    "#0072b2",
    "#c85200",
    "#8a3f77",
    "#00805d",
    "#7a5c00",
)
GREY, MINE = "#6c757d", "#fff6d6"
BLUE_TEXT, ORANGE_TEXT = "#00609a", "#a84400"

WIDTH, MARGIN = 8.0, 0.16  # inches
POINTS = 9.0  # the size of letters

_SIZES = {"diamond": 6.6 * 0.86, "star": 8.4, "plus": 7.4}
_RIGHT_TO_LEFT = "\u200f"  # the mark that says so


class Mark(msgspec.Struct, frozen=True):
    """A point at *x*; a hollow one shows the paper through."""

    x: float
    shape: Shape
    colour: str
    hollow: bool = False
    small: bool = False


class Sheet(msgspec.Struct, frozen=True):
    """Paper on which artists are placed in inches from the top left."""

    figure: Any
    height: float
    mirrored: bool

    def text(self, x: float, y: float, text: str, **style: Any) -> None:
        """Write *text*; its middle is at *y* unless *style* says otherwise."""
        style = {"fontsize": POINTS, "va": "center", "color": INK} | style
        inches = self.figure.dpi_scale_trans
        said = self._directed(text)
        self.figure.text(x, self.height - y, said, transform=inches, **style)

    def width(self, text: str, **style: Any) -> float:
        """Return how wide *text* is, in inches."""
        style = {"fontsize": POINTS} | style
        artist = self.figure.text(0, 0, self._directed(text), **style)
        box = artist.get_window_extent(self.figure.canvas.get_renderer())
        artist.remove()
        return float(box.width / self.figure.dpi)

    def _directed(self, text: str) -> str:
        # Else a line that begins with a Latin name would run left to right.
        return f"{_RIGHT_TO_LEFT}{text}" if self.mirrored and text else text

    def stroke(self, xs: Sequence[float], ys: Sequence[float], **style: Any) -> None:
        """Draw a line through these places."""
        self.line(xs, ys, **{"solid_capstyle": "butt"} | style)

    def mark(self, x: float, y: float, mark: Mark, **style: Any) -> None:
        """Draw *mark* with its middle at these inches."""
        if mark.shape == "star":  # this machine: it stands out by its ring as well
            self._shape(x, y, "o", 14, (OLIVE, MINE))
        size = 4.2 if mark.small else _SIZES.get(mark.shape, 6.6)
        colours = mark.colour, PAPER if mark.hollow else mark.colour
        width = 0.6 if mark.small or mark.shape == "star" else 1.3
        style = {"markeredgewidth": width} | style
        self._shape(x, y, MARKERS[mark.shape], size, colours, **style)

    def _shape(
        self,
        x: float,
        y: float,
        marker: str,
        size: float,
        colours: tuple[str, str],
        **style: Any,
    ) -> None:
        edge, inside = colours
        style = {"markeredgecolor": edge, "markerfacecolor": inside} | style
        self.line((x,), (y,), marker=marker, markersize=size, linestyle="none", **style)

    def line(self, xs: Sequence[float], ys: Sequence[float], **style: Any) -> None:
        """Add a line or markers in matplotlib's own *style*."""
        from matplotlib.lines import Line2D  # noqa: PLC0415

        inches = self.figure.dpi_scale_trans
        places = [self.height - y for y in ys]
        self.figure.add_artist(Line2D(xs, places, transform=inches, **style))


def blank() -> Any:
    """Return a figure on which text can be measured."""
    # Imported here: matplotlib takes a second that other commands do not have.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(facecolor=PAPER)
    FigureCanvasAgg(figure)
    return figure


def saved(figure: Any, title: str) -> bytes:
    """Return *figure* as an SVG file."""
    stream = io.BytesIO()
    # No date and no version: they would change the bytes.
    metadata = {"Date": None, "Creator": "benchdb", "Title": title}
    figure.savefig(stream, format="svg", metadata=metadata)
    return stream.getvalue()
