"""What was planned here, and which runs of a file answer it: those are mine.

Plans stay in the data folder of who planned, whatever database the answers go into. An
item is answered once: by the first run that succeeded.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Connection, Text, select, type_coerce

from benchdb.collecting import items, unfinished
from benchdb.collecting.answer import difference
from benchdb.collecting.failed_run import run_line
from benchdb.collecting.items import PlannedItem
from benchdb.errors import UsageError
from benchdb.exchange.lines import Run
from benchdb.files import replacing
from benchdb.store.tables import run

_NAMES = run.columns.keys()
_CAMPAIGN = _NAMES.index("campaign")
_COLUMNS = [
    type_coerce(one, Text) if one is run.c.parameters else one for one in run.columns
]
# Alike in these, a run and an item are worth a closer look.
_KEY = ("workload", "setting", "framework", "device", "replicate")


def keep(folder: Path, planned: Sequence[PlannedItem]) -> None:
    """Keep a plan in *folder*, beside what was planned for its campaign before."""
    path = _path(folder, planned[0].campaign)
    before = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    whole = dict.fromkeys((*before, *items.lines(planned)))
    with replacing(path) as stream:
        stream.write("".join(f"{line}\n" for line in whole).encode())


def _path(folder: Path, campaign: str) -> Path:
    return folder / f"{campaign}.jsonl"


class Plans:
    """The plans that were made here: of other machines, and unfinished ones of this."""

    def __init__(self, elsewhere: Path, here: Path) -> None:
        """Look into these folders when a campaign is met for the first time."""
        self._elsewhere, self._here = elsewhere, here
        self._known: dict[str, list[Run]] = {}

    def answers(
        self, connection: Connection, rows: Iterable[Sequence[Any]]
    ) -> set[str]:
        """Return the digests of those *rows* of runs that answer what was planned."""
        given: defaultdict[str, list[Any]] = defaultdict(list)
        for row in rows:
            campaign = row[_CAMPAIGN]
            if campaign is not None and self._asked(campaign):
                given[campaign].append(_run(row))
        found = set[str]()
        for campaign, runs in given.items():
            open_ = _Open(self._asked(campaign))
            for one in connection.execute(_done(campaign)):
                open_.take(_run(one))
            runs.sort(key=lambda one: (one.started or "", one.digest))
            found |= {one.digest for one in runs if open_.take(one)}
        return found

    def _asked(self, campaign: str) -> list[Run]:
        if campaign not in self._known:
            self._known[campaign] = self._read(campaign)
        return self._known[campaign]

    def _read(self, campaign: str) -> list[Run]:
        """Return the runs that were planned; none of a plan that cannot be read."""
        found = []
        with suppress(UsageError):
            items.check_campaign(campaign)  # a stranger's word, and part of a path
            there = _path(self._elsewhere, campaign)
            if there.is_file():
                known = items.read(there)
                found += [run_line(one.process, one.settings) for one in known]
            here = unfinished.path_of(self._here, campaign)
            if here.is_file():
                plan = unfinished.read(here)
                found += [run_line(one, plan.settings) for one in plan.items]
        return found


class _Open:
    """The items of a campaign that no run has answered yet."""

    def __init__(self, asked: Iterable[Run]) -> None:
        self._asked: defaultdict[tuple[Any, ...], list[Run]] = defaultdict(list)
        for one in asked:
            self._asked[_key(one)].append(one)

    def take(self, given: Any) -> bool:
        """Tell whether *given* answers an item, which one that succeeded closes."""
        some = self._asked[_key(given)]
        item = next((one for one in some if difference(one, given) is None), None)
        if item is not None and given.status == "ok":
            some.remove(item)
        return item is not None


def _key(one: Any) -> tuple[Any, ...]:
    return tuple(getattr(one, name) for name in _KEY)


def _run(row: Sequence[Any]) -> Any:
    facts = dict(zip(_NAMES, row, strict=True))
    return SimpleNamespace(**facts | {"parameters": json.loads(facts["parameters"])})


def _done(campaign: str) -> Any:
    return select(*_COLUMNS).where(
        run.c.campaign == campaign, run.c.mine, run.c.status == "ok"
    )
