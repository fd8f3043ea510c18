"""What stands above a chart beside Markdown: its title and its legend."""

from collections.abc import Sequence

import msgspec

from benchdb.report.figures.sheet import MARGIN, QUIET, WIDTH, Mark, Sheet

TITLE, KEYS = 0.4, 0.28  # how high a title and a row of the legend are, in inches
_TITLE_POINTS = 12.0


class Bar(msgspec.Struct, frozen=True):
    """A stroke between two values; dashed where a value is flagged."""

    start: float
    end: float
    colour: str
    dashed: bool = False
    dotted: bool = False  # no measurement
    thin: bool = False


class Key(msgspec.Struct, frozen=True):
    """One entry of the legend: a mark, a stroke or nothing, and what it means."""

    text: str
    mark: Mark | None = None
    bar: Bar | None = None


def title(sheet: Sheet, words: str) -> None:
    """Write the title of a chart, smaller where it would not fit."""
    edge, side = (WIDTH - MARGIN, "right") if sheet.mirrored else (MARGIN, "left")
    wide = sheet.width(words, weight="bold", fontsize=_TITLE_POINTS)
    size = _TITLE_POINTS * min(1.0, (WIDTH - 2 * MARGIN) / max(wide, 0.01))
    y = MARGIN + TITLE / 2 - 0.04
    sheet.text(edge, y, words, ha=side, weight="bold", fontsize=size)


def key_rows(sheet: Sheet, keys: Sequence[Key]) -> list[list[Key]]:
    """Break the legend into rows that fit; without keys there are none."""
    rows: list[list[Key]] = [[]] if keys else []
    used = MARGIN
    for key in keys:
        wide = _key_width(sheet, key)
        if rows[-1] and used + wide > WIDTH - MARGIN:
            rows.append([])
            used = MARGIN
        rows[-1].append(key)
        used += wide
    return rows


def _key_width(sheet: Sheet, key: Key) -> float:
    return _sign_width(key) + sheet.width(key.text) + 0.26


def _sign_width(key: Key) -> float:
    if key.bar:
        return 0.38
    if key.mark is None:
        return 0.0
    return 0.28 if key.mark.shape == "star" else 0.18


def legend(sheet: Sheet, keys: list[Key], y: float) -> None:
    """Draw one row of the legend, its middle at *y*."""
    x = MARGIN
    if sheet.mirrored:
        x = WIDTH - MARGIN + 0.26 - sum(_key_width(sheet, key) for key in keys)
        keys = keys[::-1]
    for key in keys:
        if key.bar:
            sheet.stroke(
                (x, x + 0.3), (y, y), color=key.bar.colour, linestyle=dash(key.bar)
            )
        if key.mark:
            middle = 0.15 if key.bar else (_sign_width(key) - 0.06) / 2
            sheet.mark(x + middle, y, key.mark)
        sheet.text(x + _sign_width(key), y, key.text, color=QUIET)
        x += _key_width(sheet, key)


def dash(bar: Bar) -> object:
    """Return the dashes of *bar* as matplotlib takes them."""
    if bar.dotted:
        return (0, (1, 2.4))
    return (0, (3, 1.6)) if bar.dashed else "solid"
