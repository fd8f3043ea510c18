"""An answer by a title is about the figures of that title, in whichever table."""

import json

import pytest

from benchdb.importing.document import Document
from benchdb.importing.guess.draft import Proposal, propose
from benchdb.importing.guess.facts import AnswerError
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import number, of_text, records, table


def cycle(n: int, total: float, rate: float) -> dict[str, float]:
    return {"cycle": n, "questions": 10, "totalTime": total, "tokensPerSecond": rate}


SERVING = {
    "model": "Qwen2.5-14B",
    "mlxEngine": {
        "cycles": [cycle(1, 27.62, 36.2), cycle(2, 26.46, 36.5)],
        "average": cycle(0, 27.04, 36.35),
    },
}
AVERAGE = "mlxEngine.average.totalTime"
FIGURES = f"{AVERAGE}: work_seconds in s; mlxEngine.average.tokensPerSecond: tok/s"


TEXT = json.dumps(SERVING, indent=1)


def answered(*cards: str) -> Proposal:
    document = Document("results.json", TEXT.encode())
    keys = ["readings", "readings 2"][: len(cards)]
    texts = (f"yes, but {it}" for it in cards)
    return propose(document, readable(document), dict(zip(keys, texts, strict=True)))


def works_of_times(proposal: Proposal) -> dict[float | None, str]:
    return {
        value.value: record.run.workload
        for record in records(proposal, TEXT, "results.json")
        for value in record.end.values
        if value.metric == "work_seconds"
    }


DECODED = dict.fromkeys((27.62, 26.46, 27.04), "llm-decode")


def test_the_times_and_rates_of_a_framework_are_no_versions_of_it():
    columns = answered().map.table[0].columns
    assert "framework_version" not in {it.field for it in columns.values()}


def test_the_work_of_a_column_of_figures_is_not_that_of_rows_which_inherit_it():
    works = works_of_times(answered(FIGURES, f"{AVERAGE}: llm-generate"))
    assert works == DECODED | {27.04: "llm-generate"}


def test_what_figures_are_and_their_work_are_two_answers_of_one_card_too():
    works = works_of_times(answered(f"{FIGURES}; {AVERAGE}: llm-generate"))
    assert works == DECODED | {27.04: "llm-generate"}
    works = works_of_times(answered(f"{AVERAGE}: llm-generate; {FIGURES}"))
    assert works == DECODED | {27.04: "llm-generate"}


def test_a_line_of_the_works_of_columns_takes_another_work():
    line = number(answered(FIGURES), "work in names of columns")
    works = works_of_times(answered(FIGURES, f"{line}: llm-generate"))
    assert works == dict.fromkeys(DECODED, "llm-generate")


def test_a_column_without_figures_takes_no_work():
    why = "has no figures that this may be the work of; 'work of table 2: …' says"
    with pytest.raises(AnswerError, match=why):
        answered("mlxEngine.average.questions: llm-generate")


def test_the_lower_of_two_head_rows_names_its_columns_as_well():
    text = "<table><tr><th rowspan=2>Size<th colspan=2>FP32<th colspan=2>FP16</tr>"
    text += "<tr><th>ours<th>cublasLT<th>ours<th>cublasLT</tr>"
    text += "<tr><td>128<td>1.5 ms<td>2.5 ms<td>3.5 ms<td>4.5 ms</tr></table>"
    document = Document("results.md", f"# matmul on M2 Max\n\n{text}\n".encode())
    answers = {"readings": "yes, but cublasLT: framework cublasLT"}
    proposal = propose(document, readable(document), answers)
    assert {
        name: column.set.get("framework")
        for name, column in proposal.map.table[0].columns.items()
        if column.metric
    } == {
        "FP32 / ours": None,
        "FP32 / cublasLT": "cublaslt",
        "FP16 / ours": None,
        "FP16 / cublasLT": "cublaslt",
    }


def test_numbers_are_a_role_by_the_number_of_their_line():
    text = "# resnet50 on M2 Max\n\n" + table(
        "foo | device | throughput", "0 | gpu | 40.5", "1 | gpu | 43.5", "2 | gpu | 4.5"
    )
    line = number(of_text(text), "What are 'foo'")
    for answer, field in (
        ("repeat", "conditions.repeat"),
        ("batch size", "parameters.batch_size"),
    ):
        result = f"yes, but {line}: {answer}; throughput: img/s"
        proposal = of_text(text, {"readings": result})
        assert proposal.map.table[0].columns["foo"].field == field


def test_the_number_of_what_no_fact_is_about_is_a_setting():
    text = "# matmul on M2 Max\n\n" + table("device | ms", "gpu | 2.5")
    proposal = of_text(text, {"readings": "yes, but number of nodes: 2"})
    (run,) = (it.run for it in records(proposal, text))
    assert run.parameters["number_of_nodes"] == 2
