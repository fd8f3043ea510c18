"""Fonts and settings for charts: the same letters on every machine where possible."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_BUNDLED = "DejaVu Sans"  # travels with matplotlib; it has no CJK characters
_CJK = {
    "ko": ("Noto Sans CJK KR", "Noto Sans KR", "Apple SD Gothic Neo"),
    "ja": ("Noto Sans CJK JP", "Noto Sans JP", "Hiragino Sans"),
    "zh-Hans": ("Noto Sans CJK SC", "Noto Sans SC", "PingFang SC", "Heiti TC"),
    "zh-Hant": ("Noto Sans CJK TC", "Noto Sans TC", "PingFang TC", "Heiti TC"),
}


@contextmanager
def fonts(code: str) -> Iterator[None]:
    """Set matplotlib up for text in the language *code*, for a while."""
    import matplotlib as mpl  # noqa: PLC0415  heavy

    own = _installed(_CJK.get(code, ()))
    settings: Any = {
        "font.family": [_BUNDLED, *own],
        "text.language": code,
        "text.parse_math": False,  # a name with a $ is a name
        "text.usetex": False,
        # Without a font for the language, leave the letters to the reader's fonts.
        "svg.fonttype": "path" if own or code not in _CJK else "none",
        "svg.hashsalt": "benchdb",
    }
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from", UserWarning)
        yield


def _installed(families: tuple[str, ...]) -> list[str]:
    """Return the first of *families* that there is: order matters for Han."""
    from matplotlib.font_manager import get_font_names  # noqa: PLC0415

    names = set(get_font_names()) if families else set()
    return [family for family in families if family in names][:1]
