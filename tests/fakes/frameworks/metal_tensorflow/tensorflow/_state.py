"""What an import of TensorFlow can fail of on a Mac."""

import os
from importlib.metadata import PackageNotFoundError, version

WRONG = os.environ.get("FAKE_TENSORFLOW")
_PLUGIN = "/opt/venv/lib/python3.12/site-packages/tensorflow-plugins"


class NotFoundError(Exception):
    """What TensorFlow raises where a library lacks what it should hold."""


def plugin_installed():
    try:
        return bool(version("tensorflow-metal"))
    except PackageNotFoundError:
        return False


def fail_as_asked():
    if WRONG == "too-new":
        raise NotFoundError(
            f"dlopen({_PLUGIN}/libmetal_plugin.dylib, 0x0006): Symbol not found: "
            "_TF_GetInputByName\n  Referenced from: the plug-in\n  Expected in: flat"
        )
    if WRONG == "broken":
        raise ImportError("Library not loaded: @rpath/libtensorflow_cc.2.dylib")
