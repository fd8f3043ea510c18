"""All templates' environment; what Jinja compiles of them is kept, as ``.pyc`` are.

Compiling the page's templates takes longer than filling them. It depends on nothing
but their text: ``tests/report/test_templates.py`` holds that none computes anything.
"""

import importlib.util
import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from pickle import UnpicklingError

import jinja2
from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket

from benchdb import resources
from benchdb.errors import BenchdbError
from benchdb.files import replacing


def environment(
    *,
    autoescape: bool,
    extensions: Sequence[str] = (),
    finalize: Callable[[object], object] | None = None,
) -> Environment:
    """Return an environment of the templates in ``reports/templates``."""
    return Environment(
        loader=FileSystemLoader(folder()),
        autoescape=autoescape,  # noqa: S701  Markdown escapes by *finalize*
        finalize=finalize,
        undefined=StrictUndefined,
        extensions=extensions,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=_Beside("html" if autoescape else "text"),
        auto_reload=False,
    )


def folder() -> Path:
    """Return where the templates are."""
    return resources.folder("reports") / "templates"


class _Beside(BytecodeCache):
    """Compiled templates in ``__pycache__``, where and whether Python keeps its own.

    *kind* is what they write: code that escapes is other code for the same template.
    """

    def __init__(self, kind: str) -> None:
        self._end = f"jinja-{jinja2.__version__}-{kind}"

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        source = filename or name
        return f"{importlib.util.cache_from_source(source)}-{self._end}"

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            bucket.bytecode_from_string(Path(bucket.key).read_bytes())
        except (OSError, EOFError, UnpicklingError):
            bucket.reset()  # there is none, or half of one

    def dump_bytecode(self, bucket: Bucket) -> None:
        if sys.dont_write_bytecode:
            return
        content = io.BytesIO()
        bucket.write_bytecode(content)
        try:
            with replacing(Path(bucket.key)) as stream:
                stream.write(content.getvalue())
        except BenchdbError:  # a folder that only others may write to
            return
