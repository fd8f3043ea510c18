"""What the tests of all collectors share."""

import os
import sys
from collections.abc import Iterator

import pytest

# Inductor compiles the little that tests ask for while its helpers import PyTorch.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """On a busy machine threads that wait for each other take most of the time."""
    torch = sys.modules.get("torch")  # only where a test imports it
    kept = torch.get_num_threads() if torch else None
    if torch:
        torch.set_num_threads(1)
    yield
    if torch:
        torch.set_num_threads(kept)
