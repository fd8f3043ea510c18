"""The catalogues agree with the checked facts and with each other."""

import _catalogue
import _choices
import pytest

from benchdb.catalogue import metrics, suites, workloads

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


def test_the_suites_are_the_standard_one_and_one_for_each_source():
    found = {name: suite.source for name, suite in suites().items()}

    assert found.pop("standard") is None
    assert found == {name: name for name in found}
    assert set(found) == {source for w in workloads().values() for source in w.sources}


@pytest.mark.parametrize("name", suites())
def test_suites_name_workloads_settings_and_axes_that_there_are(name):
    for entry in suites()[name].entries:
        facts = _catalogue.workloads()[entry.workload]
        setting = entry.setting or _catalogue.settings(facts)[0]

        assert setting in _catalogue.settings(facts)
        assert set(entry.grid) <= set(_choices.settable(facts, setting))


@pytest.mark.parametrize("name", workloads())
def test_a_sweep_says_its_operations_for_every_point_or_once_for_all(name):
    workload = workloads()[name]
    given = workload.train_flops_per_sample
    points = [set(one) - {"flops"} for one in given] if isinstance(given, tuple) else []

    assert all(point <= set(workload.grid) for point in points)


@pytest.mark.parametrize("name", workloads())
def test_every_workload_says_how_much_work_it_is(name):
    known = workloads()[name]

    trained = known.kind != "operation"
    assert bool(known.train_flops_per_sample) is trained
    assert (known.work is None) is trained
    assert trained or " operations a" in str(known.work)


def test_the_catalogue_is_read_as_the_collectors_read_it():
    assert list(workloads()) == list(_catalogue.workloads())
    assert list(suites()) == list(_catalogue.suites())


def test_every_metric_has_a_unit_a_direction_and_a_title():
    for metric in metrics().values():
        assert metric.unit
        assert metric.title
        assert metric.direction in ("higher", "lower", "none")
