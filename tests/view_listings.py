"""The headlines and lists of the example report."""

from msgspec.structs import replace

from benchdb.report.view.atoms import Quantity, Workload
from benchdb.report.view.listed import ClaimRow, MachineRow, Note, SourceRow, ValueRow
from benchdb.report.view.page import Answer
from tests.view_sections import (
    DISTILBERT,
    GIB,
    LSTM,
    MNIST,
    MOBILENET,
    MODELS,
    RESNET,
    WORKLOADS,
    Device,
    digest,
    seconds,
    system,
)


def answers() -> tuple[Answer, ...]:
    pays = [RESNET.title, MOBILENET.title, DISTILBERT.title]
    return (
        Answer(
            "metal",
            2.87,
            13.07,
            {
                "pays": pays,
                "even": [LSTM.title],
                "hurts": [MNIST.title],
                "hurts_low": 6.78,
                "hurts_high": 8.02,
                "chips": 4,
            },
        ),
        Answer(
            "mac",
            5.47,
            5.47,
            {
                "best": "M1 Ultra",
                "baseline": "M1",
                "mean": 5.47,
                "spread": [1.49, 9.67],
                "others": [["M1 Max", 3.27, 1.19, 5.08], ["M1 Pro", None, 0.88, 2.7]],
                "workloads": 4,
            },
        ),
        Answer(
            "distance",
            5.68,
            8.88,
            {
                "reference": "GeForce RTX 3090",
                "reference_with": ["fp16-mixed", "xla"],
                "system": "M1 Max",
                "system_with": ["fp32", "graph"],
                "differs": ["precision", "compiler"],
                "workloads": 3,
                "published": True,
                "single": True,
            },
            bounded=True,
        ),
        Answer(
            "here",
            None,
            None,
            {
                "chip": "Example CPU",
                "device": "cpu",
                "workloads": [LSTM.title],
                "differs": ["framework"],
                "baseline": "M1",
            },
        ),
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
