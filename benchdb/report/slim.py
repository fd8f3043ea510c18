"""Leave out of a page what HTML does not ask for, so that large tables stay small.

What the parser of a browser builds is the same: WHATWG HTML, sections 13.1.2.3
(attribute values without quotes) and 13.1.2.4 (end tags that may be missing). Style and
script stay as they are, since the page's policy holds the script's digest.
"""

import re

_AS_IT_IS = re.compile(r"(<style>.*?</style>|<script>.*?</script>)", re.DOTALL)
# Text holds no bare < or ", for the templates escape both: what matches is markup.
# One reading for all end tags: each takes as long as all of them.
_END = re.compile(
    r"\s*</(?:t[dhr]>\s*(?=<(?:t[dhr][ >]|/t(?:r|body|head|able)>))"
    r"|t(?:head|body)>\s*(?=<tbody[ >]|</table>)"
    r"|li>\s*(?=<li[ >]|</[uo]l>)"
    r"|option>\s*(?=<option[ >]|</select>)"
    r"|p>\s*(?=<(?:p|div|ul|table|figure|details|h[23])[ >]))"
)
_START_OF_ROW = re.compile(r"(<tr(?: [^<>]*)?>)\s+(?=<t[dh][ >])")
# Between the shapes of a chart nothing is text, nor where a block begins or ends.
_SHAPES = re.compile(
    r"\s+(?=</?(?:svg|g|path|line|use|section|article|div|ul|h[123]|p|figure|"
    r"figcaption|table|caption|thead|tbody|tr|details|summary)[ >])"
)
# Not after a slash, which some parsers take for the end of an empty element; before
# one there is a space, for it would become the value's last character.
_PLAIN_VALUE = re.compile(
    r'(?<= )([\w-]+)="([^\s"\'=<>`]*[^\s"\'=<>`/])"(?:(?=[ >])|(?=(/)>))'
)


def slim(page: str) -> str:
    """Return *page* without end tags of cells, rows, items, and quotes of plain values.

    Nor with the end of a text before a block, or the space before a row's first cell,
    before a shape or around a block.
    """
    pieces = _AS_IT_IS.split(page)
    for n in range(0, len(pieces), 2):
        text = _SHAPES.sub("", _END.sub("", pieces[n]))
        pieces[n] = _PLAIN_VALUE.sub(_bare, _START_OF_ROW.sub(r"\1", text))
    return "".join(pieces)


def _bare(attribute: re.Match[str]) -> str:
    name, value, slash = attribute.groups()
    return f"{name}={value} " if slash else f"{name}={value}"
