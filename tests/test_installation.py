"""Advice that fits how benchdb was installed: one command, by who installed it.

The prefixes are made here as these tools make them; none of the tools runs.
"""

from pathlib import Path

import pytest

from benchdb import installation
from benchdb.installation import Python, fitting, installer, to_add

MARKS = {
    "pip": "env/lib/python3.12/site-packages/pip/__init__.py",
    "pipx": "pipx/venvs/benchdb/pipx_metadata.json",
    "uv-tool": "uv/tools/benchdb/uv-receipt.toml",
    "conda": "miniconda3/envs/ml/conda-meta/benchdb-0.1.0-py_0.json",
    "brew": "Cellar/benchdb/0.1.0/libexec/pyvenv.cfg",
}
PREFIXES = {
    "pip": "env",
    "pipx": "pipx/venvs/benchdb",
    "uv-tool": "uv/tools/benchdb",
    "conda": "miniconda3/envs/ml",
    "brew": "Cellar/benchdb/0.1.0/libexec",
}
COMMANDS = {
    "pip": "{0}/bin/python -m pip install torch 'transformers>=5'",
    "pipx": "pipx inject benchdb torch 'transformers>=5'",
    "uv-tool": "uv tool install benchdb --with torch --with 'transformers>=5'",
    "conda": "conda install -p {0} -c conda-forge pytorch 'transformers>=5'",
    "brew": "python3 -m pip --python {0} install torch 'transformers>=5'",
}


def python(prefix: Path, base: Path) -> Python:
    return Python(prefix, base, base / "lib" / "python3", f"{prefix}/bin/python")


@pytest.mark.parametrize("who", MARKS)
def test_each_installer_is_recognised_and_adds_by_its_own_command(who, tmp_path):
    mark = tmp_path / MARKS[who]
    mark.parent.mkdir(parents=True)
    mark.touch()
    its = python(tmp_path / PREFIXES[who], tmp_path / "usr")

    assert installer(its) == who
    expected = COMMANDS[who].format(its.prefix)
    assert to_add("torch", "transformers>=5", its=its) == expected


def test_a_python_that_its_distribution_keeps_is_left_alone(tmp_path):
    its = python(tmp_path, tmp_path)
    its.library.mkdir(parents=True)
    assert installer(its) == "pip"

    (its.library / "EXTERNALLY-MANAGED").touch()

    assert installer(its) == "system"
    command = "python3 -m venv ~/benchdb && ~/benchdb/bin/pip install benchdb pyarrow"
    assert to_add("pyarrow", its=its) == command
    # In an environment made from it, pip does as ever.
    assert installer(python(tmp_path / "env", tmp_path)) == "pip"


def test_an_environment_without_pip_is_filled_by_uv_where_that_is_there(
    tmp_path, monkeypatch
):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "uv").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    its = python(tmp_path / "env", tmp_path / "usr")

    assert to_add("numpy", its=its) == f"uv pip install --python {its.prefix} numpy"


def test_advice_of_a_collector_is_adapted_where_it_is_a_command(monkeypatch, tmp_path):
    prefix = tmp_path / "pipx"
    prefix.mkdir()
    (prefix / "pipx_metadata.json").touch()
    its = python(prefix, tmp_path)
    monkeypatch.setattr(installation, "this_python", lambda: its)

    text = 'NumPy lacks; install with: pip install "numpy>=2" pandas'
    sentence = 'pip install numpy mlx on Apple silicon, "mlx[cpu]" on Linux'

    injected = "NumPy lacks; install with: pipx inject benchdb 'numpy>=2' pandas"
    assert fitting(text) == injected
    assert fitting(sentence) == sentence
    assert fitting("pip install numpy", "/opt/my env/bin/python") == (
        "'/opt/my env/bin/python' -m pip install numpy"
    )
