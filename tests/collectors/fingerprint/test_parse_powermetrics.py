"""What powermetrics and macmon print, where it is not what we hope for."""

import plistlib

from energy import macmon, powermetrics


def test_documents_are_separated_by_nul_and_the_last_may_be_cut():
    document = plistlib.dumps({"processor": {"cpu_power": 450.0, "gpu_power": 0.0}})

    found = powermetrics.plists(document + b"\0" + document + b"\0" + document[:90])

    assert len(found) == 2
    assert powermetrics.by_domain(found[0]) == {"cpu": 0.45, "gpu": 0.0}
    assert powermetrics.by_domain({}) == {}


def test_what_is_no_json_is_nothing():
    assert macmon.parse("error: no sensors") == {}
