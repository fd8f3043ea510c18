"""A checkout whose tier "quick" takes seconds: of the NumPy collector, or of trouble.

Tests that measure for real share it: budgets, reproductions.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import troubled_checkout
from tests.collector_programs import ROOT

SHORT = "Tier(3, 3, 0.1, 1, 6, 0.3, 3, 0.025, idle_seconds=0.1, cool_seconds=0)"


@contextmanager
def short_numpy(folder: Path) -> Iterator[Path]:
    """Give a copy in *folder* whose one collector is NumPy's.

    It has one thread meanwhile: on a busy machine two wait for each other most of the
    time, and products take a thousand times as long.
    """
    copy = short_trouble(folder)
    original = ROOT / "collectors" / "with_numpy.py"
    shutil.copyfile(original, copy / "collectors" / "with_numpy.py")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        yield copy


def short_trouble(folder: Path) -> Path:
    """Return a copy in *folder* whose one collector does what it is told to."""
    copy = troubled_checkout.make(folder)
    troubled_checkout.quick(copy, SHORT)
    timing = copy / "collectors" / "harness" / "timing.py"
    text = timing.read_text(encoding="utf-8")
    text, pairs = re.subn("TERM_PAIR_SECONDS = 4.0", "TERM_PAIR_SECONDS = 0.5", text)
    assert pairs == 1
    timing.write_text(text, encoding="utf-8")
    return copy
