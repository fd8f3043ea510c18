"""Who contributes to a collection: names bound to keys, as anybody can check.

``key.pub`` of a contributor comes with ``key.pub.sig``, made by that key over the name
and the key: who signs it holds the key, and agrees to be called so. A later key,
``key-2.pub``, needs the same, and ``key-2.pub.by-old.sig`` by the key before it. New
bundles are signed by the newest key; those of older ones stay as they are. A key
belongs to a single contributor. One that is revoked brings nothing new, and no key.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from benchdb.bundles import signatures
from benchdb.bundles.signatures import Key, SignatureError
from benchdb.errors import BenchdbError, UsageError
from benchdb.files import replacing
from benchdb.identity import canonical
from benchdb.repository.collection import (
    CONTRIBUTORS,
    REVOKED,
    checked_name,
    place,
    require_collection,
)
from benchdb.repository.problems import Problem

Read = Callable[[str], bytes]


class Contributors(msgspec.Struct, frozen=True):
    """The keys of each contributor, oldest first, and fingerprints that are *revoked*.

    A name whose keys are not in order has those up to the first that is wrong.
    """

    keys: Mapping[str, tuple[Key, ...]]
    revoked: frozenset[str]

    def signers(self) -> str:
        """Return the keys, less those revoked, as ssh-keygen reads allowed signers."""
        return "".join(
            f'{name} namespaces="{signatures.NAMESPACE}" {key.line}\n'
            for name, keys in sorted(self.keys.items())
            for key in keys
            if key.fingerprint not in self.revoked
        )


def statement(name: str, key: Key) -> bytes:
    """Return what is signed to bind *key* to the *name* of a contributor."""
    return canonical({"contributor": name, "key": key.line})


def read(
    paths: Iterable[str], content: Read, recent: Iterable[str] = ()
) -> tuple[Contributors, list[Problem]]:
    """Return the contributors whose files are among *paths*, and what is wrong.

    Where two have one key it is the fault of that with a *recent* path.
    """
    there = set(paths)
    fresh = {file.contributor for path in recent if (file := place(path))}
    numbers = defaultdict[str, set[int]](set)
    for path in there:
        if (file := place(path)) and file.kind == "key":
            numbers[file.contributor].add(file.number)
    by_name: dict[str, tuple[Key, ...]] = {}
    problems: list[Problem] = []
    owners: dict[str, str] = {}
    for name in sorted(numbers, key=lambda it: (it in fresh, it)):
        keys: list[Key] = []
        try:
            for number in range(1, max(numbers[name]) + 1):
                key = _key(name, number, keys, there, content)
                owner = owners.setdefault(key.fingerprint, name)
                _require_own(_path(name, number), name, owner, again=key in keys)
                keys.append(key)
        except _WrongError as error:
            problems.append(error.problem)
        by_name[name] = tuple(keys)
    revoked, more = _revoked(content(REVOKED) if REVOKED in there else b"")
    known = Contributors(by_name, revoked)
    return known, [*problems, *more, *_of_revoked(known, recent)]


def _of_revoked(known: Contributors, recent: Iterable[str]) -> Iterator[Problem]:
    """Yield *recent* keys that are revoked, or that a revoked key signed."""
    for path in recent:
        file = place(path)
        if file is None or file.kind != "key":
            continue
        # The one before it and itself, as far as they are in order.
        for key in known.keys[file.contributor][max(file.number - 2, 0) : file.number]:
            if key.fingerprint in known.revoked:
                what = f"is, or is signed by, a key that is revoked, {key.fingerprint}"
                yield Problem(path, what, "begin again under another name")


class _WrongError(Exception):
    def __init__(self, where: str, what: str, attempt: str) -> None:
        super().__init__(what)
        self.problem = Problem(where, what, attempt)


def _require_own(where: str, name: str, owner: str, *, again: bool) -> None:
    if owner != name or again:
        what = f"is the key of {owner} already"
        raise _WrongError(where, what, "give another: ssh-keygen -t ed25519")


_JOIN = "make it with: benchdb init-repo . --contributor NAME"


def _path(name: str, number: int) -> str:
    suffix = "" if number == 1 else f"-{number}"
    return f"{CONTRIBUTORS}/{name}/key{suffix}.pub"


def _key(
    name: str, number: int, before: list[Key], there: set[str], content: Read
) -> Key:
    """Return a key that is bound to *name* as it has to be."""
    path = _path(name, number)
    needed = [path, f"{path}.sig"] + ([f"{path}.by-old.sig"] if before else [])
    for text in needed:
        if text not in there:
            raise _WrongError(text, "is missing", _JOIN)
    try:
        key = signatures.public_key(content(path).decode())
    except (SignatureError, UnicodeDecodeError) as error:
        raise _WrongError(path, str(error), _JOIN) from None
    if content(path).decode() != f"{key.line}\n":
        # A comment of ssh-keygen is somebody's name at a machine.
        raise _WrongError(path, "has more than the key in it", _JOIN)
    for proof, expected in zip(needed[1:], (key, *before[-1:]), strict=False):
        signer = _signer(proof, content(proof), statement(name, key))
        if signer != expected.fingerprint:
            raise _WrongError(
                proof, f"is by {signer}, not by {expected.fingerprint}", _JOIN
            )
    return key


def _signer(path: str, signature: bytes, signed: bytes) -> str:
    try:
        return signatures.signer_of(signed, signature.decode()).fingerprint
    except (SignatureError, UnicodeDecodeError) as error:
        raise _WrongError(path, str(error), _JOIN) from None


def _revoked(content: bytes) -> tuple[frozenset[str], list[Problem]]:
    revoked, problems = set[str](), []
    for number, line in enumerate(content.splitlines(), start=1):
        text = line.decode(errors="replace").strip()
        if not text or text.startswith("#"):
            continue
        try:
            revoked.add(signatures.public_key(text).fingerprint)
        except SignatureError as error:
            problems.append(
                Problem(f"{REVOKED}:{number}", str(error), "write a line of a key.pub")
            )
    return frozenset(revoked), problems


def join(
    folder: Path, name: str, private: Path | None = None, old: Path | None = None
) -> list[Path]:
    """Bind a key to *name* in the collection at *folder*; return the files for that.

    That is *private*, or the key that one usually signs with. Who is there already
    gets another key, which the one before signs as well: *old*, or an agent that has
    it. Raise ``UsageError`` where there is no key, or nothing to do.
    """
    own = folder / CONTRIBUTORS / checked_name(name)
    require_collection(folder)
    chosen = private or signatures.usual_key()
    if chosen is None:
        raise UsageError("there is no SSH key; make one with: ssh-keygen -t ed25519")
    public = chosen if chosen.suffix == ".pub" else Path(f"{chosen}.pub")
    try:
        key = signatures.public_key(public.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise UsageError(
            f"cannot read {public}; make it with: ssh-keygen -y -f KEY > KEY.pub"
        ) from None
    there = [f"{CONTRIBUTORS}/{name}/{path.name}" for path in own.glob("key*")]
    known, problems = read(there, lambda path: (folder / path).read_bytes())
    if problems:
        raise BenchdbError(str(problems[0]))
    before = known.keys.get(name, ())
    if key in before:
        raise UsageError(f"{name} has this key already; add bundles to {own}")
    path, signed = _path(name, len(before) + 1), statement(name, key)
    files = {path: f"{key.line}\n", f"{path}.sig": signatures.sign(signed, chosen)}
    if before:
        last = old or folder / _path(name, len(before))
        try:
            files[f"{path}.by-old.sig"] = signatures.sign(signed, last)
        except SignatureError as error:
            why = f"{name} has a key, which has to sign the next: {error}"
            raise UsageError(f"{why}; name its file: --old-key FILE") from None
    for result, text in files.items():
        with replacing(folder / result) as stream:
            stream.write(text.encode())
    return [folder / file for file in files]
