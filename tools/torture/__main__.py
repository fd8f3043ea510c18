"""``python -m tools.torture``: the parts in turn, for a given time, and the table."""

import argparse
import random
import shutil
import sys
import tempfile
import time
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

    def run(self, seconds: float) -> None:
        """Go on for so long, all parts about as long as each other, each once."""
        begun, spent = time.monotonic(), dict.fromkeys(self._parts, 0.0)
        numbers = dict.fromkeys(self._parts, 0)
        with tempfile.TemporaryDirectory(prefix="torture-") as room:
            while time.monotonic() - begun < seconds or not all(numbers.values()):
                name = min(self._parts, key=lambda one: (spent[one], one))
                since = time.monotonic()
                self.attempt(name, numbers[name], Path(room))
                numbers[name] += 1
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
        self.tried[name] += verdict.tried
        self.lost[name] += [f"{why} [{again}]" for why in verdict.lost]
        self.peak[name] = max(self.peak[name], verdict.peak)
        shutil.rmtree(place, ignore_errors=True)

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
            torture.run(asked.seconds)
    print("\n".join(torture.table()))
    return 1 if any(torture.lost.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
