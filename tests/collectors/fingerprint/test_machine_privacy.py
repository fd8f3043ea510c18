"""What must not leave the fingerprint: who, where, and which machine by number."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from harness import privacy
from harness.privacy import NoIdError, _create, anonymous_id

from tests.collectors.fingerprint.test_machine import (
    FAKES,
    MACS,
    PROGRAM,
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
    found = [s for s in (*SECRETS, *SECRET_VALUES) if s.lower() in printed]
    assert found == []
    assert str(tmp_path) not in printed
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}", printed)


def test_the_fakes_do_hold_what_must_not_leave():
    files = [path for path in FAKES.rglob("*") if path.is_file()]
    written = [path for path in files if "__pycache__" not in path.parts]
    held = "".join(path.read_text(encoding="utf-8") for path in written)

    assert [secret for secret in SECRETS if secret not in held] == []


def test_variables_that_matter_are_kept_without_paths():
    found = everything(**mac("m1_max"), **PERSON)["system"]["variables"]

    assert found["XLA_FLAGS"].startswith("--xla_dump_to=<path> <path>")
    assert found["XLA_FLAGS"].endswith("--xla_cpu_fast=false")
    assert found["CUDA_VISIBLE_DEVICES"] == "GPU-<id>"
    assert found["OMP_NUM_THREADS"] == "4"
    assert found["PYTORCH_ENABLE_MPS_FALLBACK"] == "1"
    assert found["TF_XLA_FLAGS"] == "--tf_xla_auto_jit=2"
    assert "TF_VAR_database_password" not in found


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
    found = privacy.relevant({"PYTORCH_API_KEY": "x", "TF_GPU_TOKEN": "y", "A": "z"})

    assert found == {}


def without_hard_links(path, target):
    raise PermissionError(f"no hard link {path} to {target}")


def test_the_id_is_keyed_so_two_users_differ(tmp_path, monkeypatch):
    ids = []
    for user in ("one", "two", "one"):
        monkeypatch.setenv("BENCHDB_HOME", str(tmp_path / user))
        ids.append(anonymous_id("the same machine", "linux"))

    assert ids[0] == ids[2] != ids[1]
    assert re.fullmatch(r"[0-9a-f]{16}", ids[0])


def test_two_machines_differ_for_one_user(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path))

    assert anonymous_id("one", "linux") != anonymous_id("two", "linux")


def test_the_salt_is_for_its_owner_only(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path / "new" / "folder"))
    anonymous_id("x", "linux")
    (salt,) = (tmp_path / "new" / "folder").iterdir()

    assert salt.name == "salt"
    assert stat.S_IMODE(salt.stat().st_mode) == 0o600
    assert salt.stat().st_size == 32
    assert stat.S_IMODE(salt.parent.stat().st_mode) == 0o700


def test_a_file_system_without_hard_links_keeps_a_salt_too(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "hardlink_to", without_hard_links)
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path))
    first = anonymous_id("x", "linux")

    assert anonymous_id("x", "linux") == first
    assert [path.name for path in tmp_path.iterdir()] == ["salt"]


def test_without_hard_links_the_salt_that_came_first_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "hardlink_to", without_hard_links)
    (tmp_path / "salt").write_bytes(b"first")
    _create(tmp_path / "salt")

    assert (tmp_path / "salt").read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["salt"]


@pytest.mark.parametrize(
    ("platform", "place"),
    [
        ("darwin", "Library/Application Support/benchdb/salt"),
        ("linux", ".config/benchdb/salt"),
    ],
)
def test_the_salt_lies_where_the_platform_keeps_settings(
    platform, place, tmp_path, monkeypatch
):
    monkeypatch.delenv("BENCHDB_HOME")
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    anonymous_id("x", platform)

    assert (tmp_path / place).is_file()


def test_programs_that_start_together_agree_on_the_salt(tmp_path):
    fake = mac("m1_max")
    fake["PATH"] = f"{fake.pop('commands')}:{os.environ['PATH']}"
    environment = {**os.environ, **fake, "BENCHDB_HOME": str(tmp_path)}
    started = [
        subprocess.Popen(
            [sys.executable, str(PROGRAM)], stdout=subprocess.PIPE, env=environment
        )
        for _ in range(6)
    ]
    printed = {process.communicate()[0] for process in started}

    assert len(printed) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["salt"]


def test_a_salt_that_cannot_be_kept_is_a_reason_without_a_path(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")

    found = json.loads(run(**mac("vm"), BENCHDB_HOME=str(blocked))[0])

    assert "anonymous_id" not in found
    assert found["missing"]["anonymous_id"].startswith("the salt cannot be kept")
    assert str(tmp_path) not in str(found)


@pytest.mark.parametrize("machine_id", [None, "", " \n"])
def test_a_machine_without_an_id_has_no_anonymous_id(machine_id):
    with pytest.raises(NoIdError, match="no id"):
        anonymous_id(machine_id, "linux")


def test_a_damaged_salt_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path))
    (tmp_path / "salt").write_bytes(b"short")

    with pytest.raises(NoIdError, match="damaged"):
        anonymous_id("x", "linux")
