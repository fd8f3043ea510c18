"""Bundles of a collection: whether they are intact, whose, and not there already."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

import msgspec

from benchdb.bundles import container, verifying
from benchdb.bundles.allowed_signers import Signer, Signers
from benchdb.bundles.verifying import Verdict
from benchdb.errors import ExchangeError
from benchdb.exchange import reader
from benchdb.exchange.messages import Retraction
from benchdb.exchange.record import Record
from benchdb.leaving import Gate, Kept
from benchdb.repository.contributors import Contributors
from benchdb.repository.problems import Problem

_EXPORT = "export it again: benchdb export --mine --bundle FILE"
_NEW = "export only what is new: benchdb export --mine --campaign NAME --bundle FILE"
_JOIN = "benchdb init-repo . --contributor"


class Bundle(msgspec.Struct, frozen=True):
    """A bundle at its *path*: whose it is, what signed it, and what is in it.

    *runs* are digests, *machines* anonymous ids; *retracted* are the digests of runs
    that it withdraws. *personal* is what no export would have let leave a machine.
    """

    path: str
    owner: str
    key: str
    runs: frozenset[str]
    machines: frozenset[str]
    retracted: frozenset[str]
    personal: tuple[Kept, ...]


class _WrongError(Exception):
    def __init__(self, what: str, attempt: str = _EXPORT) -> None:
        super().__init__(what)
        self.attempt = attempt


def signers(known: Contributors) -> Signers:
    """Return the contributors' keys as those who verify want them."""
    return Signers(
        Signer(key, name, revoked=key.fingerprint in known.revoked)
        for name, keys in known.keys.items()
        for key in keys
    )


def look_at(
    room: Path, owners: Mapping[str, str], fresh: Collection[str], known: Contributors
) -> tuple[list[Bundle], list[Problem]]:
    """Return the bundles below *room*, by path with their *owners*, and what is wrong.

    Those that are *fresh* are held against all others, and have to be signed by the
    newest key of their owner; of others any key of the owner will do.
    """
    bundles: list[Bundle] = []
    problems: list[Problem] = []
    whose = signers(known)
    for path in sorted(owners, key=lambda it: (it in fresh, it)):
        try:
            bundle = _verified(room, path, owners[path], whose)
            if path in fresh:
                _require_newest(bundle, known)
                _require_impersonal(bundle)
            problems += _against(bundle, bundles)
            bundles.append(bundle)
        except (_WrongError, ExchangeError) as error:
            attempt = getattr(error, "attempt", _EXPORT)
            problems.append(Problem(path, str(error), attempt))
    return bundles, problems


def _verified(room: Path, path: str, owner: str, whose: Signers) -> Bundle:
    """Return what is in a bundle that its *owner* signed, with whichever key."""
    verdict = verifying.verify(room / path, known=whose, at=date.today())
    if verdict.state == "altered":
        raise _WrongError(f"was altered at {verdict.where}: {verdict.why}")
    if verdict.manifest is None:
        raise _WrongError("is an exchange file, no bundle")
    if verdict.key is None:
        raise _WrongError(verdict.note or "has no signature")
    if verdict.name is None:
        raise _WrongError(
            f"is signed by a key that is not {owner}'s, {verdict.key.fingerprint}",
            f"sign with the key of the folder, or add yours: {_JOIN} {owner}",
        )
    if verdict.name != owner:
        raise _WrongError(
            f"is signed by {verdict.name}, not by {owner}",
            f"results of {verdict.name} come from contributors/{verdict.name}/",
        )
    return _opened(room, path, owner, verdict)


def _opened(room: Path, path: str, owner: str, verdict: Verdict) -> Bundle:
    with (room / path).open("rb") as stream:
        members = container.read(stream)
        with verifying.unpacked(stream, members) as lines:
            gate, runs = Gate(), set[str]()
            for item in reader.read(lines):
                if isinstance(item, Record):
                    runs.add(item.digest)
                    _ = [*gate.records([item])]
            lines.seek(0)
            retractions = [*_retractions(lines)]
            _ = [*gate.retractions(retractions)]
    return Bundle(
        path,
        owner,
        verdict.key.fingerprint if verdict.key else "",
        frozenset(runs),
        frozenset(members.manifest.machines),
        frozenset(it.run for it in retractions),
        tuple(gate.kept),
    )


def _retractions(lines: Iterable[bytes]) -> Iterator[Retraction]:
    """Yield retractions; whether they are in effect is told elsewhere."""
    for line in lines:
        if line.startswith(b'{"type":"retraction"'):
            yield msgspec.json.decode(line, type=Retraction)


def _require_impersonal(bundle: Bundle) -> None:
    """Refuse what the rules of an export would have kept with its owner.

    Whoever makes a bundle with another program, or an older one, has passed no rule.
    """
    if bundle.personal:
        kept = bundle.personal[0]
        fields = ", ".join(kept.fields) or "what it refers to"
        raise _WrongError(f"gives away who made {kept.what}, or where: {fields}")


def _require_newest(bundle: Bundle, known: Contributors) -> None:
    if bundle.key in known.revoked:
        raise _WrongError(
            f"is signed by a key that is revoked, {bundle.key}",
            f"sign with another: {_JOIN} {bundle.owner} --key FILE --old-key FILE",
        )
    if bundle.key != known.keys[bundle.owner][-1].fingerprint:
        raise _WrongError(
            f"is signed by an older key of {bundle.owner}, {bundle.key}",
            "sign with the newest: benchdb export --mine --bundle FILE --key FILE",
        )


def _against(bundle: Bundle, others: Sequence[Bundle]) -> Iterator[Problem]:
    """Yield what a bundle has that belongs to *others*, or brings nothing new.

    A bundle that withdraws runs may hold its owner's runs again.
    """
    own_runs = {it for item in others if item.owner == bundle.owner for it in item.runs}
    if foreign := sorted(bundle.retracted - bundle.runs - own_runs):
        yield Problem(
            bundle.path,
            f"withdraws run {foreign[0][:12]}, which {bundle.owner} did not give",
            "who gave a run withdraws it; tell what is wrong with it in an issue",
        )
    if not bundle.runs and not bundle.retracted:
        yield Problem(bundle.path, "has no run", _EXPORT)
    for other in others:
        again = bundle.runs & other.runs
        own = other.owner == bundle.owner
        if again and not (own and bundle.retracted - other.retracted):
            of = f"{len(again):,} of its {len(bundle.runs):,} runs"
            yield Problem(bundle.path, f"{of} are in {other.path} already", _NEW)
        claimed = sorted(bundle.machines & other.machines)
        if claimed and not own:
            yield Problem(
                bundle.path,
                f"machine {claimed[0]} is {other.owner}'s, by {other.path}",
                "results of a machine come from one contributor; is it yours, ask a "
                "maintainer, or renew its id",
            )
