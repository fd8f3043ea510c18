"""Fonts of the charts beside Markdown: the same letters wherever that is possible."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

_BUNDLED = "DejaVu Sans"  # travels with matplotlib; it has no CJK characters
# By language, the best first: order matters for Han, which every region draws its way.
_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "ar": ("Noto Sans Arabic", "SF Arabic", "Geeza Pro", "Segoe UI", "Tahoma"),
    "ko": ("Noto Sans CJK KR", "Noto Sans KR", "Apple SD Gothic Neo", "Malgun Gothic"),
    "ja": ("Noto Sans CJK JP", "Noto Sans JP", "Hiragino Sans", "Yu Gothic"),
    "zh-Hans": ("Noto Sans CJK SC", "Noto Sans SC", "PingFang SC", "Heiti TC"),
    "zh-Hant": ("Noto Sans CJK TC", "Noto Sans TC", "PingFang TC", "Heiti TC"),
}
_OWN_FIRST = {"ar"}  # the bundled font has these letters, but draws them poorly
_PACKAGES = {"ar": "fonts-noto-core"}
_OTHER_PACKAGE = "fonts-noto-cjk"

# What becomes of a letter that no font has: a name may hold any. Tests say "error".
MISSING_GLYPHS: Literal["ignore", "error"] = "ignore"


@contextmanager
def settings(code: str, style: Mapping[str, Any]) -> Iterator[None]:
    """Set matplotlib up for letters of the language *code*, for a while."""
    import matplotlib as mpl  # noqa: PLC0415

    own = own_fonts(code)
    values: Any = {
        "font.family": [*own, _BUNDLED] if code in _OWN_FIRST else [_BUNDLED, *own],
        "text.language": code,
        "text.parse_math": False,  # a name with a $ is a name
        "text.usetex": False,
        "text.hinting": "none",  # outlines have none, and they are measured
        # Without a font for the language, leave the letters to the reader's fonts.
        "svg.fonttype": "path" if own or code not in _FAMILIES else "none",
        "svg.hashsalt": "benchdb",
        **style,
    }
    left_to_readers = values["svg.fonttype"] == "none"
    with mpl.rc_context(values), warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore" if left_to_readers else MISSING_GLYPHS,
            r"Glyph \d+ .* missing from",
            UserWarning,
        )
        yield


def missing_fonts(codes: Sequence[str]) -> str:
    """Say what to install for the charts in *codes*; nothing if nothing is missing.

    Only charts need fonts here: a page is set in those of its readers.
    """
    without = [code for code in codes if code in _FAMILIES and not own_fonts(code)]
    if not without:
        return ""
    packages = dict.fromkeys(_PACKAGES.get(code, _OTHER_PACKAGE) for code in without)
    families = dict.fromkeys(_FAMILIES[code][0] for code in without)
    return (
        f"no font here for the charts in {', '.join(without)}, whose letters are left "
        f"to the reader's fonts; install {' and '.join(packages)}, or "
        f"{' and '.join(families)}"
    )


def own_fonts(code: str) -> tuple[str, ...]:
    """Return the font of the language *code*, if it needs one and it is there."""
    return _installed(_FAMILIES.get(code, ()))


@lru_cache
def _installed(families: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first of *families* that there is."""
    from matplotlib.font_manager import (  # noqa: PLC0415
        findSystemFonts,
        fontManager,
        get_font_names,
    )

    if families and not set(families) & set(get_font_names()):
        # Fonts installed since matplotlib listed them, which it does once.
        files = {name.replace(" ", "") for name in families}
        for path in sorted(map(Path, findSystemFonts())):
            stem = path.stem.partition("-")[0]
            if len(stem) > len("NotoSans") and any(f.startswith(stem) for f in files):
                fontManager.addfont(path)
    names = set(get_font_names())
    return tuple(family for family in families if family in names)[:1]
