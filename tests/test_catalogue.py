"""The catalogues agree with the checked facts and with each other."""

import pytest

from benchdb.catalogue import SUITES, metrics, workloads

PARAMETERS = {
    ("lstm", "tensorflow"): 4_418,
    ("lstm", "torch"): 4_546,
    ("mnist", "tensorflow"): 101_770,
    ("mnist", "torch"): 101_770,
    ("resnet50", "tensorflow"): 23_604_104,
    ("resnet50", "torch"): 23_524_424,
    ("mobilenetv2", "tensorflow"): 2_268_232,
    ("mobilenetv2", "torch"): 2_234_120,
    ("distilbert", "tensorflow"): 66_959_624,
    ("distilbert", "torch"): 66_959_624,
    ("bert-large", "tensorflow"): 335_150_088,
    ("bert-large", "torch"): 335_150_088,
}


@pytest.mark.parametrize(("cell", "count"), PARAMETERS.items(), ids=str)
def test_parameter_counts_are_those_of_the_design(cell, count):
    workload, framework = cell

    assert workloads()[workload].parameter_count[framework] == count


def test_suites_name_workloads_that_can_be_collected():
    assert {
        name: [one for one in members if not workloads()[one].collected]
        for name, members in SUITES.items()
    } == {"standard": []}


def test_every_metric_has_a_unit_a_direction_and_a_title():
    for metric in metrics().values():
        assert metric.unit
        assert metric.title
        assert metric.direction in ("higher", "lower", "none")
