"""An NVIDIA card: which one, what it is doing, and its energy."""

import pytest
from energy.meters import available_meters, open_meter
from energy.nvml import CardState, first_visible, open_card
from energy.nvml import open_meter as nvml_meter
from energy.readings import NoMeterError

from tests.collectors import nvml

LIKE = (
    {"index": 0, "name": "A", "uuid": "GPU-aaaa1111"},
    {"index": 1, "name": "A", "uuid": "GPU-bbbb2222"},
)
UNLIKE = (LIKE[0], {"index": 1, "name": "B", "uuid": "GPU-cccc3333"})


@pytest.mark.parametrize(
    ("cards", "asked", "order", "index"),
    [
        (LIKE, None, None, 0),
        (LIKE, "1", None, 1),
        (LIKE, "1,0", None, 1),
        (LIKE, "GPU-bbbb,GPU-aaaa", None, 1),
        (UNLIKE, "1", "PCI_BUS_ID", 1),
        (UNLIKE, None, "PCI_BUS_ID", 0),
        (UNLIKE, "GPU-cccc3333", None, 1),
        (LIKE[:1], "MIG-aaaa1111-2222", None, 0),
    ],
)
def test_the_card_is_the_one_that_cuda_calls_its_first(cards, asked, order, index):
    assert first_visible(cards, asked, order)["index"] == index


@pytest.mark.parametrize(
    ("cards", "asked", "why"),
    [
        ((), None, "finds no card"),
        (LIKE, "", "hides all"),
        (LIKE, "-1", "hides all"),
        (LIKE, "MIG-aaaa1111-2222", "MIG slice"),
        (LIKE, "GPU-dddd", "no card that NVML finds"),
        (UNLIKE, None, "CUDA_DEVICE_ORDER=PCI_BUS_ID"),
        (UNLIKE, "1", "CUDA_DEVICE_ORDER=PCI_BUS_ID"),
    ],
)
def test_a_card_that_cannot_be_told_is_not_guessed(cards, asked, why):
    with pytest.raises(NoMeterError, match=why):
        first_visible(cards, asked, None)


def test_the_state_of_a_card_is_read_at_once(monkeypatch):
    nvml.installed(monkeypatch, processes=[7, 9])
    card = open_card()

    assert card.state(slow=True) == CardState(1500, 50, 4, 97, frozenset({7, 9}))
    assert card.state(slow=False).processes is None


def test_what_a_card_does_not_tell_is_unknown(monkeypatch):
    unsupported = ["nvmlDeviceGetTemperature", "nvmlDeviceGetUtilizationRates"]
    nvml.installed(monkeypatch, unsupported=unsupported)

    state = open_card().state(slow=False)

    assert (state.celsius, state.utilisation_percent) == (None, None)
    assert state.sm_clock_mhz == 1500


def test_every_session_with_the_driver_is_ended(monkeypatch):
    fake = nvml.installed(monkeypatch)

    open_card().close()
    available_meters("cuda")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(NoMeterError):
        open_card()

    assert fake.asked["nvmlInit"] == fake.asked["nvmlShutdown"] == 3


def test_the_counter_of_the_visible_card_is_read(monkeypatch):
    nvml.installed(monkeypatch)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    meter = nvml_meter("cuda", open_card())

    (first,), (second,) = meter.read(), meter.read()

    watts = (second.joules["gpu"] - first.joules["gpu"]) / (second.at - first.at)
    assert (meter.source, meter.scope) == ("nvml_energy", "board")
    assert first.joules["gpu"] == pytest.approx(500 * first.at, rel=1e-2)
    assert watts > 0


def test_a_card_before_volta_has_its_power_integrated(monkeypatch):
    nvml.installed(monkeypatch, unsupported=["nvmlDeviceGetTotalEnergyConsumption"])
    meter = nvml_meter("cuda", open_card())

    (first,), (second,) = meter.read(), meter.read()

    expected = pytest.approx(250 * (second.at - first.at))
    assert meter.source == "nvml_power"
    assert first.joules == {"gpu": 0.0}
    assert second.joules == {"gpu": expected}


def test_a_superchip_counts_its_whole_module(monkeypatch):
    nvml.installed(monkeypatch, c2c=True)

    assert nvml_meter("cuda", open_card()).scope == "module"


def test_a_card_that_is_lost_midway_gives_no_reading(monkeypatch):
    fake = nvml.installed(monkeypatch)
    meter = nvml_meter("cuda", open_card())

    fake.given["unsupported"].append("nvmlDeviceGetTotalEnergyConsumption")

    assert meter.read() == []


@pytest.mark.parametrize(
    ("given", "why", "install"),
    [
        ({"watts": 0.0}, "tells neither its energy nor its power", "newer driver"),
        ({"mig": 1}, "divided by MIG and counts for all", "turn MIG off"),
        ({"broken": "Not Loaded"}, "NVML does not start (Not Loaded)", "nvidia-smi"),
        (
            {"unsupported": ["nvmlDeviceGetCount"]},
            "NVML does not open the card (Not Supported)",
            "nvidia-smi",
        ),
        (None, "nvidia-ml-py is not installed", "pip install nvidia-ml-py"),
    ],
)
def test_what_keeps_a_card_from_being_a_meter_is_said(given, why, install, monkeypatch):
    if given is None:
        nvml.absent(monkeypatch)
    else:
        nvml.installed(monkeypatch, **given)

    (result,) = available_meters("cuda")

    assert (result["name"], result["available"]) == ("nvml", False)
    assert why in result["why"]
    assert install in result["install"]


def test_a_driver_that_loses_its_cards_is_let_go(monkeypatch):
    fake = nvml.installed(monkeypatch, unsupported=["nvmlDeviceGetCount"])

    available_meters("cuda")

    assert fake.asked["nvmlShutdown"] == 1


def test_a_working_card_is_an_available_meter(monkeypatch):
    nvml.installed(monkeypatch)

    assert available_meters("cuda")[0]["available"] is True
    assert open_meter("cuda", None) == (None, {})
