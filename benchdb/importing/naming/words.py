"""Words of other people, from ``names.toml``, looked for in texts of any kind."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Any

from benchdb.resources import folder

TEXT_LIMIT = 300  # characters; longer texts are prose, not names
_CLUTTER = re.compile(r"\((?:R|TM|C)\)|[®™©]", re.IGNORECASE)


@cache
def names() -> Mapping[str, Any]:
    """Return what ``names.toml`` says, table by table."""
    return tomllib.loads((folder("schema") / "names.toml").read_text("utf-8"))


def tidied(text: str) -> str:
    """Return *text* with plain spaces, digits and letters, and without ® and ™."""
    plain = unicodedata.normalize("NFKC", _CLUTTER.sub(" ", text))
    return " ".join(plain.split())


@cache
def patterns(table: str) -> Mapping[str, re.Pattern[str]]:
    """Return for each meaning of a table what finds one of its words, longest first."""
    return {
        meaning: re.compile(
            r"(?<![a-z0-9])(?:"
            + "|".join(sorted(spellings, key=len, reverse=True))
            + r")(?![a-z0-9])"
        )
        for meaning, spellings in names()[table].items()
    }


def meanings(text: str, table: str) -> list[str]:
    """Return the meanings in a table whose words *text* has; none in a long text."""
    plain = tidied(text).casefold() if len(text) <= TEXT_LIMIT else ""
    return [meaning for meaning, one in patterns(table).items() if one.search(plain)]


def meaning(text: str, table: str) -> str | None:
    """Return the only meaning whose words *text* has."""
    known = meanings(text, table)
    return known[0] if len(known) == 1 else None
