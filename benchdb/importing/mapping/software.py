"""From what is known of a run to its environment."""

from collections.abc import Mapping

import msgspec

from benchdb.exchange.lines import Environment, Scalar
from benchdb.exchange.validation import RefusedError
from benchdb.importing.mapping.language import MappedEnvironment

FIELDS = ("environment", "os_name", "os_version", "os_build", "python")
_TEXTS = (
    "os_name",
    "os_version",
    "os_build",
    "python",
    "framework",
    "framework_version",
)
_EXPECTED = ("os_name", "os_version", "framework_version")


def environment(
    fields: Mapping[str, Scalar], mapped: Mapping[str, MappedEnvironment]
) -> Environment:
    """Return the environment that *fields* describe, by a *mapped* one where named so.

    Raise ``RefusedError`` where a field contradicts the named one.
    """
    known = mapped.get(str(fields.get("environment")))
    facts = msgspec.structs.asdict(known) if known is not None else {}
    facts.pop("match", None)
    missing = dict(facts.pop("missing", {}))
    for name in _TEXTS:
        text, known_as = fields.get(name), facts.get(name)
        if text is None or str(text).casefold() == str(known_as).casefold():
            continue
        if known_as is not None:
            raise RefusedError(f"{name} is {text}, but the environment has {known_as}")
        facts[name] = str(text)
        missing.pop(name, None)
    if known is None:
        absent = [name for name in _EXPECTED if facts.get(name) is None]
        missing.update(dict.fromkeys(absent, "not printed"))
    return Environment(key="-", missing=missing, **facts)
