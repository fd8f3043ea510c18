import pytest

from benchdb.errors import UsageError
from benchdb.exchange.messages import Source
from benchdb.exchange.reader import LoneSource
from benchdb.importing.document import Document, DocumentError
from benchdb.importing.mapping import maps
from benchdb.importing.mapping.maps import parse
from benchdb.importing.provenance import About
from tests.importing.mapping.mapped import (
    BASE,
    claims,
    items,
    only,
    records,
    refused,
    unexplained,
)

TABLE = """
[[table]]
[table.columns]
Model = { field = "workload" }
ms = { is = "value", metric = "reported_step_seconds" }
"""
OTHER = "| GPU | fps |\n|---|---|\n| a | 1 |\n"


def fault(toml: str) -> str:
    with pytest.raises(UsageError) as error:
        parse(toml.encode(), "mine")
    return str(error.value)


def test_a_map_is_loaded_by_the_name_of_its_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(BASE + TABLE, encoding="utf-8")

    loaded = maps.load(path)

    assert loaded.name == "mine"
    assert loaded.map_.table[0].columns["Model"].field == "workload"


def test_a_map_is_chosen_by_its_path_or_by_the_name_of_one_that_is_shipped(tmp_path):
    path = tmp_path / "mine"
    path.write_text(BASE + TABLE, encoding="utf-8")

    assert maps.find(str(path)).map_.table[0].columns
    assert maps.find("m1tensorbench").map_.source.slug == "m1tensorbench"
    assert maps.find(str(path)).sha256 != maps.find("m1tensorbench").sha256


def test_a_map_that_is_not_there_is_told_with_its_path(tmp_path):
    with pytest.raises(UsageError, match=r"mine\.toml: No such file"):
        maps.load(tmp_path / "mine.toml")


def test_a_map_that_is_not_shipped_is_told_with_one_that_is_alike():
    with pytest.raises(UsageError, match="did you mean 'm1tensorbench'"):
        maps.find("m1tensorbanch")


@pytest.mark.parametrize(
    ("toml", "result"),
    [
        ("[set", "mine.toml: no TOML"),
        ("\x00", "mine.toml: no TOML"),
        ("a = " + "[" * 5000, "mine.toml: no TOML"),
        ("colour = 1", "unknown field `colour`"),
        ("[set]\nspeed = 1\n" + TABLE, "set.speed: no field; these are: accelerator"),
        ("[set]\nparameters.epochs = 3\n" + TABLE, '"parameters.epochs" = 3'),
        ("[set]\ndevice = 'mps'\n" + TABLE, "set.device: 'mps'; one of cpu, metal"),
        ("[set]\nenvironment = 'x'\n" + TABLE, "no environments.x is in the map"),
        ("name = '(\\d+)'\n" + TABLE, "name: a named group is expected"),
        ("name = '(?P<speed>.)'\n" + TABLE, "name: group 'speed' is no field"),
        ("name = '(?P<seed>.'\n" + TABLE, "name: '(?P<seed>.' is no regular exp"),
        (BASE, "[[table]] or [[figure]] is expected"),
        ("nothing = 'charts'\n" + TABLE, "nothing: but a [[table]]"),
        ("[[table]]\nread = 'magic'", "table[0].read: Invalid enum value 'magic'"),
        ("[[table]]\nunder = '('", "table[0].under: '(' is no regular expression"),
        (
            "[[table]]\nunder = '[[a]'",
            "table[0].under: '[[a]' is no regular expression",
        ),
        ("[[table]]", 'table[0].columns: one with is = "value" is'),
        ("label = 'sure'", "label: Invalid enum value 'sure'"),
        ("documents = ['abc']", "documents[0]: Expected"),
    ],
)
def test_a_wrong_map_is_refused_with_its_key_and_what_is_expected(toml, result):
    assert result in fault(toml)


@pytest.mark.parametrize(
    ("column", "result"),
    [
        ("{}", "columns.'X'.field: the name of a field is expected"),
        ("{ field = 'speed' }", "columns.'X'.field.speed: no field"),
        ("{ field = 'device', values = { ja = 'mps' } }", "'mps'; one of cpu"),
        ("{ is = 'value' }", "columns.'X'.metric: one of schema/metrics.json"),
        ("{ is = 'value', metric = 'speed' }", "'speed' is no metric"),
        ("{ is = 'value', parts = { user = 'speed' } }", "'speed' is no metric"),
        ("{ is = 'metric' }", "columns.'X'.values: labels with their metrics"),
        ("{ is = 'metric', values = { a = 'speed' } }", "'speed' is no metric"),
        ("{ is = 'ignore', set = { speed = 1 } }", "columns.'X'.set.speed: no field"),
        ("{ is = 'ignore', cells.a.set.speed = 1 }", "cells.'a'.set.speed: no field"),
    ],
)
def test_a_wrong_column_is_refused_with_its_key(column, result):
    assert result in fault(f"[[table]]\n[table.columns]\nX = {column}\n")


@pytest.mark.parametrize(
    ("part", "result"),
    [
        ("rows.a.set.speed = 1", "rows.'a'.set.speed: no field"),
        ("headings.a.set.speed = 1", "headings.'a'.set.speed: no field"),
        ("headings.a.rows.b.set.speed = 1", "rows.'b'.set.speed: no field"),
        ("headings.a.rows.'('.set.seed = 1", "'(' is no regular expression"),
        ("context = ['M1']", "context: a named group is expected"),
        ("columns = { X = {is='ignore'}, '**x**' = {is='ignore'} }", "same as 'X'"),
    ],
)
def test_a_wrong_part_of_a_table_is_refused_with_its_key(part, result):
    assert result in fault(f"[[table]]\n{part}\n")


def test_a_flag_about_an_unknown_metric_is_refused():
    flag = "[[flag]]\nlines = [1, 1]\ncode = 'odd'\nmetric = 'speed'\n"

    assert "flag[0].metric: 'speed' is no metric" in fault(TABLE + flag)


def test_a_workload_that_sets_no_field_is_refused():
    assert "workloads.a.set.x: no field" in fault("workloads.a.set.x = 1\n" + TABLE)


def test_a_huge_map_is_refused():
    assert "larger than 1 MiB" in fault("#" * (2**20 + 1))


STATED = """
nothing = "no figure is printed"
[[claim]]
line = 2
printed = "6 times"
statement = "Six times the energy."
value = 6
unit = "x"
"""


def source(result) -> Source:
    return next(
        lone_source.source
        for lone_source in result
        if isinstance(lone_source, LoneSource)
    )


def test_a_claim_is_taken_with_its_place():
    (claim,) = claims(items(STATED, "Hello\nit takes 6 times the energy"))

    assert (claim.locator, claim.printed, claim.value) == ("line 2", "6 times", 6.0)


@pytest.mark.parametrize("text", ["Hello\nit takes 7 times", "one line: 6 times"])
def test_a_claim_that_does_not_stand_on_its_line_is_refused(text):
    source_claims = items(STATED, text)

    assert claims(source_claims) == []
    assert [place for place, _ in refused(source_claims)] == ["line 2"]


def test_a_source_without_facts_says_that_none_were_given():
    result = source(items(STATED, "a\n6 times", name="My results.md"))

    assert (result.slug, result.title) == ("my-results", "My results.md")
    assert result.missing["url"] == "not given at import"


def test_a_source_with_text_that_nobody_can_read_is_refused():
    with pytest.raises(DocumentError, match="its source: title contains U\\+202E"):
        items(STATED, "a\n6 times", about=About(title="re\u202eversed"))


FIGURE = (
    BASE
    + """
[[figure]]
line = 1
printed = "0.15s"
metric = "operation_seconds"
value = 0.15
set = { workload = "matmul", "parameters.size" = 500 }
basis = { size = "from the text" }
"""
)


def test_a_figure_of_prose_becomes_a_run():
    record = only(items(FIGURE, "a product takes 0.15s on the CPU"))

    assert record.run.locator == "line 1"
    assert record.run.parameters == {"size": 500}
    assert record.run.basis == {"size": "from the text"}
    assert [value.value for value in record.end.values] == [0.15]


@pytest.mark.parametrize("value", ["0.16", "15", "150"])
def test_a_figure_that_is_not_what_is_printed_is_refused(value):
    source_claims = items(
        FIGURE.replace("value = 0.15", f"value = {value}"), "it takes 0.15s"
    )

    assert records(source_claims) == []
    assert "is not what is printed ('0.15s')" in refused(source_claims)[0][1]


def test_a_figure_may_be_printed_among_words():
    toml = FIGURE.replace('printed = "0.15s"', 'printed = "takes some 0.15 or so"')

    assert only(items(toml, "it takes some 0.15 or so")).end.values[0].value == 0.15


def test_a_figure_that_follows_from_what_is_printed_says_how():
    toml = FIGURE.replace("value = 0.15", 'value = 0.3\nderived = "twice 0.15s"')
    record = only(items(toml, "each half takes 0.15s"))

    assert [(value.value, value.derived) for value in record.end.values] == [
        (0.3, "twice 0.15s")
    ]


def test_a_document_without_the_tables_that_are_meant_is_one_error():
    with pytest.raises(DocumentError, match="found were line 1: GPU, fps"):
        items(BASE + TABLE, OTHER)


def test_a_document_without_any_table_is_one_error():
    with pytest.raises(DocumentError, match="no table in it"):
        items(BASE + TABLE, "Hello")


def test_many_tables_that_are_not_meant_are_counted():
    with pytest.raises(DocumentError, match="and 8 more"):
        items(BASE + TABLE, "\n".join([OTHER] * 20))


def test_tables_that_the_map_does_not_mean_can_be_told():
    text = "| Model | ms |\n|---|---|\n| vgg16 | 2 |\n\n" + OTHER
    map_ = parse((BASE + TABLE).encode(), "test").map_

    assert unexplained(Document("a", text.encode()), map_) == [5]


def test_the_label_of_the_importing_person_wins():
    source_claims = items(FIGURE, "it takes 0.15s", about=About(label="claimed"))

    assert only(source_claims).run.label == "claimed"
