"""Burst and sustained rate by supervisor, worker and NumPy, as they really run."""

import textwrap
from itertools import groupby

from tests.collector_programs import COLLECTORS, run

# The phases of tier standard, as short as a stretch can be beside two seconds of burst,
# and a second and a half for a block that other work draws out.
PROGRAM = f"""
import sys

sys.path.insert(0, {str(COLLECTORS)!r})
from harness import timing
from harness.main import main
from with_numpy import Numpy

timing.TIERS["quick"] = timing.Tier(
    *(1, 3, 3.5, 5, 6, 0.5, 3),
    block_seconds=0.1,
    single_seconds=0.1,
    idle_seconds=0,
    rest_seconds=0.5,
    settled_seconds=1.5,
    settling_limit=5,
)
sys.exit(main(Numpy()))
"""


def test_burst_rest_and_settling_come_in_their_order_and_are_told(tmp_path):
    program = tmp_path / "with_numpy.py"
    program.write_text(textwrap.dedent(PROGRAM))

    done = run(program, "matmul", "--size", "256", "--replicates", "1", "--progress")

    (end,) = done.ends
    phases = [phase for phase, _ in groupby(line.phase for line in done.samples)]
    start = phases.index("burst")
    assert phases[start - 1 : start + 3] == ["warmup", "burst", "warmup", "measure"]
    assert sum(done.times("burst")) >= 1.9  # and what lies between the blocks
    groups = [line.rpartition(": ")[2].split(", ") for line in done.errors.splitlines()]
    assert {"rest", "burst", "measure", "gates", "execution"} <= {
        it for it, _ in groups
    }
    shares = [int(percent.removesuffix(" %")) for _, percent in groups]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1] >= 80) == (0, True)
    # Other work beside a test may leave no sustained rate, but never no reason.
    values = {value.metric: value for value in end.values}
    assert values["burst_teraflops"].value or values["burst_teraflops"].reason
    sustained, stays = values["sustained_teraflops"], values["sustained_percent"]
    assert (sustained.value is None) == bool(sustained.reason)
    if sustained.value and values["burst_teraflops"].value:
        assert stays.value == 100 * sustained.value / values["burst_teraflops"].value
    else:
        assert stays.reason
    assert end.checks["over_time"]["every_seconds"] == 1
