"""Write ``docs/corpus.md``: what is in the database of whose work.

python -m tools.corpus_page results.sqlite > docs/corpus.md      # make results
"""

import json
import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec

_SOURCES = """
SELECT source.slug, source.title, source.authors, source.url, source.licence,
       count(DISTINCT source.digest) AS documents,
       count(DISTINCT run.digest) AS runs,
       (SELECT count(*) FROM value JOIN run ON run.digest = value.run
        JOIN source AS of ON of.digest = run.source
        WHERE of.slug = source.slug AND value.value IS NOT NULL) AS figures,
       (SELECT count(*) FROM doubts JOIN run ON run.digest = doubts.run
        JOIN source AS of ON of.digest = run.source
        WHERE of.slug = source.slug) AS findings
  FROM source LEFT JOIN run ON run.source = source.digest
 GROUP BY source.slug
 ORDER BY source.slug
"""
_CHIPS = """
SELECT DISTINCT source.slug, chip.vendor, chip.name, chip.accelerators
  FROM run JOIN source ON source.digest = run.source
  JOIN machine ON machine.digest = run.machine
  JOIN chip ON chip.digest = machine.chip
 ORDER BY chip.name
"""
_HEAD = """\
# The work of others in the database

Figures alone, each with its source, its place there and the characters printed; the
documents are theirs. `make results` makes this page from `results.sqlite`.
`benchdb verify --corpus DIR` holds the figures against documents that you fetch again,
`DIR/SOURCE/PATH` with their paths in the repository. *Findings* are what the rules in
[importing.md](importing.md) doubt, and flags of the maps.

"""
_APPLE = re.compile(r"M\d+\b")
_SHOWN = 6  # chips of one source that are named


class Row(msgspec.Struct, frozen=True):
    """A source as the page shows it."""

    slug: str
    title: str
    url: str | None
    licence: str | None
    chips: tuple[str, ...]
    documents: int
    figures: int
    runs: int
    findings: int


def rows(database: Path) -> Iterator[Row]:
    """Yield the sources of *database* by slug."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        chips: dict[str, dict[str, None]] = {}
        for slug, _vendor, name, accelerators in connection.execute(_CHIPS):
            cards = [card["name"] for card in json.loads(accelerators)]
            chips.setdefault(slug, {}).update(dict.fromkeys(cards or [name]))
        for slug, title, _, url, licence, *numbers in connection.execute(_SOURCES):
            documents, runs, figures, findings = numbers
            yield Row(
                slug,
                title,
                url,
                licence,
                tuple(sorted(chips.get(slug, ()), key=_apple_first)),
                documents,
                figures,
                runs,
                findings,
            )


def _apple_first(chip: str) -> tuple[bool, str]:
    return not _APPLE.match(chip), chip


def page(database: Path) -> str:
    """Return the page about *database*."""
    sources = list(rows(database))
    lines = [
        "| source | licence | machines | documents | figures | runs | findings |",
        "|---|---|---|---|---|---|---|",
        *map(_line, sources),
    ]
    total = [sum(getattr(row, name) for row in sources) for name in _COUNTED]
    lines.append("| together | | | " + " | ".join(f"{it:,}" for it in total) + " |")
    return _HEAD + "\n".join(lines) + "\n"


_COUNTED = ("documents", "figures", "runs", "findings")


def _line(row: Row) -> str:
    title = row.title.replace("|", "\\|")
    name = f"[{title}]({_address(row)})" if row.url else title
    chips = list(row.chips[:_SHOWN])
    if more := len(row.chips) - len(chips):
        chips.append(f"{more} more")
    numbers = " | ".join(f"{getattr(row, name):,}" for name in _COUNTED)
    return (
        f"| `{row.slug}` {name} | {row.licence or 'none given'} | "
        f"{', '.join(chips) or '-'} | {numbers} |"
    )


def _address(row: Row) -> str:
    """Return the address of a source: of its repository where it has documents."""
    url = row.url or ""
    if row.documents == 1 or not url.startswith("https://github.com/"):
        return url
    repository, place = url.split("/")[:5], url.split("/")[5:]
    commit = ["tree", place[1]] if place[:1] == ["blob"] else []
    return "/".join([*repository, *commit])


if __name__ == "__main__":
    sys.stdout.write(page(Path(sys.argv[1])))
