"""What Macs that cannot measure on Metal are told, and what doctor says of each Mac."""

import json
from collections.abc import Callable

import pytest

from tests.collectors.fake_macs import BOTH, NO_PLUGIN, TENSORFLOW, Mac, together
from tests.command_line import Outcome

BROKEN, TOO_NEW = ((("FAKE_TENSORFLOW", how),) for how in ("broken", "too-new"))
# Who is refused, what for, and what to do about it.
REFUSED = {
    "rosetta": (Mac("rosetta"), "torch", "under Rosetta", "install an arm64 Python"),
    "intel": (Mac("intel"), "torch", "Intel processor", "--no-metal"),
    "intel, mlx": (Mac("intel"), "mlx", "Intel processor", "--no-metal"),
    "vm, mlx": (Mac("vm"), "mlx", "finds no Metal device", "measure on the Mac itself"),
    "vm": (Mac("vm"), "torch", "finds no Metal device", "measure on the Mac itself"),
    "no plug-in": (
        Mac("m4_max", NO_PLUGIN),
        "tensorflow",
        "TensorFlow 2.19.1 finds no Metal device (no tensorflow-metal)",
        'pip install "tensorflow>=2.18,<2.20" tensorflow-metal==1.2.0',
    ),
    "too new": (
        Mac("m4_max", TENSORFLOW, TOO_NEW),
        "tensorflow",
        "Symbol not found",
        'install it anew with: pip install "tensorflow>=2.18,<2.20"',
    ),
    "broken": (
        Mac("m4_max", TENSORFLOW, BROKEN),
        "tensorflow",
        "Library not loaded",
        'install it anew with: pip install "tensorflow>=2.18,<2.20"',
    ),
}
# What doctor finds to spoil a measurement there.
SPOILT = {
    "m5": None,
    "m1_pro_hot": "the machine is hot (pressure heavy); let it cool down",
    "m2_on_battery": "on battery; plug it in",
    "m4_low_power": "Low Power Mode is on; turn it off",
    "m3_max_busy": "memory is short (pressure critical)",
    "rosetta": "this Python runs under Rosetta; install a Python for arm64",
    "vm": "this is a virtual machine",
    "intel": "the CPU is held at 72 % of its speed; let it cool down",
}
WITH_METAL = {"m5", "m1_pro_hot", "m2_on_battery", "m4_low_power", "m3_max_busy"}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory) -> dict[str, Outcome]:
    db = tmp_path_factory.mktemp("macs") / "none.sqlite"

    def collected(mac: Mac, framework: str) -> Callable[[], Outcome]:
        options = ("--metal", "--framework", framework, "--tier", "smoke", "--db", db)
        return lambda: mac.benchdb("collect", "matmul", *options)

    def examined(mac: Mac) -> Callable[[], Outcome]:
        return lambda: mac.benchdb("doctor", "--json", "--db", db)

    done = together(
        {name: collected(mac, text) for name, (mac, text, *_) in REFUSED.items()}
        | {f"doctor {host}": examined(Mac(host, BOTH, zeus=True)) for host in SPOILT}
    )
    assert not db.exists()
    return done


@pytest.mark.parametrize("name", REFUSED)
def test_a_mac_without_metal_is_told_why_and_what_to_do(name, outcomes):
    _, _, why, remedy = REFUSED[name]
    done = outcomes[name]

    assert (done.status, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert line.startswith("benchdb: ")
    assert why in line
    assert remedy in line


@pytest.mark.parametrize("host", SPOILT)
def test_doctor_tells_whether_torch_has_metal_and_what_spoils_it(host, outcomes):
    done = outcomes[f"doctor {host}"]
    result = json.loads(done.out)
    torch = next(item for item in result["frameworks"] if item["framework"] == "torch")
    metal = torch["devices"]["metal"]

    assert done.status == 0
    assert metal["available"] is (host in WITH_METAL)
    assert metal["available"] or metal["install"]
    texts = [f"{item['what']}; {item['advice']}" for item in result["spoilers"]]
    own = [text for text in texts if not text.startswith("other work is running")]
    expected = SPOILT[host]
    assert own == [] if expected is None else any(expected in text for text in own)


@pytest.mark.parametrize("host", sorted(WITH_METAL))
def test_doctor_tells_the_energy_meters_of_apple_silicon(host, outcomes):
    meters = json.loads(outcomes[f"doctor {host}"].out)["meters"]["metal"]

    there = {meter["name"]: meter["available"] for meter in meters}
    assert (there["zeus_apple_silicon"], there["macmon"]) == (True, True)


def test_doctor_says_the_same_in_words():
    done = Mac("m4_low_power", BOTH).benchdb("doctor")

    assert "yes, Apple M4" in done.out
    assert "Low Power Mode is on" in done.out
    assert "macOS" in done.out
