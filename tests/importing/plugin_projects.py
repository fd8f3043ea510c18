"""Projects of other people that add to benchdb, installed by pip as packages are."""

import subprocess
import sys
from pathlib import Path

_PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "{version}"

[project.entry-points."benchdb.{kind}"]
{entry_points}

[tool.hatch.build.targets.wheel]
include = ["*.py"]
"""


def installed(
    folder: Path,
    name: str,
    entry_points: dict[str, str],
    modules: dict[str, str],
    version: str = "1.2",
    kind: str = "formats",
) -> Path:
    """Install a project into a folder of its own, which is returned."""
    project, target = folder / name, folder / f"{name}-installed"
    project.mkdir()
    lines = (f'"{format_}" = "{module}"' for format_, module in entry_points.items())
    texts = {"entry_points": "\n".join(lines), "kind": kind}
    text = _PROJECT.format(name=name, version=version, **texts)
    (project / "pyproject.toml").write_text(text)
    for module, content in modules.items():
        (project / f"{module}.py").write_text(content)
    return install(project, target)


def install(project: Path, target: Path) -> Path:
    """Install the *project* into the folder *target*, without network."""
    offline = ("--no-deps", "--no-build-isolation", "--no-index")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install")
    subprocess.run([*pip, "-q", *offline, "--target", target, project], check=True)
    return target
