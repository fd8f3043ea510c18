"""Our own style and scripts, as pages have them."""

import re
from collections.abc import Iterable

from benchdb import resources

# Strings are matched first, so that nothing inside them is taken for anything else.
_STRING = r"(\"[^\"\n]*\"|'[^'\n]*')"
_BLANK = re.compile(rf"{_STRING}|(?:/\*.*?\*/|\s)+", re.DOTALL)
# Text and patterns of a script, or signs with spaces around. Beside a second + or -
# they say something: "a + +b".
_AROUND = re.compile(
    r"(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"
    r"|(?<=[(,=:?&|{ ])/(?![ /*])(?:\[(?:[^]\\\n]|\\.)*\]|[^/\\\n[]|\\.)+/)"
    r"| *([=(){}\[\],;:?<>&|*%!]+) *|(?<![+-]) *([+-]) *(?![-+ ])"
)
_JOINED = re.compile(r"(?<=[;{,])\n")  # lines that no line break ends
# Where a space says nothing. Not before a colon or a bracket, nor around + and -.
_NEEDLESS = re.compile(rf"{_STRING}| ?;? ?(\}}) ?| ?([{{,;>]) ?|(:) ")


def asset(name: str) -> str:
    """Return one of our own files; no text in it can end the element around it."""
    text = (resources.folder("reports") / "assets" / name).read_text("utf-8")
    if re.search(r"</(style|script)|<!--", text, re.IGNORECASE):
        raise ValueError(f"{name} would end its own element")
    return text


def stylesheet(names: Iterable[str]) -> str:
    """Return our own styles as one, without comments and needless white space."""
    text = "\n".join(map(asset, names))
    spaced = _BLANK.sub(lambda match: match[1] or " ", text)
    return _NEEDLESS.sub(lambda match: match[match.lastindex or 0], spaced).strip()


def script(name: str) -> str:
    """Return one of our own scripts without comments and needless spaces.

    A template must have no other inside, and a comment its own line.
    """
    lines = map(str.strip, asset(name).splitlines())
    text = "\n".join(line for line in lines if line and not line.startswith("//"))
    text = _JOINED.sub("", text)
    return _AROUND.sub(lambda match: match[match.lastindex or 0], text)


def needed(style: str, page: str) -> str:
    """Return *style* without the rules whose classes and ids the *page* has not."""
    names = set(_NAME.findall(page))

    def kept(rule: re.Match[str]) -> str:
        wanted = _OF_NAME.findall(rule[1])
        return rule[0] if not wanted or names.intersection(wanted) else ""

    return _EMPTY.sub("", _RULE.sub(kept, style))


_NAME = re.compile(r"[A-Za-z][\w-]*")
_OF_NAME = re.compile(r"[.#]([A-Za-z][\w-]*)")
_RULE = re.compile(r"([^{}]+)\{[^{}]*\}")
_EMPTY = re.compile(r"@media[^{}]*\{\s*\}")
