"""What is private never gets into a line, whoever wrote the text."""

import json
import os
import subprocess

import pytest
from harness import privacy
from harness.framework import first_line
from harness.messages import encode
from harness.privacy import publishable, redact

from benchdb.exchange import messages
from tests.collector_programs import TROUBLE, command, decode, run

NAMES = {"alice", "jane doe", "workbench", "workbench.lab.example", "li"}


@pytest.mark.parametrize(
    ("result", "published"),
    [
        ("/home/alice/secret-project/weights.h5", "…/weights.h5"),
        ("No such file: '/home/alice/my runs/a b.h5'", "No such file: '…/a b.h5'"),
        ('cannot open "/Users/Jane Doe/x y/z.pt"!', 'cannot open "…/z.pt"!'),
        ("`/srv/secret/x`: denied", "`…/x`: denied"),
        ("cannot open /Users/Jane Doe/runs/z.pt now", "cannot open …/z.pt now"),
        ("no /Volumes/Big Red Disk/data/z.pt", "no …/z.pt"),
        ("/Users/someone/Library/Application Support/x", "…/x"),
        ("dlopen(/Users/eve/env/lib.dylib, 0x6): no", "dlopen(…/lib.dylib, 0x6): no"),
        ('File "/opt/eve/a.py", line 3', 'File "…/a.py", line 3'),
        ("/srv/eve/a.py:12: UserWarning: slow", "…/a.py:12: UserWarning: slow"),
        ("cp /srv/a/x /srv/b/y", "cp …/x …/y"),
        ("gcc -I/home/eve/include -L/opt/eve/lib", "gcc -I…/include -L…/lib"),
        ("--dir=/srv/eve/dumps", "--dir=…/dumps"),
        ("~/runs/x.h5 and ~eve/runs/y.h5", "…/x.h5 and …/y.h5"),
        ("../eve/x and ./secret/y", "…/x and …/y"),
        ("file:///home/eve/x.h5", "…/x.h5"),
        ("file://localhost/home/eve/x.h5", "…/x.h5"),
        ("numpy @ file:///build/eve/numpy.whl", "numpy @ …/numpy.whl"),
        ("at https://eve:pw@nas.example/simple/x", "at …/x"),
        ("at http://nas:8080", "at …/(private):8080"),
        (r"C:\Users\eve\runs\x.h5", "…/x.h5"),
        ("C:/Users/eve/runs/x.h5", "…/x.h5"),
        (r"'C:\\Users\\Jane Doe\\runs\\x.h5'", "'…/x.h5'"),
        (r"open C:\Program Files\eve\x.dll", "open …/x.dll"),
        (r"\\nas\eve\x.h5", "…/x.h5"),
        ("/home/eve", "…/(private)"),
        ("'/Users/Jane Roe'", "'…/(private)'"),
        ("/home/eve/", "…/(private)"),
        (r"C:\Users\eve", "…/(private)"),
        ("~eve/", "…/(private)"),
        ("eve may not read /home/eve/x", "(private) may not read …/x"),
        ("/srv/alice_model.pt", "…/(private)_model.pt"),
    ],
)
def test_of_a_path_only_the_last_part_stays(result, published):
    assert redact(result, NAMES) == published


@pytest.mark.parametrize(
    ("result", "published"),
    [
        ("user alice on workbench", "user (private) on (private)"),
        ("Alice@WorkBench: no", "(private): no"),
        ("connect to workbench.lab.example:29500", "connect to (private):29500"),
        ("connect to workbench.other.example:29500", "connect to (private):29500"),
        ("workbench.local is gone", "(private) is gone"),
        ("Jane Doe's session", "(private)'s session"),
        ("li has no quota", "(private) has no quota"),
        ("malice on the workbenches in Lille", None),
    ],
)
def test_names_are_taken_out_as_whole_words(result, published):
    assert redact(result, NAMES) == (published or result)


@pytest.mark.parametrize(
    "identity",
    [
        "3c:22:fb:01:02:03",
        "3C-22-FB-01-02-03",
        "9f1b7c3e-1111-2222-3333-444455556666",
        "9F1B7C3E-1111-2222-3333-444455556666",
        "GPU-feedbee1-1111-2222-3333-444455556666",
        "GPU-feedbee1",
        "MIG-feedbee1-1111-2222-3333-444455556666",
        "MIG-GPU-feedbee1-1111-2222-3333-444455556666/3/0",
        "0123456789abcdef0123456789abcdef",
        "192.168.1.20",
        "10.0.0.5",
        "fe80::1c2d:3eff:fe4f:5a6b",
        "2001:db8:0:0:1:0:0:1",
        "::1",
        "::ffff:10.0.0.5",
        "someone@example.com",
        "first.last+tag@mail.example.org",
        "someone@cluster7",
    ],
)
@pytest.mark.parametrize("around", ["{}", "at {}, no", "('{}')", "x={}.", "[{}]"])
def test_ids_and_addresses_are_taken_out(identity, around):
    assert redact(around.format(identity), ()) == around.format("(private)")


def test_a_port_stays_without_its_address():
    assert redact("10.0.0.5:29500 and [fe80::1]:80", ()) == (
        "(private):29500 and [(private)]:80"
    )


@pytest.mark.parametrize(
    "harmless",
    [
        "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 79.1 GiB in all)",
        "seed protocol scaled to 30 of 120 steps",
        "gate failed: device_ok (asked cuda, found ['cpu'], mps_fallback None)",
        "neither /proc/cpuinfo nor lscpu names it",
        "the distribution has no versions, or no /etc/os-release",
        "/proc/meminfo cannot be read",
        "either/or, 30 img/s, 1/3, 4 / 2, n/a, and~so",
        "~5 GB, about ~ 3, a \\ b",
        "torchvision::nms, c10::Error, at::native::add, aten::add.Tensor, ad::be",
        "GPU-accelerated, GPU-based and MIG-enabled",
        "Python 3.12.1, torch 2.13.0+cpu, driver 535.129.03, VBIOS 96.00.5E.00.01",
        "2026-01-01T00:00:00.000+00:00 and 12:34:56",
        "00000000:65:00.0",
        "aa" * 32,
        'install it with: pip install "tensorflow>=2.18,<2.20" tensorflow-metal==1.2.0',
        "the square root of user 1000",
        "写入失败：磁盘已满",
    ],
)
def test_what_tells_nothing_stays(harmless):
    assert redact(harmless, {*NAMES, "root", "user", "cuda", "1000"}) == harmless


@pytest.mark.parametrize(
    "result",
    [
        "alice: '/home/alice/a b/x' on workbench (10.0.0.5), ~/y, C:\\Users\\li\\z",
        "https://nas.example, /home/eve, someone@example.com GPU-feedbee1",
    ],
)
def test_redacting_again_changes_nothing(result):
    once = redact(result, NAMES)

    assert redact(once, NAMES) == once


@pytest.mark.parametrize("text", ["/a" * 5000, "a/ b " * 5000, ":" * 9999, "a." * 9999])
def test_a_long_text_is_read_in_no_time(text):
    assert len(redact(text, NAMES)) <= len(text) + 2


def test_numbers_keys_and_digests_of_a_line_stay(monkeypatch):
    monkeypatch.setattr(
        privacy, "_own_names", lambda **_: frozenset({"alice", "run-0"})
    )
    line = {
        "type": "end",
        "run": "run-0",
        "status": "failed",
        "ended": "2026-01-01T00:00:00.000+00:00",
        "values": [{"metric": "alice", "value": 0.5}, {"metric": "b", "value": None}],
        "checks": {"alice": 3, "ok": True, "loss_trace_sha256": "ab" * 32},
    }

    assert publishable(line) == line


def test_every_free_text_of_a_line_is_cleaned_however_deep(monkeypatch):
    monkeypatch.setattr(privacy, "_own_names", lambda **_: frozenset({"alice"}))
    line = {
        "type": "end",
        "reason": "OSError: /home/alice/x",
        "values": [{"metric": "m", "reason": "alice has no x"}],
        "checks": {"a": {"found": ["on alice"]}, "fallback": "/home/alice/y"},
        "not_thought_of_yet": ("alice",),
    }

    assert publishable(line) == {
        "type": "end",
        "reason": "OSError: …/x",
        "values": [{"metric": "m", "reason": "(private) has no x"}],
        "checks": {"a": {"found": ["on (private)"]}, "fallback": "…/y"},
        "not_thought_of_yet": ["(private)"],
    }


def test_things_keep_their_names_on_a_host_called_like_them(monkeypatch):
    monkeypatch.setattr(
        privacy, "_own_names", lambda **_: frozenset({"h200", "max", "adam", "alice"})
    )
    line = {
        "type": "run",
        "device_name": "NVIDIA H200",
        "chip": {"vendor": "Apple", "name": "M1 Max"},
        "parameters": {"optimizer": "Adam", "cache": "/home/alice/x"},
        "devices": [{"name": "NVIDIA H200", "uuid": "GPU-feedbee1"}],
        "kernel": "5.15.167.4-microsoft-alice",
        "packages": {"torch": "2.13.0+alice", "cudnn": "9.1.0.70", "x": "1 /home/a/b"},
    }

    assert publishable(line) == line | {
        "parameters": {"optimizer": "Adam", "cache": "…/x"},
        "devices": [{"name": "NVIDIA H200", "uuid": "(private)"}],
        "kernel": "5.15.167.4-microsoft-(private)",
        "packages": {"torch": "2.13.0+(private)", "cudnn": "9.1.0.70", "x": "1 …/b"},
    }


def test_samples_are_not_even_looked_at():
    line = {"type": "samples", "run": "r", "values": [0.5]}

    assert publishable(line) is line


def test_a_line_is_clean_as_it_is_encoded():
    assert json.loads(encode({"reason": "no /srv/secret/x"})) == {"reason": "no …/x"}


def test_a_reason_is_cut_only_after_its_paths_are():
    failure = OSError("no '/srv/secret/" + "a " * 400 + "/x' there")

    assert first_line(failure) == "no '…/x' there"


def test_a_user_without_a_name_has_a_home_folder_all_the_same(monkeypatch):
    for name in ("LOGNAME", "USER", "USERNAME", "LNAME", "SUDO_USER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    monkeypatch.setenv("HOME", "/data/alice")

    assert "alice" in privacy.private_words()


PERSON = {
    "LOGNAME": "alicia77",
    "USER": "alicia77",
    "HOME": "/home/alicia77",
    "HOSTNAME": "secretbox.lab.example",
    "PYTORCH_ENABLE_MPS_FALLBACK": "/home/alicia77/x",
}
SAID = (
    "[Errno 2] No such file: '/home/alicia77/secret project/weights.h5' "
    "(alicia77@secretbox.lab.example, secretbox, 10.20.30.40, 3c:22:fb:01:02:03, "
    "GPU-feedbee1-1111-2222-3333-444455556666, /Users/Alicia77/other dir/y.py)"
)
LEAKS = (
    *("alicia77", "secretbox", "lab.example", "secret project", "/home", "/users"),
    *("10.20.30", "3c:22", "feedbee1", "other dir"),
)


@pytest.mark.parametrize("kind", ["raise", "unsupported", "framework-memory"])
@pytest.mark.parametrize("moment", ["build", "step:5"])
def test_what_an_exception_says_leaves_nothing_private_in_a_file(
    kind, moment, tmp_path
):
    trouble = {"TROUBLE": moment, "TROUBLE_KIND": kind, "TROUBLE_SAYS": SAID}
    home = {"BENCHDB_HOME": str(tmp_path)}
    arguments = command(TROUBLE, "matmul", "--size", "8", "--tier", "smoke")
    done = subprocess.run(
        arguments,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | PERSON | trouble | home,
    )

    (end,) = (line for line in decode(done.stdout) if isinstance(line, messages.End))
    assert "weights.h5" in (end.reason or "")
    assert [leak for leak in LEAKS if leak in done.stdout.lower()] == []


def test_a_framework_that_cannot_be_imported_writes_no_line_at_all():
    trouble = {"TROUBLE": "load", "TROUBLE_KIND": "raise", "TROUBLE_SAYS": SAID}
    outcome = run(TROUBLE, "matmul", "--tier", "smoke", extra=PERSON | trouble)

    assert (outcome.status, outcome.file) == (2, [])
