"""Choose the languages of a report from a request or from the environment."""

import re
from collections.abc import Mapping, Sequence

from babel.core import get_global

from benchdb.errors import UsageError

_VARIABLES = ("BENCHDB_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
_ALIASES = {"no": "nb", "iw": "he", "in": "id"}
_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})(-(?P<script>[a-z]{4}))?(-(?P<territory>[a-z]{2}|\d{3}))?"
    r"(-.*)?"
)

Maximal = tuple[str, str | None, str | None]  # language, script, territory


def choose(
    available: Sequence[str], requested: Sequence[str], environ: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the codes among *available* to report in, at least one.

    An explicit request for an unknown language is a ``UsageError``; an unknown
    environment means English.
    """
    wanted = _split(requested)
    if wanted:
        return _explicit(available, wanted)
    variable = next((name for name in _VARIABLES if environ.get(name)), None)
    tags = _split([environ[variable]]) if variable else []
    found = [code for tag in tags for code in _matches(available, tag)]
    return tuple(dict.fromkeys(found)) or ("en",)


def _explicit(available: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    unknown = [tag for tag in wanted if not _matches(available, tag)]
    if unknown:
        raise UsageError(
            f"no report language {', '.join(map(repr, unknown))}: there are "
            f"{', '.join(available)}, or all of them with 'all'"
        )
    found = [code for tag in wanted for code in _matches(available, tag)]
    return tuple(dict.fromkeys(found))


def _split(values: Sequence[str]) -> list[str]:
    parts = (part.strip() for value in values for part in value.split(","))
    return [part for part in parts if part]


def _matches(available: Sequence[str], tag: str) -> tuple[str, ...]:
    if tag.lower() == "all":
        return tuple(available)
    wanted = maximal(tag)
    if wanted is None:
        return ()
    candidates = [code for code in available if _alike(maximal(code), wanted)]
    # pt-PT is better served by pt-PT than by pt-BR, and by pt-BR than by English.
    candidates.sort(key=lambda code: maximal(code) != wanted)
    return tuple(candidates[:1])


def _alike(one: Maximal | None, other: Maximal) -> bool:
    return one is not None and one[:2] == other[:2]


def maximal(tag: str) -> Maximal | None:
    """Return language, script and territory of *tag*, likely ones filled in.

    Takes BCP 47 (``zh-Hant-u-nu-hanidec``) and POSIX names (``de_DE.UTF-8@euro``).
    """
    name = re.split(r"[.@]", tag, maxsplit=1)[0].strip().replace("_", "-").lower()
    name = "en" if name in {"c", "posix"} else name
    match = _TAG.fullmatch(name)
    if not match:
        return None
    language = _ALIASES.get(match["language"], match["language"])
    script = match["script"].title() if match["script"] else None
    territory = match["territory"].upper() if match["territory"] else None
    return _likely(language, script, territory)


def _likely(language: str, script: str | None, territory: str | None) -> Maximal:
    likely: Mapping[str, str] = get_global("likely_subtags")
    keys = ((language, script, territory), (language, territory), (language, script))
    for key in (*keys, (language,)):
        full = likely.get("_".join(filter(None, key)))
        if full and all(key):
            parts = full.split("_")
            return language, script or parts[1], territory or parts[2]
    return language, script, territory
