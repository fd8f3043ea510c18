"""A collection as two contributors and a maintainer make it, with git and real keys."""

import hashlib
import json
import shutil
import subprocess
import tarfile
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

from tests.in_process import benchdb
from tests.repository import attempts, people
from tests.repository.attempts import ALICE, BOB, RATES, REFUSED, Place, new
from tests.repository.people import Person, git


def merged(place: Place, person: Person) -> list[people.Step]:
    """Let the host check what *person* pushed, and the maintainer merge it."""
    branch, clone = person.push(), place.maintainer.clone
    git(clone, "fetch", "--quiet", "origin")
    git(clone, "checkout", "--quiet", "-B", "main", "origin/main")
    base = git(clone, "rev-parse", "HEAD")
    # The host checks a merge of both, on no branch.
    git(clone, "checkout", "--quiet", "--detach")
    git(clone, "merge", "--quiet", "--no-ff", "-m", "Merge", f"origin/{branch}")
    done = people.steps(
        clone, "check.yml", {"github.event.pull_request.base.sha": base}
    )
    assert [step.status for step in done] == [0, 0], done
    git(clone, "checkout", "--quiet", "main")
    git(clone, "merge", "--quiet", "--squash", f"origin/{branch}")
    place.maintainer.commit(f"Results of {person.name}")
    git(clone, "push", "--quiet", "origin", "main")
    return done


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Place:
    folder = tmp_path_factory.mktemp("collection")
    origin = folder / "origin.git"
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", origin)
    result = Place(
        origin,
        Person("maintainer", folder, origin),
        Person("alice", folder, origin),
        Person("bob", folder, origin),
        Person("mallory", folder, origin),
        {},
    )
    clone = result.maintainer.clone
    made = benchdb("init-repo", clone, "--name", "Macs of the valley")
    assert made.status == 0, made.err
    git(clone, "checkout", "--quiet", "-B", "main")
    result.maintainer.commit("Begin")
    git(clone, "push", "--quiet", "origin", "main")
    for person, machine, rates in (
        (result.alice, ALICE, RATES),
        (result.bob, BOB, [rate * 0.8 for rate in RATES]),
    ):
        person.start("results")
        person.join()
        person.bundle(person.own / "first.benchdb", people.lines(machine, rates))
        person.commit()
        result.steps[person.name] = merged(result, person)
    return result


def test_the_maintainer_s_first_commit_is_a_whole_collection(place):
    files = git(place.maintainer.clone, "ls-tree", "-r", "--name-only", "HEAD")

    assert "COLLECTION" not in (place.maintainer.clone / "README.md").read_text()
    assert {
        *("README.md", "LICENSE-DATA", "collection.toml", "requirements.txt"),
        *("tombstones.jsonl", "revoked", ".gitattributes", ".github/CODEOWNERS"),
        ".github/pull_request_template.md",
        *(f".github/workflows/{name}.yml" for name in ("check", "publish")),
        *(
            f"contributors/{name}/{file}"
            for name in ("alice", "bob")
            for file in ("key.pub", "key.pub.sig", "first.benchdb")
        ),
    } <= {*files.splitlines()}


def test_a_key_is_published_without_the_name_of_its_machine(place):
    text = (place.maintainer.clone / "contributors/alice/key.pub").read_text()

    assert text.split() == place.alice.key.with_suffix(".pub").read_text().split()[:2]


def test_the_workflow_tells_a_pull_request_how_it_stands_in_its_bin(place):
    first, second = (place.steps[name][-1] for name in ("alice", "bob"))

    assert first.printed.endswith("alice, 3 runs, 1 machine, 1 bundle: in order\n")
    assert "the first of its kind here" in first.summary
    assert second.summary.startswith("### bob, 3 runs, 1 machine, 1 bundle: in order\n")
    (row,) = [it for it in second.summary.splitlines() if it.startswith("| M1 Max")]
    assert [cell.strip() for cell in row.split("|")[3:6]] == [
        "90.1\u00a0img/s",
        "2",
        "2",
    ]
    assert len(second.summary.splitlines()) <= 30


@pytest.mark.parametrize("name", ["check.yml", "publish.yml"])
def test_a_workflow_may_only_read_and_uses_actions_of_the_host_alone(place, name):
    result = people.workflow(place.maintainer.clone, name)
    jobs: dict[str, Any] = result["jobs"]
    used = {it["uses"] for job in jobs.values() for it in job["steps"] if "uses" in it}

    assert result["permissions"] == {"contents": "read"}
    assert {
        text: job["permissions"] for text, job in jobs.items() if "permissions" in job
    } == (
        {"deploy": {"pages": "write", "id-token": "write"}}
        if name == "publish.yml"
        else {}
    )
    assert {item.partition("@")[0] for item in used} <= {
        *(f"actions/{text}" for text in ("checkout", "setup-python", "deploy-pages")),
        "actions/upload-pages-artifact",
    }
    # A key "on" is a truth of YAML 1.1.
    assert result[True] == (
        "pull_request" if name == "check.yml" else {"push": {"branches": ["main"]}}
    )


@pytest.mark.parametrize(
    ("attack", "expected"), REFUSED, ids=[attack.__name__ for attack, _ in REFUSED]
)
def test_a_pull_request_is_refused_that(place, attack, expected):
    person = place.mallory if "mallory" in attack.__code__.co_varnames else place.alice
    person.start("attempt")
    attack(place, person)
    if attack is attempts.adds_a_submodule:
        git(person.clone, "commit", "--quiet", "--message", "Results")
    else:
        person.commit()

    done = person.check()

    assert done.status == 1, done.out
    assert expected in done.out
    assert all(line.count("; ") for line in done.out.splitlines()[:-1])


def test_no_name_of_a_file_is_markup_or_a_second_line(place, tmp_path):
    alice = place.alice
    alice.start("markup")
    (alice.own / "<img src=x>\n::error::[x](http:)|").write_text("")
    alice.commit()
    comment = tmp_path / "comment.md"
    asked = ("--base", "origin/main", "--comment", comment)

    done = benchdb("check-repo", alice.clone, *asked)

    assert done.status == 1
    assert len(done.out.splitlines()) == 2
    assert not {*"<>|"} & {*comment.read_text()}
    assert "[x](" not in comment.read_text()


def test_a_maintainer_changes_anything_but_results(place):
    maintainer = place.maintainer
    maintainer.start("words")
    (maintainer.clone / "README.md").write_text("# Other words\n")
    (maintainer.clone / "requirements.txt").unlink()
    maintainer.commit()

    done = maintainer.check()

    assert (done.status, done.out) == (0, "2 files changed: in order\n")


def test_tombstones_are_only_added(place):
    maintainer = place.maintainer
    maintainer.start("tombstones")
    path = maintainer.clone / "tombstones.jsonl"
    first = {"run": "0" * 64, "reason": "asked for", "date": "2026-11-27"}
    path.write_text(json.dumps(first) + "\n")
    maintainer.commit()
    added = maintainer.check()
    git(maintainer.clone, "branch", "--force", "before")
    path.write_text(json.dumps(first | {"reason": "none"}) + "\n")
    maintainer.commit()

    changed = benchdb("check-repo", maintainer.clone, "--base", "before")

    assert added.status == 0
    assert changed.status == 1
    assert changed.out.startswith(
        "problem: tombstones.jsonl: lost or changed a line; add lines"
    )


def test_another_key_is_signed_by_the_one_before_and_signs_from_then_on(place):
    alice = place.alice
    alice.start("another-key")
    second = people.key(alice.folder / "second")
    alone = benchdb(
        *("init-repo", alice.clone, "--contributor", "alice", "--key", second)
    )
    alice.join("--key", second, "--old-key", alice.key)
    new(alice, signer=second)
    alice.commit()
    by_the_new_key = alice.check()
    new(alice, "third.benchdb", machine="d" * 16, campaign="three")
    alice.commit()

    by_the_old_key = alice.check()

    assert alone.status == 2
    assert "alice has a key, which has to sign the next" in alone.err
    assert by_the_new_key.status == 0, by_the_new_key.out
    assert by_the_old_key.status == 1
    assert "third.benchdb: is signed by an older key of alice" in by_the_old_key.out


def test_a_revoked_key_signs_nothing_new_and_no_key(place):
    alice = place.alice
    alice.start("revoked")
    (alice.clone / "revoked").write_text((alice.own / "key.pub").read_text())
    alice.commit()
    git(alice.clone, "branch", "--force", "before")
    everything = benchdb("check-repo", alice.clone)
    new(alice)
    thief = place.mallory.key
    alice.join("--key", thief, "--old-key", alice.key)
    new(alice, "third.benchdb", machine="d" * 16, campaign="three", signer=thief)
    alice.commit()

    done = benchdb("check-repo", alice.clone, "--base", "before")

    assert everything.status == 0, everything.out
    assert done.status == 1
    assert "second.benchdb: is signed by a key that is revoked" in done.out
    assert "key-2.pub: is, or is signed by, a key that is revoked" in done.out


def test_what_was_taken_out_does_not_come_back(place):
    alice = place.alice
    alice.start("back")
    new(alice)
    alice.commit()
    result = json.loads(
        benchdb("check-repo", alice.clone, "--base", "origin/main", "--json").out
    )
    line = {"run": result["fresh"][0]["runs"][0], "reason": "x", "date": "2026-11-27"}
    alice.start("back")
    (alice.clone / "tombstones.jsonl").write_text(json.dumps(line) + "\n")
    alice.commit()
    git(alice.clone, "branch", "--force", "before")
    new(alice)
    alice.commit()

    done = benchdb("check-repo", alice.clone, "--base", "before")

    assert done.status == 1
    assert f"second.benchdb: brings run {line['run'][:12]}, which was" in done.out


def test_what_looks_implausible_is_a_warning(place):
    alice = place.alice
    alice.start("fast")
    alice.bundle(alice.own / "fast.benchdb", people.lines(ALICE, [10.0**9], "fast"))
    alice.commit()

    done = alice.check()
    result = json.loads(
        benchdb("check-repo", alice.clone, "--base", "origin/main", "--json").out
    )

    assert done.status == 0
    assert done.out.startswith("warning: M1 Max, ")
    assert [it["path"] for it in result["fresh"]] == ["contributors/alice/fast.benchdb"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--base", "nowhere"], "has no commit 'nowhere'; commit first, or fetch all"),
        (["--base=--output=x"], "has no commit '--output=x'"),
    ],
)
def test_a_base_that_is_not_there_is_wrong_use(place, arguments, expected):
    done = benchdb("check-repo", place.maintainer.clone, *arguments)

    assert done.status == 2
    assert expected in done.err


def test_what_is_no_collection_is_said(place, tmp_path):
    git(tmp_path, "init", "--quiet")
    nothing = benchdb("check-repo", tmp_path)
    inside = benchdb("check-repo", place.maintainer.clone / "contributors")
    again = benchdb("init-repo", place.maintainer.clone)
    stranger = benchdb("init-repo", tmp_path, "--contributor", "Mallory!")

    assert [outcome.status for outcome in (nothing, inside, again, stranger)] == [2] * 4
    assert "has no commit 'HEAD'" in nothing.err
    assert "is a part of the repository" in inside.err
    assert "is not empty; name a new or empty folder" in again.err
    assert "is no name of a contributor" in stranger.err


@pytest.fixture(scope="module")
def published(place) -> Path:
    """What the workflow publishes once a run was taken out."""
    maintainer = place.maintainer
    maintainer.start("main")
    gone = sorted(_runs(maintainer.clone, "bob"))[0]
    line = {"run": gone, "reason": "asked for", "date": "2026-11-27"}
    (maintainer.clone / "tombstones.jsonl").write_text(json.dumps(line) + "\n")
    maintainer.commit("Take a run out")
    facts = {
        "github.repository_owner": "valley",
        "github.event.repository.name": "macs",
    }
    done = people.steps(maintainer.clone, "publish.yml", facts)
    assert [step.status for step in done] == [0, 0, 0], done
    return Path(maintainer.clone / "public")


def _runs(clone: Path, name: str) -> set[str]:
    root = git(clone, "rev-list", "--max-parents=0", "HEAD")
    result = json.loads(benchdb("check-repo", clone, "--base", root, "--json").out)
    return {
        it for item in result["fresh"] if item["owner"] == name for it in item["runs"]
    }


def test_what_is_published_follows_from_the_bundles(place, published):
    index = people.as_json(published / "collection.json")
    rows = people.rows(published / "data/figures.jsonl")

    assert [item["name"] for item in index["contributors"]] == ["alice", "bob"]
    assert len({row["run"] for row in rows}) == 5
    assert index["tombstones"][0]["run"] not in {row["run"] for row in rows}
    assert (published / "index.html").is_file()
    assert people.as_json(published / "badge.json")["message"] == "5 runs"
    assert people.as_json(published / "badge/bob.json") == {
        "schemaVersion": 1,
        "label": "bob",
        "message": "2 runs",
        "color": "005d96",
    }
    assert "bob: 2 runs" in (published / "badge/bob.svg").read_text()


def test_the_database_of_it_is_read_like_any_other(published, tmp_path):
    # Whoever opens a database leaves files beside it for a while.
    database = shutil.copy(published / "results.sqlite", tmp_path)
    listed = benchdb("list", "--runs", "--json", "--db", database)
    checked = benchdb("db", "check", "--db", database)

    assert len(json.loads(listed.out)) == 5
    assert checked.status == 0, checked.out


def test_ssh_keygen_verifies_a_bundle_by_the_published_signers(place, published):
    opened = published.parent / "opened"
    opened.mkdir()
    with tarfile.open(place.maintainer.clone / "contributors/bob/first.benchdb") as it:
        for member in it:
            content = it.extractfile(member)
            assert content is not None
            (opened / member.name).write_bytes(content.read())

    def verified(name: str) -> int:
        asked = ["ssh-keygen", "-Y", "verify", "-n", "benchdb", "-I", name]
        files = ["-f", published / "signers", "-s", opened / "manifest.json.sig"]
        manifest = (opened / "manifest.json").read_bytes()
        done = subprocess.run(
            [*asked, *files], input=manifest, capture_output=True, check=False
        )
        return done.returncode

    assert verified("bob") == 0
    assert verified("alice") != 0


def test_the_metadata_names_every_file_and_column_that_is_there(published):
    about = people.as_json(published / "croissant.json")
    files = {it["@id"]: it for it in about["distribution"]}
    fields = {
        it["@id"]: {item["name"] for item in it["field"]} for it in about["recordSet"]
    }

    for path, facts in files.items():
        content = (published / path).read_bytes()
        assert facts["sha256"] == hashlib.sha256(content).hexdigest()
        assert facts["contentUrl"] == f"https://valley.github.io/macs/{path}"
    for view, names in fields.items():
        for row in people.rows(published / f"data/{view}.jsonl"):
            assert row.keys() == names
    assert about["version"] == "2.2.0"
    assert about["datePublished"] == "2026-01-01"


def test_the_same_commit_gives_the_same_bytes(place, published, tmp_path):
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", place.maintainer.clone, clone)
    address = "https://valley.github.io/macs/"

    asked = ("build-repo", clone, "-o", tmp_path / "again", "--base-url", address)
    first, over_the_first = benchdb(*asked), benchdb(*asked)

    assert (first.status, first.out) == (0, over_the_first.out)
    assert _differences(_files(tmp_path / "again"), _files(published)) == []


def _differences(files: dict[str, bytes], others: dict[str, bytes]) -> list[str]:
    """Return the first elements that differ in each file, as one would read them."""
    unlike = [it for it in files | others if files.get(it) != others.get(it)]
    pairs = ((it, _elements(files, it), _elements(others, it)) for it in unlike)
    return [f"{it}: {[*unified_diff(texts, other)][:9]}" for it, texts, other in pairs]


def _elements(files: dict[str, bytes], name: str) -> list[str]:
    return files.get(name, b"").decode(errors="replace").replace("<", "\n<").split("\n")


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_run_that_its_owner_withdrew_stays_and_counts_nowhere(place, tmp_path):
    alice = place.alice
    alice.start("withdrawn")
    run = alice.withdraw("it ran on battery")
    alice.commit()

    checked = alice.check()
    built = benchdb("build-repo", alice.clone, "-o", tmp_path / "out", "--lang", "en")

    figures = people.rows(tmp_path / "out/data/figures.jsonl")
    results = people.rows(tmp_path / "out/data/results.jsonl")
    assert (checked.status, built.status) == (0, 0), (checked.out, built.err)
    assert {it["run"]: it["status"] for it in figures}[run] == "withdrawn"
    assert {it["value"] for it in figures if it["run"] == run} == {None}
    assert sorted(it["n"] for it in results) == [2, 3]


def test_nobody_withdraws_a_run_of_another(place):
    mallory = place.mallory
    mallory.start("attempt")
    mallory.join()
    run = sorted(_runs(mallory.clone, "alice"))[0]
    line = {
        "type": "retraction",
        "run": run,
        "reason": "slow",
        "retracted": "2026-11-27",
    }
    text = json.dumps(line, separators=(",", ":")).encode() + b"\n"
    mallory.bundle(mallory.own / "slow.benchdb", people.lines("e" * 16, [90.0]) + text)
    mallory.commit()

    done = mallory.check()

    assert done.status == 1
    assert f"slow.benchdb: withdraws run {run[:12]}, which mallory did not" in done.out
