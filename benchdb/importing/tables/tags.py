"""HTML tags in text, found in one pass over it.

Not html.parser: 60 KB of ``<a `` keep it busy for a minute, and ``<![`` makes it raise.
"""

import re
from collections.abc import Iterator

import msgspec

# A tag never reaches over the next "<", so no text is looked at twice.
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,30})(?=[\s/>])([^<]*+)")
_UP_TO_THE_END = re.compile(r"""(?>(?:[^>"']++|"[^"]*+"|'[^']*+')*)>""")
_SILENT = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style")}


class Tag(msgspec.Struct, frozen=True):
    """A tag of *name* in lower case, from *start* up to *end*.

    Comments and declarations are tags named ``!``; a script or a style sheet is one tag
    with all that it holds.
    """

    name: str
    start: int
    end: int
    closing: bool = False
    attributes: str = ""


def tags(text: str) -> Iterator[Tag]:
    """Yield the tags of *text* in order; what is no tag is left out."""
    at = text.find("<")
    while at >= 0:
        tag = tag_at(text, at)
        if tag is not None:
            yield tag
        at = text.find("<", at + 1 if tag is None else tag.end)


def tag_at(text: str, start: int) -> Tag | None:
    """Return the tag that begins at *start*, where a ``<`` stands, if it is one."""
    if text.startswith("<!--", start):
        # Up to the end if it is never closed, as browsers have it: so it is found once.
        end = text.find("-->", start + 4)
        return Tag("!", start, len(text) if end < 0 else end + 3)
    if text.startswith(("<!", "<?"), start):
        end = text.find(">", start)
        return Tag("!", start, len(text) if end < 0 else end + 1)
    found = _TAG.match(text, start)
    if found is None:
        return None
    closed = _UP_TO_THE_END.match(found[3])
    length = closed.end() if closed else found[3].find(">") + 1
    if not length:
        return None
    name, end = found[2].lower(), found.start(3) + length
    if name in _SILENT and not found[1]:
        end = _past(_SILENT[name], text, end)
    return Tag(name, start, end, bool(found[1]), found[3][: length - 1])


def _past(closing: re.Pattern[str], text: str, at: int) -> int:
    found = closing.search(text, at)
    end = text.find(">", found.end()) if found else -1
    return len(text) if end < 0 else end + 1


def span(tag: Tag, name: str) -> int:
    """Return the ``colspan`` or ``rowspan`` of a cell: 1 unless it is a number."""
    found = re.search(
        rf"(?<![\w-]){name}\s*=\s*[\"']?\s*(\d{{1,9}})", tag.attributes, re.I
    )
    return int(found[1]) if found else 1
