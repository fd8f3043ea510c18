"""The loop that anybody would write: the yardstick for what a collector adds.

Prints samples a second (or products) of one model, batch and precision on random
data that is on the device already, over a window of seconds after as long a warm-up.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

# Torchvision needs two operators declared beside a CPU build of PyTorch.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "collectors"))
from language import SHAPES
from torch_work.decoders import Cache, Llama, Matrix, Sliced
from with_torch import import_torchvision

TOKENS = {"llm-prefill": 512, "llm-decode": 1}  # of a step, for each text
MODEL = "Llama 3.2 1B"
BATCH = {"resnet50": 128, "mobilenetv2": 128, "distilbert": 64, "bert-large": 16}
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
Step = Callable[[], object]


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workload", help="of BATCH or TOKENS, or matmul")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda", "mps"))
    parser.add_argument("--precision", default="fp32", choices=DTYPES)
    parser.add_argument("--batch-size", type=int)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--set", action="append", help="model=NAME")
    parser.add_argument("--warmup", type=float, default=5.0)
    parser.add_argument("--seconds", type=float, default=10.0)
    asked = parser.parse_args()
    torch.manual_seed(0)
    # PyTorch lets convolutions use TF32 by itself, and calls it float32.
    torch.backends.cudnn.allow_tf32 = False
    if asked.workload == "matmul":
        step, samples = product(asked), 1
    elif asked.workload in TOKENS:
        samples = (asked.batch_size or 1) * TOKENS[asked.workload]
        step = writing(asked, asked.batch_size or 1)
    else:
        samples = asked.batch_size or BATCH[asked.workload]
        step = training(asked, samples)
    steps, seconds = timed(step, asked)
    print(steps * samples / seconds)


def product(asked: argparse.Namespace) -> Step:
    """Return what multiplies two matrices."""
    dtype, size = DTYPES[asked.precision], asked.size
    a, b = (
        (torch.randn(size, size) / size**0.5).to(asked.device, dtype) for _ in range(2)
    )
    return lambda: torch.mm(a, b)


def writing(asked: argparse.Namespace, batch: int) -> Step:
    """Return what reads a prompt of 512 tokens, or writes one token of 128."""
    name = dict(item.split("=") for item in asked.set or ()).get("model", MODEL)
    shape, reads = SHAPES[name], asked.workload == "llm-prefill"
    with torch.inference_mode():
        model = Llama(shape, Matrix, Matrix, 0).place(
            asked.device, DTYPES[asked.precision]
        )
        length = TOKENS[asked.workload] if reads else 128
        cache = Cache(model, batch, length)
        drawn = torch.randint(shape.vocabulary, (batch, length if reads else 1))
    at, ids = 0, drawn.to(asked.device)

    def step() -> None:
        nonlocal at, ids
        with torch.inference_mode():
            if reads:
                model(ids, Sliced(cache, 0, length))
                return
            ids = model(ids, Sliced(cache, at, 1)).argmax(-1, keepdim=True)
            at = (at + 1) % length

    return step


def training(asked: argparse.Namespace, batch: int) -> Step:
    """Return what does one training step."""
    model, inputs = model_and_inputs(asked.workload, batch)
    model = model.to(asked.device).train()
    inputs = inputs.to(asked.device)
    labels = torch.randint(8, (batch,)).to(asked.device)
    kind = torch.optim.SGD if inputs.is_floating_point() else torch.optim.Adam
    optimiser = kind(model.parameters(), lr=0.01 if kind is torch.optim.SGD else 1e-3)
    criterion = torch.nn.CrossEntropyLoss()
    mixed = asked.precision != "fp32"

    def step() -> None:
        optimiser.zero_grad()
        with torch.autocast(asked.device, DTYPES[asked.precision], enabled=mixed):
            result = model(inputs)
            loss = criterion(getattr(result, "logits", result), labels)
        loss.backward()
        optimiser.step()

    return step


def model_and_inputs(workload: str, batch: int) -> tuple[Any, torch.Tensor]:
    """Return the model, untrained, and a random batch."""
    if workload in ("resnet50", "mobilenetv2"):
        kept = import_torchvision(torch)
        from torchvision import models  # noqa: PLC0415 - after its operators

        make = {"resnet50": models.resnet50, "mobilenetv2": models.mobilenet_v2}
        model = make[workload](num_classes=8)
        model.kept = kept
        return model, torch.rand(batch, 3, 224, 224)
    import_torchvision(torch)
    import transformers  # noqa: PLC0415 - slow, and not for the others

    if workload == "distilbert":
        config = transformers.DistilBertConfig(num_labels=8)
    else:
        config = transformers.BertConfig(
            num_labels=8,
            hidden_size=1024,
            num_hidden_layers=24,
            num_attention_heads=16,
            intermediate_size=4096,
        )
    made = transformers.AutoModelForSequenceClassification.from_config(
        config, attn_implementation="sdpa"
    )
    return made, torch.randint(30522, (batch, 128))


def timed(step: Step, asked: argparse.Namespace) -> tuple[int, float]:
    """Return the steps of the window, and its seconds, waited for at both ends."""
    wait = {"cpu": lambda: None, "cuda": torch.cuda.synchronize}.get(
        asked.device, torch.mps.synchronize
    )
    step()
    wait()
    done, began = 0, time.perf_counter()
    while time.perf_counter() - began < asked.warmup or done < 3:
        step()
        wait()
        done += 1
    pace = (time.perf_counter() - began) / done
    steps = max(2, round(asked.seconds / pace))
    began = time.perf_counter()
    for _ in range(steps):
        step()
    wait()
    return steps, time.perf_counter() - began


if __name__ == "__main__":
    main()
