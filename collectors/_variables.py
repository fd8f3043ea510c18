"""Environment variables that change results, without what they give away."""

import getpass
import os
import re
import socket
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

# Not all of TF_: Terraform uses it too, and keeps its users' secrets in TF_VAR_.
TENSORFLOW = (
    "AUTOTUNE CPP_ CUBLAS_ CUDA_ CUDNN_ DETERMINISTIC DISABLE_ ENABLE_ FORCE_ FP16_ "
    "GPU_ METAL_ MKL_ NUM_ ONEDNN_ OVERRIDE_ USE_ XLA_"
)
PREFIXES = (
    *(f"TF_{word}" for word in TENSORFLOW.split()),
    *("PYTORCH_", "KMP_", "ONEDNN_", "DNNL_", "CUDNN_", "CUBLAS_"),
)
NAMES = {
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_LOADING",
    "GOMP_CPU_AFFINITY",
    "KERAS_BACKEND",
    "MKL_DYNAMIC",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NVIDIA_TF32_OVERRIDE",
    "OMP_DYNAMIC",
    "OMP_NUM_THREADS",
    "OMP_PLACES",
    "OMP_PROC_BIND",
    "OPENBLAS_CORETYPE",
    "OPENBLAS_L2_SIZE",
    "OPENBLAS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "XLA_FLAGS",
}
HIDDEN = "<hidden>"
PATH = "<path>"
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|URL|HOST|ADDR", re.I)
_PLAIN = re.compile(r"[\w.,:;=+\-<>{}() ]{0,400}")
_FLAG = re.compile(r"--?\w+(?:=[\w.,:+\-]*)?")
_DEVICE = re.compile(r"\b(GPU|MIG)-[0-9a-fA-F][\w\-/]*")


def relevant(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables that a result may depend on, safe to publish."""
    environment = os.environ if environment is None else environment
    private = private_words()
    return {
        name: published(value, private)
        for name, value in sorted(environment.items())
        if (name in NAMES or name.startswith(PREFIXES)) and not _SECRET.search(name)
    }


def published(value: str, private: Iterable[str] = ()) -> str:
    """Return a value without paths, ids of devices, or anyone's name.

    Where there is a path only flags survive: a path may contain spaces.
    """
    value = _DEVICE.sub(r"\1-<id>", value)
    if "/" in value or "\\" in value or "~" in value:
        value = " ".join(dict.fromkeys(_without_path(w) for w in value.split()))
    words = {word.lower() for word in re.findall(r"[\w-]+", value)}
    safe = _PLAIN.fullmatch(value) and words.isdisjoint(private)
    return value if safe else HIDDEN


def _without_path(word: str) -> str:
    if _FLAG.fullmatch(word):
        return word
    flag, equals, _ = word.partition("=")
    return f"{flag}={PATH}" if equals and _FLAG.fullmatch(flag) else PATH


def private_words(least: int = 3) -> frozenset[str]:
    """Return what must not be printed: the names of user, home folder and host.

    *least* is the shortest that counts: where a word hides a whole value, not 2.
    """
    hosts = (socket.gethostname(), *_values("HOSTNAME", "COMPUTERNAME"))
    words = {word for host in hosts for word in (host, host.partition(".")[0])}
    words |= _user()
    return frozenset(word.lower() for word in words if len(word) >= least)


def _user() -> set[str]:
    words = set(_values("LOGNAME", "USER", "USERNAME", "SUDO_USER"))
    # In a container the user may have no name, and still a home folder.
    for ask in (getpass.getuser, lambda: Path.home().name):
        with suppress(KeyError, OSError, RuntimeError):
            words.add(ask())
    return words


def _values(*names: str) -> list[str]:
    return [value for name in names if (value := os.environ.get(name))]
