"""``benchdb serve``: look at the site in a browser while results come in."""

import os
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import typer
from sqlalchemy import Engine

from benchdb.cli.console import option, plain, tell
from benchdb.cli.user_database import Db, opened
from benchdb.errors import BenchdbError, UsageError
from benchdb.report.language import negotiate
from benchdb.report.scope import Wanted, selected
from benchdb.site import whole
from benchdb.site.pages import Frame
from benchdb.store import contents
from benchdb.store.database import reading
from benchdb.store.memo import Memo
from benchdb.user_data import location_of

app = typer.Typer(add_completion=False)

_LOOK = 0.2  # seconds between two looks at the database's file
_PAUSE = 2.0  # seconds between two looks into a database
_STATE, _SCRIPT = "/.benchdb-state", "/.benchdb-follow.js"
# A page asks whether there is a newer one; what a site for others never does.
_FOLLOW = """(async () => {
  const ask = async () => (await fetch("/.benchdb-state")).text();
  const shown = await ask();
  setInterval(async () => {
    try { if (await ask() !== shown) location.reload(); } catch { /* stopped */ }
  }, 2000);
})();
"""


@app.command()
def serve(
    lang: list[str] | None = option(
        "Languages: de,fr,ko … or all (default: yours)", "CODES"
    ),
    host: str = option(
        "Listen at this address; 0.0.0.0 lets other machines in.",
        "ADDRESS",
        default="127.0.0.1",
    ),
    port: int = option(
        "Listen at this port; 0 takes a free one.", min=0, max=65535, default=8000
    ),
    db: Db = None,
) -> None:
    """Show the results as a site in your browser.

    Pages that are open follow what is measured or imported meanwhile. Ctrl-C ends it.
    """
    frame = Frame(tuple(negotiate(lang or (), os.environ)))
    engine = opened(db)
    with tempfile.TemporaryDirectory(prefix="benchdb-site-") as place:
        preview = _Preview(engine, location_of(db), frame, Path(place))
        preview.renew()
        handler = partial(_Handler, preview=preview, directory=place)
        try:
            server = ThreadingHTTPServer((host, port), handler)
        except OSError as error:
            raise UsageError(
                f"cannot listen at {host}:{port}: {error.strerror}; choose another "
                "--port, 0 takes a free one"
            ) from error
        preview.names = (host, "localhost", "127.0.0.1", "[::1]")
        typer.echo(plain(f"http://{host}:{server.server_address[1]}/ (Ctrl-C ends it)"))
        threading.Thread(target=preview.follow, daemon=True).start()
        with server:
            server.serve_forever()


class _Preview:
    """A site in a folder that follows its database, which has its file at a *place*.

    *names* are those of the host.
    """

    def __init__(self, engine: Engine, place: str, frame: Frame, folder: Path) -> None:
        self._engine = engine
        self._place = place
        self._frame = frame
        self._folder = folder
        self._memo = Memo()  # so that one more run takes a second
        self._ended = threading.Event()
        self.state = ""
        self.names: Sequence[str] = ()

    def renew(self) -> None:
        """Build the site anew if the database is not the one that it shows."""
        with reading(self._engine) as connection:
            state = contents.state(connection)
            if state == self.state:
                return
            with selected(connection, Wanted()) as scope:
                whole.renew(
                    connection, scope, self._frame, self._folder, memo=self._memo
                )
        self.state = state

    def follow(self) -> None:
        """Look into the database when it may have changed, until the end."""
        seen = None
        while not self._ended.wait(_LOOK):
            if (now := self._stamp()) == seen:
                continue
            try:
                self.renew()
                seen = now
            except BenchdbError as error:  # it may be busy, or be upgraded just now
                tell(f"benchdb: {error}")
                self._ended.wait(_PAUSE)

    def _stamp(self) -> object:
        """Return what is another one after a write to the database, and may be so else.

        The files of SQLite tell it; a server would have to be asked.
        """
        written = []
        for path in (self._place, f"{self._place}-wal"):
            with suppress(OSError):  # the log goes when nobody has it open
                stat = Path(path).stat()
                written.append((path, stat.st_mtime_ns, stat.st_size))
        return written or time.monotonic() // _PAUSE


class _Handler(SimpleHTTPRequestHandler):
    """Sends files of the site, and to pages the script that follows the database."""

    def __init__(self, *given: Any, preview: _Preview, **more: Any) -> None:
        self._preview = preview
        super().__init__(*given, **more)

    def do_GET(self) -> None:
        """Send what is asked for, to whoever asks this host by one of its names."""
        # A page of somebody else's host could have been made to point here.
        name = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get(
            "Host"
        )
        if name not in self._preview.names:
            self.send_error(HTTPStatus.FORBIDDEN)
        elif self.path == _STATE:
            self._send(self._preview.state.encode(), "text/plain")
        elif self.path == _SCRIPT:
            self._send(_FOLLOW.encode(), "text/javascript")
        else:
            path = Path(self.translate_path(self.path))
            page = path / "index.html" if path.is_dir() else path
            if page.suffix == ".html" and page.is_file():
                self._send(_followed(page.read_text("utf-8")).encode(), "text/html")
            else:
                super().do_GET()

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing for each request."""


def _followed(page: str) -> str:
    """Return a page that asks this server whether there is a newer one."""
    allowed = page.replace(
        "default-src 'none'", "default-src 'none'; connect-src 'self'", 1
    )
    return allowed.replace("</body>", f'<script src="{_SCRIPT}"></script></body>', 1)
