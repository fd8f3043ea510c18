"""``python -m tools.torture``: the parts in turn, for a given time, and the table."""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from tools.torture import crowd, fuzz, hostile, kills
from tools.torture.room import Room, Verdict

Part = Callable[[Room], Verdict]

PARTS: Mapping[str, Part] = {
    "kill": kills.attempt,
    "crowd": crowd.attempt,
    "disk": crowd.disk,
    "fuzz": fuzz.attempt,
    "memory": hostile.memory,
    "hostile": hostile.attempt,
}
# The same in less than half a minute of a core, for the tests.
SHORT: Mapping[str, Part] = {
    **PARTS,
    "kill": partial(kills.attempt, kinds=("import",)),
    "crowd": partial(crowd.attempt, many=4),
    "fuzz": partial(fuzz.attempt, most=100),
}
_SHOWN = 5  # of what was lost in a part


class Torture:
    """What became of each part so far, and the folder of what was lost."""

    def __init__(self, seed: int, kept: Path, parts: Mapping[str, Part]) -> None:
        """Nothing was tried so far; the same *seed* brings the same attempts."""
        self.seed, self.kept, self._parts = seed, kept, parts
        self.tried: Counter[str] = Counter()
        self.lost: dict[str, list[str]] = {name: [] for name in parts}
        self.peak: Counter[str] = Counter()
        self._report: Path | None = None  # where lanes tell what became of theirs

    def run(self, seconds: float, jobs: int = 1) -> None:
        """Go on for so long in *jobs* lanes at once, each part once at least.

        The lanes share the attempts by their numbers, which decide what they are.
        """
        until = time.monotonic() + seconds
        with tempfile.TemporaryDirectory(prefix="torture-") as folder:
            room = Path(folder)
            if jobs == 1:
                self._lane(room, range(sys.maxsize), until)
                return
            self._report = room / "report"
            self._report.touch()
            numbers = [range(lane, sys.maxsize, jobs) for lane in range(jobs)]
            lanes = [self._forked(room, some, until) for some in numbers]
            try:
                codes = [os.waitstatus_to_exitcode(os.waitpid(i, 0)[1]) for i in lanes]
            finally:
                for line in self._report.read_text("utf-8").splitlines():
                    self._note(*json.loads(line))
            if any(codes):
                raise RuntimeError(f"a lane ended with {[*filter(None, codes)]}")

    def _forked(self, room: Path, numbers: range, until: float) -> int:
        child = os.fork()
        if not child:
            code = 1
            with suppress(KeyboardInterrupt):
                try:
                    self._lane(room, numbers, until)
                    code = 0
                except Exception:
                    traceback.print_exc()
            os._exit(code)
        return child

    def _lane(self, room: Path, numbers: range, until: float) -> None:
        """Do attempts until the time is over, all parts about as long as each other."""
        spent, done = dict.fromkeys(self._parts, 0.0), Counter[str]()
        while True:
            late = time.monotonic() >= until
            # What another lane has done once is done.
            if late and (numbers.start or all(done[name] for name in self._parts)):
                return
            name = min(self._parts, key=lambda part: (spent[part], part))
            since = time.monotonic()
            self.attempt(name, numbers[done[name]], room)
            done[name] += 1
            spent[name] += time.monotonic() - since

    def attempt(self, name: str, number: int, folder: Path) -> None:
        """Do the attempt *number* of a part; its chance comes from the seed."""
        known = f"{name}:{number}"
        place, shared = folder / known.replace(":", "-"), folder / "shared"
        for path in (place, shared):
            path.mkdir(exist_ok=True)
        chance = random.Random(f"{self.seed}/{known}")  # noqa: S311 - no secret
        room = Room(place, chance, self.kept, known, shared)
        verdict = self._parts[name](room)
        again = f"python -m tools.torture --seed {self.seed} --replay {known}"
        lost = [f"{why} [{again}]" for why in verdict.lost]
        if self._report is None:
            self._note(name, verdict.tried, lost, verdict.peak)
        else:
            with self._report.open("a", encoding="utf-8") as report:
                line = json.dumps([name, verdict.tried, lost, verdict.peak])
                report.write(f"{line}\n")
        shutil.rmtree(place, ignore_errors=True)

    def _note(self, name: str, tried: int, lost: list[str], peak: int) -> None:
        self.tried[name] += tried
        self.lost[name] += lost
        self.peak[name] = max(self.peak[name], peak)

    def table(self) -> list[str]:
        """Return lines: what was tried, survived and lost, and the memory of each."""
        lines = [f"{'':<8} {'tried':>9} {'survived':>9} {'lost':>6} {'MiB':>5}"]
        for name in self._parts:
            tried, lost = self.tried[name], len(self.lost[name])
            survived, peak = max(tried - lost, 0), self.peak[name] // 2**20
            lines.append(f"{name:<8} {tried:>9,} {survived:>9,} {lost:>6,} {peak:>5,}")
        for name, lost_here in self.lost.items():
            lines += [f"lost in {name}: {why}" for why in lost_here[:_SHOWN]]
        return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Attack as the command line says; return 1 if anything was lost."""
    parser = argparse.ArgumentParser(prog="python -m tools.torture")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--jobs", type=int, default=1, help="lanes; one a core")
    parser.add_argument("--only", help="names of parts, with commas")
    parser.add_argument("--replay", metavar="PART:NUMBER", help="one attempt again")
    parser.add_argument("--kept", type=Path, default=Path("torture"))
    asked = parser.parse_args(arguments)
    names = [asked.replay.split(":")[0]] if asked.replay else []
    names = names or (asked.only.split(",") if asked.only else [*PARTS])
    if unknown := set(names) - PARTS.keys():
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    parts = {name: PARTS[name] for name in names}
    torture = Torture(asked.seed, asked.kept.resolve(), parts)
    print(f"seed {asked.seed}")
    if asked.replay:
        with tempfile.TemporaryDirectory(prefix="torture-") as room:
            torture.attempt(names[0], int(asked.replay.split(":")[1]), Path(room))
    else:
        with suppress(KeyboardInterrupt):  # the table tells what there was time for
            torture.run(asked.seconds, asked.jobs)
    print("\n".join(torture.table()))
    return 1 if any(torture.lost.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
