"""A model has one spelling in all that is published, whatever its documents write."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator

from benchdb.resources import folder

_ADDED = re.compile(r"(?<![a-z])(?:meta|instruct|it|chat|gguf|latest)(?![a-z])")


def folded(model: str) -> str:
    """Return what is left of *model* without its owner, marks, case and tuning."""
    name = _ADDED.sub("", model.casefold().rpartition("/")[2])
    return re.sub(r"[^a-z0-9.]", "", name)


def published_models() -> Iterator[str]:
    for path in folder("published").glob("corpus/*.jsonl"):
        for line in path.read_text("utf-8").splitlines():
            parameters = json.loads(line).get("parameters", {})
            if "model" in parameters:
                yield str(parameters["model"])


def test_no_two_spellings_of_a_model_are_published():
    spellings: dict[str, set[str]] = defaultdict(set)
    for model in published_models():
        spellings[folded(model)].add(model)

    assert len(spellings) > 200
    assert [sorted(some) for some in spellings.values() if len(some) > 1] == []
