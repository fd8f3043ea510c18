"""Leave out of a page what HTML does not ask for, so that large tables stay small.

What the parser of a browser builds is the same: WHATWG HTML, sections 13.1.2.3
(attribute values without quotes) and 13.1.2.4 (end tags that may be missing). Style and
script stay as they are, since the page's policy holds the script's digest.
"""

import re

_AS_IT_IS = re.compile(r"(<style>.*?</style>|<script>.*?</script>)", re.DOTALL)
# Text holds no bare < or ", for the templates escape both: what matches is markup.
# One reading for all end tags: each takes as long as all of them. What a pattern begins
# with is looked for fast, so that no space stands there.
_END = re.compile(
    r"</(?:t[dhr]>\s*+(?=<(?:t[dhr][ >]|/t(?:r|body|head|able)>))"
    r"|t(?:head|body)>\s*+(?=<tbody[ >]|</table>)"
    r"|li>\s*+(?=<li[ >]|</[uo]l>)"
    r"|option>\s*+(?=<option[ >]|</select>)"
    r"|p>\s*+(?=<(?:p|div|ul|table|figure|details|h[23])[ >]))"
)
# Between the shapes of a chart nothing is text, nor where a block begins or ends.
_BEFORE = re.compile(
    r"\s++(?=</?(?:svg|g|path|line|use|section|article|div|[uo]l|li|h[123]|p|figure|"
    r"figcaption|table|caption|thead|tbody|t[dhr]|select|option|details|summary)[ >])"
)
# Not after a slash, which some parsers take for the end of an empty element; before
# one there is a space, for it would become the value's last character.
_PLAIN_VALUE = re.compile(r'="([^\s"\'=<>`]++)(?<!/)"(?=([ >]|/>))')


def slim(page: str) -> str:
    """Return *page* without end tags of cells, rows, items, and quotes of plain values.

    Nor with a space before a cell or a shape or around a block.
    """
    pieces = _AS_IT_IS.split(page)
    for n in range(0, len(pieces), 2):
        text = _BEFORE.sub("", _END.sub("", pieces[n]))
        pieces[n] = _PLAIN_VALUE.sub(_bare, text)
    return "".join(pieces)


def _bare(value: re.Match[str]) -> str:
    return f"={value[1]} " if value[2] == "/>" else f"={value[1]}"
