"""Where the reference material lies: beside the checkout, not in it."""

from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "shared"
