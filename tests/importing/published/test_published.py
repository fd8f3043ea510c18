import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from benchdb.catalogue import metrics, workloads
from benchdb.exchange.messages import Claim, End, Header, Line, Run, Source, Value
from benchdb.exchange.reader import BadLine, read
from benchdb.exchange.record import Record
from benchdb.resources import folder

# What each document prints: runs, figures, claims.
COUNTS = {
    "m1-vs-v100": (0, 0, 2),
    "m1tensorbench": (45, 180, 0),
    "needle-metal": (10, 10, 4),
    "pytorch-in-m1": (20, 20, 6),
    "tf-metal-experiments": (18, 52, 2),
}
# What we measured ourselves; test_published_by_us.py looks at it.
OURS = {"benchdb-cpu", "benchdb-h200"}
UNITS = {
    "": 1,
    "s": 1,
    "seconds": 1,
    "s user": 1,
    "s system": 1,
    "total": 1,
    "% cpu": 1,
    "img/sec": 1,
    "seq/sec": 1,
    "epochs in an hour": 1,
    "W": 1,
    "GB": 2**30,
}

every_file = pytest.mark.parametrize("slug", sorted(COUNTS))


def path_of(slug: str) -> Path:
    return folder("published") / f"{slug}.jsonl"


def lines_of(slug: str) -> list[Line]:
    raw = path_of(slug).read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Line) for line in raw]


def ends_of(slug: str) -> list[End]:
    return [line for line in lines_of(slug) if isinstance(line, End)]


def values_of(slug: str) -> list[Value]:
    return [value for end in ends_of(slug) for value in end.values]


def figure_of(printed: str) -> float:
    """Return what *printed* means in the catalogue's unit."""
    match = re.fullmatch(r"([\d.,:]+) ?(.*)", printed)
    assert match, printed
    parts = [float(part.replace(",", ".")) for part in match[1].split(":")]
    figure = 0.0
    for part in parts:  # hours, minutes, seconds
        figure = 60 * figure + part
    return figure * UNITS[match[2]]


def test_there_is_one_file_for_each_source() -> None:
    files = {path.stem for path in folder("published").glob("*.jsonl")}

    assert files - OURS == set(COUNTS)


@every_file
def test_a_published_file_says_that_it_was_transcribed_and_from_where(
    slug: str,
) -> None:
    header, source = lines_of(slug)[:2]

    assert header == Header(format=1, producer="transcription", producer_version="1")
    assert isinstance(source, Source)
    assert source.slug == slug
    assert len(source.document_sha256 or "") == 64


@every_file
def test_a_published_file_is_written_in_one_way_only(slug: str) -> None:
    encode = msgspec.json.Encoder(order="deterministic").encode
    written = b"".join(encode(line) + b"\n" for line in lines_of(slug))

    assert path_of(slug).read_bytes() == written


@every_file
def test_the_importer_takes_every_line_and_sees_every_run_once(slug: str) -> None:
    with path_of(slug).open("rb") as stream:
        items = list(read(stream))
    records = [item for item in items if isinstance(item, Record)]

    assert not [item for item in items if isinstance(item, BadLine)]
    assert len({record.digest for record in records}) == COUNTS[slug][0]


@every_file
def test_a_published_file_holds_every_run_figure_and_claim(slug: str) -> None:
    lines = lines_of(slug)
    runs = [line for line in lines if isinstance(line, Run)]
    claims = [line for line in lines if isinstance(line, Claim)]

    assert (len(runs), len(values_of(slug)), len(claims)) == COUNTS[slug]


@every_file
def test_every_run_ends_once_and_is_marked_as_transcribed(slug: str) -> None:
    runs = [line for line in lines_of(slug) if isinstance(line, Run)]

    assert [run.key for run in runs] == [end.run for end in ends_of(slug)]
    assert len({run.key for run in runs}) == len(runs)
    assert {run.label for run in runs} <= {"transcribed"}
    assert all(run.locator and run.source == "source" for run in runs)


@every_file
def test_every_figure_stands_where_its_run_does(slug: str) -> None:
    for run, end in runs_and_ends(slug):
        places = [value.locator or "" for value in end.values]
        assert all(re.match(rf"{run.locator}\b", place) for place in places)


@every_file
def test_every_workload_and_metric_is_in_the_catalogue(slug: str) -> None:
    runs = [line for line in lines_of(slug) if isinstance(line, Run)]

    assert {run.workload for run in runs} <= set(workloads())
    assert {value.metric for value in values_of(slug)} <= set(metrics())


@every_file
def test_every_figure_means_what_was_printed(slug: str) -> None:
    for value in values_of(slug):
        if value.value is not None and value.derived is None:
            # Bytes are whole; two decimals of a GB are not.
            allowed = 0.5 if metrics()[value.metric].unit == "B" else 1e-9
            expected = figure_of(value.printed or "")
            assert value.value == pytest.approx(expected, rel=0, abs=allowed)


@every_file
def test_every_figure_tells_its_line_and_its_characters(slug: str) -> None:
    for value in values_of(slug):
        assert re.match(r"line \d+", value.locator or "")
        assert value.printed


@every_file
def test_every_missing_figure_has_its_reason(slug: str) -> None:
    for end in ends_of(slug):
        empty = [value for value in end.values if value.value is None]
        assert all(value.reason for value in empty)
        assert bool(empty) == (end.status == "not-measured")
        assert bool(end.reason) == (end.status != "ok")


@every_file
def test_every_fact_is_given_or_missing_but_not_both(slug: str) -> None:
    for line in lines_of(slug):
        plain = msgspec.to_builtins(line)
        given = (
            set(plain) | set(plain.get("chip", {})) | set(plain.get("parameters", {}))
        )
        assert not given & set(plain.get("missing", {}))
        assert all(plain.get("missing", {}).values())


@every_file
def test_every_basis_explains_something_that_is_there(slug: str) -> None:
    aside = {"chip", "machine", "os_version"}  # facts of what the run refers to
    for run, end in runs_and_ends(slug):
        given = set(msgspec.to_builtins(run)) | set(run.parameters)
        figures = {value.metric for value in end.values}
        assert set(run.basis) <= given | figures | aside


def runs_and_ends(slug: str) -> list[tuple[Run, End]]:
    runs = [line for line in lines_of(slug) if isinstance(line, Run)]
    return list(zip(runs, ends_of(slug), strict=True))


def test_what_the_script_figures_say_of_the_processor_adds_up_where_unflagged() -> None:
    doubtful = set()
    for end in ends_of("m1tensorbench"):
        figures = {value.metric: value.value for value in end.values}
        if end.status == "ok" and not share_agrees(figures):
            doubtful.add(end.run)

    assert doubtful == {"line-98-mnist"}
    assert flagged("m1tensorbench", "cpu-percent-mismatch") == ["line-98-mnist"]


def share_agrees(figures: dict[str, float | None]) -> bool:
    """Tell whether the printed percentage, cut off, fits times rounded to 0.01 s."""
    user, system, wall, percent = (
        figures[f"script_{name}"] or 0.0
        for name in ("user_seconds", "system_seconds", "wall_seconds", "cpu_percent")
    )
    low = 100 * (user + system - 0.01) / (wall + 0.005)
    high = 100 * (user + system + 0.01) / (wall - 0.005)
    return int(low) <= percent <= int(high)


def flagged(slug: str, code: str) -> list[str]:
    return [
        end.run for end in ends_of(slug) if code in {flag.code for flag in end.flags}
    ]


def test_figures_that_do_not_add_up_are_flagged_and_kept() -> None:
    assert flagged("m1tensorbench", "order-inverted") == [
        "line-98-resnet50",
        "line-98-mobilenetv2",
    ]
    assert flagged("m1tensorbench", "outlier") == ["line-100-resnet50"]
    assert flagged("tf-metal-experiments", "batch-differs-from-command") == [
        "line-41",
        "line-66",
        "line-76",
    ]


def test_every_figure_of_the_reference_gpu_says_how_its_conditions_differ() -> None:
    reference = [
        run.key
        for run, _ in runs_and_ends("tf-metal-experiments")
        if run.device == "cuda"
    ]

    assert flagged("tf-metal-experiments", "unlike-conditions") == reference


def test_equal_codes_carry_the_same_details() -> None:
    details: dict[str, set[tuple[str, ...]]] = {}
    for slug in COUNTS:
        for line in lines_of(slug):
            for flag in getattr(line, "flags", ()):
                details.setdefault(flag.code, set()).add(tuple(sorted(flag.detail)))

    assert {code: len(keys) for code, keys in details.items()} == dict.fromkeys(
        details, 1
    )


def test_a_claim_that_does_not_follow_from_the_figures_is_flagged() -> None:
    claims = [
        line
        for slug in COUNTS
        for line in lines_of(slug)
        if isinstance(line, Claim) and line.recomputed is not None
    ]
    wrong = {
        (claim.printed, claim.about.get("workload"))
        for claim in claims
        if abs((claim.recomputed or 0) - (claim.value or 0)) > 0.01
    }
    codes = Counter(flag.code for claim in claims for flag in claim.flags)

    assert wrong == {
        ("224.99%", "resnet18"),
        ("2x", "matmul"),
        ("36.5%", "matmul"),
        ("~40W", None),
        ("5%에서 20%", None),
    }
    assert codes == {"speedup-wording": 6, "ratio-mismatch": 2, "claim-exceeded": 2}


def claim_on(slug: str, line: int) -> Claim:
    """Return the claim of that line of the document."""
    (claim,) = (
        header
        for header in lines_of(slug)
        if isinstance(header, Claim) and header.locator == f"line {line}"
    )
    return claim


def figures_of(slug: str, metric: str) -> Iterator[tuple[Run, float]]:
    for run, end in runs_and_ends(slug):
        for value in end.values:
            if value.metric == metric and value.value is not None:
                yield run, value.value


def test_the_power_beyond_what_the_author_says_of_it_is_in_the_authors_table() -> None:
    claim = claim_on("tf-metal-experiments", 31)
    watts = {
        run.locator: watts
        for run, watts in figures_of("tf-metal-experiments", "peak_power_watts")
        if run.device_name == "M1 Max"
    }

    assert (claim.value, claim.recomputed) == (40.0, max(watts.values()))
    assert [flag.detail for flag in claim.flags] == [
        {"stated": 40.0, "recomputed": 42.0, "recomputed_from": "line 39"}
    ]
    assert watts["line 39"] == 42.0


def test_every_speed_up_of_the_author_is_beyond_the_range_that_is_quoted() -> None:
    claim = claim_on("pytorch-in-m1", 72)
    seconds = {
        (run.workload, run.parameters["batch_size"], run.device): value
        for run, value in figures_of("pytorch-in-m1", "epoch_seconds")
    }
    faster = [
        100 * (value / seconds[workload, batch, "metal"] - 1)
        for (workload, batch, device), value in seconds.items()
        if device == "cpu"
    ]

    assert len(faster) == 10
    assert claim.recomputed == pytest.approx(min(faster), rel=1e-12)
    assert claim.value == 20.0 < min(faster)
    assert [flag.code for flag in claim.flags] == ["claim-exceeded"]


def test_all_published_figures_stand_in_the_database_as_they_were_printed():
    query = (
        "SELECT source.slug, run.locator, metric, value, printed FROM value "
        "JOIN run ON run.digest = value.run JOIN source ON source.digest = run.source "
        "WHERE run.label <> 'measured'"
    )
    uri = f"file:{folder('published').parent / 'results.sqlite'}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        stored = connection.execute(query).fetchall()
    written = [
        (source.slug, run.locator, value.metric, value.value, value.printed)
        for path in transcribed_files()
        for source, run, end in runs_of_sources(path)
        for value in end.values
    ]

    assert sorted(stored, key=repr) == sorted(written, key=repr)
    by_hand = [row for row in stored if row[0] in COUNTS]
    assert len(by_hand) == 262  # four of them say why there is no figure
    assert len([value for *_, value, _ in by_hand if value is not None]) == 258
    assert len(stored) > 10 * len(by_hand)


def transcribed_files() -> list[Path]:
    """Return the files of others' figures: those by hand and those of the corpus."""
    listed = folder("published").rglob("*.jsonl")
    return [path for path in listed if path.stem not in OURS]


def runs_of_sources(path: Path) -> Iterator[tuple[Source, Run, End]]:
    """Yield the runs of a file, each with its source, which stands before it."""
    sources, runs = dict[str, Source](), dict[str, Run]()
    for raw in path.read_bytes().splitlines():
        match msgspec.json.decode(raw, type=Line):
            case Source() as source:
                sources[source.key] = source
            case Run() as run:
                runs[run.key] = run
            case End() as end:
                run = runs[end.run]
                yield sources[run.source or ""], run, end
