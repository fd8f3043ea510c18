"""The isolates that order text of two directions, and whether they nest."""

import re

LRI, RLI, PDI = "\u2066", "\u2067", "\u2069"


def bare(text: str) -> str:
    """Return *text* without the characters that only order it, and nobody sees."""
    return re.sub("[\u200e\u200f\u061c\u2060\u2066-\u2069]", "", text)


def unbalanced(text: str) -> list[str]:
    """Return the lines whose isolates do not nest, as they must in a cell."""
    texts = []
    for line in text.splitlines():
        for cell in line.split("|"):
            rest = re.sub(f"[^{LRI}{RLI}{PDI}]", "", cell)
            while (shorter := re.sub(f"[{LRI}{RLI}]{PDI}", "", rest)) != rest:
                rest = shorter
            texts += [cell] if rest else []
    return texts
