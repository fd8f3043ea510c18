"""Text from others on a terminal: it may say what it likes, but command nothing."""

import unicodedata

# Control characters move the cursor or worse; format characters reorder a line.
_HARMFUL = ("Cc", "Cf", "Cs", "Zl", "Zp")


def plain(text: str) -> str:
    """Return *text* with control and direction characters as visible escapes."""
    return "".join(map(_visible, text))


def _visible(character: str) -> str:
    if unicodedata.category(character) not in _HARMFUL:
        return character
    return character.encode("unicode_escape").decode("ascii")
