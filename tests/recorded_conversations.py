"""The conversations of ``docs/importing.md``; run as a program, records them anew."""

import os
import re
import tempfile
from pathlib import Path

from tests.terminal import talk

PAGE = Path(__file__).parents[1] / "docs" / "importing.md"
DOCUMENTS = {
    "resnet.md": """\
# ResNet-50 training with PyTorch 2.4 (MPS)

| Machine      | Batch | Throughput | Power |
|--------------|-------|------------|-------|
| M1 Max 32c   | 64    | 138        | 42    |
| M2 Ultra 76c | 64    | 301        | 88    |
""",
    "seconds.md": """\
# Keras, seconds per epoch

| Model       | M1 Pro | M3 Max | RTX 4090 |
|-------------|--------|--------|----------|
| resnet50    | 61.2   | 24.8   | 6.1      |
| mobilenetv2 | 28.9   | 12.3   | OOM      |
""",
    "studio.json": """\
{"machine": "Mac Studio, M2 Ultra with 76 GPU cores",
 "runtime": "mlx",
 "results": [
   {"model": "Llama 3.1 8B", "quant": "4bit", "prompt_tps": 1041.5, "ttft": 0.49},
   {"model": "Qwen2.5 32B", "quant": "4bit", "prompt_tps": 243.0, "ttft": 2.1}]}
""",
}
ANSWERS = {
    "resnet.md": [
        "yes, but Throughput: img/s; precision: fp16; Power: peak_power_watts",
        "yes",
    ],
    "seconds.md": ["1: gpu", "yes"],
    "studio.json": ["yes, but 1: gpu", "yes"],
}


def recorded(name: str) -> str:
    """Return a document and what a terminal shows while it is imported."""
    with tempfile.TemporaryDirectory() as room:
        (Path(room) / name).write_text(DOCUMENTS[name])
        os.environ["BENCHDB_DB"] = str(Path(room) / "results.sqlite")
        os.environ["BENCHDB_HOME"] = room
        done = talk(ANSWERS[name], "import", name, cwd=Path(room))
        del os.environ["BENCHDB_DB"]
    assert done.status == 0, done.out
    shown = f"$ cat {name}\n{DOCUMENTS[name]}$ benchdb import {name}\n{done.out}"
    return "".join(f"{line.rstrip()}\n" for line in shown.splitlines())


def main() -> None:
    """Write the conversations into the page anew."""
    page = PAGE.read_text()
    for name in DOCUMENTS:
        block = re.compile(rf"\$ cat {re.escape(name)}\n(?:(?!```).*\n)*")
        assert block.search(page), name
        page = block.sub(recorded(name).replace("\\", "\\\\"), page)
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
