"""Phoronix: results of one or several systems in a composite.xml."""

import pytest

from benchdb.importing.about import NOTHING
from benchdb.importing.document import DocumentError
from benchdb.importing.tools import phoronix
from benchdb.importing.tools.phoronix_scales import scale
from benchdb.importing.tools.phoronix_systems import described, parts
from tests.foreign_files import OURS, SAMPLES, document, taken, written


def composite(
    value="", raw="", display="BAR_GRAPH", told="", name="pts/x-1.0", unit="s"
):
    return taken(
        phoronix,
        written(
            f"<PhoronixTestSuite><Result><Identifier>{name}</Identifier>"
            f"<Scale>{unit}</Scale><DisplayFormat>{display}</DisplayFormat><Data>"
            f"<Entry><Identifier>mine</Identifier><Value>{value}</Value><RawString>"
            f"{raw}</RawString><JSON>{told}</JSON></Entry></Data></Result>"
            "<Result/></PhoronixTestSuite>"
        ),
    )


def test_a_time_of_0_000_is_shorter_than_its_digits():
    sample = SAMPLES / "phoronix_composite_fragment.xml"
    (run,) = taken(phoronix, document(sample)).runs

    (value,) = run.end.values
    assert (value.metric, value.value, value.printed) == (
        *("operation_seconds", None, "0.000"),
    )
    assert run.run.parameters["arguments"] == "--benchmarks=readhot --num=1000000"
    assert run.run.conditions == {"test-run-times": "3.85:3.75:3.74"}


def test_systems_are_told_by_their_entries():
    read = taken(phoronix, document(OURS / "phoronix_composite.xml"))

    fast, slow = read.runs[:2]
    chip = fast.machine.chip
    assert (chip.vendor, chip.name, chip.cpu_cores) == ("AMD", "Ryzen 9 9999X", 16)
    assert chip.ram_bytes == 64 * 2**30
    assert [card.name for card in chip.accelerators] == ["GeForce RTX 9090"]
    assert (fast.environment.os_name, fast.environment.os_version) == (
        "Ubuntu",
        "24.04",
    )
    assert fast.environment.architecture == "x86_64"
    assert fast.run.compiler == "GCC 13.2.0"
    assert fast.end.values[0].value == 12.5
    assert (slow.machine.chip.name, slow.environment.os_name) == ("M9", "macOS")
    assert "jane" not in str(read)


def test_a_figure_stands_where_its_element_does():
    sample = OURS / "phoronix_composite.xml"
    lines = sample.read_text(encoding="utf-8").splitlines()

    for run in taken(phoronix, document(sample)).runs:
        for value in run.end.values:
            if value.locator is not None:
                place, _, element = value.locator.partition(", element ")
                line = lines[int(place.removeprefix("line ")) - 1]
                assert f"<{element}>" in line


def test_the_display_of_a_server_is_no_accelerator():
    told = "Processor: Ours 9, Memory: 8GB, Graphics: ASPEED"

    assert described(parts(told), "m1").chip.accelerators == ()


def test_an_entry_without_a_result_failed():
    read = taken(phoronix, document(OURS / "phoronix_composite.xml"))

    assert [one.end.reason for one in read.runs if one.end.status == "failed"] == [
        *("the test quit", "the test produced no result"),
    ]


def test_a_value_without_samples_is_an_aggregate():
    (run,) = composite("2.5", told="no JSON").runs

    assert (run.run.label, run.end.values[0].printed) == ("aggregate", "2.5")


def test_a_scale_that_nobody_knows_leaves_a_reported_value():
    (run,) = composite("3", raw="-3:-3", unit="Bogo Ops").runs

    assert run.end.values[0].metric == "reported_value"
    assert (run.end.values[0].value, run.series) == (-3, ())
    assert run.run.missing["metric"] == "no metric for Bogo Ops"


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"value": "1,2,3"}, "readings for a line chart"),
        ({"value": "1", "raw": "1:x"}, "'x', no number"),
        ({"value": "PASS", "display": "PASS_FAIL"}, "PASS_FAIL is no figure"),
        ({"value": "1", "name": ""}, "neither an identifier nor a title"),
    ],
)
def test_an_entry_that_is_no_figure_is_refused(facts, why):
    (bad,) = composite(**facts).bad

    assert why in bad.reason
    assert bad.number == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            '<!DOCTYPE PhoronixTestSuite [<!ENTITY a "b">]>',
            "line 1: a DOCTYPE or ENTITY",
        ),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd">', "a DOCTYPE or ENTITY"),
        ("<a>" * 70, "nested too deeply"),
        ("<other/>", "line 1: other is no PhoronixTestSuite"),
        ("<a>", "no XML"),
        ("<a>&x;</a>", "no XML (undefined entity)"),
    ],
)
def test_xml_that_could_do_more_than_tell_is_refused(text, why):
    found = written(f"{text}<!-- <PhoronixTestSuite> -->")

    assert phoronix.recognises(found)
    with pytest.raises(DocumentError) as refused:
        list(phoronix.read(found, NOTHING))
    assert why in str(refused.value)


def test_bytes_that_are_no_text_are_no_xml():
    assert not phoronix.recognises(written(b"<PhoronixTestSuite>\xff"))


@pytest.mark.parametrize(
    ("printed", "proportion", "expected"),
    [
        ("Seconds", "LIB", ("operation_seconds", 1)),
        ("Microseconds Per Op", "LIB", ("operation_seconds", 1e6)),
        ("ms", "", ("operation_seconds", 1e3)),
        ("Nanoseconds/Operation", "LIB", ("operation_seconds", 1e9)),
        ("Milliseconds", "HIB", ("reported_value", 1)),
        ("Frames Per Second", "HIB", ("frames_per_second", 1)),
        ("MB/s", "HIB", ("gigabytes_per_second", 1e3)),
        ("Requests Per Second", "HIB", ("operations_per_second", 1)),
        ("Requests Per Second", "LIB", ("reported_value", 1)),
        ("Bogo Ops", "HIB", ("reported_value", 1)),
        ("byte/s", "HIB", ("gigabytes_per_second", 1e9)),
        ("Mb/s", "HIB", ("reported_value", 1)),
        ("Gbps", "HIB", ("reported_value", 1)),
    ],
)
def test_a_scale_counts_only_where_its_direction_agrees(printed, proportion, expected):
    found = scale(printed, proportion)

    assert (found.metric, found.per) == expected
