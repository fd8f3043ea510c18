"""The pieces of the collectors that need no process and no framework."""

import ast
import math
from pathlib import Path
from typing import Any, get_args

import pytest
from harness.cells import Assignment, Choices, cells_of
from harness.framework import DEVICES, failure_status, precision_in_effect
from harness.main import VERSION, _in_turn, source_digest, source_files
from harness.messages import encode
from harness.process import CpuTime, cpu_percent, oom_kills, signal_of, vm_hwm_bytes
from harness.recorder import SampleWriter
from harness.supervisor import end_line
from harness.worker_process import Course, Death, Watch

import benchdb
from benchdb.exchange import messages
from tests.collector_programs import COLLECTORS
from tests.collectors.counting_work import cell


def test_cpu_percent_adds_user_and_system_time():
    assert cpu_percent(CpuTime(150.0, 30.0), 60.0) == 300.0
    assert cpu_percent(CpuTime(1.0, 1.0), 0.0) is None


def test_peak_memory_is_read_from_vmhwm():
    text = "Name:\tpython\nVmPeak:\t  900000 kB\nVmHWM:\t   12345 kB\nVmRSS:\t 1 kB\n"

    assert vm_hwm_bytes(text) == 12345 * 1024
    assert vm_hwm_bytes("Name:\tpython\n") is None


@pytest.mark.parametrize(
    ("status", "name"),
    [(-11, "SIGSEGV"), (139, "SIGSEGV"), (137, "SIGKILL"), (1, None), (0, None)],
)
def test_a_signal_is_named_whoever_reports_it(status, name):
    assert signal_of(status) == name


def kernel(root: Path, vmstat: int, group: int) -> Path:
    (root / "proc/self").mkdir(parents=True, exist_ok=True)
    (root / "sys/fs/cgroup/job").mkdir(parents=True, exist_ok=True)
    (root / "proc/vmstat").write_text(f"pgfault 9\noom_kill {vmstat}\n")
    (root / "proc/self/cgroup").write_text("0::/job\n")
    events = root / "sys/fs/cgroup/job/memory.events"
    events.write_text(f"oom 3\noom_kill {group}\noom_group_kill 0\n")
    return root


def test_kernel_oom_kills_are_counted_for_system_and_group(tmp_path):
    before = oom_kills(kernel(tmp_path, vmstat=2, group=0))
    after = oom_kills(kernel(tmp_path, vmstat=2, group=1))

    assert (before, after) == (2, 3)


def test_a_system_without_counters_does_not_claim_zero(tmp_path):
    assert oom_kills(tmp_path) is None


def ended(course: Course, death: Death, *, overdue: bool = False) -> dict[str, Any]:
    order = Assignment(cell(), {"key": "r"}, {}, 0, time_limit=5)
    return end_line(order, course, death, Watch(overdue=overdue))


def test_sigkill_is_out_of_memory_only_if_the_kernel_says_so():
    killed = Death(-9, 1.0, CpuTime(1.0, 0.0), 1000)
    by_kernel = Death(-9, 1.0, CpuTime(1.0, 0.0), 1000, killed_for_memory=True)

    assert ended(Course(), by_kernel)["status"] == "oom"
    assert ended(Course(), killed)["status"] == "failed"
    assert "SIGKILL" in ended(Course(), killed)["reason"]


def test_a_worker_over_its_time_limit_says_where_it_was():
    killed = Death(-9, 1.0, CpuTime(1.0, 0.0), 1000)

    end = ended(Course(phase="warmup"), killed, overdue=True)

    assert end["status"] == "failed"
    assert end["reason"] == "no end after 5 s, the time limit; it was at: warmup"


def test_a_crash_after_the_result_does_not_undo_it():
    course = Course(result={"status": "ok", "reason": None, "checks": {}})

    end = ended(course, Death(-11, 1.0, CpuTime(1.0, 0.0), 1000))

    assert end["status"] == "ok"
    assert end["checks"] == {"after_result": "killed by SIGSEGV"}


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (MemoryError(), "oom"),
        (RuntimeError("MPS backend out of memory (MPS allocated: 1 GB)"), "oom"),
        (type("ResourceExhaustedError", (Exception,), {})("OOM"), "oom"),
        (RuntimeError("Invalid buffer size: 16.00 GiB"), "oom"),
        (RuntimeError("cuDNN error: CUDNN_STATUS_ALLOC_FAILED"), "oom"),
        (TypeError("BFloat16 is not supported on MPS"), "unsupported"),
        (NotImplementedError("aten::x for the MPS device"), "unsupported"),
        (type("UnimplementedError", (Exception,), {})("no kernel"), "unsupported"),
        (TypeError("Cannot convert a MPS Tensor to float64 dtype"), "unsupported"),
        (ValueError("shapes"), "failed"),
    ],
)
def test_what_a_framework_raises_becomes_a_status(failure, status):
    assert failure_status(failure) == status


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_lines_are_strict_json(number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode({"value": number})


def test_samples_are_sent_in_order_and_apart_by_phase_and_steps():
    groups: list[dict[str, Any]] = []
    writer = SampleWriter(groups.append, "r")

    for phase, per in [("warmup", 1), ("warmup", 1), ("warmup", 2), ("measure", 2)]:
        writer.add(phase, per, 0.25)
    writer.flush()

    assert [(m["phase"], m["per"], len(m["values"])) for m in groups] == [
        ("warmup", 1, 2),
        ("warmup", 2, 1),
        ("measure", 2, 1),
    ]


def test_replicates_go_round_all_cells_in_a_reproducible_order():
    wanted = "matmul", Choices("cpu", "quick")
    cells = list(cells_of(*wanted, "numpy", ("none",)))
    turns = list(_in_turn(cells, range(3), seed=1))

    assert turns == list(_in_turn(cells, range(3), seed=1))
    assert [turn for turn, _ in turns] == [0] * 9 + [1] * 9 + [2] * 9
    assert [result for _, result in turns[:9]] != [result for _, result in turns[9:18]]


def test_the_version_is_benchdbs_own():
    assert benchdb.__version__ == VERSION


def imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [f"{node.module}.{alias.name}" for alias in node.names]
            + [node.module or ""]
        )
    }


def test_the_digest_covers_all_that_the_harness_imports():
    covered = source_files(COLLECTORS / "with_torch.py", "torch")

    # What it may import of ours: a module, or a module of a package.
    ours = {
        ".".join(path.relative_to(COLLECTORS).with_suffix("").parts): path
        for path in COLLECTORS.rglob("*.py")
    }
    assert {
        f"{path.name} imports {name}"
        for path in covered.values()
        for name in imported(path) & ours.keys()
        if ours[name] not in covered.values()
    } == set()


def test_the_digest_covers_a_frameworks_own_modules_and_no_others():
    names = source_files(COLLECTORS / "with_torch.py", "torch").keys()

    assert {"with_torch.py", "operations.py", "torch_work/models.py"} <= names
    assert {"harness/gates.py", "energy/nvml.py", "machine.py"} <= names
    assert not any("tensorflow" in name for name in names)


def test_another_program_has_another_digest():
    digests = {
        source_digest(COLLECTORS / f"with_{name}.py", name)
        for name in ("torch", "tensorflow", "numpy")
    }

    assert len(digests) == 3


def test_devices_are_known_to_the_exchange_format():
    assert set(DEVICES) < set(get_args(messages.Device))


@pytest.mark.parametrize(
    ("asked", "switch", "variable", "effective"),
    [
        ("fp32", False, None, "fp32"),
        ("fp32", True, None, "tf32"),
        ("tf32", True, None, "tf32"),
        ("tf32", False, None, "fp32"),
        ("tf32", True, "0", "fp32"),
        ("fp32", False, "1", "tf32"),
        ("bf16", True, "1", "bf16"),
    ],
)
def test_the_precision_is_what_switch_and_variable_leave_of_it(
    monkeypatch, asked, switch, variable, effective
):
    monkeypatch.delenv("NVIDIA_TF32_OVERRIDE", raising=False)
    if variable is not None:
        monkeypatch.setenv("NVIDIA_TF32_OVERRIDE", variable)

    assert precision_in_effect(asked, tf32=switch) == effective
