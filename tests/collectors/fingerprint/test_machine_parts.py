"""Decisions of the fingerprint that no single host shows."""

import pytest
from fingerprint import nvidia
from fingerprint.facts import ChipName
from fingerprint.macos import is_virtual

LIKE = ({"name": "A", "uuid": "GPU-11"}, {"name": "A", "uuid": "GPU-22"})
UNLIKE = ({"name": "A", "uuid": "GPU-11"}, {"name": "B", "uuid": "GPU-22"})


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"hw.model": "Macmini6,2", "machdep.cpu.features": "FPU VMM SSE"}, True),
        ({"hw.model": "VirtualMac2,1"}, True),
        ({"hw.model": "VMware7,1"}, True),
        ({"hw.model": "Mac16,1", "kern.hv_vmm_present": "1"}, True),
        ({"hw.model": "Mac16,1", "kern.hv_vmm_present": "0"}, False),
        ({"hw.model": "Mac16,1"}, None),
    ],
)
def test_a_virtual_mac_is_told_by_any_sign(values, expected):
    assert is_virtual(values, None) is expected


def test_a_chip_that_calls_itself_virtual_is_believed():
    named = ChipName("Apple", "M1", virtual=True)

    assert is_virtual({"kern.hv_vmm_present": "0"}, named) is True


@pytest.mark.parametrize(
    ("result", "asked", "order", "left"),
    [
        (LIKE, None, None, LIKE),
        (LIKE, "1", None, LIKE[1:]),
        (LIKE, "GPU-22", None, LIKE[1:]),
        (UNLIKE, "1", None, UNLIKE),
        (UNLIKE, "1", "PCI_BUS_ID", UNLIKE[1:]),
        (LIKE, "7", None, LIKE),
        (LIKE, "all", None, LIKE),
    ],
)
def test_numbers_of_unlike_cards_are_matched_only_in_pci_order(
    result, asked, order, left
):
    assert nvidia.visible(result, asked, order) == left


def test_our_own_process_is_not_another():
    card = {"processes": (10, 11, 12), "throttle_reasons": ()}

    result = nvidia.state((card,), own={10, 11})

    assert result["gpu_other_processes"] == 1
    assert result["gpu_throttle_reasons"] == "none"


def test_what_a_card_does_not_tell_is_absent():
    assert nvidia.state(({"name": "A"},), own=set()) == {"gpu_count": 1}
