"""Energy of an NVIDIA card: its own counter, or else its power over time."""

import time
from dataclasses import replace

from _energy import Integral, NoMeterError, Reading
from _energy_card import Card, open_card

_ENERGY = "nvmlDeviceGetTotalEnergyConsumption"  # mJ since the driver was loaded
_POWER = "nvmlDeviceGetPowerUsage"  # mW
_MIG_ON = 1


class EnergyCounter:
    """The card's counter, which has missed nothing between two readings."""

    source = "nvml_energy"

    def __init__(self, card: Card) -> None:
        """Read the counter of *card*, which stays its owner's."""
        self._card = card
        self.scope = _scope(card)

    def read(self) -> list[Reading]:
        """Return the counter now."""
        millijoules = self._card.ask(_ENERGY)
        if millijoules is None:
            return []
        return [Reading(time.monotonic(), {"gpu": millijoules / 1000})]

    def trouble(self) -> str | None:
        """Return nothing: what NVML does not answer now it may answer later."""
        return None

    def close(self) -> None:
        """Leave the card to its owner."""


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
        reading = self._integral.add(time.monotonic(), {"gpu": milliwatts / 1000})
        # A sample of the moment, taken where a phase begins and ends as well.
        return [replace(reading, since=None)]


def _scope(card: Card) -> str:
    """Return what is counted: processor and GPU together on a Grace-Hopper module."""
    link = card.ask("nvmlDeviceGetC2cModeInfoV")
    return "module" if link is not None and link.isC2cEnabled else "board"


def open_meter(card: Card) -> EnergyCounter:
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
        open_meter(card)
    finally:
        card.close()
