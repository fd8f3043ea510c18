"""Files of strangers: text that commands a page, and bytes that cost far more."""

import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

from tests.view_fixture import HOSTILE
from tools.torture.room import MEMORY_LIMIT, PUBLISHED, Room, Verdict

_MARK = "https://evil.example"
# NUL is refused at the door.
PAYLOADS = (
    *(text.replace("\0", "\1") for text in HOSTILE if text),
    "</title></style></textarea><script>alert(1)</script>",
    "<svg/onload=alert(1)>",
    '"><iframe src=https://evil.example>',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "\u200b\ufeff\U000e0041",
    "&lt;script&gt; &amp;lt; &#x3C;script>",
    "]]><![CDATA[ <!-- -->",
)
# What refers, decides or is counted: anything else there is refused, as it should be.
_FIXED = (
    "type key run machine environment source metric kind status label device format "
    "document_sha256 sha256 code phase workload started ended published retrieved "
    "framework precision reading supersedes"
)


def attempt(room: Room) -> Verdict:
    """Put payloads into every field of a file; its pages stay what we made of them."""
    path, site = room.folder / "evil.jsonl", room.folder / "site"
    lines = room.chance.choice(PUBLISHED).read_text("utf-8").splitlines()
    evil = [_poisoned(json.loads(line), room.chance.choice) for line in lines]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in evil), "utf-8")
    database = room.folder / "r.sqlite"
    taken = room.run("import", path, "--db", database)
    what = ("report", "--site", site, "--lang", "en,ar", "--db", database)
    shown = room.run(*what)
    why = taken.fault(0, 1) or shown.fault()
    lost = [why] if why else []
    for page in sorted(site.rglob("*.html")):
        content = page.read_text("utf-8")
        lost += [f"{page.name}: {text}" for text in _foreign(content)]
    if lost:
        command = "python -m benchdb import {file} --db /tmp/torture.sqlite"
        lost[0] += "; " + room.keep(path.read_bytes(), ".jsonl", command)
    return Verdict(1, tuple(lost[:5]), max(taken.peak, 0))


def _poisoned(value: Any, choice: Callable[[Any], str], name: str = "") -> Any:
    if isinstance(value, dict):
        return {k: _poisoned(v, choice, k) for k, v in value.items()}
    if isinstance(value, list):
        return [_poisoned(item, choice, name) for item in value]
    if isinstance(value, str) and name not in _FIXED.split():
        # Some stay, so that pages have more than refusals.
        return f"{value} {choice(PAYLOADS)}" if len(choice("xy z")) else value
    return value


class _Page(HTMLParser):
    """What of a page could act: elements and attributes that we never write."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("iframe", "object", "embed", "base", "img", "audio", "video"):
            self.found.append(f"<{tag}>")
        for name, value in attrs:
            text = (value or "").strip().lower()
            if name.startswith("on"):
                self.found.append(f"{name} of <{tag}>")
            if name in ("href", "src", "action", "xlink:href") and text.startswith(
                ("javascript:", "data:text", _MARK)
            ):
                self.found.append(f"{name}={text[:60]}")
        if tag == "script":
            self.script = True

    def handle_data(self, data: str) -> None:
        if self.lasttag == "script" and re.search(r"^\s*alert\(1\)", data):
            self.found.append("a script of the file's")


def _foreign(content: str) -> Iterator[str]:
    page = _Page()
    page.feed(content)
    yield from page.found


def memory(room: Room) -> Verdict:
    """Give a file that is small for what it says: it is refused, or read in little."""
    size = room.chance.choice((1, 4, 9, 16)) * 2**20
    name, content = _dense(room, size)
    path = room.folder / f"dense.{name}"
    path.write_bytes(content)
    done = room.run("import", path, "--db", room.folder / "r.sqlite")
    why = done.fault(0, 1)
    # The document itself is held, and a copy of it as text.
    if done.peak > MEMORY_LIMIT + 4 * len(content):
        why = f"{done.peak / 2**20:.0f} MiB for {len(content) / 2**20:.0f} MiB"
    command = "python -m benchdb import {file} --db /tmp/torture.sqlite"
    lost = (f"{why}; {room.keep(content, path.suffix, command)}",) if why else ()
    return Verdict(1, lost, done.peak)


def _dense(room: Room, size: int) -> tuple[str, bytes]:
    """Return the suffix and the content of a file of about *size* bytes."""
    unit = room.chance.choice((b"[],", b"0.1,", b"{},", b'"",', b"[[]],\n", b"1e9,"))
    filled = b"[" + unit * (size // len(unit)) + b"0]"
    header = b'{"type":"header","format":1,"producer":"x","producer_version":"1"}\n'
    cells = unit.replace(b",", b"") + b","
    return room.chance.choice(
        (
            ("json", filled),
            ("json", b"[" * size),
            ("json", b'[{"avg_ts":1,"n_gen":1,"model_type":"a","x":' + filled + b"}]"),
            ("json", b'{"results":[{"command":"x","times":' + filled + b"}]}"),
            ("jsonl", header + b'{"type":"samples","run":"r","values":' + filled),
            ("jsonl", header + b'{"type":"mystery"}\n' * (size // 19)),
            ("csv", (cells * 400 + b"\n") * (size // 1000)),
            ("csv", b"a,b\n" + b"1,2\n" * (size // 4)),
            ("md", b"|a|b|\n|-|-|\n" + b"|1|2|\n" * (size // 6)),
            ("html", b"<table><tr>" + b"<td>1" * (size // 5)),
            ("log", b"step 1 loss 0.1 100 img/s\n" * (size // 26)),
            ("yaml", b"- {a: 1}\n" * (size // 9)),
            ("xml", b"<a>" * (size // 3)),
            ("sql", b"INSERT INTO test VALUES (1);\n" * (size // 29)),
        )
    )
