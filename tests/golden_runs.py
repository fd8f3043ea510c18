"""An exchange file of our own making that fills every section of a report.

All figures are made up. What it says must not change with the project: the reports
in ``tests/golden`` are of it.
"""

import json
from collections.abc import Iterator
from typing import Any

Line = dict[str, Any]

GIB = 2**30
OUTLIER = {
    "code": "outlier",
    "metric": "script_wall_seconds",
    "detail": {
        "peer": "M1",
        "peer_seconds": 2000.5,
        "seconds": 2500.0,
        "peers": 2,
        "peers_low": 657,
        "peers_high": 813,
        "stated": 382,
    },
}
STARTED = "2026-03-04T05:06:07+00:00"
CHIPS = {"m1": "M1", "m1-pro": "M1 Pro", "m1-max": "M1 Max", "card": "5600X"}
# Seconds of a whole script on the CPU and with Metal, as a source might print them.
SECONDS: dict[str, dict[str, tuple[str, str | None]]] = {
    "m1": {"resnet50": ("2000.50", "500.20"), "lstm": ("60.10", "59.20")},
    "m1-pro": {"resnet50": ("2500.00", "240.10"), "lstm": ("51.40", "70.90")},
    "m1-max": {"resnet50": ("1200.75", "110.30"), "lstm": ("50.00", None)},
}
MNIST = {
    "m1": ("70.00", "490.0"),
    "m1-pro": ("66.0", "528.0"),
    "m1-max": ("60.00", "420.0"),
}
# Samples per second and peak watts at two batch sizes, of a card and of two Macs.
RATES: dict[str, dict[str, tuple[tuple[int, float, int], ...]]] = {
    "card": {"resnet50": ((128, 1100, 350), (256, 1200, 360))},
    "m1-max": {"resnet50": ((64, 150, 41), (128, 140, 42))},
    "m1-pro": {"resnet50": ((64, 72.8, 33), (128, 56, 36))},
}
RATES["card"]["mobilenetv2"] = ((128, 2000, 340),)
RATES["m1-max"]["mobilenetv2"] = ((128, 350, 37),)
# GPU cores and images per second of one generation; of the middle chip many machines.
FAMILY = {"m2": ("M2", 10, 50.0), "m2-max": ("M2 Max", 38, 155.5)}
FLEET = (91.0, 95.5, 96.25, 99.5, 120.0)
PRODUCTS = {512: 1.5, 1024: 3.75, 2048: 5.125, 4096: 5.5}
CARD_PRODUCTS = {512: 9.5, 1024: 33.0, 2048: 60.25, 4096: 66.0}
STEPS = {"cpu": (2.5, 2.625, 2.75), "metal": (0.8, 0.82, 0.84)}


def document() -> bytes:
    """Return the file."""
    lines = [
        {"type": "header", "format": 1, "producer": "benchdb", "producer_version": "1"},
        *_sources(),
        *_machines(),
        *_environments(),
        *_scripts(),
        *_rates(),
        *_measured(),
        *_lost(),
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _sources() -> Iterator[Line]:
    yield {
        "type": "source",
        "key": "times",
        "slug": "made-up-times",
        "title": "Wie schnell? Ausgedachte Zeiten",
        "authors": ["A. Author", "B. Author"],
        "language": "de",
        "licence": "MIT",
        "url": "https://example.org/times",
    }
    yield {
        "type": "source",
        "key": "rates",
        "slug": "made-up-rates",
        "title": "Made-up rates",
        "authors": [],
        "language": "en",
    }
    yield {
        "type": "claim",
        "source": "rates",
        "kind": "derived",
        "statement": "With Metal the M1 Max is 519 % faster.",
        "printed": "519%",
        "locator": "line 3",
        "value": 519.0,
        "unit": "%",
        "recomputed": 519.2,
        "flags": [
            {
                "code": "speedup-wording",
                "detail": {
                    "stated": 519.0,
                    "ratio": 5.19,
                    "percent_faster": 419.0,
                    "percent_less_time": 80.7,
                },
            }
        ],
    }


def _machines() -> Iterator[Line]:
    for key, chip in CHIPS.items():
        card = [{"vendor": "NVIDIA", "name": "GeForce RTX 3090"}]
        yield _machine(
            key,
            chip,
            vendor="AMD" if key == "card" else "Apple",
            ram_bytes=16 * GIB,
            **({"accelerators": card} if key == "card" else {}),
        )
    for key, (chip, cores, _) in FAMILY.items():
        # 24 GB are the most that the M2 was sold with.
        memory = (16 if chip == "M2" else 32) * GIB
        yield _machine(key, chip, gpu_cores=cores, ram_bytes=memory)
    for place in range(len(FLEET)):
        yield _machine(f"m2-pro-{place}", "M2 Pro", gpu_cores=19, ram_bytes=32 * GIB)


def _machine(key: str, chip: str, vendor: str = "Apple", **facts: Any) -> Line:
    ours = {"anonymous_id": f"golden-{key}"} if key.startswith("m2") else {}
    made = {"vendor": vendor, "name": chip, **facts}
    model = {"model": "MacBook Pro"} if vendor == "Apple" else {}
    return {"type": "machine", "key": key, "chip": made, **model, **ours}


def _environments() -> Iterator[Line]:
    for framework, version in (("tensorflow", "2.16.2"), ("torch", "2.9.0")):
        yield {
            "type": "environment",
            "key": framework,
            "os_name": "macOS",
            "os_version": "14.5",
            "framework": framework,
            "framework_version": version,
        }


def _run(key: str, values: list[Line], **facts: Any) -> Iterator[Line]:
    status = facts.pop("status", "ok")
    reason = {"reason": facts.pop("reason")} if "reason" in facts else {}
    more = {name: facts.pop(name) for name in ("checks", "flags") if name in facts}
    usual = {"precision": "fp32", "setting": "standard"}
    yield {"type": "run", "key": key, **usual, **facts}
    end = {"type": "end", "run": key, "status": status, "values": values}
    yield end | reason | more


def _scripts() -> Iterator[Line]:
    for chip, works in SECONDS.items():
        for work, both in (*works.items(), ("mnist", MNIST[chip])):
            for device, printed in zip(("cpu", "metal"), both, strict=True):
                yield from _script(chip, work, device, printed)


def _script(chip: str, work: str, device: str, printed: str | None) -> Iterator[Line]:
    size, samples = {"resnet50": (128, 15360), "lstm": (64, 128000)}.get(
        work, (32, 6000000)
    )
    value: Line = {"metric": "script_wall_seconds", "locator": f"{chip}, {work}"}
    if printed is None:
        value |= {"value": None, "reason": "“-” in the source"}
    else:
        value |= {"value": float(printed), "printed": printed}
    doubted = (chip, work, device) == ("m1-pro", "resnet50", "cpu")
    yield from _run(
        f"{chip}-{work}-{device}",
        [value],
        machine=chip,
        environment="tensorflow",
        framework="tensorflow",
        workload=work,
        device=device,
        compiler="graph",
        parameters={"batch_size": size, "samples_total": samples},
        label="transcribed",
        source="times",
        locator=f"{chip}, {work}",
        **({"flags": [OUTLIER]} if doubted else {}),
    )


def _rates() -> Iterator[Line]:
    for chip, works in RATES.items():
        card = chip == "card"
        for work, levels in works.items():
            for size, rate, watts in levels:
                power = "peak_power_watts" if card else "peak_soc_power_watts"
                yield from _run(
                    f"rate-{chip}-{work}-{size}",
                    [
                        {
                            "metric": "fit_samples_per_second",
                            "value": rate,
                            "printed": f"{rate} img/s",
                        },
                        {"metric": power, "value": watts, "printed": f"{watts}W"},
                    ],
                    machine=chip,
                    environment="tensorflow",
                    framework="tensorflow",
                    workload=work,
                    device="cuda" if card else "metal",
                    precision="fp16-mixed" if card else "fp32",
                    compiler="xla" if card else "graph",
                    parameters={"batch_size": size},
                    label="transcribed",
                    source="rates",
                    locator=f"{chip}, {work}, {size}",
                )


def _measured() -> Iterator[Line]:
    for key, (_, _, rate) in FAMILY.items():
        yield from _own(f"family-{key}", key, {"samples_per_second": rate})
    for place, rate in enumerate(FLEET):
        joules = {"mean_power_watts": 40.0, "samples_per_joule": rate / 40}
        values = {"samples_per_second": rate, **joules}
        metered = {"energy": {"source": "powermetrics", "scope": "soc_model"}}
        yield from _own(f"fleet-{place}", f"m2-pro-{place}", values, checks=metered)
    for device, steps in STEPS.items():
        for replicate, seconds in enumerate(steps):
            yield from _own(
                f"step-{device}-{replicate}",
                "m2-max",
                {"step_seconds": seconds, "samples_per_second": 64 / seconds},
                workload="mobilenetv2",
                device=device,
                campaign="steps",
                replicate=replicate,
                replicates=len(steps),
                parameters={"batch_size": 64},
            )
    for machine, device, rates in (
        ("m2-max", "metal", PRODUCTS),
        ("card", "cuda", CARD_PRODUCTS),
    ):
        for size, rate in rates.items():
            yield from _own(
                f"product-{machine}-{size}",
                machine,
                {"teraflops": rate},
                workload="matmul",
                device=device,
                parameters={"batch_size": 1, "size": size},
            )


def _own(
    key: str, machine: str, values: dict[str, float], **facts: Any
) -> Iterator[Line]:
    usual: Line = {
        "machine": machine,
        "environment": "torch",
        "framework": "torch",
        "workload": "resnet50",
        "device": "metal",
        "compiler": "eager",
        "parameters": {"batch_size": 128},
        "tier": "standard",
        "campaign": f"campaign-{key}",
        "replicate": 0,
        "replicates": 1,
        "seed": 0,
        "collector": {"name": "with_torch", "version": "1", "sha256": "0" * 64},
        "started": STARTED,
        "label": "measured",
    }
    groups = [{"metric": name, "value": value} for name, value in values.items()]
    return _run(key, groups, **usual | facts)


def _lost() -> Iterator[Line]:
    yield from _own(
        "lost",
        "m2",
        {},
        workload="bert-large",
        parameters={"batch_size": 16},
        status="oom",
        reason="MPS backend out of memory",
    )
