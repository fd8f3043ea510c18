"""Projects of other people that add formats, installed by pip as any package is."""

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

[project.entry-points."benchdb.formats"]
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
) -> Path:
    """Install a project into a folder of its own, which is returned."""
    project, target = folder / name, folder / f"{name}-installed"
    project.mkdir()
    lines = (f'"{format_}" = "{module}"' for format_, module in entry_points.items())
    text = _PROJECT.format(name=name, version=version, entry_points="\n".join(lines))
    (project / "pyproject.toml").write_text(text)
    for module, content in modules.items():
        (project / f"{module}.py").write_text(content)
    offline = ("--no-deps", "--no-build-isolation", "--no-index")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install")
    subprocess.run([*pip, "-q", *offline, "--target", target, project], check=True)
    return target
