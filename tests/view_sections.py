"""The compared figures of the example report: published ones, built by hand."""

from hashlib import sha256
from typing import Literal

from msgspec.structs import replace

from benchdb.report.sections.distance import Distance, DistanceCell, DistanceRow
from benchdb.report.sections.metal import MetalGroup, MetalRow, MetalSection
from benchdb.report.sections.ranking import RankCell, Ranking, RankRow
from benchdb.report.view.atoms import Axis, Quantity, Ratio, System, Verdict, Workload

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
# Source 2: images or sequences per second at the reference's batch size.
THROUGHPUT = (
    (RESNET, 128, "img/s", "55.8", "140", "1100"),
    (MOBILENET, 128, "img/s", "174.7", "352", "2001"),
    (DISTILBERT, 64, "seq/s", "65.9", "120", "1065"),
)


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


def ratio(slow: Quantity | None, fast: Quantity | None) -> Ratio | None:
    if slow is None or fast is None:
        return None
    value = slow.value / fast.value
    return Ratio(value, verdict(value), notes=(*slow.notes, *fast.notes))


def verdict(value: float) -> Verdict:
    if 0.9 < value < 1.1:
        return "even"
    return "faster" if value > 1 else "slower"


def metal() -> MetalSection:
    groups = tuple(
        MetalGroup(workload, None, "script_wall_seconds", metal_rows(workload))
        for workload in WORKLOADS
    )
    axis = Axis(20, 4000, (30, 100, 300, 1000, 3000), "s")
    return MetalSection(groups, axis, ("1",))


def metal_rows(workload: Workload) -> tuple[MetalRow, ...]:
    return tuple(
        MetalRow(
            chip=chip,
            framework="tensorflow",
            model=MODELS[chip][0],
            cpu=(cpu := seconds(chip, workload, "cpu")),
            metal=(fast := seconds(chip, workload, "metal")),
            ratio=ratio(cpu, fast),
            missing=None if fast else "the table shows a dash",
        )
        for chip in MODELS
    )


def ranking() -> Ranking:
    rows = [rank_row(chip, dev) for chip in MODELS for dev in ("metal", "cpu")]
    rows.sort(key=lambda row: -(row.mean.value if row.mean else 0))
    return Ranking(
        baseline=system("M1", "cpu"),
        workloads=WORKLOADS,
        common=tuple(workload.name for workload in COMMON),
        rows=tuple(rows),
        sources=("1",),
    )


def rank_row(chip: str, device: Device) -> RankRow:
    cells = tuple(rank_cell(chip, device, workload) for workload in WORKLOADS)
    product = 1.0
    for cell in cells[: len(COMMON)]:
        product *= cell.ratio.value if cell.ratio else 1.0
    flagged = any(cell.ratio and cell.ratio.notes for cell in cells)
    mean = product ** (1 / len(COMMON))
    return RankRow(
        system=system(chip, device),
        mean=None if flagged else Ratio(mean, verdict(mean)),
        covered=sum(cell.quantity is not None for cell in cells),
        cells=cells,
        chance=0.02,
    )


def rank_cell(chip: str, device: Device, workload: Workload) -> RankCell:
    own = seconds(chip, workload, device)
    missing = None if own else "the table shows a dash"
    against = ratio(seconds("M1", workload, "cpu"), own)
    return RankCell(own, against, missing, chance=0.02)


def distance() -> Distance:
    chips = (system("M1 Pro", "metal"), system("M1 Max", "metal"))
    return Distance(
        reference=system("GeForce RTX 3090", "cuda"),
        systems=chips,
        rows=tuple(distance_row(chips, *row) for row in THROUGHPUT),
        axis=Axis(0.05, 1, (0.05, 0.1, 0.2, 0.5, 1), "share"),
        sources=("2",),
    )


def distance_row(
    chips: tuple[System, ...], workload: Workload, batch: int, unit: str, *texts: str
) -> DistanceRow:
    *own, last = [rate(workload, text, unit) for text in texts]
    cells = tuple(
        DistanceCell(
            chip,
            quantity,
            Ratio(
                quantity.value / last.value, "slower", differs=("precision", "compiler")
            ),
        )
        for chip, quantity in zip(chips, own, strict=True)
    )
    return DistanceRow(workload, batch, replace(last, notes=("c",)), cells)


def rate(workload: Workload, text: str, unit: str) -> Quantity:
    return Quantity(float(text), unit, digest(workload.name, text), printed=text)
