"""Tables of whole documents in Markdown, as people publish them."""

from benchdb.importing.sheets import sheets
from tests.documents import Mapped, each
from tests.importing.logs.text_sheets import texts


@each("throughput")
def test_the_tables_of_a_readme_are_all_there(mapped: Mapped):
    tables = sheets(mapped.document)
    rows, above, (at, heading) = {
        "throughput": (
            [3, 3, 5],
            [
                "Training on the M2 Max",
                "Training on the M2 Pro (19 Core GPU)",
                "For comparison: an RTX 4090",
            ],
            (3, "Largest Batch Size"),
        ),
        "tf-metal-experiments": (
            [4, 6, 10],
            [
                "Benchmarks from M1 Max",
                "Benchmarks from M1 Pro (16 Core GPU)",
                "Reference Benchmarks from RTX 3090",
            ],
            (5, "Larger Batch Size"),
        ),
    }[mapped.name]

    assert [len(sheet.rows) for sheet in tables] == rows
    assert [sheet.bad for sheet in tables] == [(), (), ()]
    assert [sheet.context[-1] for sheet in tables] == above
    assert texts(tables[2])[at] == (heading, "", "", "", "")


@each("script-times")
def test_a_table_of_times_is_read_cell_by_cell(mapped: Mapped):
    (sheet,) = sheets(mapped.document)
    columns, lines, empty = (
        (7, range(71, 75), 2) if mapped.is_ours else (9, range(95, 104), 4)
    )

    assert (len(sheet.header), sheet.bad) == (columns, ())
    assert [row.line for row in sheet.rows] == list(lines)
    assert sheet.rows[empty].cells[4].text == "-"


@each("epochs")
def test_a_table_below_text_keeps_the_note_below_it(mapped: Mapped):
    (sheet,) = sheets(mapped.document)
    ratio, *above = (
        ("500.00%", "MPS에서", "몇 배인지 나누어 보면,")
        if mapped.is_ours
        else ("519.02%", "MPS 결과", "속도 개선률을 계산해보면,")
    )

    assert texts(sheet)[0] == ("vgg16", ratio)
    assert [mark for mark, _ in sheet.footnotes] == ["*"]
    assert sheet.context[-2:] == tuple(above)
