"""The one NVIDIA card that a worker computes on, as NVML shows it, and its energy."""

import importlib
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from fingerprint.nvidia import visible

from energy.readings import Integral, Meter, NoMeterError, Reading

Gpu = dict[str, Any]

# Renamed by NVIDIA; which of them there is depends on binding and driver.
_REASONS = (
    "nvmlDeviceGetCurrentClocksEventReasons",
    "nvmlDeviceGetCurrentClocksThrottleReasons",
)
_CELSIUS = ("nvmlDeviceGetTemperatureV", "nvmlDeviceGetTemperature")
_CLOCK_SM, _SENSOR_GPU = 1, 0  # NVML_CLOCK_SM, NVML_TEMPERATURE_GPU
_ENERGY = "nvmlDeviceGetTotalEnergyConsumption"  # mJ since the driver was loaded
_POWER = "nvmlDeviceGetPowerUsage"  # mW
_MIG_ON = 1


@dataclass(frozen=True)
class CardState:
    """What a card was doing at a moment; None is what it does not tell."""

    sm_clock_mhz: int | None = None
    celsius: int | None = None
    reasons: int | None = None
    utilisation_percent: int | None = None
    processes: frozenset[int] | None = None


class Card:
    """A card, open until closed."""

    def __init__(self, nvml: Any, handle: Any) -> None:
        """Take over a session of *nvml* and the handle of a card in it."""
        self._nvml = nvml
        self._handle = handle
        self._reasons = self._first_answering(_REASONS)
        self._celsius = self._first_answering(_CELSIUS, _SENSOR_GPU)

    def ask(self, question: str, *arguments: Any) -> Any:
        """Return what NVML answers; None where binding, driver or card do not."""
        try:
            return getattr(self._nvml, question)(self._handle, *arguments)
        except (AttributeError, self._nvml.NVMLError):
            return None

    def _first_answering(self, names: Sequence[str], *arguments: Any) -> str:
        answering = (n for n in names if self.ask(n, *arguments) is not None)
        return next(answering, names[0])

    def celsius(self) -> int | None:
        """Return the temperature of the GPU."""
        number: int | None = self.ask(self._celsius, _SENSOR_GPU)
        return number

    def processes(self) -> frozenset[int] | None:
        """Return the ids of what computes on the card, of whatever namespace."""
        result = self.ask("nvmlDeviceGetComputeRunningProcesses")
        return None if result is None else frozenset(process.pid for process in result)

    def state(self, *, slow: bool) -> CardState:
        """Return the state now; what changes slowly or costs much only if *slow*.

        Utilisation is a mean over up to a second, and processes take long to list.
        """
        rates = self.ask("nvmlDeviceGetUtilizationRates") if slow else None
        return CardState(
            sm_clock_mhz=self.ask("nvmlDeviceGetClockInfo", _CLOCK_SM),
            celsius=self.celsius() if slow else None,
            reasons=self.ask(self._reasons),
            utilisation_percent=None if rates is None else rates.gpu,
            processes=self.processes() if slow else None,
        )

    def close(self) -> None:
        """End the session."""
        with suppress(self._nvml.NVMLError):
            self._nvml.nvmlShutdown()


def open_card() -> Card:
    """Return the first card that CUDA_VISIBLE_DEVICES leaves.

    A worker uses no other.
    """
    try:
        nvml = importlib.import_module("pynvml")
    except ImportError:
        raise NoMeterError(
            "nvidia-ml-py is not installed", "pip install nvidia-ml-py"
        ) from None
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as failure:
        raise NoMeterError(
            f"NVML does not start ({failure})",
            "see that nvidia-smi runs, and reboot after an update of the driver",
        ) from None
    asked = os.environ.get("CUDA_VISIBLE_DEVICES")
    order = os.environ.get("CUDA_DEVICE_ORDER")
    try:
        cards = []  # by PCI address, as NVML counts them
        for index in range(nvml.nvmlDeviceGetCount()):
            # Unless it has fallen off the bus, or is not ours to open.
            with suppress(nvml.NVMLError):
                handle = nvml.nvmlDeviceGetHandleByIndex(index)
                name = nvml.nvmlDeviceGetName(handle)
                uuid = nvml.nvmlDeviceGetUUID(handle)
                cards.append({"handle": handle, "name": name, "uuid": uuid})
        return Card(nvml, first_visible(tuple(cards), asked, order)["handle"])
    except BaseException as failure:
        nvml.nvmlShutdown()
        if not isinstance(failure, nvml.NVMLError):
            raise
        raise NoMeterError(
            f"NVML does not open the card ({failure})", "see that nvidia-smi runs"
        ) from None


def first_visible(cards: tuple[Gpu, ...], asked: str | None, order: str | None) -> Gpu:
    """Return the card that is CUDA's number 0, where that can be told."""
    first = None if asked is None else asked.partition(",")[0].strip()
    if not cards or first in {"", "-1"}:
        why = "NVML finds no card" if not cards else "CUDA_VISIBLE_DEVICES hides all"
        raise NoMeterError(why, "see what nvidia-smi -L lists")
    left = visible(cards, first, order)
    if len(cards) > 1 and first is not None and first.startswith("MIG-"):
        raise NoMeterError(
            "CUDA_VISIBLE_DEVICES names a MIG slice, not its card",
            "name a whole card by its GPU- id",
        )
    if not left:
        raise NoMeterError(
            "CUDA_VISIBLE_DEVICES names no card that NVML finds",
            "see what nvidia-smi -L lists",
        )
    if len({card["name"] for card in left}) > 1 and order != "PCI_BUS_ID":
        raise NoMeterError(
            "CUDA and NVML count unlike cards in another order",
            "set CUDA_DEVICE_ORDER=PCI_BUS_ID",
        )
    return left[0]


class EnergyCounter(Meter):
    """The card's counter, which has missed nothing between two readings."""

    source = "nvml_energy"

    def __init__(self, card: Card) -> None:
        """Read the counter of *card*, which stays its owner's."""
        self._card = card
        # Processor and GPU together on a Grace-Hopper module.
        link = card.ask("nvmlDeviceGetC2cModeInfoV")
        whole = link is not None and link.isC2cEnabled
        self.scope = "module" if whole else "board"

    def read(self) -> list[Reading]:
        """Return the counter now."""
        millijoules = self._card.ask(_ENERGY)
        if millijoules is None:
            return []
        return [Reading(time.monotonic(), {"gpu": millijoules / 1000})]


class PowerOverTime(EnergyCounter):
    """Power as sampled, for cards before Volta, which count no energy.

    What is sampled is a mean over a second on most cards since Ampere.
    """

    source = "nvml_power"

    def __init__(self, card: Card) -> None:
        """Sample the power of *card*, which stays its owner's."""
        super().__init__(card)
        self._integral = Integral()

    def read(self) -> list[Reading]:
        """Return the energy so far, as if power had not changed since last time."""
        milliwatts = self._card.ask(_POWER)
        if milliwatts is None:
            return []
        readings = self._integral.add(time.monotonic(), {"gpu": milliwatts / 1000})
        # A sample of the moment, taken where a phase begins and ends as well.
        return [replace(reading, since=None) for reading in readings]


def open_meter(_device: str, card: Card) -> EnergyCounter:
    """Return the better of the two that *card* has."""
    mode = card.ask("nvmlDeviceGetMigMode")
    if mode is not None and mode[0] == _MIG_ON:
        raise NoMeterError(
            "the card is divided by MIG and counts for all its slices",
            "turn MIG off for a figure",
        )
    # Zero as well: some virtual GPUs answer it for want of a counter.
    if card.ask(_ENERGY):
        return EnergyCounter(card)
    if card.ask(_POWER):
        return PowerOverTime(card)
    raise NoMeterError(
        "the card tells neither its energy nor its power",
        "a newer driver, or the host of a virtual machine, may",
    )


def check() -> None:
    """Raise NoMeterError where there is no such meter."""
    card = open_card()
    try:
        open_meter("cuda", card)
    finally:
        card.close()
