r"""Lines of pipe tables: ``| a | b \| c |``, with or without the outer pipes."""

import re

_CUT = re.compile(r"\\.|\|")
_CUT_BESIDE_CODE = re.compile(r"\\.|(?<!`)(`{1,9})(?!`).*?[^`]\1(?!`)|\|")
_RULE = re.compile(r"\s*:?-+:?\s*")
_RULE_SIGNS = frozenset("|:-+ \t")


def has_pipe(line: str) -> bool:
    """Tell whether a pipe that is not escaped stands in *line*."""
    return "|" in line and any(cut[0] == "|" for cut in _CUT.finditer(line))


def is_rule(line: str) -> bool:
    """Tell whether *line* is the one below a header: ``|---|:--:|`` or ``---+---``.

    A line that begins with ``+`` frames a box instead, of which headers are no part.
    """
    line = line.strip()
    if not line or not set(line) <= _RULE_SIGNS or line[0] == "+":
        return False
    inner = line[1:] if line[0] == "|" else line
    inner = inner[:-1] if inner.endswith("|") else inner
    columns = re.split(r"[|+]", inner)
    return ("|" in line or "+" in line) and all(map(_RULE.fullmatch, columns))


def cells(line: str, width: int | None = None) -> list[str]:
    """Return the cells of *line* as they stand there, without the space around them.

    A pipe in a code span parts cells, as GitHub has it; where that does not make
    *width* cells it is part of the code, if that does.
    """
    found = _split(line, _CUT)
    if width is None or len(found) == width or "`" not in line:
        return found
    whole = _split(line, _CUT_BESIDE_CODE)
    return whole if len(whole) == width else found


def unescaped(cell: str) -> str:
    r"""Return *cell* with ``\|`` as the pipe that it stands for."""
    return cell.replace("\\|", "|")


def _split(line: str, cuts: re.Pattern[str]) -> list[str]:
    line = line.strip()
    parts, start = [], 0
    for cut in cuts.finditer(line):
        if cut[0] == "|":
            parts.append(line[start : cut.start()].strip())
            start = cut.end()
    parts.append(line[start:].strip())
    if len(parts) > 1 and not parts[0] and line.startswith("|"):
        del parts[0]
    if len(parts) > 1 and start == len(line):
        del parts[-1]
    return parts
