"""The parsers hold on every output of a real tool, file by file."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from energy import macmon, powermetrics, rapl
from fingerprint import linux, macos, nvidia
from fingerprint.commands import NVIDIA_QUERY
from fingerprint.facts import ChipName, chip_name, extract, whole

from tests.collectors.captures import FACTS, OURS, matching, names

Facts = dict[str, Any]
Reader = Callable[[Path], Facts]


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def chip(name: ChipName | None) -> Facts:
    if name is None:
        return {"chip": None}
    return {"chip": f"{name.vendor} {name.name}", "virtual": name.virtual}


def levels(tiers: Any) -> list[list[Any]]:
    return [[tier.name, tier.cores] for tier in tiers]


def cpuinfo(path: Path) -> Facts:
    cpus = linux.cpuinfo(text(path))
    assert cpus is not None
    tiers = [list(tier) for tier in linux.arm_levels(cpus.parts)]
    facts = {"count": cpus.count, "cores": cpus.cores, "levels": tiers}
    return chip(cpus.chip) | facts | {"model": cpus.model}


def lscpu(path: Path) -> Facts:
    return {"levels": levels(linux.core_types(linux.lscpu(text(path))))}


def os_release(path: Path) -> Facts:
    release = linux.os_release(text(path))
    return {"os": release["NAME"], "version": release.get("VERSION_ID")}


def sysctl(path: Path) -> Facts:
    values = macos.sysctl(text(path))
    named = values.get("machdep.cpu.brand_string", "")
    return chip(chip_name(named)) | {
        "cores": macos.core_count(values),
        "levels": [list(tier) for tier in macos.core_levels(values)],
        "ram": whole(values.get("hw.memsize")),
        "model": values.get("hw.model"),
        "names": len(values),
    }


def hardware(path: Path) -> Facts:
    report = macos.hardware(text(path))
    return report | displays(path) | chip(chip_name(report.get("chip", "")))


def displays(path: Path) -> Facts:
    gpus = macos.displays(text(path))
    return {"gpus": [[g.get("vendor"), g.get("name"), g.get("cores")] for g in gpus]}


def notes(path: Path) -> Facts:
    """Read values that someone quoted in prose: no command prints this."""
    quoted = re.search(r"Apple [MA]\d+(?: \w+)?(?=[ ,])", text(path))
    processors = re.search(r"proc [\d:]+", text(path))
    assert quoted is not None
    cores = extract(processors and processors[0], macos.PROCESSORS)
    return chip(chip_name(quoted[0])) | {"cores": cores.get("total")}


def standard_error(path: Path) -> Facts:
    return {"json": macos.profile(text(path)), "fields": macos.fields(text(path))}


def pmset(path: Path) -> Facts:
    printed = text(path)
    battery = extract(printed, macos.BATTERY)
    source = battery.get("power_source", "ac")
    limit = extract(printed, macos.THERMAL).get("cpu_speed_limit_percent")
    return battery | macos.power_mode(printed, source) | {"limit": limit}


def vm_stat(path: Path) -> Facts:
    return macos.vm_stat(text(path))


def registry(path: Path) -> Facts:
    names = ("p-core-count", "m-core-count", "e-core-count")
    tiers = extract(text(path), {name: macos.registry(name) for name in names})
    counts = {"tiers": [tiers.get(name) for name in names]}
    return extract(text(path), macos.GPU_REGISTRY) | counts


def swap(path: Path) -> Facts:
    return {"swap": extract(text(path), macos.SWAP).get("swap_used_bytes")}


def sw_vers(path: Path) -> Facts:
    return dict(macos.fields(text(path)))


def uname(path: Path) -> Facts:
    if path.suffix == ".md":
        lines = re.findall(r"^\| `(.*?)` \|", text(path), re.MULTILINE)
        parsed = [macos.uname(line) for line in lines]
        return {"rosetta": [p.get("rosetta") for p in parsed]}
    return macos.uname(text(path))


def python_platform(path: Path) -> Facts:
    result = [*re.findall(r"`macOS-([\d.]+)-\w+", text(path)), "10.16"]
    return {"unbelievable": [v for v in result if not macos.believable_version(v)]}


def power_plist(path: Path) -> Facts:
    documents = powermetrics.plists(path.read_bytes())
    return {"samples": len(documents), "watts": powermetrics.by_domain(documents[0])}


def cards(gpus: tuple[nvidia.Gpu, ...]) -> Facts:
    return {"count": len(gpus)} | dict(gpus[0])


def nvidia_csv(path: Path) -> Facts:
    bare = {
        "h100": "pci.bus_id,name,memory.total,compute_cap,vbios_version,power.limit,"
        "power.max_limit,clocks.max.sm,clocks.max.mem,ecc.mode.current,"
        "mig.mode.current,persistence_mode",
        "v100": "name,driver_version,memory.total",
    }
    head = next((f"{c}\n" for key, c in bare.items() if key in path.name), "")
    return cards(nvidia.query_csv(head + text(path)))


READERS: tuple[tuple[str, Reader], ...] = (  # the first pattern that matches
    ("linux/cpuinfo/*", cpuinfo),
    ("linux/lscpu/*", lscpu),
    ("linux/os-release/*", os_release),
    ("linux/rapl/*", lambda p: {"joules": rapl.energy_joules(text(p))}),
    ("macos/ioreg/*", registry),
    ("macos/ioreport/macmon*", lambda p: macmon.parse(text(p))),
    ("macos/misc/swap*", swap),
    ("macos/pmset/*", pmset),
    ("macos/powermetrics/*.plist", power_plist),
    ("macos/python_platform/*", python_platform),
    ("macos/sw_vers/*", sw_vers),
    ("macos/sysctl/*", sysctl),
    ("macos/system_profiler/*.stderr", standard_error),
    ("macos/system_profiler/*notes.txt", notes),
    ("macos/system_profiler/hw_facts*", notes),
    ("macos/system_profiler/*.json", hardware),
    ("macos/uname/*", uname),
    ("macos/vm_stat/*", vm_stat),
    ("nvidia/*.csv", nvidia_csv),
    ("nvidia/*.xml", lambda p: cards(nvidia.xml(text(p)))),
)


def pattern_of(name: str) -> str:
    return next(pattern for pattern, _ in READERS if Path(name).match(pattern))


def read(folder: Path, name: str) -> Facts:
    return dict(READERS)[pattern_of(name)](folder / name)


each_folder = pytest.mark.parametrize("folder", FACTS, ids=lambda f: f.parent.name)


@each_folder
def test_a_capture_gives_the_facts_that_are_in_it(folder):
    for name in names(folder):
        expected = FACTS[folder][name]

        facts = json.loads(json.dumps(read(folder, name)))

        assert (name, {it: facts.get(it) for it in expected}) == (name, expected)


@each_folder
def test_every_capture_has_facts_and_every_fact_its_capture(folder):
    assert set(FACTS[folder]) == set(names(folder))


@each_folder
def test_every_capture_is_asked_for_at_least_one_fact(folder):
    assert [name for name, facts in FACTS[folder].items() if not facts] == []


def test_an_index_lists_the_captures_of_its_folder():
    for index in matching("INDEX.tsv"):
        with index.open(encoding="utf-8", newline="") as table:
            rows = csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)
            listed = {row["file"] for row in rows}

        assert listed >= set(names(index.parent))


def test_every_reader_has_a_capture_of_ours():
    assert {pattern_of(name) for name in names(OURS)} == {p for p, _ in READERS}


@pytest.mark.parametrize(
    "path", matching("nvidia/help-query-gpu.txt"), ids=lambda p: p.parts[-4]
)
def test_every_field_that_we_query_is_one_that_nvidia_smi_lists(path):
    heads = re.findall(r"^\"[\w.]+\".*$", path.read_text("utf-8"), re.MULTILINE)
    fields = {name for head in heads for name in re.findall(r'"([\w.]+)"', head)}

    assert set(NVIDIA_QUERY.split(",")) <= fields
