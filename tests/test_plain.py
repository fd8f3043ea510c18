"""Text from others cannot command a terminal."""

import pytest

from benchdb.cli.plain import plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("M1 Max · 한국어 · Größe", "M1 Max · 한국어 · Größe"),
        ("\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),
        ("a\u202eb", "a\\u202eb"),
        ("two\nlines", "two\\nlines"),
        ("\x9b31m", "\\x9b31m"),
    ],
)
def test_control_and_direction_characters_become_visible(text, shown):
    assert plain(text) == shown
