"""What nvidia-smi prints, across ten years of drivers."""

import pytest
from fingerprint import nvidia as parse

OLD = """<nvidia_smi_log><driver_version>470.1</driver_version><gpu id="0">
<product_name>Tesla X1</product_name>
<clocks_throttle_reasons>
  <clocks_throttle_reason_gpu_idle>Active</clocks_throttle_reason_gpu_idle>
  <clocks_throttle_reason_sw_power_cap>Active</clocks_throttle_reason_sw_power_cap>
  <clocks_throttle_reason_hw_slowdown>Not Active</clocks_throttle_reason_hw_slowdown>
</clocks_throttle_reasons>
<power_readings><power_draw>61.50 W</power_draw><power_limit>180.00 W</power_limit>
<default_power_limit>250.00 W</default_power_limit>
<enforced_power_limit>170.00 W</enforced_power_limit></power_readings>
</gpu></nvidia_smi_log>"""
NEW = """<nvidia_smi_log><driver_version>600.1</driver_version><gpu id="0">
<product_name>NVIDIA X200</product_name>
<clocks_event_reasons>
  <clocks_event_reason_gpu_idle>Not Active</clocks_event_reason_gpu_idle>
  <clocks_event_reason_sw_thermal_slowdown>Active</clocks_event_reason_sw_thermal_slowdown>
</clocks_event_reasons>
<gpu_power_readings><average_power_draw>70.00 W</average_power_draw>
<instant_power_draw>72.25 W</instant_power_draw>
<current_power_limit>600.00 W</current_power_limit>
<default_power_limit>700.00 W</default_power_limit></gpu_power_readings>
<module_power_readings><power_draw>N/A</power_draw></module_power_readings>
<processes>
  <process_info><pid>11</pid><type>G</type></process_info>
  <process_info><pid>12</pid><type>C</type></process_info>
  <process_info><pid>13</pid><type>C+G</type></process_info>
</processes>
</gpu></nvidia_smi_log>"""


def test_both_spellings_give_the_same_facts():
    (old,), (new,) = parse.xml(OLD), parse.xml(NEW)

    assert (old["power_watts"], old["throttle_reasons"]) == (61.5, ("sw_power_cap",))
    assert (new["power_watts"], new["power_limit_watts"]) == (72.25, 600.0)
    assert new["throttle_reasons"] == ("sw_thermal_slowdown",)


def test_a_users_power_limit_is_told_from_the_default():
    (card,) = parse.xml(OLD)

    assert card["power_limit_watts"] == 170.0
    assert card["power_limit_default_watts"] == 250.0


def test_only_processes_that_compute_count():
    (card,) = parse.xml(NEW)

    assert card["processes"] == (12, 13)


@pytest.mark.parametrize(
    "printed",
    [
        "N/A",
        "[N/A]",
        "[Not Supported]",
        "Requested functionality has been deprecated",
        "",
    ],
)
def test_every_way_to_say_nothing_is_nothing(printed):
    assert parse.printed_text(printed) is None
    assert parse.number(printed) is None
    assert parse.switch(printed) is None


def test_no_driver_means_no_cards():
    failed = "NVIDIA-SMI has failed because it couldn't communicate with the driver."

    assert parse.xml(failed) == ()
    assert parse.query_csv(failed) == ()
    assert parse.xml(None) == parse.query_csv(None) == ()


def test_units_in_the_header_of_a_table_are_not_part_of_the_name():
    text = (
        "name, memory.total [MiB], ecc.mode.current\nNVIDIA X200, 1024 MiB, Disabled\n"
    )

    assert parse.query_csv(text) == (
        {"name": "X200", "memory_bytes": 2**30, "ecc": False},
    )
