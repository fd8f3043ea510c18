"""Signed results end to end: export, verify, trust, import, with real keys."""

import base64
import json
import os
import re
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from tests.bundle_files import (
    MINE,
    archive,
    exported,
    manifest,
    members,
    packed,
)
from tests.exchange_lines import LINES
from tests.in_process import benchdb
from tests.keys import fingerprint, new_key, public_line
from tests.leaving_line import LEAVES
from tests.signed_bundles import (
    an_empty_database,
    import_,
    of_alice_and_bob,
    pub,
    refused,
    signed_by_alice,
    trust,
)
from tests.store.old_databases import old_file
from tests.strangers.forged_files import digests, sound

__all__ = ["an_empty_database", "of_alice_and_bob", "signed_by_alice"]


def day(after: int = 0) -> date:
    """Return the day in UTC, or one *after* it: a run of tests may pass midnight."""
    return datetime.now(UTC).date() + timedelta(after)


# ---- export --bundle


def test_without_a_key_the_line_says_how_to_get_one(
    db: Path, tmp_path: Path, two_runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.chdir(tmp_path)
    import_(db, two_runs)
    path = tmp_path / "a.benchdb"

    text = refused(benchdb("export", "--bundle", path, "--db", db))

    assert "'ssh-keygen -t ed25519'" in text
    assert "--unsigned" in text
    assert not path.exists()
    new_key(tmp_path / "nobody/.ssh/id_ed25519")
    assert benchdb("export", "--bundle", path, "--db", db).status == 0
    assert fingerprint(tmp_path / "nobody/.ssh/id_ed25519") in import_(db, path)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--key", "k"], "about a bundle; add --bundle FILE"),
        (["--bundle", "b", "-o", "c"], "leave out -o and --format"),
        (["--bundle", "b", "--key", "k", "--unsigned"], "contradict each other"),
        (["--bundle", "b", "--key", "/nowhere"], "no key /nowhere"),
        (["--bundle", "-", "--unsigned"], "a bundle is a file; name it"),
    ],
)
def test_what_cannot_be_bundled_so_says_why(
    db: Path, two_runs: Path, options: list[str], why: str
) -> None:
    import_(db, two_runs)

    assert why in refused(benchdb("export", *options, "--db", db))


def test_filters_decide_what_is_in_it_and_the_manifest_counts_it(
    db: Path, two_runs: Path, tmp_path: Path
) -> None:
    import_(db, two_runs)
    path = tmp_path / "a.benchdb"

    done = benchdb(
        *("export", "--bundle", path, "--unsigned", "--workload", "lstm", "--db", db)
    )
    result = json.loads(members(path)[0][1])

    assert done.err == (
        f"benchdb: {path}: 1 run of 1 machine, not signed\n"
        f"benchdb: 1 run of 1 machine leave: {LEAVES}\n"
    )
    assert (result["runs"], result["machines"]) == (1, [MINE])
    assert not {"date", "started", "host"} & result.keys()


# ---- verify


def verified(path: Path, *options: object) -> tuple[int, str]:
    done = benchdb("verify", path, *options)
    return done.status, done.out.removeprefix(f"{path}: ") + done.err


def test_verify_says_who_signed_as_far_as_it_is_known(
    bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    alice, bob = keys
    allowed, gone = tmp_path / "allowed_signers", tmp_path / "revoked"
    gone.write_text(pub(alice).read_text())
    form = 'alice@example.org namespaces="git,benchdb",{}="{}" {}\n'

    def with_line(option: str, day: date) -> tuple[int, str]:
        text = form.format(option, f"{day:%Y%m%d}", pub(alice).read_text().strip())
        allowed.write_text(f"# those we know\nbob {public_line(bob)} of bob\n\n{text}")
        return verified(bundle, "--signers", allowed, "--require-signature")

    name = f"alice@example.org ({fingerprint(alice)})"
    known = with_line("valid-before", day(1))
    assert known[0] == 0
    assert known[1].startswith("intact, 2 runs, made by benchdb ")
    assert known[1].endswith(f"; signed by {name}\n")
    for expired in (
        with_line("valid-before", day()),
        with_line("valid-after", day(1)),
    ):
        assert expired[0] == 3
        assert f"signed by {name}, whose key has expired\n" in expired[1]
    options = ("--signers", allowed, "--revoked", gone)
    status, result = verified(bundle, *options, "--require-signature")
    assert (status, f"signed by {name}, whose key was revoked" in result) == (3, True)
    assert verified(bundle, *options)[0] == 0
    unknown = verified(bundle, "--require-signature")
    assert unknown[0] == 3
    assert f"benchdb trust {fingerprint(alice)} NAME" in unknown[1]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("alice", "a line has to be"),
        ("alice ssh-ed25519 AAAA", "is not accepted|no public SSH key"),
        ('alice valid-before="soon" {}', "'soon' is no day"),
        ("*.org cert-authority {}", "authorities are not supported"),
    ],
)
def test_a_line_of_signers_that_is_none_is_told_with_its_place(
    bundle: Path, keys: tuple[Path, Path], tmp_path: Path, line: str, why: str
) -> None:
    allowed = tmp_path / "allowed_signers"
    allowed.write_text("\n" + line.format(public_line(keys[0])))

    text = refused(benchdb("verify", bundle, "--signers", allowed))

    assert f"{allowed}:2: " in text
    assert re.search(why, text)


def test_verify_looks_at_unsigned_and_plain_files_too(
    two_runs: Path, tmp_path: Path
) -> None:
    path = exported(tmp_path / "a.benchdb")
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(LINES + b'{"type":"run"}\n')

    assert verified(path)[0] == 0
    assert verified(path)[1].endswith("; not signed\n")
    assert verified(path, "--require-signature")[0] == 3
    status, text = verified(two_runs)
    assert (status, text) == (
        0,
        "unsigned, intact as far as it can be told: its lines are valid (2 runs)\n",
    )
    assert verified(broken)[0] == 1
    assert verified(broken)[1].startswith("altered at line 11: ")
    assert "cannot read" in refused(benchdb("verify", tmp_path / "none"), 1)


def test_verify_changes_no_database_and_needs_none(
    bundle: Path, db: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    older = Path(shutil.copyfile(old_file("0008"), tmp_path / "older.sqlite"))
    trust(db, pub(keys[0]), "Alice")
    before = older.read_bytes()

    assert "signed with the unknown key" in verified(bundle, "--db", older)[1]
    assert "signed with the unknown key" in verified(bundle, "--db", tmp_path / "no")[1]
    assert "signed by Alice" in verified(bundle, "--db", db)[1]
    assert older.read_bytes() == before
    assert not (tmp_path / "no").exists()


def test_a_sigstore_signature_is_checked_by_its_program_or_said_not_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair, runs_ = members(exported(tmp_path / "a.benchdb"))
    name = b"alice@example.org"
    names = b"\x30" + bytes([len(name) + 2]) + b"\x81" + bytes([len(name)]) + name
    issuer = b"https://accounts.example.org"
    certificate = (
        *(b"\x06\x03\x55\x1d\x11\x01\x01\xff\x04", bytes([len(names)]), names),
        *(bytes.fromhex("060a2b0601040183bf300101"), b"\x04", bytes([len(issuer)])),
        issuer,
    )
    raw = base64.b64encode(b"".join(certificate)).decode()
    seal = {"verificationMaterial": {"certificate": {"rawBytes": raw}}}
    sealed = ("manifest.json.sigstore.json", json.dumps(seal).encode())
    path = archive(tmp_path / "s.benchdb", [pair, sealed, runs_])
    asked = tmp_path / "asked"
    program = tmp_path / "bin/sigstore"
    program.parent.mkdir()

    def answering(status: int, *, offline: int = 1, what: str = "") -> tuple[int, str]:
        program.write_text(
            f'#!/bin/sh\necho "$@" > {asked}\necho "{what}" >&2\n'
            f'case "$*" in *--offline*) exit {offline};; esac\nexit {status}\n'
        )
        program.chmod(0o755)
        return verified(path)

    missing = verified(path)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    assert "the program 'sigstore' is not on PATH; it counts as unsigned" in missing[1]
    assert answering(0)[0] == 0
    assert "unknown key sigstore:alice@example.org;" in verified(path)[1]
    assert "--cert-identity alice@example.org --cert-oidc-issuer" in asked.read_text()
    for other in (b"[" * 9000, b"{}", b"[]", b'{"verificationMaterial":3}'):
        no_seal = (sealed[0], other)
        assert (
            "it is no sigstore bundle"
            in verified(archive(tmp_path / "n.benchdb", [pair, no_seal, runs_]))[1]
        )
    assert answering(1, what="ERROR  FAIL: manifest.json") == (
        1,
        "altered at manifest.json.sigstore.json: sigstore says that it does not fit "
        "the content\n",
    )
    no_network = "ERROR  Failed to refresh TUF metadata."
    assert answering(1, what=no_network, offline=0)[0] == 0
    status, line = answering(1, what=no_network)
    assert (status, "altered" in line) == (1, False)
    assert "its roots of trust could not be fetched" in line
    assert answering(1, what=f"{no_network} FAIL: manifest.json")[0] == 1


# ---- import


def test_import_says_and_keeps_who_signed_and_a_replay_adds_nothing(
    db: Path, bundle: Path, keys: tuple[Path, Path]
) -> None:
    first = import_(db, bundle)
    whole = benchdb("export", "--db", db).out

    again = import_(db, bundle)

    assert f"{bundle}: 2 runs, 2 new\n" in first
    assert f"signed with the unknown key {fingerprint(keys[0])};" in first
    assert f"{bundle}: 2 runs, 0 new (file imported before)\n" in again
    assert benchdb("export", "--db", db).out == whole
    assert trust(db) == f"{fingerprint(keys[0])}  unknown  ssh-ed25519  2 runs\n"
    sound(db)


def test_a_bundle_in_a_folder_or_under_any_name_is_recognised(
    db: Path, bundle: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "shared/alice"
    folder.mkdir(parents=True)
    (folder / "a.benchdb").write_bytes(bundle.read_bytes())
    (folder / "also.txt").write_bytes(bundle.read_bytes())

    text = import_(db, tmp_path / "shared")

    assert text.count("2 runs, ") == 2
    assert len(digests(db)) == 2


def test_an_altered_bundle_is_refused_with_its_place_and_the_others_land(
    db: Path, bundle: Path, two_runs: Path, tmp_path: Path
) -> None:
    altered = tmp_path / "altered.benchdb"
    some = [(name, content) for name, content in members(bundle)]
    archive(altered, [*some[:2], (some[2][0], some[2][1] + b"\0")])

    text = import_(db, altered, two_runs, status=1)

    assert f"{altered}: altered at runs.jsonl.gz: its SHA-256 is not that" in text
    assert len(digests(db)) == 2
    assert trust(db) == "no key is known, and none came with a bundle\n"


def test_one_bad_line_refuses_the_whole_bundle(db: Path, tmp_path: Path) -> None:
    part = packed(LINES + b'{"type":"run"}\n')
    path = archive(tmp_path / "a.benchdb", [("manifest.json", manifest([part])), part])

    text = import_(db, path, status=1)

    assert "altered at runs.jsonl.gz: line 11: " in text
    assert digests(db) == set()
    assert "2 new" in import_(db, exported(tmp_path / "good.benchdb"))


def test_where_signatures_are_required_only_known_keys_will_do(
    db: Path, bundle: Path, keys: tuple[Path, Path], two_runs: Path, tmp_path: Path
) -> None:
    alice, name = keys[0], fingerprint(keys[0])
    unsigned = exported(tmp_path / "unsigned.benchdb")

    def attempt(path: Path, status: int) -> str:
        return import_(db, path, "--require-signature", status=status)

    for path in (two_runs, unsigned):
        assert "it is not signed, and --require-signature" in attempt(path, 1)
    assert f"signed with the key {name}, nobody is known here" in attempt(bundle, 1)
    trust(db, pub(alice), "Alice", "--until", day(-1))
    assert f"signed with the key {name}, which has expired" in attempt(bundle, 1)
    trust(db, "--revoke", pub(alice))
    assert f"signed with the key {name}, which was revoked" in attempt(bundle, 1)
    assert digests(db) == set()
    trust(db, pub(alice), "Alice", "--until", day())
    assert f"{bundle}: signed by Alice ({name})\n" in attempt(bundle, 0)
    assert len(digests(db)) == 2


def test_a_replayed_bundle_brings_back_nothing_that_was_forgotten(
    db: Path, bundle: Path
) -> None:
    import_(db, bundle)
    first, second = sorted(digests(db))
    assert benchdb("forget", first, "--yes", "--db", db).status == 0

    text = import_(db, bundle)

    assert "1 run was forgotten here, left out" in text
    assert digests(db) == {second}
    sound(db)


def test_an_import_that_is_taken_back_takes_its_signature_along(
    db: Path, bundle: Path, two_runs: Path
) -> None:
    import_(db, two_runs)
    text = import_(db, bundle)
    assert "2 runs, 0 new" in text
    assert "2 runs" in trust(db)

    undone = benchdb("import", "--undo", "--db", db)

    assert undone.status == 0, undone.err
    assert len(digests(db)) == 2
    assert trust(db) == "no key is known, and none came with a bundle\n"
    sound(db)


def test_without_ssh_keygen_a_signed_bundle_is_refused_and_others_land(
    db: Path, bundle: Path, two_runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    text = import_(db, bundle, two_runs, status=1)

    assert "signatures need ssh-keygen, which is not on PATH" in text
    assert len(digests(db)) == 2
