"""A bundle has one form only: whatever differs from it is found, with its place."""

import gzip
import random
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from benchdb.bundles.allowed_signers import Signers
from benchdb.bundles.verifying import Verdict, verify
from benchdb.errors import ExchangeError
from benchdb.merge import How, import_together
from benchdb.store import contents
from benchdb.store.database import open_database, reading
from tests.bundle_files import RUNS, archive, exported, manifest, members, packed
from tests.exchange_lines import HEADER, LINES
from tests.keys import fingerprint, new_key

TODAY = date(2026, 11, 27)
PLACES = 1000


@pytest.fixture(scope="module", name="key")
def a_key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_key(tmp_path_factory.mktemp("keys") / "id_ed25519")


@pytest.fixture(scope="module", name="signed")
def a_signed_bundle(key: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported(tmp_path_factory.mktemp("signed") / "a.benchdb", key=key)


def verdict(path: Path) -> Verdict:
    return verify(path, known=Signers(), at=TODAY)


def test_what_is_written_is_intact_and_tells_who_signed_it(
    signed: Path, key: Path
) -> None:
    result = verdict(signed)

    assert (result.state, result.trust, result.runs) == ("intact", "unknown", 2)
    assert result.key is not None
    assert result.key.fingerprint == fingerprint(key)


def test_the_same_contents_and_key_give_the_same_bytes(
    signed: Path, key: Path, tmp_path: Path
) -> None:
    again = exported(tmp_path / "b.benchdb", key=key)

    assert again.read_bytes() == signed.read_bytes()


def test_gnu_tar_makes_the_same_bytes_of_its_members(
    signed: Path, tmp_path: Path
) -> None:
    names = [name for name, _ in members(signed)]
    subprocess.run(["tar", "-xf", signed, "-C", tmp_path], check=True)
    command = [
        *("tar", "-c", "-b1", "--format=ustar", "--mode=0644", "--mtime=@0"),
        *("--owner=:0", "--group=:0", "--numeric-owner", "-C", str(tmp_path), *names),
    ]
    made = subprocess.run(command, check=True, capture_output=True)

    assert made.stdout == signed.read_bytes()


@pytest.fixture(scope="module", name="altered")
def with_one_byte_changed(
    signed: Path, tmp_path_factory: pytest.TempPathFactory
) -> list[Path]:
    """Bundles that each differ from the signed one in one byte, at random places."""
    rng = random.Random(27)  # noqa: S311 - no secret
    folder, content = tmp_path_factory.mktemp("altered"), signed.read_bytes()
    paths = []
    for place in rng.sample(range(len(content)), PLACES):
        path = folder / f"{place}.benchdb"
        other = bytes([content[place] ^ rng.randrange(1, 256)])
        path.write_bytes(content[:place] + other + content[place + 1 :])
        paths.append(path)
    return paths


def is_caught(path: Path) -> bool:
    try:
        return verdict(path).state == "altered"
    except ExchangeError:  # it says that it is of a newer format
        return b'"format":1,' not in path.read_bytes()


def test_every_change_of_a_byte_is_caught_by_verify(altered: list[Path]) -> None:
    missed = [path.name for path in altered if not is_caught(path)]

    assert (len(altered), missed) == (PLACES, [])


def test_every_change_of_a_byte_is_caught_by_import(
    altered: list[Path], signed: Path, tmp_path: Path
) -> None:
    engine = open_database(str(tmp_path / "results.sqlite"), create=True)
    outcomes = import_together(engine, [*altered, signed], How())

    taken = [outcome.path for outcome in outcomes if outcome.error is None]
    assert taken == [signed]
    with reading(engine) as connection:
        assert contents.runs(connection) == 0


Hostile = Callable[[Path, list[tuple[str, bytes]]], Path]


def cut_off(path: Path, some: list[tuple[str, bytes]]) -> Path:
    archive(path, some)
    path.write_bytes(path.read_bytes()[:-1500])
    return path


def without_end(path: Path, some: list[tuple[str, bytes]]) -> Path:
    archive(path, some)
    path.write_bytes(path.read_bytes()[:-512])
    return path


def longer(path: Path, some: list[tuple[str, bytes]]) -> Path:
    archive(path, some)
    path.write_bytes(path.read_bytes() + b"\0")
    return path


def of_huge_size(path: Path, some: list[tuple[str, bytes]]) -> Path:
    archive(path, [some[0]])
    content = path.read_bytes()
    block = bytearray(archive(path, [(RUNS, b"")]).read_bytes()[:512])
    block[124:135], block[148:156] = b"7" * 11, b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    path.write_bytes(content[:-1024] + bytes(block) + bytes(1024))
    return path


def of_huge_manifest(path: Path, some: list[tuple[str, bytes]]) -> Path:
    content = bytearray(archive(path, some).read_bytes())
    content[124:135], content[148:156] = b"77777777777", b" " * 8
    content[148:156] = b"%06o\0 " % sum(content[:512])
    path.write_bytes(content)
    return path


def with_extra(name: str) -> Hostile:
    return lambda path, some: archive(path, [*some, (name, b"x")])


def linked(path: Path, some: list[tuple[str, bytes]]) -> Path:
    return archive(path, some, kind=b"2")


def doubled(path: Path, some: list[tuple[str, bytes]]) -> Path:
    return archive(path, [*some, some[-1]])


def in_another_order(path: Path, some: list[tuple[str, bytes]]) -> Path:
    return archive(path, [some[1], some[0]])


def manifest_alone(path: Path, some: list[tuple[str, bytes]]) -> Path:
    return archive(path, some[:1])


def naming(name: str) -> Hostile:
    def make(path: Path, some: list[tuple[str, bytes]]) -> Path:
        data = manifest([(name, some[1][1])])
        return archive(path, [("manifest.json", data), some[1]])

    return make


def counting(**changes: object) -> Hostile:
    def make(path: Path, some: list[tuple[str, bytes]]) -> Path:
        return archive(
            path, [("manifest.json", manifest(some[1:], **changes)), some[1]]
        )

    return make


def with_runs(content: bytes) -> Hostile:
    def make(path: Path, some: list[tuple[str, bytes]]) -> Path:
        part = (RUNS, content)
        return archive(path, [("manifest.json", manifest([part])), part])

    return make


def spelled_otherwise(path: Path, some: list[tuple[str, bytes]]) -> Path:
    data = manifest(some[1:]).replace(b'"runs":2', b'"runs": 2')
    return archive(path, [("manifest.json", data), some[1]])


def bomb(path: Path, some: list[tuple[str, bytes]]) -> Path:
    packed_zeros = gzip.compress(bytes(100 * 2**20), 9, mtime=0)
    return with_runs(packed_zeros)(path, some)


@pytest.mark.parametrize(
    ("make", "where", "why"),
    [
        (cut_off, RUNS, "the file ends inside it; it was cut off"),
        (without_end, RUNS, "the end of the archive is not as it has to be"),
        (longer, RUNS, "the end of the archive is not as it has to be"),
        (of_huge_size, RUNS, "the file ends inside it; it was cut off"),
        (of_huge_manifest, "manifest.json", "8,589,934,591 bytes are more than"),
        (with_extra("../x"), RUNS, "after it comes '../x', which must not"),
        (with_extra("/etc/passwd"), RUNS, "after it comes '/etc/passwd'"),
        (linked, "manifest.json", "its header is not as benchdb writes it"),
        (doubled, RUNS, "after it comes 'runs.jsonl.gz', which must not"),
        (in_another_order, "the beginning", "after it comes 'runs.jsonl.gz'"),
        (manifest_alone, "manifest.json", "parts are missing"),
        (naming("../x"), "manifest.json", "it names '../x', which is no part"),
        (naming("/runs.jsonl.gz"), "manifest.json", "it names '/runs.jsonl.gz'"),
        (naming("retractions.jsonl"), "manifest.json", "other parts than there are"),
        (counting(runs=3), "manifest.json", "it says 3 runs, and there are 2"),
        (counting(machines=["0" * 16]), "manifest.json", "names other machines"),
        (counting(more=1), "manifest.json", "Object contains unknown field `more`"),
        (counting(runs=None), "manifest.json", "Expected `int`, got `null`"),
        (spelled_otherwise, "manifest.json", "it is not in its canonical form"),
        (with_runs(b""), RUNS, "it ends too early"),
        (with_runs(b"no gzip"), RUNS, "it cannot be unpacked"),
        (with_runs(packed()[1][:-4]), RUNS, "it ends too early"),
        (with_runs(packed()[1] * 2), RUNS, "something follows the gzip file in it"),
        (with_runs(gzip.compress(b"", mtime=0)), RUNS, "the file is empty"),
        (with_runs(packed(LINES + b"{}\n")[1]), RUNS, "line 11: "),
        (bomb, RUNS, "it unpacks to more than 250 times its size"),
    ],
)
def test_what_is_not_as_benchdb_makes_it_is_told_with_its_place(
    tmp_path: Path, make: Hostile, where: str, why: str
) -> None:
    part = packed()
    path = make(tmp_path / "x.benchdb", [("manifest.json", manifest([part])), part])

    result = verdict(path)

    assert (result.state, result.where) == ("altered", where)
    assert why in (result.why or "")


def test_a_signature_of_another_bundle_does_not_fit(
    signed: Path, key: Path, tmp_path: Path
) -> None:
    other = exported(
        tmp_path / "other.benchdb", LINES.replace(b"0.5625", b"0.625"), key
    )
    first, second = members(signed), members(other)
    path = archive(tmp_path / "mixed.benchdb", [first[0], second[1], first[2]])

    result = verdict(path)

    assert (result.state, result.where) == ("altered", "manifest.json.sig")
    assert "does not fit the content" in (result.why or "")


def test_retractions_are_a_part_of_their_own_behind_the_runs(tmp_path: Path) -> None:
    parts = [packed(), ("retractions.jsonl", HEADER)]
    path = archive(tmp_path / "x.benchdb", [("manifest.json", manifest(parts)), *parts])

    result = verdict(path)

    assert (result.state, result.runs) == ("intact", 2)
    assert result.manifest is not None
    assert [part.name for part in result.manifest.parts] == [name for name, _ in parts]


def test_a_newer_format_asks_for_an_update(tmp_path: Path) -> None:
    path = counting(format=2)(tmp_path / "new.benchdb", [("", b""), packed()])

    with pytest.raises(ExchangeError, match="reads format 1: update benchdb"):
        verdict(path)


@pytest.mark.parametrize("content", [b"", b"0", b"PK\3\4", b"\0" * 4096])
def test_what_is_no_bundle_says_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.benchdb"
    path.write_bytes(content)

    with pytest.raises(ExchangeError):
        verdict(path)
