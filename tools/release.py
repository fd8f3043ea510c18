"""Write the version and date of a release into every file that has them.

python -m tools.release 0.2.0

With the source distribution of that version in ``dist/`` it writes its SHA-256 into
the Homebrew formula and the conda recipe. ``docs/releasing.md`` has the other steps.
"""

import re
import sys
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FORMULA, RECIPE = "packaging/homebrew/benchdb.rb", "packaging/conda/recipe.yaml"
# What stands before the version in each file, and what after it.
VERSIONS = {
    "benchdb/__init__.py": ('^__version__ = "', '"'),
    "collectors/harness/main.py": ('^VERSION = "', '"'),
    "CITATION.cff": ("^version: ", "$"),
    RECIPE: ('^  version: "', '"'),
    FORMULA: ("benchdb-", r"\.tar\.gz"),
}


def prepare(root: Path, version: str, today: date) -> None:
    """Make the files of *root* those of the release; a second call changes nothing."""
    for name, (before, after) in VERSIONS.items():
        _replace(root / name, rf"({before})[\d.]+({after})", rf"\g<1>{version}\g<2>")
    changes = root / "CHANGELOG.md"
    title = f"## {version}, {today}"
    if f"\n## {version}," not in changes.read_text(encoding="utf-8"):
        _replace(changes, r"^## Unreleased\n", f"## Unreleased\n\n{title}\n")
    archive = root / "dist" / f"benchdb-{version}.tar.gz"
    digest = sha256(archive.read_bytes()).hexdigest() if archive.exists() else "0" * 64
    for name in (FORMULA, RECIPE):
        _replace(root / name, r'(sha256:? ")\w{64}(")', rf"\g<1>{digest}\g<2>")


def _replace(path: Path, pattern: str, replacement: str) -> None:
    text = path.read_text(encoding="utf-8")
    changed, count = re.subn(pattern, replacement, text, count=1, flags=re.MULTILINE)
    if not count:
        sys.exit(f"{path}: nothing like {pattern} in it; was it moved?")
    path.write_text(changed, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not re.fullmatch(r"\d+\.\d+\.\d+", sys.argv[1]):
        sys.exit("usage: python -m tools.release X.Y.Z")
    prepare(ROOT, sys.argv[1], datetime.now(UTC).date())
