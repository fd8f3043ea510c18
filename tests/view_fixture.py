"""A small report built by hand: published figures and one invented machine."""

from hashlib import sha256
from typing import Literal

from msgspec.structs import replace

from benchdb.report.view.atoms import Quantity, System, Workload
from benchdb.report.view.listed import ClaimRow, MachineRow, Note, SourceRow, ValueRow
from benchdb.report.view.report_view import Report

Device = Literal["cpu", "metal", "cuda"]
GIB = 2**30

RESNET = Workload("resnet50", "ResNet-50", "cnn")
MOBILENET = Workload("mobilenetv2", "MobileNetV2", "cnn")
DISTILBERT = Workload("distilbert", "DistilBERT", "transformer")
LSTM = Workload("lstm", "LSTM", "rnn")
MNIST = Workload("mnist", "MNIST MLP", "mlp")
WORKLOADS = (RESNET, MOBILENET, DISTILBERT, LSTM, MNIST)
COMMON = (RESNET, MOBILENET, DISTILBERT, LSTM)

# Wall seconds of source 1: chip -> model, RAM, then CPU and Metal per workload.
MODELS = {
    "M1": ("MacBook Pro 13″ (2020)", 16),
    "M1 Pro": ("MacBook Pro 16″ (2021)", 32),
    "M1 Max": ("MacBook Pro 16″ (2021)", 64),
    "M1 Ultra": ("Mac Studio", 128),
}
SECONDS: dict[tuple[str, str], tuple[str, str | None]] = {
    ("M1", "resnet50"): ("2031.89", "579.18"),
    ("M1 Pro", "resnet50"): ("2860.95", "222.72"),
    ("M1 Max", "resnet50"): ("1141.11", "113.65"),
    ("M1 Ultra", "resnet50"): ("262.02", "59.910"),
    ("M1", "mobilenetv2"): ("646.19", "225.36"),
    ("M1 Pro", "mobilenetv2"): ("321.41", "83.39"),
    ("M1 Max", "mobilenetv2"): ("309.25", "53.277"),
    ("M1 Ultra", "mobilenetv2"): ("804.18", "32.047"),
    ("M1", "distilbert"): ("2219.81", "651.91"),
    ("M1 Pro", "distilbert"): ("1243.79", "246.54"),
    ("M1 Max", "distilbert"): ("1224.96", "140.08"),
    ("M1 Ultra", "distilbert"): ("928.57", "71.06"),
    ("M1", "lstm"): ("63.29", "57.479"),
    ("M1 Pro", "lstm"): ("47.173", "65.49"),
    ("M1 Max", "lstm"): ("49.707", "48.321"),
    ("M1 Ultra", "lstm"): ("49.454", "38.451"),
    ("M1", "mnist"): ("74.68", "506.47"),
    ("M1 Pro", "mnist"): ("91.80", "736.41"),
    ("M1 Max", "mnist"): ("86.43", "596.62"),
    ("M1 Ultra", "mnist"): ("106.63", None),
}
NOTED = {
    ("M1 Ultra", "resnet50", "cpu"): ("a",),
    ("M1 Ultra", "mobilenetv2", "cpu"): ("a",),
    ("M1 Pro", "resnet50", "cpu"): ("b",),
}


def digest(*parts: object) -> str:
    """Return something like a run's digest, the same every time."""
    return sha256("/".join(map(str, parts)).encode()).hexdigest()


def system(chip: str, device: Device, framework: str = "tensorflow") -> System:
    model, ram = MODELS.get(chip, (None, None))
    return System(
        key=f"{chip}/{device}/{framework}",
        chip=chip,
        device=device,
        framework=framework,
        model=model,
        ram_bytes=ram * GIB if ram else None,
    )


def seconds(chip: str, workload: Workload, device: Device) -> Quantity | None:
    printed = SECONDS[chip, workload.name][0 if device == "cpu" else 1]
    if printed is None:
        return None
    return Quantity(
        value=float(printed),
        unit="s",
        run=digest(chip, workload.name, device),
        printed=printed,
        notes=NOTED.get((chip, workload.name, device), ()),
    )


def values() -> tuple[ValueRow, ...]:
    published = [
        value_row(chip, workload, device)
        for chip in MODELS
        for workload in WORKLOADS
        for device in ("cpu", "metal")
    ]
    return (*published, measured_row())


def value_row(chip: str, workload: Workload, device: Device) -> ValueRow:
    quantity = seconds(chip, workload, device)
    return ValueRow(
        run=digest(chip, workload.name, device),
        workload=workload,
        system=system(chip, device),
        batch_size=None,
        size=None,
        precision=None,
        compiler=None,
        metric="script_wall_seconds",
        quantity=quantity,
        status="ok" if quantity else "failed",
        reason=None if quantity else "the table shows a dash",
        label="transcribed",
        source="1",
        locator="line 101, column resnet50",
        started=None,
    )


def measured_row() -> ValueRow:
    here = replace(
        system("Example CPU", "cpu", "torch"), here=True, measured=True, model=None
    )
    run = digest("here", "lstm")
    return ValueRow(
        run=run,
        workload=LSTM,
        system=here,
        batch_size=64,
        size=None,
        precision="float32",
        compiler="eager",
        metric="samples_per_second",
        quantity=Quantity(6120.4, "seq/s", run, n=5, low=6010.0, high=6230.0),
        status="ok",
        reason=None,
        label="measured",
        source=None,
        locator=None,
        started="2026-11-20T09:30:00Z",
    )


def machines() -> tuple[MachineRow, ...]:
    published = [
        MachineRow(
            chip=chip,
            model=model,
            cpu_cores=None,
            gpu_cores=None,
            ram_bytes=ram * GIB,
            accelerators=(),
            os="macOS 12.0.1",
            frameworks=("tensorflow",),
            here=False,
            sources=("1",),
            runs=10,
        )
        for chip, (model, ram) in MODELS.items()
    ]
    return (*published, own_machine())


def own_machine() -> MachineRow:
    return MachineRow(
        chip="Example CPU",
        model=None,
        cpu_cores=8,
        gpu_cores=None,
        ram_bytes=32 * GIB,
        accelerators=("Example GPU",),
        os="Linux 6.1",
        frameworks=("torch 2.13.0",),
        here=True,
        sources=(),
        runs=5,
    )


def notes() -> tuple[Note, ...]:
    return (
        Note(
            "a",
            "order-inverted",
            {
                "longer": "resnet50",
                "longer_seconds": 262.02,
                "shorter": "mobilenetv2",
                "shorter_seconds": 804.18,
                "peers": 3,
                "peers_low": 3.1,
                "peers_high": 8.9,
            },
            {"chip": "M1 Ultra", "device": "cpu", "workload": "resnet50"},
            (digest("M1 Ultra", "resnet50", "cpu"),),
        ),
        Note(
            "b",
            "outlier",
            {
                "seconds": 2860.95,
                "peer": "M1",
                "peer_seconds": 2031.89,
                "stated": 382,
                "peers": 3,
                "peers_low": 657,
                "peers_high": 813,
            },
            {"chip": "M1 Pro", "device": "cpu", "workload": "resnet50"},
            (digest("M1 Pro", "resnet50", "cpu"),),
        ),
        Note(
            "c",
            "unlike-conditions",
            {
                "precision": "fp16-mixed",
                "others_precision": "fp32",
                "compiler": "xla",
                "others_compiler": "graph",
            },
            {"chip": "GeForce RTX 3090", "device": "cuda", "workload": "resnet50"},
            (digest("resnet50", "1100"),),
        ),
    )


def sources() -> tuple[SourceRow, ...]:
    claim = ClaimRow(
        "claimed", "speed-up of AlexNet", "519 %", "line 12", 5.19, ("speedup-wording",)
    )
    return (
        source("1", "m1tensorbench", "M1 TensorFlow timings", "de", 40),
        source("2", "tf-metal-experiments", "tf-metal-experiments", "en", 9),
        replace(
            source("3", "pytorch-in-m1", "Pytorch in M1", "ko", 0), claims=(claim,)
        ),
    )


def source(key: str, slug: str, title: str, language: str, runs: int) -> SourceRow:
    return SourceRow(
        key=key,
        slug=slug,
        title=title,
        authors=("An Author",),
        url=f"https://example.org/{slug}",
        licence=None,
        language=language,
        document=None,
        document_sha256="1f" * 32,
        runs=runs,
        claims=(),
        protocol_only=False,
    )


def report() -> Report:
    """Return the whole example."""
    rows = values()
    return Report(
        values_count=len(rows),
        systems_count=len({row.system.key for row in rows}),
        sources_count=3,
        newest="2026-11-20",
        database_digest="5d" * 32,
        values=rows,
        machines=machines(),
        notes=notes(),
        sources=sources(),
    )


def empty() -> Report:
    """Return what a fresh database gives."""
    return Report(0, 0, 0, None, "00" * 32, (), (), (), ())


HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "| a | b |\n| - | - |",
    "[x](javascript:alert(1))",
    "![x](https://evil.example/p.png)",
    "`code` **bold** _em_ ~~gone~~",
    "$\\frac{$",
    "$$x^2$$",
    "=cmd|' /C calc'!A0",
    "\u202egnp.exe",
    "\u2066hidden\u2069",
    "&lt;b&gt; &amp;",
    "# heading",
    "1. list",
    "- list",
    "> quote",
    "https://evil.example www.evil.example me@evil.example",
    "@someone :smile: #1",
    "<https://evil.example>",
    "\x00\x1b[31mred\x7f",
    "ends with a backslash\\",
    "",
    "x" * 10_000,
)


def hostile(text: str) -> Report:
    """Return the example with *text* wherever a machine or a stranger can put it."""
    plain = report()
    odd = replace(plain.values[0].system, chip=text, model=text, framework=text)
    row = replace(
        plain.values[1],
        system=odd,
        quantity=None,
        reason=text,
        precision=text,
        compiler=text,
        locator=text,
        status="failed",
    )
    note = replace(plain.notes[0], subject={"chip": text}, detail={"printed": text})
    machine = replace(plain.machines[0], chip=text, model=text, os=text)
    claim = ClaimRow("claimed", text, text, text, None, (text,))
    place = replace(plain.sources[0], title=text, authors=(text,), claims=(claim,))
    return replace(
        plain,
        values=(row, *plain.values),
        machines=(machine, *plain.machines[1:]),
        notes=(note, *plain.notes[1:]),
        sources=(replace(place, licence=text, url=text), *plain.sources[1:]),
    )
