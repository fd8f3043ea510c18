"""A report as one page, apart from frames: these need nothing of what it loads."""

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import Connection

from benchdb.api.row_filters import Names, listed
from benchdb.errors import UsageError, suggestion
from benchdb.files import replacing
from benchdb.report.filters import OPTIONS, words
from benchdb.report.language import negotiate
from benchdb.report.scope import Wanted, selected
from benchdb.site.content import content
from benchdb.site.report_files import Edition, files


def write(
    connection: Connection, path: Path, lang: str, filters: Mapping[str, Names]
) -> Path:
    """Write a page in the language *lang* of what the *filters* leave to *path*."""
    for option in filters:
        if option not in OPTIONS:
            raise UsageError(f"no filter {option!r}" + suggestion(option, OPTIONS))
    languages = negotiate([lang], {})
    if len(languages) > 1:
        raise UsageError(f"a page is in one language, not in {lang!r}")
    names = {
        option: listed(option, value)
        for option, value in filters.items()
        if value is not None
    }
    with selected(connection, Wanted(names)) as scope:
        edition = Edition(languages, ("html",), options=words(scope.chosen), alone=True)
        page = next(files(content(connection, scope), edition))
    with replacing(path) as stream:
        stream.write(page.content)
    return path
