"""``benchdb doctor --try`` on Macs that are not here, and those who read its file."""

import json
import os
import re
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from benchdb.collecting import trial as trials
from benchdb.collecting import trial_file
from benchdb.collecting.trial import Measured, Trial, burst_check
from tests import troubled_checkout
from tests.collectors.fake_macs import FAKES, HOSTS, Mac
from tests.command_line import Outcome
from tests.in_process import benchdb
from tests.private_words import JANE, LEAK, given_away

SHORT = "Tier(3, 3, 2, 3, 10, 6, 20, idle_seconds=0.1, cool_seconds=0)"
ALL = sorted(path.name for path in HOSTS.iterdir() if path.is_dir())


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    copy = troubled_checkout.make_collectors(tmp_path_factory.mktemp("checkout"))
    troubled_checkout.quick(copy, SHORT)
    return copy


@pytest.fixture(autouse=True)
def _not_for_minutes(monkeypatch) -> None:
    monkeypatch.setattr(trials, "_BLOCK_SECONDS", 0.6)
    monkeypatch.setattr(trials, "_UNTIL_WARM", 3.0)


def attempt(checkout: Path, home: Path, host: str, **trouble: str) -> Outcome:
    """Try everything on a fake Mac whose only collector has *trouble*."""
    home.mkdir()
    mac = {**Mac(host, zeus=True).environment, **JANE, **trouble}
    mac["PYTHONPATH"] = os.pathsep.join((str(FAKES / "zeus"), str(FAKES.parents[1])))
    file = ("-o", home / "trial.json")
    return troubled_checkout.in_process(checkout, home, "doctor", "--try", *file, **mac)


def content(home: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((home / "trial.json").read_text("utf-8"))
    return result


def held(trial: dict[str, Any]) -> dict[str, bool | None]:
    return {item["name"]: item["holds"] for item in trial["checks"]}


def test_a_mac_is_tried_from_its_fingerprint_to_its_burst(checkout, tmp_path):
    home = tmp_path / "janedoe"
    done = attempt(checkout, home, "m4_low_power", TROUBLE_STEP_SECONDS="0.05")

    trial = content(home)
    checks = held(trial)
    assert trial["complete"]
    for name in ("chip", "model", "cpu cores", "gpu cores", "ram bytes", "catalogue"):
        assert checks[name] is True
    assert checks["numpy, cpu, matmul"] is True
    assert checks["burst"] is not False
    assert checks["awake"] is True
    # The fake meters know of no work; powermetrics was not asked for.
    assert checks["meter macmon, cpu"] is False
    assert checks["meter powermetrics, cpu"] is None
    assert checks["meters alike"] is True
    states = [item["text"] for item in trial["checks"] if item["name"] == "state"]
    assert [state for state in states if "on battery" in state]
    assert [state for state in states if "Low Power Mode is on" in state]
    assert trial["runs"][0]["gates"]["result_error"] == "passed"
    assert trial["course"][-1][0] > 7
    # On standard output the list, on standard error where it is.
    assert done.status == 1
    assert re.search(r"^ 0:\d\d \[ok\] chip: M4: sysctl, system_prof", done.out, re.M)
    assert re.search(r"^ 0:\d\d … a minute of products by numpy", done.err, re.M)
    assert "attach it to an issue" in done.err
    clocks = [60 * int(m) + int(s) for m, s in re.findall(r"(\d+):(\d\d) …", done.err)]
    assert max(b - a for a, b in pairwise(clocks)) <= 3  # of a busy machine
    assert given_away(done.out + done.err.replace(str(home), "")) == []


def test_the_file_names_nobody_whatever_a_framework_says(checkout, tmp_path):
    home = tmp_path / "janedoe"
    leaking = {"TROUBLE": "build", "TROUBLE_KIND": "raise", "TROUBLE_SAYS": LEAK}

    done = attempt(checkout, home, "m1_max", **leaking)

    trial = content(home)
    assert held(trial)["numpy, cpu, matmul"] is False
    assert "cannot open" in json.dumps(trial["checks"])
    assert given_away((home / "trial.json").read_text("utf-8")) == []
    assert given_away(done.out) == []
    # An allow-list: of machine and system nothing but what is known to be harmless.
    assert trial["fingerprint"]["machine"].keys() <= {
        *("chip", "model", "virtual", "missing"),
    }
    assert "anonymous_id" not in json.dumps(trial)


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Path]:
    """Return by host a file with what its commands say."""
    folder, result = tmp_path_factory.mktemp("files"), {}
    for host in ALL:
        done = subprocess.run(
            [sys.executable, FAKES.parents[1] / "collectors/machine.py", "--sources"],
            env=Mac(host).environment,
            capture_output=True,
            check=True,
        )
        outcome = json.loads(done.stdout)
        trial = Trial(
            sources=outcome["sources"], answers=outcome["answers"], complete=True
        )
        trial.fingerprint = {k: outcome[k] for k in ("machine", "system", "conditions")}
        result[host] = folder / f"{host}.json"
        result[host].write_bytes(trial_file.encode(trial))
    return result


@pytest.mark.parametrize("host", ALL)
def test_the_answers_in_a_file_are_read_as_they_were_on_the_mac(host, files):
    trial = trial_file.decode(files[host])

    assert trial.answers
    assert [disagreement.text for disagreement in trial_file.disagreements(trial)] == []


@pytest.mark.parametrize("host", ["m5", "m6", "m4_low_power", "rosetta"])
def test_a_fixture_made_of_a_file_is_a_mac_that_says_the_same(host, files, tmp_path):
    done = benchdb("doctor", "--read", files[host], "--fixture", tmp_path)

    (made,) = tmp_path.iterdir()
    env = {**Mac(host).environment, "FAKE_MAC": str(made)}
    again = subprocess.run(
        [sys.executable, FAKES.parents[1] / "collectors/machine.py", "--json"],
        env=env,
        capture_output=True,
        check=True,
    )
    result, groups = (
        json.loads(again.stdout),
        trial_file.decode(files[host]).fingerprint,
    )
    assert done.status == 0
    assert result["machine"]["chip"] == groups["machine"]["chip"]
    assert result["machine"]["model"] == groups["machine"]["model"]
    assert result["system"] == groups["system"]
    moment = {"load_1m": 0, "uptime_seconds": 0}
    assert {**result["conditions"], **moment} == {**groups["conditions"], **moment}
    # The folder was empty: all of it is new.
    assert f"{made / 'sysctl.txt'}: new in it" in done.out


def test_what_no_other_host_has_said_is_named_word_for_word(files):
    m5 = trial_file.fixture(trial_file.decode(files["m5"]))
    future = {
        **m5,
        "gpu.txt": m5["gpu.txt"].replace("gpu-core-count", "soc-core-count"),
        "sysctl.txt": m5["sysctl.txt"].replace("Apple M5", "Apple M7 Nano"),
    }

    assert trial_file.new_words(m5, HOSTS).keys() <= {"sw_vers.txt", "macmon.json"}
    new = trial_file.new_words(future, HOSTS)
    assert new["gpu.txt"] == ["soc-core-count"]
    assert new["sysctl.txt"] == ["M7", "Nano"]


def test_a_parser_that_reads_something_else_is_named_with_both(files, tmp_path):
    trial = trial_file.decode(files["m5"])
    trial.fingerprint["machine"]["chip"]["gpu_cores"] = 12
    trial.sources["gpu_cores"] = {"ioreg": 12, "system_profiler": 10}
    (tmp_path / "a.json").write_bytes(trial_file.encode(trial))

    done = benchdb("doctor", "--read", tmp_path / "a.json")

    assert done.status == 1
    wrong = "machine.chip.gpu_cores: read as 12 there, as 10 from its answers"
    assert f"  [NO] {wrong}\n" in done.out


def test_a_file_that_overwrites_another_mac_makes_no_fixture(files, tmp_path):
    first = benchdb("doctor", "--read", files["m5"], "--fixture", tmp_path)
    (made,) = tmp_path.iterdir()
    (made / "sysctl.txt").write_text("mended by hand")

    second = benchdb("doctor", "--read", files["m5"], "--fixture", tmp_path)

    assert (first.status, second.status) == (0, 2)
    assert f"{made} is there" in second.err
    assert (made / "sysctl.txt").read_text() == "mended by hand"


def test_a_file_of_another_shape_is_told_without_a_traceback(files, tmp_path):
    trial = trial_file.decode(files["m5"])
    trial.fingerprint = {"machine": {"chip": ["x"]}, "elsewhere": {"a": {"b": None}}}
    trial.answers["sysctl hw"] = "hw.ncpu: " + "9" * 5000
    (tmp_path / "odd.json").write_bytes(trial_file.encode(trial))

    done = benchdb("doctor", "--read", tmp_path / "odd.json", "--fixture", tmp_path)

    assert done.status == 2
    assert "Traceback" not in done.err + done.out
    assert "it names neither chip nor model" in done.err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no file of 'doctor --try'"),
        ("[1]", "no file of 'doctor --try'"),
        ('{"format": 1, "hostname": "x"}', "unknown field `hostname`"),
        ('{"format": 2}', "has format 2, and this benchdb reads 1"),
        ("[" * 100_000, "no file of 'doctor --try'"),
        (" " * 2_000_001, "it is too large"),
    ],
)
def test_what_is_no_such_file_is_refused_in_one_line(text, why, tmp_path):
    (tmp_path / "x.json").write_text(text)

    done = benchdb("doctor", "--read", tmp_path / "x.json")

    assert (done.status, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert why in line


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--read", "missing.json"), "No such file"),
        (("--try", "--read", "x.json"), "ask for one of them"),
        (("--output", "x.json"), "belong to --try"),
        (("--fixture", "x"), "belongs to --read"),
    ],
)
def test_options_that_do_not_go_together_are_wrong_use(options, why):
    done = benchdb("doctor", *options)

    assert (done.status, done.out) == (2, "")
    assert why in done.err


def test_a_file_that_cannot_be_written_is_told_before_the_minutes_pass(tmp_path):
    (tmp_path / "file").write_text("in the way")

    done = benchdb("doctor", "--try", "-o", tmp_path / "file" / "x.json")

    assert (done.status, done.out) == (1, "")
    assert "cannot write" in done.err


@pytest.mark.parametrize("reader_goes", [False, True])
def test_what_was_tried_until_ctrl_c_is_written(tmp_path, reader_goes):
    command = (sys.executable, "-m", "benchdb", "doctor", "--try")
    process = subprocess.Popen(
        [*command, "-o", tmp_path / "x.json"],
        env=Mac("m5").environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert "[ok] chip: M5" in process.stdout.readline()
        if reader_goes:  # as head does
            process.stdout.close()
            while "which frameworks" not in process.stderr.readline():
                pass
        process.send_signal(signal.SIGINT)
        err = process.stderr.read()

    trial = trial_file.decode(tmp_path / "x.json")
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "cannot write" not in err
    assert (trial.complete, trial.checks[0].name) == (False, "chip")


def measured(**during: float | str) -> Measured:
    facts: dict[str, Any] = dict.fromkeys(Measured.__struct_fields__)
    facts |= {"packages": {}, "values": {}, "gates": {}, "during": during}
    return Measured(**facts)


@pytest.mark.parametrize(
    ("last", "holds", "during", "text"),
    [
        (1.0, True, {}, "after 40 s 100 % of the first seconds' speed"),
        (0.91, True, {"throttle_reasons": "none"}, "after 40 s 91 % of"),
        (0.71, False, {"thermal_pressure_max": "heavy"}, "thermal pressure heavy"),
    ],
)
def test_a_speed_that_falls_over_a_minute_does_not_hold(last, holds, during, text):
    course = [(float(s), 1.0 if s < 20 else last) for s in range(1, 41)]

    check = burst_check(course, measured(**during))

    assert check.holds is holds
    assert text in check.text
    # Beside other work a fall is no finding.
    busy = burst_check(course, measured(**during), is_busy=True)
    assert busy.holds is (holds or None)
