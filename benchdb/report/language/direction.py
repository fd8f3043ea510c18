"""Text of two directions: which part of it reads which way.

Names and figures run left to right even in Arabic. Invisible isolates say so, in
Markdown and in charts as on the page.
"""

import re

LEFT_TO_RIGHT, RIGHT_TO_LEFT, POP = "\u2066", "\u2067", "\u2069"
AS_FIRST_LETTER = "\u2068"  # what follows runs as its first letter does

_FIRST = re.compile(r"[^\W_]")
_INNERMOST = re.compile(f"[{LEFT_TO_RIGHT}{RIGHT_TO_LEFT}][^\u2066-\u2069]*{POP}")
_RTL = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"  # Hebrew, Arabic and their kin
_LETTER = re.compile(f"[{_RTL}]")
# A figure in front of words, with the space between them.
_FIGURE = re.compile(f"(?P<figure>[^{_RTL}]*[^{_RTL}\\s])(?P<rest>\\s*[{_RTL}].*)")


# One number before letters that run right to left, and nothing that could turn round.
_SIMPLE = re.compile(f"[0-9][0-9.,]*\\s?[{_RTL}][{_RTL}./\\s]*")


def is_simple(text: str) -> bool:
    """Tell whether *text* is one number and a unit whose letters run right to left.

    It needs no isolates where its first letter decides about its direction.
    """
    return _SIMPLE.fullmatch(text) is not None


def is_isolate(text: str) -> bool:
    """Tell whether *text* is one isolate as a whole: around it another adds nothing."""
    depth = 0
    for at, sign in enumerate(text, 1):
        depth += (sign in (LEFT_TO_RIGHT, RIGHT_TO_LEFT)) - (sign == POP)
        if depth == 0:
            return at == len(text) > 1
    return False


def mixed_order(text: str) -> str:
    """Return *text* with its order made certain inside left-to-right text.

    Latin text stays as it is; what begins with a letter that runs right to left
    does so as a whole, and so do words around an isolated name that comes first, and
    a figure with such a unit, but for its digits.
    """
    first = _FIRST.search(text)
    if first is None or not _LETTER.search(text):
        return text
    if _LETTER.match(first[0]) or _is_around_a_name(text):
        return f"{RIGHT_TO_LEFT}{text}{POP}"
    figure = _FIGURE.fullmatch(text)
    if figure is None or not first[0].isdigit():
        return text
    digits = f"{LEFT_TO_RIGHT}{figure['figure']}{POP}"
    return f"{RIGHT_TO_LEFT}{digits}{figure['rest']}{POP}"


def _is_around_a_name(text: str) -> bool:
    """Tell whether an isolate comes first, and beside it letters from right to left."""
    beside = text
    while (less := _INNERMOST.sub("", beside)) != beside:
        beside = less
    return text.startswith(LEFT_TO_RIGHT) and _LETTER.search(beside) is not None
