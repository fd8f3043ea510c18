"""Which environments differ only in which of a machine's cards a process was given."""

import re
from collections import defaultdict
from collections.abc import Mapping

from sqlalchemy import Connection, Text, select, type_coerce

from benchdb.sorted_json import sorted_json
from benchdb.store.tables import environment

_CHOOSING = "CUDA_VISIBLE_DEVICES"
# Of several cards a process may use more than the first, of a slice it has a part.
_ONE_CARD = re.compile(r"\d+|GPU-<id>")


def same_environments(connection: Connection) -> dict[str, str]:
    """Return the environment that stands for each of those that are alike.

    Digests by digest, without those that stand alone. Alike are those in which a
    process was given one card, whichever, and that are equal in all else. The number of
    a card names a place in a machine, which after its next start may be another's, and
    ids of cards are not kept: neither tells two environments apart. A card of another
    kind is another device, and makes another cell.
    """
    coerce = type_coerce(environment.c.variables, Text)
    query = select(environment).where(coerce.contains(_CHOOSING))
    groups: defaultdict[str | None, list[str]] = defaultdict(list)
    for row in connection.execute(query.order_by(environment.c.digest)):
        facts = row._asdict()
        own = facts.pop("digest")
        chosen = without_one_gpu(facts["variables"])
        if chosen != facts["variables"]:
            groups[sorted_json(facts | {"variables": chosen})].append(own)
    return {own: group[0] for group in groups.values() for own in group[1:]}


def without_one_gpu(variables: Mapping[str, str]) -> dict[str, str]:
    """Return *variables* without the one card that a process was given, whichever."""
    card = variables.get(_CHOOSING, "")
    given = {_CHOOSING} if _ONE_CARD.fullmatch(card) else set()
    return {name: fact for name, fact in variables.items() if name not in given}
