"""The id of a machine: random, kept, for its owner only, and another on request."""

import hashlib
import hmac
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import platformdirs.macos
import platformdirs.unix
import pytest
from harness.anonymous_id import NoIdError, anonymous_id, data_folder, renew

from benchdb import user_data
from tests.collectors.fingerprint.test_machine import PROGRAM, mac, run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "new" / "folder"
    monkeypatch.setenv("BENCHDB_HOME", str(folder))
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name.partition("-id-")[0] for path in folder.iterdir())


def test_the_id_is_random_and_stays(home, tmp_path, monkeypatch):
    first = anonymous_id("the same machine", "linux")
    again = anonymous_id("the same machine", "linux")
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path / "another user"))

    assert re.fullmatch("[0-9a-f]{32}", first)
    assert first == again != anonymous_id("the same machine", "linux")


def test_machines_that_share_a_home_folder_have_an_id_each(home):
    named = ["one", "two", None, "one\n"]
    ids = [anonymous_id(system_id, "linux") for system_id in named]

    assert len({*ids}) == 3
    assert ids[0] == ids[3]


def test_the_file_is_for_its_owner_only_and_tells_nothing_of_the_system(home):
    kept = anonymous_id("C02SERIAL77", "darwin")
    (file,) = home.iterdir()

    assert file.read_text() == f"{kept}\n"
    assert "SERIAL" not in file.name
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_a_machine_keeps_the_id_that_a_former_version_made_until_it_is_renewed(home):
    home.mkdir(parents=True)
    (home / "salt").write_bytes(bytes(range(32)))
    former = hmac.new(bytes(range(32)), b"its uuid", hashlib.sha256).hexdigest()[:16]

    before = [anonymous_id("its uuid", "linux") for _ in range(2)]
    renew("its uuid", "linux")
    after = [anonymous_id("its uuid", "linux") for _ in range(2)]

    assert before == [former, former]
    assert after[0] == after[1] != former
    assert len(after[0]) == 32


def test_a_file_system_without_hard_links_keeps_an_id_too(home, monkeypatch):
    def refused(path: Path, target: Path) -> None:
        raise PermissionError(f"no hard link {path} to {target}")

    monkeypatch.setattr(Path, "hardlink_to", refused)
    first = anonymous_id("x", "linux")

    assert anonymous_id("x", "linux") == first
    assert names(home) == ["machine"]


def test_programs_that_start_together_agree(tmp_path):
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
    assert names(tmp_path) == ["machine"]


@pytest.mark.parametrize("system", ["darwin", "linux"])
@pytest.mark.parametrize("variable", ["", "relative", "/absolute"])
def test_it_lies_where_benchdb_keeps_a_users_data(system, variable, monkeypatch):
    monkeypatch.delenv("BENCHDB_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", variable)
    theirs = {"darwin": platformdirs.macos.MacOS, "linux": platformdirs.unix.Unix}
    monkeypatch.setattr(platformdirs, "PlatformDirs", theirs[system])

    assert data_folder(system) == user_data.data_folder()


def test_an_id_that_cannot_be_kept_is_missing_with_a_reason_without_a_path(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")

    result = json.loads(run(**mac("vm"), BENCHDB_HOME=str(blocked))[0])

    assert "anonymous_id" not in result
    assert result["missing"]["anonymous_id"].startswith("the id cannot be kept")
    assert str(tmp_path) not in str(result)


@pytest.mark.parametrize("damage", [b"", b"short\n", b"\xff" * 32, b"g" * 32])
def test_a_damaged_file_is_not_used_and_is_mended_by_another_id(home, damage):
    anonymous_id("x", "linux")
    (file,) = home.iterdir()
    file.write_bytes(damage)

    with pytest.raises(NoIdError, match="damaged"):
        anonymous_id("x", "linux")
    renew("x", "linux")
    assert len(anonymous_id("x", "linux")) == 32
