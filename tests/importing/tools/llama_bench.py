"""Results of llama-bench: samples, and one with whatever a test changes."""

import json

from benchdb.catalogue import workloads
from benchdb.importing.tools import llama_bench
from tests.foreign_files import document, taken, written

RESULT = {
    "build_commit": "a1b2c3d4",
    "build_number": 5200,
    "cpu_info": "AMD Ryzen 9 7950X 16-Core Processor",
    "gpu_info": "NVIDIA GeForce RTX 4090",
    "backends": "CUDA",
    "model_type": "llama 7B Q4_0",
    "n_gpu_layers": 99,
    "n_prompt": 100,
    "n_gen": 0,
    "test_time": "2025-05-01T10:00:00Z",
    "avg_ns": 200000000,
    "stddev_ns": 0,
    "avg_ts": 500.0,
    "stddev_ts": 0.0,
    "samples_ns": [200000000, 200000000],
    "samples_ts": [500.0, 500.0],
}


def cell(record):
    """Return what was computed, without the options of the tool."""
    work = record.run.workload
    known = workloads()[work].cell
    outcome = {
        name: fact for name, fact in record.run.parameters.items() if name in known
    }
    return {"work": work, **outcome}


def sample(path):
    return taken(llama_bench, document(path))


def result(**facts):
    """Return what is read of one result with these facts changed."""
    return taken(llama_bench, written(json.dumps([{**RESULT, **facts}])))


def only(**facts):
    (run,) = result(**facts).runs
    return run


def refusal(**facts):
    read = result(**facts)
    assert not read.runs
    return read.bad[0].reason
