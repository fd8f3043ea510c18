"""What formats of other packages yield is looked at like what ours do."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from benchdb.exchange.messages import Claim, Environment, Value
from benchdb.exchange.packing import Series
from benchdb.exchange.reader import BadLine, LoneSource, SourceClaim
from benchdb.extensions import Extension
from benchdb.extensions import installed as known
from benchdb.importing import building, plugins
from benchdb.importing.document import DocumentError
from benchdb.importing.provenance import NOTHING
from tests.foreign_files import written
from tests.importing.plugin_projects import installed

DOCUMENT = written("anything")
SOURCE = building.source(DOCUMENT, NOTHING, "fake")
CLAIM = Claim(
    source=SOURCE.key,
    kind="derived",
    statement="twice as fast",
    printed="2",
    locator="line 1",
    value=2.0,
    unit="1",
)
RECORD = building.record(
    run=building.run(
        workload="fake/sum", framework="fake", device="cpu", label="imported"
    ),
    machine=building.unknown_machine(),
    environment=Environment(key="-"),
    source=SOURCE,
    values=[Value(metric="operation_seconds", value=0.5, derived="by hand")],
    series=[Series("measure", 1, (0.5, 0.25))],
)
FORMAT = """
def recognises(document):
    return document.lines[7]

def read(document, about):
    return []
"""


class FakeFormat:
    """A format that yields whatever it was given."""

    def __init__(self, items):
        self.items = items

    def recognises(self, document):
        return True

    def read(self, document, about):
        return self.items


def items(*given):
    plugin = Extension("format", "fake", "fakes", "1.0", FakeFormat(given))
    return list(plugins.read(plugin, DOCUMENT, NOTHING))


@pytest.mark.parametrize(
    "item",
    [
        RECORD,
        replace(RECORD, source=None),
        LoneSource(SOURCE),
        SourceClaim(CLAIM, SOURCE),
        BadLine(3, "no number"),
    ],
)
def test_what_is_acceptable_stays_as_it_is(item):
    assert items(item) == [item]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"series": (Series("measure", 1, (float("nan"),)),)}, "not finite"),
        ({"run": replace(RECORD.run, workload="\u202e")}, "U+202E"),
        ({"run": replace(RECORD.run, device="abacus")}, "Invalid enum value 'abacus'"),
    ],
)
def test_a_record_that_nobody_looked_at_is_refused_alone(changes, why):
    bad, good = items(replace(RECORD, **changes), RECORD)

    assert isinstance(bad, BadLine)
    assert why in bad.reason
    assert good == RECORD


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"workload": "sum"}, "'read' yields dict, which is no item of an exchange"),
        (
            replace(BadLine(3, ""), reason=None),
            "ValidationError: Expected `str`, got `null`",
        ),
        (SourceClaim(replace(CLAIM, value=float("inf")), SOURCE), "is not finite"),
        (replace(RECORD, series=7), "TypeError: 'int' object is not iterable"),
    ],
)
def test_what_is_no_item_ends_the_reading_and_names_the_package(given, why):
    with pytest.raises(DocumentError) as error:
        items(RECORD, given)

    assert str(error.value).startswith("format 'fake' of the package fakes 1.0 failed")
    assert why in str(error.value)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("twins")
    return [
        installed(folder, name, {"twin": name}, {name: FORMAT})
        for name in ("first", "second")
    ]


@pytest.fixture
def twice(folders, monkeypatch):
    """Have two packages with a format of the same name."""
    for folder in folders:
        monkeypatch.syspath_prepend(folder)
    known.cache_clear()
    yield
    known.cache_clear()


@pytest.mark.usefixtures("twice")
def test_of_two_formats_of_one_name_the_first_is_used():
    usable, unusable = plugins.formats()

    assert (usable.package, usable.fault) == ("first", "")
    assert unusable.fault == (
        "format 'twin' of the package second 1.2 cannot be used: the package first "
        "has a format of this name; update or uninstall second"
    )


@pytest.mark.usefixtures("twice")
def test_a_format_that_fails_for_a_document_is_asked_for_the_next():
    short, faults = plugins.recognise(DOCUMENT)
    long, _ = plugins.recognise(written("x\n" * 9))

    assert short is None
    assert "IndexError: tuple index out of range" in faults[1]
    assert long
    assert long.name == "twin"
