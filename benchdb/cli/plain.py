"""Text from others on a terminal: it may say what it likes, but command nothing."""

import unicodedata
from contextlib import suppress

import typer

# Control characters move the cursor or worse; format characters reorder a line.
_HARMFUL = ("Cc", "Cf", "Cs", "Zl", "Zp")
NAME_LIMIT = 80  # characters; a name of a megabyte would hide the rest of a list
PROSE_LIMIT = 400


def plain(text: str, limit: int | None = None) -> str:
    """Return *text* with control and direction characters as visible escapes.

    What is longer than *limit* is cut there.
    """
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + "…"
    return "".join(map(_visible, text))


def tell(text: str) -> None:
    """Say *text* on standard error, and go on where nobody can be told.

    The log of a night's campaign may have filled its disk; what was measured is safe
    in the database, so the campaign goes on.
    """
    with suppress(OSError):
        typer.echo(plain(text), err=True)


def _visible(character: str) -> str:
    if unicodedata.category(character) not in _HARMFUL:
        return character
    return character.encode("unicode_escape").decode("ascii")


def label_text(label: str, *, mine: bool) -> str:
    """Return a run's *label*, with whose measurement it is."""
    if label != "measured":
        return label
    return "measured here" if mine else "measured, contributed"
