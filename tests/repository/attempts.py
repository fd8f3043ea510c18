"""What a pull request may try, and the line that refuses it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from benchdb.bundles.signatures import sign
from tests.bundle_files import archive, manifest, packed
from tests.repository import people
from tests.repository.people import Person, git

ALICE, BOB = "a" * 16, "b" * 16
RATES = [100.0, 101.0, 99.5]


class Place(msgspec.Struct):
    """A collection with results of two, everybody in it, and what checks said."""

    origin: Path
    maintainer: Person
    alice: Person
    bob: Person
    mallory: Person
    steps: dict[str, list[people.Step]]


Attack = Callable[[Place, Person], object]


def new(person: Person, name: str = "second.benchdb", **more: Any) -> Path:
    """Add a bundle of runs that nobody has to the folder of *person*."""
    content = people.lines(
        more.pop("machine", "c" * 16), [90.0], more.pop("campaign", "two")
    )
    return person.bundle(person.own / name, content, **more)


def deletes(place: Place, alice: Person) -> None:
    (alice.own / "first.benchdb").unlink()


def renames(place: Place, alice: Person) -> None:
    (alice.own / "first.benchdb").rename(alice.own / "best.benchdb")


def alters(place: Place, alice: Person) -> None:
    new(alice, "first.benchdb")


def writes_into_another_folder(place: Place, alice: Person) -> None:
    new(alice).rename(place.alice.clone / "contributors/bob/second.benchdb")


def mixes_two_contributors(place: Place, alice: Person) -> None:
    shutil.copy(new(alice), alice.clone / "contributors/bob/third.benchdb")


def edits_the_workflow_along_with_results(place: Place, alice: Person) -> None:
    new(alice)
    (alice.clone / ".github/workflows/check.yml").write_text("on: push\n")


def edits_the_readme_along_with_results(place: Place, alice: Person) -> None:
    new(alice)
    (alice.clone / "README.md").write_text("I am fast.\n")


def adds_a_link(place: Place, alice: Person) -> None:
    (alice.own / "second.benchdb").symlink_to("/etc/passwd")


def adds_a_submodule(place: Place, alice: Person) -> None:
    commit = git(alice.clone, "rev-parse", "HEAD")
    facts = f"160000,{commit},contributors/alice/second.benchdb"
    git(alice.clone, "update-index", "--add", "--cacheinfo", facts)
    (alice.own / "second.benchdb").mkdir()


def adds_a_program(place: Place, alice: Person) -> None:
    new(alice).chmod(0o755)


def adds_a_large_file(place: Place, alice: Person) -> None:
    with (alice.own / "second.benchdb").open("wb") as stream:
        stream.truncate(16 * 2**20 + 1)


def adds_another_file(place: Place, alice: Person) -> None:
    (alice.own / "results.csv").write_text("fast\n")


def hides_a_file_in_the_history(place: Place, alice: Person) -> None:
    (alice.own / "second.benchdb").write_text("what nobody should read")
    alice.commit()
    new(alice)


def differs_in_case_alone(place: Place, alice: Person) -> None:
    new(alice, "First.benchdb")


def leaves_the_folder(place: Place, alice: Person) -> None:
    new(alice).rename(alice.clone / "contributors" / "second.benchdb")


def alters_a_byte(place: Place, alice: Person) -> None:
    path = new(alice)
    content = bytearray(path.read_bytes())
    content[-1500] ^= 1
    path.write_bytes(content)


def signs_nothing(place: Place, alice: Person) -> None:
    new(alice, signer=None)


def signs_with_an_unknown_key(place: Place, alice: Person) -> None:
    new(alice, signer=place.mallory.key)


def signs_with_the_key_of_another(place: Place, alice: Person) -> None:
    new(alice, signer=place.bob.key)


def gives_away_a_host(place: Place, alice: Person) -> None:
    content = people.lines("c" * 16, [90.0], "two")
    host = b'"conditions": {"hostname": "alice-laptop", '
    part = packed(content.replace(b'"conditions": {', host))
    about = manifest([part], runs=1, machines=["c" * 16])
    seal = sign(about, alice.key).encode()
    some = (("manifest.json", about), ("manifest.json.sig", seal), part)
    archive(alice.own / "second.benchdb", some)


def replays_the_bundle_of_another(place: Place, mallory: Person) -> None:
    mallory.join()
    theirs = mallory.clone / "contributors/alice/first.benchdb"
    shutil.copy(theirs, mallory.own / "mine.benchdb")


def signs_the_runs_of_another(place: Place, mallory: Person) -> None:
    mallory.join()
    mallory.bundle(mallory.own / "mine.benchdb", people.lines(ALICE, RATES))


def claims_the_machine_of_another(place: Place, mallory: Person) -> None:
    mallory.join()
    new(mallory, machine=ALICE)


def brings_its_own_runs_again(place: Place, alice: Person) -> None:
    alice.bundle(alice.own / "second.benchdb", people.lines(ALICE, [*RATES, 98.0]))


def takes_the_key_of_another(place: Place, mallory: Person) -> None:
    theirs = mallory.clone / "contributors/alice"
    mallory.own.mkdir()
    for name in ("key.pub", "key.pub.sig", "first.benchdb"):
        shutil.copy(theirs / name, mallory.own / name)


def has_two_names(place: Place, mallory: Person) -> None:
    mallory.join("--key", place.alice.key)


def changes_the_key(place: Place, alice: Person) -> None:
    public = place.mallory.key.with_suffix(".pub").read_text().split()
    (alice.own / "key.pub").write_text(" ".join(public[:2]) + "\n")


def adds_a_key_that_the_old_one_did_not_sign(place: Place, alice: Person) -> None:
    alice.join("--key", place.mallory.key, "--old-key", place.mallory.key)


def names_a_path_as_a_name(place: Place, mallory: Person) -> None:
    target = mallory.clone / "contributors" / "-x.." / "key.pub"
    target.parent.mkdir()
    shutil.copy(mallory.clone / "contributors/alice/key.pub", target)


REFUSED = [
    (deletes, "alice/first.benchdb: is deleted or renamed"),
    (renames, "alice/first.benchdb: is deleted or renamed"),
    (alters, "alice/first.benchdb: is changed"),
    (writes_into_another_folder, "bob/second.benchdb: is signed by alice, not by bob"),
    (mixes_two_contributors, "contributors/: files of 2 contributors: alice, bob"),
    (
        edits_the_workflow_along_with_results,
        ".github/workflows/check.yml: is changed together with results",
    ),
    (
        edits_the_readme_along_with_results,
        "README.md: is changed together with results",
    ),
    (adds_a_link, "alice/second.benchdb: is a link"),
    (adds_a_submodule, "alice/second.benchdb: is another repository (a submodule)"),
    (adds_a_program, "alice/second.benchdb: is marked as a program"),
    (adds_a_large_file, "has 16,777,217 bytes, more than 16,777,216"),
    (adds_another_file, "alice/results.csv: is no file that a contributor has"),
    (hides_a_file_in_the_history, "history: a commit holds a file that the last one"),
    (differs_in_case_alone, "First.benchdb: differs from contributors/alice/first"),
    (leaves_the_folder, "contributors/second.benchdb: is no file that a contributor"),
    (alters_a_byte, "alice/second.benchdb: was altered at runs.jsonl.gz"),
    (signs_nothing, "alice/second.benchdb: has no signature; export it again"),
    (
        signs_with_an_unknown_key,
        "second.benchdb: is signed by a key that is not alice's",
    ),
    (signs_with_the_key_of_another, "second.benchdb: is signed by bob, not by alice"),
    (
        gives_away_a_host,
        "second.benchdb: gives away who made run c1fbd6039e59, or where: run.cond",
    ),
    (replays_the_bundle_of_another, "mine.benchdb: is signed by alice, not by mallory"),
    (signs_the_runs_of_another, "3 of its 3 runs are in contributors/alice/first"),
    (claims_the_machine_of_another, f"machine {ALICE} is alice's"),
    (brings_its_own_runs_again, "3 of its 4 runs are in contributors/alice/first"),
    (takes_the_key_of_another, "mallory/key.pub.sig: the signature does not fit"),
    (has_two_names, "mallory/key.pub: is the key of alice already"),
    (changes_the_key, "alice/key.pub: is changed"),
    (adds_a_key_that_the_old_one_did_not_sign, "key-2.pub.by-old.sig: is by SHA256:"),
    (
        names_a_path_as_a_name,
        "contributors/-x../key.pub: is no file that a contributor",
    ),
]
