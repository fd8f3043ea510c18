"""How many runs are published: what a fresh database starts with."""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "published"
COUNT = sum(path.read_bytes().count(b'"type":"run"') for path in FOLDER.glob("*.jsonl"))
