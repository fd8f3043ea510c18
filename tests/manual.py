"""The project's own documents: their links, their code, the commands in them."""

import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

CHECKOUT = Path(__file__).resolve().parents[1]
README = CHECKOUT / "README.md"
DOCUMENTS = (
    *(
        CHECKOUT / f"{name}.md"
        for name in ("README", "CONTRIBUTING", "CHANGELOG", "SECURITY")
    ),
    *sorted((CHECKOUT / "docs").glob("*.md")),
    *(CHECKOUT / of / "README.md" for of in ("benchmarks", "collectors", "schema")),
)
_INSTALLERS = {"pip", "pipx", "uv", "conda", "brew"}
_SHELL = {"&&", "||", "|", ";", ">", "<", "(", ")"}


@cache  # a dozen tests ask for each
def _tokens(document: Path) -> tuple[Token, ...]:
    markdown = MarkdownIt("commonmark").enable("table")
    above = markdown.parse(document.read_text(encoding="utf-8"))
    return tuple(it for token in above for it in (token, *(token.children or ())))


def links(document: Path) -> list[str]:
    """Return where the links and pictures of *document* lead."""
    places = (
        token.attrGet("href") or token.attrGet("src") for token in _tokens(document)
    )
    return [str(place) for place in places if place]


def inline_code(document: Path) -> list[str]:
    """Return what stands between backticks."""
    return [token.content for token in _tokens(document) if token.type == "code_inline"]


class Block(NamedTuple):
    """A block of code of a document, and the *line* on which it begins.

    *about* is what follows its language, such as the title that names its file.
    """

    document: Path
    line: int
    language: str
    about: str
    text: str


def blocks(document: Path) -> list[Block]:
    """Return the indented and the fenced blocks; an indented one has no language."""
    return [
        Block(document, token.map[0] + 1, *_info(token.info), token.content)
        for token in _tokens(document)
        if token.type in {"code_block", "fence"} and token.map
    ]


def _info(info: str) -> tuple[str, str]:
    language, _, about = info.partition(" ")
    return language, about


def code_blocks(document: Path) -> list[str]:
    """Return the text of each block."""
    return [block.text for block in blocks(document)]


def commands(document: Path) -> list[list[str]]:
    """Return the arguments of each ``benchdb`` command, comments left out."""
    lines = [line for block in code_blocks(document) for line in block.splitlines()]
    texts = [*lines, *inline_code(document)]
    return [words for text in texts if "benchdb " in text for words in _in_line(text)]


def _in_line(line: str) -> Iterator[list[str]]:
    """Yield what follows the word ``benchdb`` in each part of a *line* of shell."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    part: list[str] = []
    for word in [*lexer, ";"]:
        if word not in _SHELL:
            part.append(word)
            continue
        if "benchdb" in part[:-1] and not _is_a_value(part):
            yield part[part.index("benchdb") + 1 :]
        part = []


def _is_a_value(part: list[str]) -> bool:
    """Tell whether ``benchdb`` is a folder after an option, or what is installed."""
    before = part[: part.index("benchdb")]
    return bool(_INSTALLERS & {*before}) or any(
        it.startswith("-") for it in before[-1:]
    )
