"""Our own style and scripts, and the policy that lets a page run nothing else."""

import base64
import hashlib
import re

from benchdb import resources


def asset(name: str) -> str:
    """Return one of our own files; no text in it can end the element around it."""
    text = (resources.folder("reports") / "assets" / name).read_text("utf-8")
    if re.search(r"</(style|script)|<!--", text, re.IGNORECASE):
        raise ValueError(f"{name} would end its own element")
    return text


def policy(script: str) -> str:
    """Return the content security policy of a page with this *script* only."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
