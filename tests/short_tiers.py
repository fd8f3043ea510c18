"""A checkout whose one collector is NumPy's, of a tier that takes seconds.

Tests that measure for real share it: budgets, reproductions.
"""

import re
import shutil
from pathlib import Path

from tests import troubled_checkout
from tests.collector_programs import ROOT

SHORT = (
    '"quick": Tier(3, 3, 0.2, 1, 6, 0.6, 3, 0.05, idle_seconds=0.1, cool_seconds=0),\n'
)


def short_numpy(folder: Path) -> Path:
    """Return the copy, made in *folder*."""
    copy = troubled_checkout.make(folder)
    collectors = copy / "collectors"
    shutil.copyfile(ROOT / "collectors" / "with_numpy.py", collectors / "with_numpy.py")
    timing = collectors / "harness" / "timing.py"
    text = timing.read_text(encoding="utf-8")
    text, tiers = re.subn(r'"quick": Tier\(.*?\),\n', SHORT, text, flags=re.DOTALL)
    text, pairs = re.subn("TERM_PAIR_SECONDS = 4.0", "TERM_PAIR_SECONDS = 0.5", text)
    assert (tiers, pairs) == (1, 1)
    timing.write_text(text, encoding="utf-8")
    return copy
