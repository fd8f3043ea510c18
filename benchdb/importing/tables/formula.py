r"""Figures written as formulas: ``$12.3 \pm 0.4$``."""

import re

# As Pandoc has it, so that "$3-$5" stays an amount of money.
_MATH = re.compile(r"\$(?=\S)([^$]{1,200})(?<=\S)\$(?!\d)")
_STYLED = re.compile(r"\\(?:mathbf|textbf|mathrm|text|mathit)\s*\{([^{}]*)\}")
_SIGNS = {
    "\\pm": "±",
    "\\times": "×",
    "\\approx": "~",
    "\\sim": "~",
    "\\%": "%",
    "\\,": "",
    "{,}": ",",
}


def plain(text: str) -> str:
    """Return *text* with formulas that are only figures as people print them."""
    return _MATH.sub(_figure, text) if "$" in text else text


def _figure(found: re.Match[str]) -> str:
    said = _STYLED.sub(r"\1", found[1])
    for command, sign in _SIGNS.items():
        said = said.replace(command, sign)
    return found[0] if set(said) & set("\\{}^_") else said
