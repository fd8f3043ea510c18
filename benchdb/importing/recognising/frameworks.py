"""Which framework a text names, and in which version."""

import re

from benchdb.importing.recognising.chips import tidied
from benchdb.importing.recognising.words import meant, patterns

_VERSION = r"[ =_v-]*(\d{1,4}(?:\.\d{1,9}){1,3}(?:[.+-]?[a-z0-9]{1,40}){0,4})"
_FRAMEWORKS = patterns(
    {
        "tensorflow": (
            r"tensorflow(?:[ -](?:macos|metal|gpu|cpu|plugin))*(?:[ -]?[12](?:\.x)?)?",
            r"tf[ -]?[12]?(?:\.x|\.\d{1,2})?",
        ),
        "torch": ("pytorch", "torch(?:vision)?", "py torch", "libtorch"),
        "mlx": ("mlx(?:[ -]lm)?",),
        "jax": ("jax(?:[ -]metal)?", "flax"),
        "keras": ("keras(?:[ -]?[23](?:\\.\\d+)?)?",),
        "coreml": ("core ?ml", "coremltools"),
        "createml": ("create ?ml",),
        "onnxruntime": ("onnx ?runtime", "ort"),
        "llama.cpp": (r"llama[. ]cpp", "llama-bench"),
        "whisper.cpp": (r"whisper[. ]cpp",),
        "ollama": ("ollama",),
        "vllm": ("vllm",),
        "tinygrad": ("tinygrad",),
        "mxnet": ("mxnet",),
        "tensorrt": ("tensorrt(?:[ -]llm)?", "trt"),
        "openvino": ("openvino",),
        "plaidml": ("plaidml",),
        "paddlepaddle": ("paddle(?:paddle)?",),
        "mindspore": ("mindspore",),
        "needle": ("needle",),
        "candle": ("candle",),
        "numpy": ("numpy",),
        "cupy": ("cupy",),
        "sklearn": ("scikit-learn", "sklearn"),
        "xgboost": ("xgboost",),
        "lightgbm": ("lightgbm",),
    }
)


def framework(text: str) -> str | None:
    """Return the framework that *text* names, with or without a version.

    Keras beside TensorFlow is the surface of TensorFlow.
    """
    found = meant(text, _FRAMEWORKS)
    if found is None:
        without = re.sub(r"(?i)(?<![a-z])keras(?![a-z])", " ", text)
        found = meant(without, _FRAMEWORKS) if without != text else None
    return found


def framework_version(text: str) -> str | None:
    """Return the version right after a framework: ``1.13.0.dev20220611``."""
    name = framework(text)
    if name is None:
        return None
    plain = tidied(text).casefold()
    for match in _BARE_FRAMEWORKS[name].finditer(plain):
        if version := re.match(_VERSION, plain[match.end() :]):
            return version[1]
    return None


_BARE_FRAMEWORKS = {
    name: re.compile(
        r"(?:tensorflow(?:[ -](?:macos|metal|gpu|cpu))*|tf)"
        if name == "tensorflow"
        else r"(?:keras)"
        if name == "keras"
        else one.pattern.replace("(?![a-z0-9])", "")
    )
    for name, one in _FRAMEWORKS.items()
}


def frameworks(text: str) -> frozenset[str]:
    """Return all frameworks that *text* names, however long it is."""
    plain = text.casefold()
    return frozenset(name for name, one in _FRAMEWORKS.items() if one.search(plain))
