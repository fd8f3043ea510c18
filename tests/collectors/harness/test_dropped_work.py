"""Work that Metal dropped is told on standard error alone: such a run is not ok."""

import subprocess
import sys
import time

import pytest
from harness.worker_process import Listener, dropped

from benchdb.exchange import messages
from tests.collector_programs import decode
from tests.collectors.fake_macs import TENSORFLOW, TORCH, Mac
from tests.command_line import Outcome

MATMUL = ("matmul", "--device", "metal", "--size", 64, "--tier", "smoke")
MEMORY = "Insufficient Memory (kIOGPUCommandBufferCallbackErrorOutOfMemory)"
TIMEOUT = "Caused GPU Timeout Error (kIOGPUCommandBufferCallbackErrorTimeout)"


def measured(wrong: str, framework: str = "torch") -> tuple[Outcome, messages.End]:
    installed = TENSORFLOW if framework == "tensorflow" else TORCH
    mac = Mac("m4_max", installed, wrong=(("FAKE_METAL", wrong),))
    done = mac.collector(framework, *MATMUL)
    (end,) = (header for header in decode(done.out) if isinstance(header, messages.End))
    return done, end


@pytest.mark.parametrize(
    ("framework", "wrong", "status", "cause"),
    [
        ("torch", "out of memory", "oom", MEMORY),
        ("tensorflow", "timeout", "failed", TIMEOUT),
    ],
)
def test_a_run_of_which_metal_dropped_work_is_not_ok_and_has_no_rate(
    framework, wrong, status, cause
):
    done, end = measured(wrong, framework)

    assert (done.status, end.status) == (1, status)
    assert (end.reason or "").startswith(f"Metal dropped work: {cause}; ")
    values = {value.metric: value for value in end.values}
    assert values["teraflops"].value is None
    assert values["teraflops"].reason == "the GPU dropped work"
    assert (values["process_wall_seconds"].value or 0) > 0


def test_what_else_stands_on_standard_error_is_passed_on_and_changes_nothing():
    done, end = measured("chatty")

    assert (done.status, end.status) == (0, "ok")
    wanted = ["a warning of 3 lines,", "the second (00000008:nothing),", "the third"]
    assert [line for line in done.err.splitlines() if line in wanted] == wanted


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        ("", None),
        ("UserWarning: the command buffer is large", None),
        (
            "Error: command buffer exited with error status.\n\tError:\n"
            "\tInternal Error (0000000e:Internal Error)\n",
            ("failed", "Internal Error"),
        ),
        (
            "error: Insufficient Memory "
            "(00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)",
            ("oom", MEMORY),
        ),
        (
            "12/30 [36:03<53:52]Error: command buffer exited with error status.\n"
            "\tIgnored (for causing prior/excessive GPU errors) "
            "(00000004:kIOAccelCommandBufferCallbackErrorSubmissionsIgnored)",
            (
                "failed",
                "Ignored (for causing prior/excessive GPU errors) "
                "(kIOAccelCommandBufferCallbackErrorSubmissionsIgnored)",
            ),
        ),
        (
            "command buffer exited with error status.\n\tInternal Error (IOAF code 4)",
            ("failed", "Internal Error"),
        ),
        ("command buffer exited with error status.", ("failed", "no cause told")),
    ],
)
def test_the_cause_is_the_one_that_metal_names(result, outcome):
    pair = dropped(result)

    if outcome is None:
        assert pair is None
    else:
        assert pair is not None
        status, cause = outcome
        assert pair[0] == status
        assert pair[1].startswith(f"Metal dropped work: {cause}; ")


def heard_from(program: str) -> tuple[tuple[str, str] | None, float]:
    process = subprocess.Popen(
        [sys.executable, "-c", program], stderr=subprocess.PIPE, text=True
    )
    with process:
        assert process.stderr is not None
        listener = Listener(process.stderr)
        process.wait()
        began = time.monotonic()
        return listener.heard(), time.monotonic() - began


def test_a_message_is_heard_among_pages_and_in_pieces():
    pair, _ = heard_from(
        "import os, time\n"
        "os.write(2, b'x' * 200_000)\n"
        "for part in (b'... buffer was abor', b'ted\\nExecution of the comm', "
        "b'and buffer was aborted: Discarded (00000005:kIOGPU', b'X)'):\n"
        "    os.write(2, part); time.sleep(0.05)\n"
        "os.write(2, b'y' * 200_000)\n"
    )

    assert pair is not None
    assert pair[1].startswith("Metal dropped work: Discarded (kIOGPUX); ")


def test_a_child_that_outlives_its_worker_keeps_nobody_waiting():
    pair, seconds = heard_from(
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(30)'])\n"
    )

    assert pair is None
    assert seconds < 20
