"""What macOS prints about its state: power, heat and memory."""

import pytest
from fingerprint import macos as parse
from fingerprint.facts import extract

BOTH_KEYS = """Battery Power:
 lowpowermode         1
 Sleep On Power Button 1
AC Power:
 lowpowermode         0
 sleep                0 (sleep prevented by backupd, lowpowermode 1)
"""


def test_low_power_mode_is_that_of_the_current_source():
    assert parse.power_mode(BOTH_KEYS, "battery") == {"low_power_mode": True}
    assert parse.power_mode(BOTH_KEYS, "ac") == {"low_power_mode": False}


@pytest.mark.parametrize(
    ("value", "mode", "low"),
    [(0, "automatic", False), (1, "low", True), (2, "high", False)],
)
def test_powermode_has_three_values(value, mode, low):
    result = parse.power_mode(f"AC Power:\n powermode   {value}\n", "ac")

    assert result == {"power_mode": mode, "low_power_mode": low}


def test_a_mac_without_the_setting_has_no_mode():
    assert parse.power_mode("AC Power:\n womp   1\n", "ac") == {}
    assert parse.power_mode(None, None) == {}


def test_names_with_spaces_tabs_and_comments_are_read():
    text = "System-wide power settings:\n SleepDisabled\t\t1\n" + BOTH_KEYS

    groups = parse.settings(text)

    assert groups["System-wide power settings"] == {"SleepDisabled": "1"}
    assert groups["Battery Power"]["Sleep On Power Button"] == "1"
    assert groups["AC Power"]["sleep"] == "0"


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("charged; 0:00 remaining", "charged"),
        ("charging; 1:23 remaining", "charging"),
        ("discharging; (no estimate)", "discharging"),
        ("AC attached; not charging", "AC attached; not charging"),
    ],
)
def test_a_battery_has_four_states(state, expected):
    text = (
        f"Now drawing from 'AC Power'\n -InternalBattery-0\t42%; {state} present: true"
    )

    result = extract(text, parse.BATTERY)

    assert result["battery_percent"] == 42
    assert result["battery_state"] == expected


def test_a_desktop_has_a_source_and_no_battery():
    printed = "Now drawing from 'AC Power'\n"

    assert extract(printed, parse.BATTERY) == {"power_source": "ac"}


def test_no_thermal_record_is_no_evidence():
    note = "Note: No thermal warning level has been recorded"
    limited = extract(" CPU_Speed_Limit \t= 64\n", parse.THERMAL)

    assert extract(note, parse.THERMAL) == {}
    assert limited == {"cpu_speed_limit_percent": 64}


@pytest.mark.parametrize(
    ("level", "name"),
    [
        (0, "nominal"),
        (1, "moderate"),
        (2, "heavy"),
        (4, "sleeping"),
        (9, None),
        (None, None),
    ],
)
def test_thermal_pressure_has_names(level, name):
    assert parse.thermal_pressure(level) == name


@pytest.mark.parametrize("page", [4096, 16384])
def test_the_page_size_is_read_and_new_rows_do_no_harm(page):
    text = f"""Mach Virtual Memory Statistics: (page size of {page} bytes)
Pages free:          10.
Pages inactive:      20.
Pages speculative:    5.
"Translation faults": 7.
Pages tagged:         9.
Swapins:              2.
"""
    result = parse.vm_stat(text)

    assert result["available_bytes"] == 35 * page
    assert result["swapins_bytes"] == 2 * page


@pytest.mark.parametrize("used", ["512.50M", "512,50M"])
def test_swap_is_read_with_either_decimal_sign(used):
    printed = f"total = 1024.00M  used = {used}  free = 1.00M"

    assert extract(printed, parse.SWAP) == {"swap_used_bytes": 537395200}


def test_nothing_printed_means_nothing_known():
    assert extract(None, parse.BATTERY | parse.THERMAL | parse.SWAP) == {}
    assert parse.vm_stat(None) == {}
