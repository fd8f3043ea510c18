"""Forgeries of many kinds beside the shipped results: each is listed and leads nothing.

Each is imported through the command line into a copy of the shipped database.
"""

import json
import shutil
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchdb.store.database import open_database
from tests import published_runs
from tests.contents import contents
from tests.front_page import view
from tests.in_process import benchdb
from tests.strangers.forgeries import (
    PROCESSES,
    PUBLISHED,
    Change,
    Line,
    as_mac,
    backdated,
    changed,
    checked,
    consistent,
    document,
    doubts,
    faster,
    figure,
    forged,
    import_,
    lasting,
    newest,
    noisy,
    on,
    parameters,
    renamed_chip,
    renumbered,
    scaled,
    shown_of,
    stored,
    truncated,
    without_samples,
)

Made = Callable[[Path], Path]
# What makes a file, the codes that are found, and perhaps other grades than X.
Forgery = tuple[Made, str]
SHIPPED = ("m1tensorbench", "benchdb-h200")
OTHER = on("source", slug="blog", title="A blog", document_sha256="d" * 64)


def measured(codes: str, *changes: Change) -> Forgery:
    """Forge processes that benchdb ships with their samples."""
    return lambda path: forged(path, *changes), codes


ELSEWHEN = on("run", campaign="elsewhere")
COPIED, DISAGREE = "copied-samples", "samples-disagree"
FORGERIES: dict[str, Forgery] = {
    "scaled and relabelled as a Mac": measured(
        f"{COPIED} {DISAGREE}", scaled(0.5), as_mac("M4 Max"), ELSEWHEN
    ),
    "copied as later replicates": measured(COPIED, renumbered),
    "copied with an earlier date": measured(COPIED, backdated),
    "copied as another campaign": measured(COPIED, ELSEWHEN),
    "copied as another workload": measured(COPIED, on("run", workload="mobilenetv2")),
    "gates that passed for absurd times": measured(
        f"above-peak {DISAGREE} unit-contradiction", ELSEWHEN, noisy, scaled(1000)
    ),
    "a smoke run renamed to reference": measured(
        DISAGREE, on("run", tier="reference", campaign="elsewhere"), noisy, truncated(3)
    ),
    "fp32 labelled bf16": measured(
        DISAGREE, ELSEWHEN, noisy, on("run", precision="bf16")
    ),
    "energy of a millisecond": measured(DISAGREE, ELSEWHEN, noisy, lasting(0.001)),
    "another version of the workload": measured(COPIED, on("run", workload_version=2)),
    "absurd operations of a step": measured(
        DISAGREE, ELSEWHEN, noisy, checked(operations_per_step=1e30)
    ),
    "a peak that was raised": measured(
        DISAGREE, ELSEWHEN, noisy, checked(peak_flops=1e18)
    ),
    "a negative rate": measured(
        f"{COPIED} impossible-figure {DISAGREE}",
        ELSEWHEN,
        figure("samples_per_second", -1.0),
    ),
    "less than no energy": (
        partial(
            consistent, factor=1.5, changes=(ELSEWHEN, figure("energy_joules", -1.0))
        ),
        "impossible-figure",
    ),
    "a name with invisible letters": measured(
        "contradicting-copies", on("run", device_name="NVIDIA\u2063 H\u200b200")
    ),
    "a batch size of another type": measured(COPIED, parameters(batch_size="128")),
    "half the batch of the samples": measured(
        DISAGREE, ELSEWHEN, noisy, parameters(batch_size=64)
    ),
}
NEW_CHIP = renamed_chip("M1 Ultra", "M4 Max")
# Documents that benchdb ships, told otherwise.
HEARSAY: dict[str, tuple[Change, ...]] = {
    "a known source ten times faster": (faster(10),),
    "the slug of a known source": (on("source", document_sha256="d" * 64), faster(10)),
    "another source about a new chip": (OTHER, faster(10), NEW_CHIP),
    "a known source about a new chip": (faster(10), NEW_CHIP),
    "a source that took the credit in 1900": (OTHER, on("source", published="1900")),
    "the same document, in 1900": (on("source", slug="thief", published="1900"),),
    "no source at all": (on("run", source=None), faster(10)),
}


@pytest.fixture(scope="module", name="shipped")
def what_is_shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published_runs.imported(tmp_path_factory.mktemp("shipped"))


@pytest.fixture(scope="module", name="before")
def what_it_says(shipped: Path) -> Line:
    return view(shipped)


def bare(part: object) -> object:
    if isinstance(part, dict):
        return {key: bare(result) for key, result in part.items() if key != "notes"}
    return [bare(item) for item in part] if isinstance(part, list) else part


def figures(view: Line) -> dict[tuple[str, str], object]:
    return {
        (item["run"], item["metric"]): bare(item["quantity"]) for item in view["values"]
    }


def counted(view: Line) -> Counter[tuple[str, str | None]]:
    return Counter(
        {
            (item["slug"], item["document_sha256"]): item["runs"]
            for item in view["sources"]
        }
    )


def assert_leads_nothing(after: Line, before: Line) -> None:
    assert after["leading"] == before["leading"]
    assert figures(before).items() <= figures(after).items()
    assert counted(before).keys() <= counted(after).keys()


def listed(view: Line) -> set[str]:
    return {run for item in view["values"] for run in (item["run"], *item["runs"])}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_leads_nothing_and_hides_nothing(tmp_path, shipped, before, name):
    make, codes = FORGERIES[name]
    database = Path(shutil.copyfile(shipped, tmp_path / "results.sqlite"))

    import_(database, make(tmp_path / "forged.jsonl"))
    new = stored(database) - stored(shipped)
    after, runs = view(database), shown_of(database, sorted(new)[:3])

    assert len(new) >= PROCESSES
    texts = {code for code, _ in doubts(runs)} - {"impossible-os"}
    assert texts == set(codes.split())
    assert {run["grade"]["letter"] for run in runs} == {"X"}
    assert {run["hearsay"] for run in runs} == {False}
    assert_leads_nothing(after, before)
    assert new <= listed(after)


def test_what_a_stranger_says_of_a_known_document_leads_nothing(
    tmp_path, shipped, before
):
    database = Path(shutil.copyfile(shipped, tmp_path / "results.sqlite"))
    every = stored(shipped)
    for name, changes in HEARSAY.items():
        import_(database, document(tmp_path / "forged.jsonl", *changes))
        new = stored(database) - every
        runs = shown_of(database, sorted(new)[:3])

        assert len(new) >= PROCESSES, name
        assert {code for code, _ in doubts(runs)} <= {"impossible-os"}, name
        grades = {run["grade"] and run["grade"]["letter"] for run in runs}
        assert grades <= {"I", "X", None}, name
        assert {run["hearsay"] for run in runs} == {True}, name
        every |= new

    after = view(database)
    assert_leads_nothing(after, before)
    assert every - stored(shipped) <= listed(after)


TOGETHER = (
    "copied as later replicates",
    "copied with an earlier date",
    "a name with invisible letters",
)


def test_in_whatever_order_they_come_the_database_is_the_same_and_sound(tmp_path):
    files = [FORGERIES[name][0](tmp_path / f"{name}.jsonl") for name in TOGETHER]
    files += [
        document(tmp_path / f"{name}.jsonl", *HEARSAY[name])
        for name in (
            "a known source ten times faster",
            "a source that took the credit in 1900",
        )
    ]
    every = [*(PUBLISHED / f"{name}.jsonl" for name in SHIPPED), *files]
    groups: list[dict[str, list[Any]]] = []
    for order in (every, every[::-1]):
        database = tmp_path / f"{len(groups)}.sqlite"
        import_(database, *order)
        groups.append(contents(open_database(str(database))))

    check = benchdb("db", "check", "--db", tmp_path / "1.sqlite")
    assert (check.status, check.err) == (0, "")
    assert groups[0] == groups[1]


LATER = on("run", campaign="elsewhere", started="2026-11-24T10:00:00+00:00")
ANOTHER = on("machine", anonymous_id="f" * 32)


def in_the_session(line: Line) -> None:
    if line["type"] == "run":
        line["replicate"] += 7


def a_failed_gate(line: Line) -> None:
    if line["type"] == "end":
        line["checks"]["gates"]["doubling"] = {"status": "failed", "ratio": 1.5}


def without_the_rate(line: Line) -> None:
    if line["type"] == "end":
        line["values"] = [
            item for item in line["values"] if item["metric"] != "samples_per_second"
        ]


def failed(line: Line) -> None:
    if line["type"] == "end":
        line |= {"status": "failed", "reason": "said so", "values": []}


def bare_figures(path: Path) -> Path:
    return forged(path, ELSEWHEN, without_samples, faster(10))


def ungated(path: Path) -> Path:
    return forged(path, ELSEWHEN, noisy, checked(gates={}))


# Nothing in these files contradicts itself or the database: no rule can find them.
CONSISTENT: dict[str, tuple[float, tuple[Change, ...]]] = {
    "a faster campaign on the shipped machine": (1.5, (LATER,)),
    "a slower campaign on the shipped machine": (0.3, (LATER,)),
    "a slower card of another machine": (0.3, (LATER, ANOTHER)),
    "more replicates of the shipped campaign": (0.5, (renumbered,)),
    "a replicate that lacks a figure": (1.001, (renumbered, without_the_rate)),
    "a replicate whose gate failed": (1.001, (in_the_session, a_failed_gate)),
    "a replicate that failed": (1.001, (renumbered, failed)),
    "a Mac that nobody has": (0.5, (LATER, ANOTHER, as_mac("M4 Max"))),
    "a Mac that a document tells of": (0.02, (LATER, ANOTHER, as_mac("M1 Max"))),
}


STANDING: dict[str, Made] = {
    **{
        name: partial(consistent, factor=factor, changes=changes)
        for name, (factor, changes) in CONSISTENT.items()
    },
    "measured without samples": bare_figures,
    "measured without gates": ungated,
}


@pytest.mark.parametrize("name", STANDING)
def test_what_cannot_be_found_out_stands_apart_as_contributed(
    tmp_path, shipped, before, name
):
    database = Path(shutil.copyfile(shipped, tmp_path / "results.sqlite"))

    import_(database, STANDING[name](tmp_path / "forged.jsonl"))
    new = stored(database) - stored(shipped)
    after, runs = view(database), shown_of(database, sorted(new))

    assert len(new) == PROCESSES
    assert not {code for code, _ in doubts(runs)} - {"above-peak"}
    assert {run["mine"] for run in runs} == {False}
    assert figures(before).items() <= figures(after).items()
    assert after["leading"] == before["leading"]
    assert not new & {run for item in before["values"] for run in item["runs"]}
    assert all(
        new.isdisjoint(item["runs"]) or new.issuperset(item["runs"])
        for item in after["values"]
    )


def test_the_id_of_a_shipped_machine_makes_nobody_its_namesake(
    tmp_path, shipped, before
):
    database = Path(shutil.copyfile(shipped, tmp_path / "results.sqlite"))

    def evil(line: Line) -> None:
        if line["type"] == "samples":
            line["values"] = line["values"][::-1]

    changes = on("machine", model="Evil,1"), ELSEWHEN, evil
    path = changed(PUBLISHED / "benchdb-cpu.jsonl", tmp_path / "forged.jsonl", *changes)

    import_(database, path)

    after = view(database)
    assert after["leading"] == before["leading"]
    assert set(machines(before)) <= set(machines(after))


def machines(view: Line) -> list[tuple[object, ...]]:
    return [(item["chip"], item["model"], item["runs"]) for item in view["machines"]]


def test_what_is_credited_to_a_shipped_document_counts_nowhere(
    tmp_path, shipped, before
):
    database = Path(shutil.copyfile(shipped, tmp_path / "results.sqlite"))
    text = (PUBLISHED / "m1tensorbench.jsonl").read_text(encoding="utf-8")
    source = next(raw for raw in text.splitlines() if '"type":"source"' in raw)
    path = consistent(
        tmp_path / "forged.jsonl",
        0.5,
        (
            *(LATER, ANOTHER, as_mac("M1 Ultra")),
            on("run", source=json.loads(source)["key"], locator="line 1"),
        ),
    )
    header, *rest = path.read_text().splitlines()
    path.write_text("\n".join([header, source, *rest]) + "\n")

    import_(database, path)

    after = view(database)
    new = stored(database) - stored(shipped)
    assert len(new) == PROCESSES
    assert {run["hearsay"] for run in shown_of(database, sorted(new))} == {True}
    assert after["leading"] == before["leading"]
    assert figures(before).items() <= figures(after).items()


def test_a_later_campaign_takes_no_shipped_one_out_of_the_newest(tmp_path, shipped):
    database = Path(shutil.copyfile(shipped, tmp_path / "results.sqlite"))
    before = newest(database)

    import_(database, consistent(tmp_path / "forged.jsonl", 0.3, [LATER]))

    assert newest(database) - (stored(database) - stored(shipped)) == before
    assert len(newest(database) - before) == PROCESSES
