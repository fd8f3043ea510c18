"""Keep what a database could not take: nothing that was measured is lost."""

import tempfile
from pathlib import Path

from benchdb.exchange.record import Record
from benchdb.exchange.writer import header, record_lines


def rescued(record: Record, campaign: str) -> str:
    """Append *record* to an exchange file; return what became of it.

    The file lies in the current folder, or where that cannot be written, among the
    temporary ones, which a reboot may empty.
    """
    lines = [header(), *record_lines([record])]
    for folder in (Path.cwd, tempfile.gettempdir):
        try:
            path = Path(folder()) / f"benchdb-{campaign}.jsonl"
            with path.open("ab") as stream:
                stream.writelines(lines)
        except OSError as error:
            refusal = error
        else:
            return f"kept in {path}, take it in with 'benchdb import'"
    return f"lost, for no folder takes it either: {refusal.strerror}"
