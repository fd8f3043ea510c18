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
    if len(wanted) > 1 and "all" in map(str.lower, wanted):
        raise UsageError("--lang all is every language; leave out the others")
    unknown = [tag for tag in wanted if not _matches(available, tag)]
    if unknown:
        raise UsageError(
            f"no report language {', '.join(map(repr, unknown))}: there are "
            f"{', '.join(available)}, or all of them with 'all'"
        )
    if not wanted:
        set_up = (environ[name] for name in _VARIABLES if environ.get(name))
        wanted = _split([next(set_up, "")])
    codes = [code for tag in wanted for code in _matches(available, tag)]
    return tuple(dict.fromkeys(codes)) or ("en",)


def _split(values: Sequence[str]) -> list[str]:
    parts = (part.strip() for value in values for part in value.split(","))
    return [part for part in parts if part]


def _matches(available: Sequence[str], tag: str) -> tuple[str, ...]:
    if tag.lower() == "all":
        return tuple(available)
    wanted = maximal(tag)
    if wanted is None:
        return ()
    full = {code: maximal(code) for code in available}
    candidates = [c for c, own in full.items() if own and own[:2] == wanted[:2]]
    # pt-PT is better served by pt-PT than by pt-BR, and by pt-BR than by English.
    candidates.sort(key=lambda code: full[code] != wanted)
    return tuple(candidates[:1])


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
    likely: Mapping[str, str] = get_global("likely_subtags")
    keys = ((language, script, territory), (language, territory), (language, script))
    for key in (*keys, (language,)):
        full = likely.get("_".join(filter(None, key)))
        if full and all(key):
            parts = full.split("_")
            return language, script or parts[1], territory or parts[2]
    return language, script, territory
