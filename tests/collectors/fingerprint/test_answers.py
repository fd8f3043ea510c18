"""What commands of macOS printed leaves the machine without anybody in it."""

import json
import re

import pytest
from energy import macmon, powermetrics
from fingerprint import macos
from fingerprint.answers import LEFT_OUT, shareable
from fingerprint.facts import extract

from tests.collectors import captures

IDENTIFYING = re.compile(
    r"serial(?!debugmode)|[0-9a-f]{8}-[0-9a-f]{4}-|(?:[0-9a-f]{2}[:-]){5}|\d+\.\d+\.\d+\.\d+"
    r"|/Users/|/home/|/var/|\bid=",
    re.IGNORECASE,
)
GPU = "ioreg -r -c AGXAccelerator -d 1 -w0"
PROFILER = "system_profiler -json SPHardwareDataType SPDisplaysDataType"


def conditions(text):
    return macos.power_mode(text, "ac"), macos.power_mode(text, "battery")


def known_to_the_fingerprint(text):
    values = macos.sysctl(text)
    names = ("hw.memsize", "hw.model", "machdep.cpu.brand_string", "vm.swapusage")
    return (
        macos.core_levels(values),
        macos.core_count(values),
        {name: values.get(name) for name in names},
    )


# Captures by folder, the command that printed such, and what is read of them.
READ = {
    "sysctl/*": ("sysctl hw", known_to_the_fingerprint),
    "ioreg/agx*": (GPU, lambda text: extract(text, macos.GPU_REGISTRY)),
    "pmset/batt*": ("pmset -g batt", lambda text: extract(text, macos.BATTERY)),
    "pmset/custom*": ("pmset -g custom", conditions),
    "pmset/therm*": ("pmset -g therm", lambda text: extract(text, macos.THERMAL)),
    "vm_stat/*": ("vm_stat", macos.vm_stat),
    "sw_vers/*": ("sw_vers", macos.fields),
    "uname/*.txt": ("uname -rvm", macos.uname),
    "system_profiler/*.json": (
        PROFILER,
        lambda text: (macos.hardware(text), macos.displays(text)),
    ),
    "ioreport/macmon*": ("macmon pipe -s 1", macmon.parse),
}
CASES = [
    pytest.param(path, *how, id=f"{path.parent.name}/{path.name}")
    for pattern, how in READ.items()
    for path in captures.matching(f"macos/{pattern}")
    if "_n_" not in path.name and "memory" not in path.name
]


@pytest.mark.parametrize(("path", "command", "read"), CASES)
def test_what_is_kept_is_read_as_what_was_printed_and_names_nobody(path, command, read):
    printed = path.read_text(encoding="utf-8")

    kept = shareable({command: printed}).get(command, "")

    assert read(kept) == read(printed)
    without_names = re.sub(rf'"{LEFT_OUT}"[^\]]*', "", kept)
    without_names = re.sub(r'^ *"[\w -]+" =$', "", without_names, flags=re.MULTILINE)
    assert IDENTIFYING.findall(without_names) == []


def test_of_powermetrics_the_watts_are_kept_and_no_time_or_boot():
    document = captures.OURS / "macos/powermetrics/powers.plist"
    printed = document.read_text(encoding="utf-8")
    line = "sudo -n powermetrics --format plist -n 1"

    kept = shareable({line: printed})[line]

    before, after = (powermetrics.plists(x.encode())[0] for x in (printed, kept))
    assert powermetrics.by_domain(after) == powermetrics.by_domain(before) != {}
    assert not {"kern_boottime", "timestamp", "kern_osversion"} & after.keys()


HOSTILE = {
    "pmset -g custom": (
        "AC Power:\n powermode            2\n"
        " sleep                0 (sleep prevented by Jane Doe's Talk, caffeinate)\n"
        " hibernatefile        /Users/janedoe/sleepimage\n"
    ),
    "pmset -g batt": (
        "Now drawing from 'AC Power'\n"
        " -InternalBattery-0 (id=7340131)\t57%; charging; 1:12 remaining\n"
    ),
    GPU: (
        "+-o AGXAcceleratorG17X  <class AGXAcceleratorG17X, id 0x1000002ff>\n"
        '    {\n      "model" = "Apple M7 Max"\n      "soc-core-count" = 48\n'
        '      "AppUsage" = ({"API"="Metal","owner"="pid 4456547, jane"})\n'
        '      "IOUserClientCreator" = "pid 4456547, train.py"\n'
        '      "IOPlatformSerialNumber" = "C02SERIAL77"\n    }\n'
    ),
    PROFILER: json.dumps(
        {
            "SPHardwareDataType": [
                {
                    "chip_type": "Apple M7 Max",
                    "soc_name": "Apple M7 Max",
                    "serial_number": "C02SERIAL77",
                    "platform_UUID": "9F1B7C3E-1111-4222-8333-ABCDEF012345",
                    "user_name": "Jane Doe (janedoe)",
                    "local_host_name": "Janes-Mac",
                }
            ],
            "SPDisplaysDataType": [
                {"sppci_cores": "48", "spdisplays_ndrvs": [{"_name": "Jane's"}]}
            ],
            "SPNetworkDataType": [{"ip": "192.168.1.17"}],
        }
    ),
    "sysctl hw": "hw.perflevel0.name: Super\nhw.uuid: 9F1B7C3E-1111-4222-8333-AB\n",
    "sysctl kern": "kern.hostname: Janes-Mac.local\n",
    "uname -rvm": "Darwin Janes-Mac.local 25.4.0 Darwin Kernel Version 25.4.0: x\n",
    "ioreg -r -d 1 -c IOPlatformExpertDevice": '"IOPlatformUUID" = "9F1B7C3E"\n',
    "ifconfig": "ether a4:83:4e:5f:6a:7b\n",
}


def test_of_a_mac_that_tells_on_its_owner_only_shapes_that_are_known_are_kept():
    kept = shareable(HOSTILE)

    text = json.dumps(kept)
    secrets = ("ane", "C02", "9F1B", "73401", "44565", "192.", "Users", "a4:", "train")
    assert [secret for secret in secrets if secret in text] == []
    # What is new is there by its name, or by its value where that is harmless.
    assert '"soc-core-count" =' in kept[GPU]
    assert '"soc_name": "Apple M7 Max"' in kept[PROFILER]
    assert "serial_number" in kept[PROFILER]
    assert kept["pmset -g batt"].endswith("57%; charging; ")
    assert kept["sysctl hw"] == "hw.perflevel0.name: Super"
    assert kept.keys().isdisjoint({"ifconfig", "sysctl kern", "uname -rvm"})
