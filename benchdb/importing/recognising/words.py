"""Words that mean a thing, found in texts of any case, width and script."""

import re
from collections.abc import Iterable, Mapping

from benchdb.importing.recognising.chips import TEXT_LIMIT, tidied


def patterns(several: Mapping[str, Iterable[str]]) -> dict[str, re.Pattern[str]]:
    """Return for each meaning what finds one of its words, longest first."""
    return {
        meaning: re.compile(
            r"(?<![a-z0-9])(?:"
            + "|".join(sorted(spellings, key=len, reverse=True))
            + r")(?![a-z0-9])"
        )
        for meaning, spellings in several.items()
    }


def meant(text: str, words: Mapping[str, re.Pattern[str]]) -> str | None:
    """Return the only meaning whose words *text* has."""
    if len(text) > TEXT_LIMIT:
        return None
    plain = tidied(text).casefold()
    found = [meaning for meaning, one in words.items() if one.search(plain)]
    return found[0] if len(found) == 1 else None


def named(plain: str, words: Mapping[str, re.Pattern[str]]) -> bool:
    """Tell whether *plain* has words of any meaning."""
    return any(one.search(plain) for one in words.values())
