"""The catalogues agree with the checked facts and with each other."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from harness import cells

from benchdb.catalogue import collected, metrics, suites, workloads
from tests.shared_material import SHARED

Counts = dict[tuple[str, str], int]
# The collected facts count one network under several names, by classes and size.
COLLECTED_NAMES = {
    ("lstm", "tensorflow"): "lstm.keras",
    ("lstm", "torch"): "lstm.torch",
    ("mnist", "tensorflow"): "mnist_mlp",
    ("mnist", "torch"): "mnist_mlp",
    ("resnet50", "tensorflow"): "resnet50.keras.8cls.224",
    ("resnet50", "torch"): "resnet50.torch.8cls.224",
    ("mobilenetv2", "tensorflow"): "mobilenet_v2.keras.8cls.224",
    ("mobilenetv2", "torch"): "mobilenet_v2.torch.8cls.224",
    ("mobilenetv2/pytorch-in-m1", "torch"): "mobilenet_v2.torch.10cls.224",
    ("distilbert", "tensorflow"): "distilbert.8cls.seq128",
    ("distilbert", "torch"): "distilbert.8cls.seq128",
    ("bert-large", "tensorflow"): "bert-large.8cls.seq128",
    ("bert-large", "torch"): "bert-large.8cls.seq128",
    ("vgg16", "torch"): "vgg16.torch.10cls.224",
    ("alexnet", "torch"): "alexnet.torch.10cls.224",
    ("resnet18", "torch"): "resnet18.torch.10cls.224",
    ("efficientnet-b0", "torch"): "efficientnet_b0.torch.10cls.224",
    ("mobilenetv2-cifar10", "torch"): "mobilenet_v2.torch.10cls.96",
}


def by_framework(counts: Mapping[str, Mapping[str, int]]) -> Counts:
    return {
        (workload, framework): count
        for workload, frameworks in counts.items()
        for framework, count in frameworks.items()
    }


def tables() -> dict[str, Counts]:
    """Return the tables of parameter counts: ours, and the collected where it is."""
    ours = Path(__file__).parents[2] / "fixtures" / "parameter_counts.json"
    counts = {"ours": by_framework(json.loads(ours.read_text("utf-8")))}
    if SHARED.is_dir():
        path = SHARED / "facts" / "workloads.json"
        facts: dict[str, Any] = json.loads(path.read_text("utf-8"))["workloads"]
        counts["collected"] = {
            place: facts[name]["params"] for place, name in COLLECTED_NAMES.items()
        }
    return counts


def catalogued() -> Counts:
    """Return the parameter counts of every workload, in each of its settings."""
    counts = {}
    for name, facts in cells.workloads().items():
        first, *others = cells.settings(facts)
        counts[name] = cells.in_setting(facts, first)["parameter_count"]
        for setting in others:
            own = cells.in_setting(facts, setting)
            counts[f"{name}/{setting}"] = own["parameter_count"]
    return by_framework(counts)


@pytest.mark.parametrize("table", tables().values(), ids=tables())
def test_parameter_counts_are_those_of_a_table(table):
    assert table.items() <= catalogued().items()


def test_every_network_stands_in_the_table_of_parameter_counts():
    assert tables()["ours"].keys() == catalogued().keys()


def test_benchdb_and_its_collectors_read_the_same_parameter_counts():
    known = {name: workload.parameter_count for name, workload in collected().items()}

    assert by_framework(known).items() <= catalogued().items()


def test_the_suites_are_the_standard_one_and_one_for_each_source():
    values = {name: suite.source for name, suite in suites().items()}

    assert values.pop("standard") is None
    assert values.pop("language-models") is None
    assert values == {name: name for name in values}
    assert set(values) == {source for w in collected().values() for source in w.sources}


@pytest.mark.parametrize("name", suites())
def test_suites_name_workloads_settings_and_axes_that_there_are(name):
    for entry in suites()[name].entries:
        facts = cells.workloads()[entry.workload]
        setting = entry.setting or cells.settings(facts)[0]

        assert setting in cells.settings(facts)
        assert set(entry.grid) <= set(cells.settable(facts, setting))


@pytest.mark.parametrize("name", collected())
def test_a_sweep_says_its_operations_for_every_point_or_once_for_all(name):
    workload = collected()[name]
    given = workload.train_flops_per_sample
    points = (
        [set(item) - {"flops"} for item in given] if isinstance(given, tuple) else []
    )

    assert all(point <= {*workload.grid, *workload.choices} for point in points)


@pytest.mark.parametrize("name", collected())
def test_every_workload_says_how_much_work_it_is(name):
    known = collected()[name]

    trained = known.trains
    assert bool(known.train_flops_per_sample) is trained
    assert (known.work is None) is trained
    assert trained or " operations a" in str(known.work)


def test_the_catalogue_is_read_as_the_collectors_read_it():
    assert list(collected()) == list(cells.workloads())
    assert list(suites()) == list(cells.suites())


def test_work_of_others_names_its_cell_and_has_no_shapes_that_a_collector_could_run():
    others = workloads().keys() - collected().keys()

    assert others == workloads().keys() - cells.workloads().keys()
    assert {"llm-generate", "whisper-transcribe"} <= others
    for name in others:
        entry = workloads()[name]
        assert entry.cell
        assert set(entry.headlines) <= metrics().keys()
        assert (entry.sources, entry.parameters, entry.settings) == ((), {}, {})


def test_every_metric_has_a_unit_a_direction_and_a_title():
    for metric in metrics().values():
        assert metric.unit
        assert metric.title
        assert metric.direction in ("higher", "lower", "none")
