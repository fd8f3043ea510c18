"""Where material of other people lies: beside the checkout, not in it.

Nothing needs it. Where it stands, tests read it as well as what is in the checkout.
"""

from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "shared"
