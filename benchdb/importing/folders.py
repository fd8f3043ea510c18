"""Which files an import reads: those named, and those below a named folder."""

from collections.abc import Callable, Sequence
from pathlib import Path

from benchdb.errors import UsageError

STANDARD_INPUT = Path("-")

# What a folder is searched for. A file named by itself may be called anything.
_SUFFIXES = (
    *(".jsonl", ".json", ".csv", ".tsv", ".md", ".markdown", ".txt", ".log"),
    *(".sql", ".html", ".htm", ".ipynb", ".xml", ".sqlite", ".db"),
)


def files(
    paths: Sequence[Path], tell: Callable[[str], None] = lambda line: None
) -> list[Path]:
    """Return the files that *paths* stand for: a folder is the readable ones below.

    Hidden ones are left out, and links that lead out of their folder: *tell* gets a
    line about those. Raise ``UsageError`` if a path is not there, or a folder has none.
    """
    return [file for path in paths for file in _below(path, tell)]


def _below(path: Path, tell: Callable[[str], None]) -> list[Path]:
    try:
        if path != STANDARD_INPUT and not path.exists():
            raise UsageError(f"no such file or folder: {path}")
        if not path.is_dir():
            return [path]
        listed = sorted(file for file in path.rglob("*") if _takes(file, path))
        inside = path.resolve()
        outside = [file for file in listed if inside not in file.resolve().parents]
    except OSError as error:
        raise UsageError(f"cannot look into {path}: {error.strerror}") from error
    if outside:
        tell(_passed_over(path, outside))
    if not listed:
        raise UsageError(f"no results in {path}: no {', '.join(_SUFFIXES)}")
    return [file for file in listed if file not in outside]


def _takes(file: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return file.suffix.lower() in _SUFFIXES and not hidden and file.is_file()


def _passed_over(folder: Path, links: Sequence[Path]) -> str:
    links_of = "a link" if len(links) == 1 else f"{len(links)} links"
    first = links[0].relative_to(folder)
    return (
        f"{folder}: passed over {links_of} out of this folder ({first}); to import "
        "what a link leads to, name the link itself"
    )
