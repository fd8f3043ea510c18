"""What must not leave the fingerprint: who, where, and which machine by number."""

import re

import pytest
from harness import privacy

from tests.collectors.fingerprint.test_machine import (
    FAKES,
    MACS,
    everything,
    mac,
    nvidia,
    run,
)

SECRETS = (
    "C02SERIAL77",
    "9F1B7C3E",
    "ABCDEF012345",
    "00008103",
    "d15c0ffee",
    "a4834e5f6a7b",
    "4456547",
    "7340131",
    "Jane",
    "feedbee",
    "1653300000",
    "train.py",
)
PERSON = {
    "USER": "janedoe",
    "LOGNAME": "janedoe",
    "HOSTNAME": "Janes-Mac.local",
    "XLA_FLAGS": "--xla_dump_to=/Users/Jane Doe/dumps --xla_cpu_fast=false",
    "TF_XLA_FLAGS": "--tf_xla_auto_jit=2",
    "TF_VAR_database_password": "hunter2-terraform",
    "TF_CONFIG": '{"cluster": {"worker": ["node17.example:2222"]}}',
    "PYTORCH_ENABLE_MPS_FALLBACK": "1",
    "PYTORCH_KERNEL_CACHE_PATH": "/home/janedoe/.cache/torch",
    "CUDA_VISIBLE_DEVICES": "GPU-feedbee1-1111-2222-3333-444455556666",
    "OMP_NUM_THREADS": "4",
}
SECRET_VALUES = ("janedoe", "jane doe", "doe/", "hunter2", "node17", "/Users", "/home")


@pytest.mark.parametrize("how", [nvidia(), *map(mac, MACS)])
def test_no_number_or_name_of_the_host_is_printed(how, tmp_path):
    home = tmp_path / "janedoe"
    home.mkdir()

    outputs = run("--json", **how, **PERSON, HOME=str(home), BENCHDB_HOME=str(home))

    printed = "".join(outputs).lower()
    texts = [s for s in (*SECRETS, *SECRET_VALUES) if s.lower() in printed]
    assert texts == []
    assert str(tmp_path) not in printed
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}", printed)


def test_the_fakes_do_hold_what_must_not_leave():
    files = [path for path in FAKES.rglob("*") if path.is_file()]
    written = [path for path in files if "__pycache__" not in path.parts]
    held = "".join(path.read_text(encoding="utf-8") for path in written)

    assert [secret for secret in SECRETS if secret not in held] == []


def test_variables_that_matter_are_kept_without_paths():
    result = everything(**mac("m1_max"), **PERSON)["system"]["variables"]

    assert result["XLA_FLAGS"].startswith("--xla_dump_to=<path> <path>")
    assert result["XLA_FLAGS"].endswith("--xla_cpu_fast=false")
    assert result["CUDA_VISIBLE_DEVICES"] == "GPU-<id>"
    assert result["OMP_NUM_THREADS"] == "4"
    assert result["PYTORCH_ENABLE_MPS_FALLBACK"] == "1"
    assert result["TF_XLA_FLAGS"] == "--tf_xla_auto_jit=2"
    assert "TF_VAR_database_password" not in result


@pytest.mark.parametrize(
    ("value", "published"),
    [
        ("expandable_segments:True,max_split_size_mb:128", None),
        ("0,1", None),
        ("{0:4}", None),
        ("C:\\Users\\jane", "<path>"),
        ("--a=1 --b=~/x", "--a=1 --b=<path>"),
        ("secret; rm", "secret; rm"),
        ('{"json": 1}', "<hidden>"),
        ("run by somebody", "<hidden>"),
        ("MIG-1a2b3c4d-aaaa/3/0", "MIG-<id>"),
    ],
)
def test_a_value_is_published_only_as_far_as_it_is_harmless(value, published):
    assert privacy.published(value, {"somebody"}) == (published or value)


def test_names_of_variables_that_sound_secret_are_left_out():
    values = privacy.relevant({"PYTORCH_API_KEY": "x", "TF_GPU_TOKEN": "y", "A": "z"})

    assert values == {}
