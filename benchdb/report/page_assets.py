"""Our own style and scripts, and the policy that lets a page run nothing else."""

import base64
import hashlib
import re
from collections.abc import Iterable

from benchdb import resources

# Strings are matched first, so that nothing inside them is taken for anything else.
_STRING = r"(\"[^\"\n]*\"|'[^'\n]*')"
_BLANK = re.compile(rf"{_STRING}|(?:/\*.*?\*/|\s)+", re.DOTALL)
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
    spaced = _BLANK.sub(lambda found: found[1] or " ", text)
    return _NEEDLESS.sub(lambda found: found[found.lastindex or 0], spaced).strip()


def script(name: str) -> str:
    """Return one of our own scripts without comments and the space around its lines."""
    lines = map(str.strip, asset(name).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def policy(script: str) -> str:
    """Return the content security policy of a page with this *script* only."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
