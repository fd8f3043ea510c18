"""Whose signature counts for what: ``benchdb trust``, with real keys."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from tests.backends import Backend
from tests.bundle_files import exported, lines_of
from tests.in_process import benchdb
from tests.keys import fingerprint, public_line
from tests.signed_bundles import (
    an_empty_database,
    import_,
    of_alice_and_bob,
    pub,
    refused,
    signed_by_alice,
    trust,
)
from tests.strangers.forged_files import codes, digests, runs, sound

__all__ = ["an_empty_database", "of_alice_and_bob", "signed_by_alice"]


def day(after: int = 0) -> date:
    """Return the day in UTC, or one *after* it: a run of tests may pass midnight."""
    return datetime.now(UTC).date() + timedelta(after)


def test_trust_takes_a_file_a_line_or_the_fingerprint_of_a_key_that_came(
    db: Path, bundle: Path, keys: tuple[Path, Path]
) -> None:
    alice, bob = keys
    import_(db, bundle)

    trust(db, pub(bob), "Bob", "--until", "2030-01-31")
    trust(db, fingerprint(alice)[:20], "Alice")
    shown = benchdb("show", min(digests(db)), "--db", db).out
    trust(db, public_line(bob) + " bob@example.org", "Robert", "--mine")

    assert trust(db).splitlines() == [
        f"{fingerprint(alice)}  Alice  ssh-ed25519  2 runs",
        f"{fingerprint(bob)}  Robert  ssh-ed25519  0 runs  mine",
    ]
    signed = f"  Alice ({fingerprint(alice)}): known key, imported on {day()}\n"
    assert f"\nsignatures\n{signed}" in shown
    sound(db)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["{key}", "Alice"], "is a private key, which nobody needs; name its .pub"),
        (["{key}.pub"], "give KEY and NAME, or --revoke and KEY alone"),
        (["{key}.pub", "Alice", "--revoke"], "give KEY and NAME"),
        (["{key}.pub", "Alice", "--until", "soon"], "'soon' is no day"),
        (["{key}.pub", " "], "a name has 1 to 80 characters"),
        (["SHA256:abc", "Alice"], "no key 'SHA256:abc' is known or came"),
        (["--revoke", "SHA256:"], "no key 'SHA256:' is known or came"),
    ],
)
def test_what_cannot_be_trusted_says_why(
    db: Path, keys: tuple[Path, Path], arguments: list[str], why: str
) -> None:
    trust(db, pub(keys[1]), "Bob")
    given = [argument.format(key=keys[0]) for argument in arguments]

    assert why in refused(benchdb("trust", *given, "--db", db))


def test_what_is_no_key_says_so(db: Path) -> None:
    assert "no public SSH key" in refused(benchdb("trust", "x", "Y", "--db", db), 1)


# ---- whose runs, and whose machines


@pytest.mark.parametrize("order", ["trust first", "import first"])
def test_runs_signed_with_a_key_of_mine_are_mine_on_a_restored_machine(
    db: Path, bundle: Path, keys: tuple[Path, Path], order: str
) -> None:
    steps = [
        lambda: trust(db, pub(keys[0]), "me", "--mine"),
        lambda: import_(db, bundle),
    ]
    for step in steps if order == "trust first" else reversed(steps):
        step()

    assert digests(db, "--mine") == digests(db)
    assert benchdb("machines", "list", "--db", db).out.rstrip().endswith("  mine")
    sound(db)


def test_what_others_published_is_not_mine_whoever_signs_it(
    db: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    trust(db, pub(keys[0]), "me", "--mine")

    import_(db, exported(tmp_path / "p.benchdb", of_document("1" * 64, "a"), keys[0]))

    assert digests(db, "--mine") == set()


def test_an_expired_or_revoked_key_of_mine_makes_nothing_mine(
    db: Path, bundle: Path, keys: tuple[Path, Path]
) -> None:
    trust(db, pub(keys[0]), "me", "--mine", "--until", day(-1))
    import_(db, bundle)
    trust(db, "--revoke", pub(keys[0]))

    assert digests(db, "--mine") == set()
    sound(db)


def test_a_later_signer_of_a_machine_is_in_doubt_until_the_owner_decides(
    backend: Backend, bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    db, (alice, bob) = backend.database(), keys
    theirs = exported(tmp_path / "b.benchdb", lines_of("later", model="Evil,1"), bob)
    import_(db, bundle)
    own = digests(db)
    import_(db, theirs)
    (claim,) = digests(db) - own

    def doubted() -> set[str]:
        asked = "SELECT run FROM doubts WHERE code = 'contradicting-signers'"
        done = benchdb("query", asked, "--format", "json", "--db", db)
        return {row["run"] for row in json.loads(done.out)}

    def machines() -> int:
        rows = json.loads(benchdb("machines", "list", "--json", "--db", db).out)
        return len({row["same_as"] for row in rows})

    assert doubted() == {claim}
    (row,) = (run for run in runs(db) if run["digest"] == claim)
    assert (row["grade"], machines()) == ("X", 2)
    sound(db)
    trust(db, pub(bob), "Bob")  # who is known comes before who is not
    assert doubted() == own
    trust(db, pub(alice), "Bob")  # two keys of the same person
    assert (doubted(), machines()) == (set(), 1)
    trust(db, pub(alice), "Alice")
    trust(db, "--revoke", pub(bob))
    assert doubted() == {claim}
    first, second = json.loads(benchdb("machines", "list", "--json", "--db", db).out)
    pair = (first["digest"], second["digest"])
    assert benchdb("machines", "merge", *pair, "--db", db).status == 0
    assert (doubted(), machines()) == (set(), 1)
    sound(db)


def test_signing_what_others_signed_takes_nothing_from_them(
    db: Path, bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    again = exported(tmp_path / "again.benchdb", key=keys[1])
    import_(db, again)
    trust(db, pub(keys[0]), "Alice")
    import_(db, bundle)

    assert [line.split("  ")[1:4:2] for line in trust(db).splitlines()] == [
        ["Alice", "2 runs"],
        ["unknown", "2 runs"],
    ]
    assert all(codes(db, digest) == [] for digest in digests(db))


# ---- supersession


def of_document(sha256: str, campaign: str, *supersedes: str) -> bytes:
    about = {"slug": "notes", "document_sha256": sha256, "supersedes": supersedes}
    source = {"type": "source", "key": "s", "title": "Notes", **about}
    text = lines_of(campaign).decode().splitlines(keepends=True)
    run = json.loads(text[3]) | {"source": "s", "label": "transcribed"}
    text[3] = json.dumps(source) + "\n" + json.dumps(run) + "\n"
    return "".join(text).encode()


@pytest.mark.parametrize(
    ("newer", "known", "marks"),
    [
        ("alice", ("alice", "bob"), (1, 0)),
        ("bob", ("alice", "bob"), (0, 1)),
        ("alice", ("bob",), (0, 1)),
        (None, ("alice", "bob"), (0, 1)),
    ],
)
def test_a_source_replaces_another_unasked_only_where_one_known_key_signed_both(
    db: Path,
    keys: tuple[Path, Path],
    tmp_path: Path,
    newer: str | None,
    known: tuple[str, ...],
    marks: tuple[int, int],
) -> None:
    by_name = dict(zip(("alice", "bob"), keys, strict=True))
    old, new = "1" * 64, "2" * 64
    first = exported(tmp_path / "1.benchdb", of_document(old, "a"), by_name["alice"])
    second = exported(
        *(tmp_path / "2.benchdb", of_document(new, "bb", old)),
        None if newer is None else by_name[newer],
    )
    for name in known:
        trust(db, pub(by_name[name]), name)

    import_(db, first, second)

    listed = benchdb("sources", "--db", db).out
    assert (listed.count("  out of date: "), listed.count(" open: ")) == marks
