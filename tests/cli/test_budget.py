"""``collect --budget``: real processes against a clock, plans of Macs, wrong use."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests import published_runs, troubled_checkout
from tests.collectors.fake_macs import Mac, together
from tests.command_line import Outcome
from tests.short_tiers import short_numpy

WORK = ("matmul", "--size", "256", "--no-metal", "--no-cuda")
MACS = ("m1", "m2_ultra", "m3_pro", "m4_max", "m5")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Iterator[Path]:
    with short_numpy(tmp_path_factory.mktemp("checkout")) as copy:
        yield copy


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


def budget(checkout: Path, home: Path, time: str, *arguments: object) -> Outcome:
    line = ("collect", *WORK, "--budget", time, "--db", home / "r.sqlite", *arguments)
    return troubled_checkout.in_process(checkout, home, *line)


def runs(checkout: Path, home: Path) -> list[dict[str, Any]]:
    line = ("list", "--runs", "--json", "--db", home / "r.sqlite")
    return list(json.loads(troubled_checkout.in_process(checkout, home, *line).out))


@pytest.fixture(scope="module")
def interrupted(checkout, home) -> Outcome:
    """Begin a long budget, and press Ctrl-C once two processes have ended."""
    line = ("collect", *WORK, "--budget", "5m", "--db", home / "r.sqlite")
    with subprocess.Popen(
        troubled_checkout.command(*line),
        cwd=checkout,
        env=troubled_checkout.environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr
        assert process.stdout
        text = ""
        while text.count("FLOPS in") < 2 and (words := process.stderr.readline()):
            text += words
        os.kill(process.pid, signal.SIGINT)
        out, rest = process.communicate(timeout=60)
    return Outcome(process.returncode, out, text + rest)


@pytest.fixture(scope="module")
def kept(interrupted, checkout, home) -> list[dict[str, Any]]:
    return runs(checkout, home)


@pytest.fixture(scope="module")
def again(kept, checkout, home) -> Outcome:
    # It ends with ten processes, as a rule in a third of this; a program of its own,
    # for the time begins when that was started.
    line = ("collect", *WORK, "--budget", "90s", "--db", home / "r.sqlite")
    return troubled_checkout.benchdb(checkout, home, *line)


def test_it_says_before_the_start_what_it_will_be_able_to_tell(interrupted):
    lines = interrupted.err.splitlines()
    head = next(n for n, line in enumerate(lines) if line.startswith("budget 5:00"))

    count = re.search(r"(\d+) processes to come; expected:$", lines[head])
    assert count
    row = rf"matmul, size 256, numpy, fp32 +cpu +0 +{count[1]} +± [\d.]+ % .*peak"
    assert re.match(row, lines[head + 2])
    assert 3 <= int(count[1]) <= 10


def test_ctrl_c_keeps_all_that_has_finished(interrupted, kept):
    assert interrupted.status == 130
    assert "interrupted; what had finished is stored" in interrupted.err
    assert [item["status"] for item in kept].count("ok") >= 2
    assert {item["tier"] for item in kept} == {"quick"}


def test_a_second_call_goes_on_with_the_campaign_of_the_first(
    kept, again, checkout, home
):
    assert again.status == 0, again.err

    both = runs(checkout, home)
    assert len(both) > len(kept)
    assert len({item["campaign"] for item in both}) == 1
    known = [item["status"] for item in kept].count("ok")
    assert re.search(rf"numpy, fp32 +cpu +{known} .* runs here", again.err)


def test_the_end_says_how_the_time_was_kept_and_what_it_went_to(again):
    spent = re.search(r"budget +\d:\d\d of 1:30: \d+ %", again.out)
    shares = re.search(
        r"measuring (\d+) % \(timed blocks (\d+) %, warm-up and single steps (\d+) %, "
        r"checks (\d+) %, start and data (\d+) %\); at rest (\d+) %, all else (\d+) %",
        again.out,
    )

    assert spent is not None
    assert shares is not None
    measuring, *parts, rest, other = map(int, shares.groups())
    assert measuring == pytest.approx(sum(parts), abs=3)
    assert measuring + rest + other == pytest.approx(100, abs=2)


@pytest.mark.parametrize(
    ("time", "words"),
    [
        ("3s", "--budget 3s is too short to tell anything here; the shortest is about"),
        ("soon", "--budget 'soon' is no time; say 10m, 90s or 1h30m"),
        ("", "--budget '' is no time"),
        ("-5m", "--budget '-5m' is no time"),
        ("0s", "--budget '0s' is no time"),
        ("600", "--budget '600' is no time"),
        ("99999h", "--budget '99999h' is more than a week; give less"),
    ],
)
def test_a_time_that_cannot_be_kept_is_refused_in_a_line(
    time, words, checkout, tmp_path
):
    done = budget(checkout, tmp_path, time, "--size", 128)

    assert done.status == 2
    assert words in done.err.splitlines()[-1]
    assert not (tmp_path / "r.sqlite").exists()


@pytest.mark.parametrize("option", [("--tier", "smoke"), ("--replicates", 4)])
def test_an_option_that_says_how_often_does_not_go_with_a_time(
    option, checkout, tmp_path
):
    done = budget(checkout, tmp_path, "5m", *option)

    why = "does not go with --budget: the time decides how often and how thoroughly"
    assert (done.status, done.err) == (2, f"benchdb: {option[0]} {why}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def plans(tmp_path_factory) -> dict[str, Outcome]:
    """Return what a first ``collect --metal`` would measure on each of the Macs."""
    database = published_runs.imported(tmp_path_factory.mktemp("shipped"))
    line = ("collect", "--metal", "--framework", "torch", "--dry-run", "--db", database)
    return together({host: partial(Mac(host).benchdb, *line) for host in MACS})


@pytest.mark.parametrize("host", MACS)
def test_on_each_generation_ten_minutes_show_whether_metal_helps(host, plans):
    done = plans[host]
    assert done.status == 0, done.err

    head, _, *lines = done.out.splitlines()
    assert head.startswith("budget 10:00, ")
    pattern = re.compile(r"(\S+?)(?:, .*?)? +(metal|cpu) +0 +(\d+) +± ([\d.]+) %")
    rows = [match.groups() for line in lines if (match := pattern.match(line))]
    work = [name for name, *_ in rows]
    devices = [device for _, device, *_ in rows]
    assert devices == ["metal", "cpu"] * (len(rows) // 2), done.out
    assert "matmul" in work  # an operation, and a network
    assert set(work) & {"lstm", "mnist", "resnet50", "mobilenetv2", "distilbert"}
    # A grade asks for three of each; steps that wait for their host are the widest.
    assert min(int(count) for *_, count, _ in rows) >= 3
    # On the processors of the shipped runs three processes leave 27 % open.
    assert [half for *_, half in rows if float(half) > 30] == []
