"""A folder of wheels for pip: the packages that the tests have, as far as pip looks.

It resolves their real requirements and versions. What builds benchdb is whole; all else
is empty, so nothing is compiled or downloaded.
"""

import zipfile
from importlib.metadata import Distribution, distributions
from pathlib import Path

# hatchling, and what it needs.
_WHOLE = {"hatchling", "packaging", "pathspec", "pluggy", "trove_classifiers"}
_WHEEL = """\
Wheel-Version: 1.0
Generator: tests
Root-Is-Purelib: true
Tag: py3-none-any
"""


def make(folder: Path) -> None:
    """Write a wheel of each installed package but benchdb into a new *folder*."""
    folder.mkdir()
    for package in distributions():
        name = package.metadata["Name"].replace("-", "_").lower()
        if name != "benchdb":
            _write(package, folder, name)


def _write(package: Distribution, folder: Path, name: str) -> None:
    full = f"{name}-{package.version}"
    files = [it for it in package.files or () if name in _WHOLE and it.suffix != ".pyc"]
    texts = {it: package.read_text(it) for it in ("METADATA", "entry_points.txt")}
    with zipfile.ZipFile(folder / f"{full}-py3-none-any.whl", "w") as wheel:
        for file in files:
            if ".dist-info" not in file.parts[0] and file.parts[0] != "..":
                wheel.write(file.locate(), str(file))
        for part, text in {**texts, "WHEEL": _WHEEL}.items():
            if text:
                wheel.writestr(f"{full}.dist-info/{part}", text)
        record = f"{full}.dist-info/RECORD"
        wheel.writestr(record, "".join(f"{it},,\n" for it in wheel.namelist()))
