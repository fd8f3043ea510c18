"""Whoever forges a shipped run changes a grade, and nothing that leads."""

import json
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from benchdb.exchange.packing import Series
from benchdb.exchange.reader import read
from benchdb.exchange.record import Record
from benchdb.plausibility.rules import found
from benchdb.plausibility.samples import sampled
from benchdb.plausibility.seen import seen as what_rules_see
from benchdb.resources import folder
from tests import forgeries
from tests.forgeries import PROCESSES, Line, chip, figure, forged, import_, on
from tests.in_process import benchdb
from tests.observed_runs import codes, seen

TO_COME = "2099-01-01T00:00:00.000+00:00"


def shown(database: Path | str) -> list[dict[str, Any]]:
    runs = forgeries.findings(database)
    assert benchdb("db", "check", "--db", database).status == 0
    return runs


def doubts(runs: list[dict[str, Any]]) -> Counter[tuple[str, str | None]]:
    return Counter(
        (one["code"], one["metric"]) for run in runs for one in run["findings"]
    )


def grades(runs: list[dict[str, Any]]) -> set[str]:
    return {run["grade"]["letter"] for run in runs}


def test_all_figures_of_all_shipped_runs_follow_from_their_samples(tmp_path):
    database = tmp_path / "results.sqlite"
    import_(database, folder("published"))

    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT DISTINCT code FROM finding"
        assert connection.execute(query).fetchall() == [("impossible-os",)]
        (count,) = connection.execute("SELECT count(*) FROM samples").fetchone()
    assert count == 492


FIGURES = [
    ("samples_per_second", 1.5),
    ("samples_per_second", 1.001),
    ("samples_per_second", -1.0),
    ("step_seconds", 0.5),
    ("fit_samples_per_second", 1.01),
    ("fit_samples_per_second", 0.5),
    ("mfu_percent", 1.2),
    ("samples_per_joule", 1.1),
    ("mean_power_watts", 0.9),
    ("script_wall_seconds", 0.2),
    ("process_wall_seconds", 0.2),
]


@pytest.mark.parametrize(("metric", "factor"), FIGURES)
def test_a_figure_that_the_samples_do_not_give_is_found(tmp_path, metric, factor):
    path = forged(tmp_path / "forged.jsonl", figure(metric, factor))
    with path.open("rb") as stream:
        records = [one for one in read(stream) if isinstance(one, Record)]

    doubted = [
        one.metric
        for one in found([what_rules_see(record) for record in records])
        if one.code == "samples-disagree"
    ]

    assert doubted == [metric] * PROCESSES


@pytest.mark.parametrize("metric", ["samples_per_second", "samples_per_joule"])
def test_one_such_figure_is_enough_for_the_worst_grade(tmp_path, metric):
    path = forged(tmp_path / "forged.jsonl", figure(metric, 1.5))
    import_(database := tmp_path / "results.sqlite", path)

    runs = shown(database)

    assert doubts(runs)["samples-disagree", metric] == PROCESSES
    assert grades(runs) == {"X"}


def test_energy_that_is_not_that_of_the_window_is_found(tmp_path):
    path = forged(tmp_path / "forged.jsonl", figure("energy_joules", 0.5))
    import_(database := tmp_path / "results.sqlite", path)

    found_ = doubts(shown(database))

    assert found_["samples-disagree", "samples_per_joule"] == PROCESSES
    assert found_["samples-disagree", "mean_power_watts"] == PROCESSES


def test_the_stated_and_the_recomputed_figure_are_named(tmp_path):
    path = forged(tmp_path / "forged.jsonl", figure("samples_per_second", 1.5))
    import_(database := tmp_path / "results.sqlite", path)

    run = shown(database)[0]
    detail = run["findings"][0]["detail"]
    blocks = next(one for one in run["samples"] if one["phase"] == "measure")

    times = sorted(blocks["seconds"])
    middle = (times[len(times) // 2] + times[(len(times) - 1) // 2]) / 2
    rate = 128 * blocks["per"] / middle
    assert detail["recomputed"] == pytest.approx(rate, rel=1e-5)
    assert detail["stated"] == pytest.approx(1.5 * rate, rel=1e-5)
    text = benchdb("show", run["digest"], "--db", database).out
    assert "samples-disagree samples_per_second recomputed=" in text
    assert "cannot be true: samples-disagree" in text


def trial(**values: float) -> Any:
    """Return a run of products as its source timed them, with three samples."""
    checks = {"seed_protocol": {"kind": "trials", "scaled": False}}
    series = [Series("seed", 1, (0.5, 0.25, 0.75))]
    facts: Line = {"workload": "custom", "label": "measured", "source": None}
    return seen(values=values, sampled=sampled(series, checks), **facts)


@pytest.mark.parametrize(
    ("values", "doubtful"),
    [
        ({"operation_synced_seconds": 0.5, "operation_seconds": 0.1}, False),
        ({"operation_synced_seconds": 0.4}, True),
        ({"operation_seconds": 0.6}, True),  # who waits is never the faster
    ],
)
def test_the_mean_of_single_operations_is_held_against_them(values, doubtful):
    assert codes(found([trial(**values)])) == [("a", "samples-disagree")] * doubtful


def epoch(**values: float) -> Any:
    plan = {"kind": "epoch", "scaled": False, "samples": 1000}
    series = [Series("seed", 16, (4.0,))]
    checks = {"seed_protocol": plan}
    facts: Line = {"workload": "custom", "label": "measured", "source": None}
    return seen(values=values, sampled=sampled(series, checks), **facts)


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("epoch_seconds", 4.0),
        ("epochs_per_hour", 900.0),
        ("fit_samples_per_second", 250.0),
    ],
)
def test_a_pass_over_the_data_is_held_against_its_sample(metric, value):
    right, wrong = epoch(**{metric: value}), epoch(**{metric: 2 * value})

    assert codes(found([right])) == []
    assert codes(found([wrong])) == [("a", "samples-disagree")]


def test_checks_of_strangers_end_nothing():
    oddities: list[Any] = [None, [], "x", 10**400, True, -1, {"kind": 3, "samples": ""}]
    for odd in oddities:
        names = ("seed_protocol", "energy", "gates", "operations_per_step")
        checks = dict.fromkeys(names, odd)
        run = seen(
            values={"teraflops": 1.0, "mfu_percent": 1.0, "samples_per_joule": 1.0},
            sampled=sampled([Series("measure", 1, (1.0, 1e308, 1e308))], checks),
            workload="custom",
        )

        assert codes(found([run])) == []


def test_a_process_with_two_contents_is_found_on_both_in_either_order(tmp_path):
    genuine = forged(tmp_path / "genuine.jsonl")
    other = forged(tmp_path / "forged.jsonl", on("environment", python="3.12.4"))
    told = []
    for name, order in (("a", (genuine, other)), ("b", (other, genuine))):
        database = tmp_path / f"{name}.sqlite"
        import_(database, order[0])
        assert doubts(shown(database)) == {}
        import_(database, order[1])
        told.append(shown(database))
    runs, again = told

    assert doubts(runs) == {("contradicting-copies", None): 2 * PROCESSES}
    assert grades(runs) == {"X"}
    assert runs == again
    assert {one["findings"][0]["detail"]["copies"] for one in runs} == {2}


def test_a_third_content_is_counted_on_all_of_them(tmp_path):
    paths = [
        forged(tmp_path / f"{version}.jsonl", on("environment", python=version))
        for version in ("3.12.3", "3.12.4", "3.12.5")
    ]
    import_(database := tmp_path / "results.sqlite", *paths)

    copies = [one["findings"][0]["detail"]["copies"] for one in shown(database)]
    assert copies == [3] * 3 * PROCESSES


def test_other_processes_and_interrupted_ones_are_no_copies(tmp_path):
    import_(
        database := tmp_path / "results.sqlite",
        forged(tmp_path / "a.jsonl"),
        forged(tmp_path / "b.jsonl", on("run", campaign="another")),
        forged(tmp_path / "c.jsonl", on("run", started="2026-11-21T03:00:00+00:00")),
        forged(tmp_path / "d.jsonl", on("end", status="interrupted")),
    )

    assert doubts(shown(database)) == {}


def test_a_start_to_come_is_found_and_is_never_the_newest(tmp_path):
    genuine = forged(tmp_path / "genuine.jsonl")
    shadow = forged(
        tmp_path / "shadow.jsonl",
        on("run", started=TO_COME, campaign="later"),
    )
    import_(database := tmp_path / "results.sqlite", genuine)
    before = forgeries.newest(database)

    import_(database, shadow)
    runs = shown(database)

    assert forgeries.newest(database) == before
    assert doubts(runs) == {("future-date", None): PROCESSES}
    assert {one["run"]["campaign"] for one in runs[:PROCESSES]} == {"20261121-h200-a"}
    late = [one for one in runs if one["run"]["campaign"] == "later"]
    assert grades(late) == {"X"}
    assert {one["findings"][0]["detail"]["started"] for one in late} == {TO_COME}
    import_(other := tmp_path / "other.sqlite", shadow, genuine)
    assert forgeries.newest(other) == before


@pytest.mark.parametrize(
    ("ahead", "doubtful"),
    [(timedelta(hours=20), False), (timedelta(hours=30), True)],
)
def test_a_start_may_be_a_day_ahead(tmp_path, ahead, doubtful):
    # Where this runs with an older clock, the day of the program counts.
    now = max(datetime.now(UTC), datetime(2026, 11, 24, tzinfo=UTC))
    started = (now + ahead).isoformat()
    path = forged(tmp_path / "forged.jsonl", on("run", started=started))
    import_(database := tmp_path / "results.sqlite", path)

    assert bool(doubts(shown(database))["future-date", None]) is doubtful


def test_a_start_that_is_no_date_is_not_the_newest(tmp_path):
    import_(database := tmp_path / "results.sqlite", forged(tmp_path / "a.jsonl"))
    before = forgeries.newest(database)

    vague = on("run", started="some day", campaign="later")
    import_(database, forged(tmp_path / "b.jsonl", vague))

    assert forgeries.newest(database) == before


def test_what_the_clock_of_an_import_decided_stays(tmp_path):
    path = forged(tmp_path / "forged.jsonl", on("run", started=TO_COME))
    import_(database := tmp_path / "results.sqlite", path)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE future_date SET imported = '2026-11-20'")
        connection.execute(
            "UPDATE finding SET detail = replace(detail, ?, '2026-11-20')",
            [connection.execute("SELECT detail FROM finding").fetchone()[0][13:23]],
        )
        connection.commit()

    with closing(sqlite3.connect(database)) as connection:
        detail = connection.execute("SELECT detail FROM finding").fetchone()[0]
    assert json.loads(detail) == {"imported": "2026-11-20", "started": TO_COME}
    assert benchdb("db", "check", "--db", database).status == 0


def documents(folder_: Path, published: str) -> Path:
    """Return a file of two editions of a document, the second with this date."""
    lines = [
        json.loads(raw)
        for raw in (folder("published") / "needle-metal.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    ]
    for line in lines:
        if line["type"] == "source":
            line["published"], line["document_sha256"] = published, "5" * 64
        for value in line.get("values", ()):
            if value.get("value") is not None:
                value["value"] *= 3
    path = folder_ / "edition.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return path


def test_a_publication_to_come_makes_no_newest_edition(tmp_path):
    database = tmp_path / "results.sqlite"
    import_(database, folder("published") / "needle-metal.jsonl")
    import_(database, documents(tmp_path, "9999-01-01"))

    runs = shown(database)

    assert [one["superseded_by"] for one in runs] == [None] * len(runs)
    late = [one for one in runs if doubts([one])["future-date", None]]
    assert len(late) == len(runs) // 2
    assert grades(late) == {"X"}


@pytest.mark.parametrize(
    ("changes", "code", "letter"),
    [
        (
            [
                chip(name="M4 Ultra", gpu_cores=80),
                on("run", device="metal", device_name="Apple M1 Ultra"),
                on("environment", os_name="macOS", os_version="26.0"),
            ],
            "contradicting-names",
            "X",
        ),
        (
            [
                chip(name="M4 Max", gpu_cores=40),
                on("run", device="metal"),
                on("environment", os_name="macOS", os_version="26.0"),
            ],
            "contradicting-names",
            "X",
        ),
        ([chip(name="M4 Max", gpu_cores=40)], "impossible-device", "X"),
        ([on("run", device_name="NVIDIA H100")], "contradicting-names", "X"),
        (
            [
                chip(name="M4 Ultra", gpu_cores=80),
                on("run", device="cpu", device_name="Apple M4 Ultra"),
            ],
            "unknown-chip",
            None,
        ),
    ],
)
def test_names_that_contradict_are_found(tmp_path, changes, code, letter):
    path = forged(tmp_path / "forged.jsonl", *changes)
    import_(database := tmp_path / "results.sqlite", path)

    runs = shown(database)

    assert doubts(runs)[code, None] == PROCESSES
    assert letter is None or grades(runs) == {letter}


@pytest.mark.parametrize(
    ("vendor", "name", "device", "device_name", "cards"),
    [
        ("Apple", "M4 Max", "metal", "Apple M4 Max", ()),
        ("Apple", "M1", "cpu", "Apple M1 (Virtual)", ()),
        ("Apple", "M2 Pro", "metal", "M2 Pro GPU", ()),
        ("Apple", "M9 Ultra", "metal", "Apple M9 Ultra", ()),  # newer than we know
        ("Apple", "A12Z", "metal", "Apple A12Z", ()),
        ("Intel", "Core m5-6Y54", "cpu", "Intel m5", ()),
        ("Intel", "Core i7", "metal", "GeForce GT 750M", ()),
        ("Intel", "Xeon", "cuda", "NVIDIA H200", ("H200",)),
        ("Intel", "Xeon", "cuda", "Tesla V100-SXM2-16GB", ("V100",)),
        ("AMD", "Ryzen", "cuda", "NVIDIA GeForce RTX 3090", ("RTX 3080", "RTX 3090")),
        ("AMD", "Ryzen", "cuda", "GPU 24GB", ("RTX 3090",)),
    ],
)
def test_names_that_agree_or_say_little_are_not_doubted(
    vendor, name, device, device_name, cards
):
    run = seen(
        chip_vendor=vendor,
        chip_name=name,
        device=device,
        device_name=device_name,
        accelerators=cards,
    )

    assert [code for _, code in codes(found([run]))] == []


def test_a_forged_file_leads_no_answer(tmp_path):
    """What a report answers is the same with and without each of the forgeries."""
    shipped = folder("published")
    attacks = {
        "faster": [figure("samples_per_second", 1.5), on("run", campaign="x")],
        "renamed": [on("run", device_name="NVIDIA H100", campaign="x")],
        "negative": [figure("samples_per_second", -1.0), on("run", campaign="x")],
        "future": [on("run", started=TO_COME, campaign="x")],
    }
    answers = {"": answered(tmp_path, "genuine", shipped)}
    for name, changes in attacks.items():
        path = forged(tmp_path / f"{name}.jsonl", *changes)
        answers[name] = answered(tmp_path, name, shipped, path)

    print({n: a == answers[""] for n, a in answers.items()})
    assert answers["negative"] == answers["future"] == answers[""]


def answered(room: Path, name: str, *paths: Path) -> object:
    database = room / f"{name}.sqlite"
    import_(database, *paths)
    where = ("--db", database, "-o", room / name)
    assert benchdb("report", "--format", "json", *where).status == 0
    report = json.loads((room / name / "report.json").read_bytes())
    return [
        report["answers"],
        [row for row in report["ranking"]["rows"] if row["mean"]],
    ]


def test_on_either_kind_of_database_the_same_is_found(backend, tmp_path):
    database = backend.database()
    import_(
        database,
        forged(tmp_path / "a.jsonl"),
        forged(tmp_path / "b.jsonl", figure("samples_per_second", 1.5)),
        forged(tmp_path / "c.jsonl", on("run", started=TO_COME, campaign="later")),
        documents(tmp_path, "9999-01-01"),
    )

    runs = shown(database)

    counts = doubts(runs)
    assert counts["samples-disagree", "samples_per_second"] == PROCESSES
    assert counts["contradicting-copies", None] == 2 * PROCESSES
    assert counts["future-date", None] == PROCESSES + 10
