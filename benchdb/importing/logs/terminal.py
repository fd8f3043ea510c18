"""A line as a terminal shows it in the end: drawn over, and without escapes."""

import re

LIMIT = 10_000  # characters of a line; a longer one is no line for people

# CSI, OSC, character sets, and single characters; nothing in it can backtrack.
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)?"
    r"|[()*+][0-9A-Z]|[ -~])?"
    r"|\x9b[0-?]*+[ -/]*+[@-~]"
)
# What is left of colours where the escape character itself was lost on the way.
_ORPHAN = re.compile(r"\[[0-9]{0,3}(?:;[0-9]{1,3}){0,4}m")


def shown(line: str) -> str:
    """Return *line* as it looks in the end; empty if it is too long to be one."""
    if "\b" in line:
        line = line.rstrip("\b \r")
        line = line[line.rfind("\b") + 1 :]
    if len(line) > 4 * LIMIT:
        return ""
    if "\x1b" in line or "\x9b" in line:
        line = _ESCAPE.sub("", line)
    if "[0m" in line:
        line = _ORPHAN.sub("", line)
    return "" if len(line) > LIMIT else line.rstrip()
