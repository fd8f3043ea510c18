"""The sweep of matrix products: TFLOPS against size, with the peak of the chip."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sweep:
    """The section's content."""

    sources: tuple[str, ...]
