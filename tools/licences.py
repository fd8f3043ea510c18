"""Write ``docs/licences.md``: under which licence each dependency comes.

python -m tools.licences > docs/licences.md

What a package says of itself is read from its installed metadata.
"""

import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
# Packages that no Linux environment of ours has, as their own metadata say it.
_ELSEWHERE = {
    "nvidia-ml-py": "BSD-3-Clause",
    "tensorflow-macos": "Apache-2.0",
    "tensorflow-metal": "MIT",
    "zeus-apple-silicon": "Apache-2.0",
}
_NAMES = {
    "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Python Software Foundation License": "PSF-based",
}
_HEAD = """# Licences of dependencies

benchdb is under the MIT licence; nothing of another project is copied into it.
`python -m tools.licences > docs/licences.md` writes this page from what packages say.

## Always installed

The packages that `pyproject.toml` asks for, and what these need in turn.

| package | licence |
|---|---|
"""
_EXTRAS = """
## With extras

What each extra asks for; the frameworks bring more.

| extra | package | licence |
|---|---|---|
"""


def direct() -> dict[str, list[str]]:
    """Return the names of packages asked for, by extra; those of the core under ""."""
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]
    asked = {"": project["dependencies"], **project["optional-dependencies"]}
    return {
        extra: sorted({Requirement(each).name for each in requirements})
        for extra, requirements in asked.items()
    }


def licence(name: str) -> str:
    """Return the licence of an installed package, by its SPDX name if it has one."""
    if name in _ELSEWHERE:
        return _ELSEWHERE[name]
    metadata = distribution(name).metadata
    classifiers = metadata.get_all("Classifier") or []
    names = [
        *(metadata.get_all("License-Expression") or []),
        # Some put all of the text there.
        *(it for it in metadata.get_all("License") or [] if 0 < len(it) < 30),
        *(it.split(" :: ")[-1] for it in classifiers if it.startswith("License")),
    ]
    text = next(iter(names), "see the package")
    return _NAMES.get(text, text)


def _needed(names: Iterable[str]) -> set[str]:
    """Return *names* and what these packages need here, without extras."""
    needed: set[str] = set()
    waiting = list(names)
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in needed:
            continue
        try:
            asked = distribution(name).requires or []
        except PackageNotFoundError:
            continue  # of another system
        needed.add(name)
        every = map(Requirement, asked)
        waiting += [
            requirement.name
            for requirement in every
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        ]
    return needed


def page() -> Iterator[str]:
    """Yield the parts of the page."""
    asked = direct()
    yield _HEAD
    for name in sorted(_needed(asked.pop(""))):
        yield f"| {name} | {licence(name)} |\n"
    yield _EXTRAS
    for extra, names in asked.items():
        for name in names:
            yield f"| {extra} | {name} | {licence(name)} |\n"


if __name__ == "__main__":
    print("".join(page()), end="")
