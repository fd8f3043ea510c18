"""A made-up source of two documents with a map, and what is published of it."""

import hashlib
from pathlib import Path

from benchdb.importing import corpus
from benchdb.importing.mapping.maps import LoadedMap
from tools.corpus import lines

SLUG = "two-macs"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
URL = f"https://github.com/somebody/two-macs/tree/{COMMIT}"
TABLE = """\
# Speeds

| Chip | Prompt | Answer |
|---|---|---|
| M1 | 120.50 | 11.2 |
| M2 | 180.25 | - |
"""
OTHER = TABLE.replace("M1", "M3").replace("M2", "M4").replace("11.2", "21.9")
MAP = """
[paths]
"results/first.md" = "{first}"
"results/second.md" = "{second}"

[source]
slug = "two-macs"
title = "two-macs"
url = "{url}"
licence = "none given"

[set]
framework = "mlx"
device = "metal"
setting = "two-macs"

[[table]]
[table.columns]
Chip = {{ field = "chip" }}

[table.columns.Prompt]
is = "value"
metric = "tokens_per_second"
unit = "1/s"
set = {{ workload = "llm-prefill" }}

[table.columns.Answer]
is = "value"
metric = "tokens_per_second"
unit = "1/s"
set = {{ workload = "llm-decode" }}
"""


class SmallCorpus:
    """The folders *published* and *documents*, made below *folder*."""

    def __init__(self, folder: Path, url: str = URL) -> None:
        """Write the documents and the map."""
        self.published, self.documents = folder / "published", folder / "documents"
        self.first = self.documents / SLUG / "results" / "first.md"
        self.second = self.documents / SLUG / "results" / "second.md"
        self.first.parent.mkdir(parents=True)
        self.first.write_text(TABLE)
        self.second.write_text(OTHER)
        (self.published / "maps").mkdir(parents=True)
        (self.published / "corpus").mkdir()
        digests = {
            path.stem: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in (self.first, self.second)
        }
        text = MAP.format(url=url, **digests)
        (self.published / "maps" / f"{SLUG}.toml").write_text(text)

    @property
    def map_(self) -> LoadedMap:
        """Return the map."""
        return corpus.sources(self.published)[SLUG]

    @property
    def file(self) -> Path:
        """Return where what is published of the source stands."""
        return corpus.published_file(self.published, SLUG)

    def lines(self) -> list[bytes]:
        """Return what the map makes of the documents."""
        return list(lines(self.map_, self.documents / SLUG))

    def publish(self) -> None:
        """Write it."""
        self.file.write_bytes(b"".join(self.lines()))

    def compare(self) -> corpus.Comparison:
        """Hold it against the documents."""
        return corpus.compare(self.map_, self.file, self.documents / SLUG)
