"""``benchdb campaigns``: what was measured together, a line each."""

import json

from tests.backends import Backend
from tests.cli.test_list import RATE, THREE, filled
from tests.in_process import benchdb
from tests.store_factory import Machine
from tests.summary_page import measured

STEPS: list[dict[str, float | None]] = [{RATE: 8.0, "step_seconds": 1.0}] * 3
NEWER, OLDER = "2026-05-01T00:00:00Z", "2026-04-01T00:00:00Z"


def listed(where: str, *options: object):
    done = benchdb("list", "--campaigns", *options, "--json", "--db", where)
    assert done.status == 0, done.err
    return json.loads(done.out)


def two_campaigns(backend: Backend) -> str:
    return filled(
        backend.database(),
        measured(THREE, campaign="old", started=OLDER, tier="quick"),
        measured(STEPS, campaign="new", started=NEWER, batch_size=8, mine=True),
        measured([{}], "metal", campaign="new", started=NEWER, status="oom", mine=True),
    )


def test_a_campaign_is_a_line_and_the_newest_is_first(backend: Backend):
    where = two_campaigns(backend)

    new, old = listed(where)
    lines = benchdb("list", "--campaigns", "--db", where).out.splitlines()

    assert (new["campaign"], old["campaign"]) == ("new", "old")
    assert (new["cells"], new["runs"], new["failed"]) == (2, 4, 1)
    assert (old["cells"], old["runs"], old["failed"]) == (1, 3, 0)
    assert (new["started"], old["tiers"]) == (NEWER, ["quick"])
    assert sum(new["grades"].values()) == 1
    assert new["devices"] == ["cpu", "metal"]
    assert lines[0].split()[:3] == ["campaign", "date", "system"]
    assert lines[1].startswith("new       2026-05-01  ")


def test_campaigns_can_be_narrowed(backend: Backend):
    where = two_campaigns(backend)

    assert [item["campaign"] for item in listed(where, "--mine")] == ["new"]
    assert [item["campaign"] for item in listed(where, "--contributed")] == ["old"]
    assert [item["campaign"] for item in listed(where, "--since", "2026-05")] == ["new"]
    (there,) = {name for item in listed(where, "--mine") for name in item["machines"]}
    assert "new" in [
        item["campaign"] for item in listed(where, "--machine", there[:12])
    ]


def test_a_limit_that_leaves_some_out_says_so(backend: Backend):
    where = two_campaigns(backend)

    done = benchdb("list", "--campaigns", "--limit", 1, "--db", where)

    assert len(done.out.splitlines()) == 2
    assert done.err.splitlines()[0] == "benchdb: the newest 1; --limit shows more"


def test_a_campaign_of_several_machines_counts_them(backend: Backend):
    cells = [
        measured([{RATE: 5.0}], machine=Machine(chip=chip), campaign="fleet")
        for chip in ("M1", "M2", "M3")
    ]
    where = filled(backend.database(), *cells)

    line = benchdb("list", "--campaigns", "--db", where).out.splitlines()[1]

    assert "M1, M2 and 1 more · CPU · 3 machines" in line


def test_an_unknown_machine_is_a_mistake(backend: Backend):
    done = benchdb(
        "list", "--campaigns", "--machine", "zzz", "--db", two_campaigns(backend)
    )

    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("benchdb: no machine 'zzz'")
