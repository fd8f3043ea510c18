"""The Python of another environment, which has the frameworks that ours may lack."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from benchdb.collecting.processes import environment
from benchdb.errors import UsageError

_OLDEST = (3, 11)  # that the collectors run on
_PATIENCE_SECONDS = 10.0
_ANSWER = re.compile(rb"Python (\d+)\.(\d+)")
# Where an environment that somebody activated says that it is.
_ACTIVE = ("VIRTUAL_ENV", "CONDA_PREFIX")


def python_of(text: str) -> str:
    """Return the path of the Python that *text* names: a program, or an environment.

    It is asked for its version. Raise ``UsageError`` where it is none that collectors
    run on. A link stays one: by its place, Python knows its environment.
    """
    path = _program(text)
    try:
        done = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,  # where Python 2 answers
            timeout=_PATIENCE_SECONDS,
            env=environment(isolated=path),
            check=False,
        )
    except subprocess.TimeoutExpired:
        what = f"gave no answer in {_PATIENCE_SECONDS:.0f} s"
        raise UsageError(f"--python {text} {what}; is it a Python?") from None
    except OSError as error:
        why = error.strerror
        raise UsageError(f"--python {text} cannot be run: {why}") from error
    version = _ANSWER.match(done.stdout)
    if version is None:
        raise UsageError(f"--python {text} does not answer as Python does")
    pair = int(version[1]), int(version[2])
    if pair < _OLDEST:
        is_, least = (".".join(map(str, item)) for item in (pair, _OLDEST))
        raise UsageError(
            f"--python {text} is Python {is_}; collectors need {least} or newer"
        )
    return path


def _program(text: str) -> str:
    """Return the program that *text* names, which may be the folder of one."""
    path = Path(text).expanduser()
    if path.is_dir():
        for name in ("bin/python", "bin/python3", "python"):
            if (path / name).is_file():
                return str((path / name).absolute())
        raise UsageError(
            f"--python {text} has no bin/python; name the folder of an environment, "
            "or a program"
        )
    if os.sep not in text and (result := shutil.which(text)):
        return result
    if not path.exists():
        raise UsageError(
            f"--python {text} is not there; name the folder of an environment, or a "
            "program such as $CONDA_PREFIX/bin/python"
        )
    return str(path.absolute())


def active_elsewhere() -> str | None:
    """Return the environment that is active in this shell, where it is not ours."""
    for variable in _ACTIVE:
        folder = os.environ.get(variable)
        if folder and Path(folder).is_dir() and Path(folder) != Path(sys.prefix):
            return folder
    return None
