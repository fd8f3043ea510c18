"""How benchdb was installed, and by which command something is added to it."""

import re
import shutil
import sys
import sysconfig
from pathlib import Path
from shlex import quote

import msgspec

_PIP = re.compile(
    r'pip install ((?:"[^"]+"|[\w.\[\]=<>~!-]+)(?: (?:"[^"]+"|[\w.\[\]=<>~!-]+))*)$'
)
# What conda-forge calls what PyPI calls otherwise.
_CONDA = {"torch": "pytorch", "psycopg[binary]": "psycopg"}


class Python(msgspec.Struct, frozen=True):
    """The Python that runs us, as far as it tells who installed what beside it.

    *base* is that which an environment was made from, *library* the folder of its
    standard library, *program* is what is typed to run it.
    """

    prefix: Path
    base: Path
    library: Path
    program: str


def this_python() -> Python:
    """Return the Python that we run on."""
    library = Path(sysconfig.get_path("stdlib"))
    return Python(Path(sys.prefix), Path(sys.base_prefix), library, sys.executable)


def installer(its: Python) -> str:
    """Return who installed benchdb: pip, pipx, uv-tool, conda, brew or system.

    *system* is a Python that its distribution keeps to itself (PEP 668).
    """
    if (its.prefix / "pipx_metadata.json").exists():
        return "pipx"
    if (its.prefix / "uv-receipt.toml").exists():
        return "uv-tool"
    if "Cellar" in its.prefix.parts and "benchdb" in its.prefix.parts:
        return "brew"
    # A conda environment in which pip installed us takes more by pip.
    if any(its.prefix.glob("conda-meta/benchdb-*.json")):
        return "conda"
    kept = (its.library / "EXTERNALLY-MANAGED").exists()
    return "system" if its.prefix == its.base and kept else "pip"


def to_add(*packages: str, its: Python | None = None) -> str:
    """Return the command that adds *packages* to where benchdb is."""
    its = its or this_python()
    names = " ".join(map(quote, packages))
    known = " ".join(quote(_CONDA.get(package, package)) for package in packages)
    prefix = quote(str(its.prefix))
    commands = {
        "pip": f"{quote(its.program)} -m pip install {names}",
        "pipx": f"pipx inject benchdb {names}",
        "uv-tool": " --with ".join(("uv tool install benchdb", *map(quote, packages))),
        "conda": f"conda install -p {prefix} -c conda-forge {known}",
        "brew": f"python3 -m pip --python {prefix} install {names}",
        # Such a Python takes nothing; benchdb moves to an environment with it.
        "system": "python3 -m venv ~/benchdb && "
        f"~/benchdb/bin/pip install benchdb {names}",
    }
    way = installer(its)
    # Environments of uv are without pip.
    piped = any(its.prefix.glob("lib/python*/site-packages/pip"))
    if way == "pip" and not piped and shutil.which("uv"):
        return f"uv pip install --python {prefix} {names}"
    return commands[way]


def fitting(advice: str, python: str | None = None) -> str:
    """Return *advice* that ends with ``pip install …`` as it fits how we came here.

    With the path of another *python*, as it fits that. Other advice stays as it is.
    """
    match = _PIP.search(advice)
    if match is None:
        return advice
    if python is not None:
        return f"{advice[: match.start()]}{quote(python)} -m {match[0]}"
    packages = re.findall(r'"[^"]+"|\S+', match[1])
    return advice[: match.start()] + to_add(
        *(package.strip('"') for package in packages)
    )
