"""What HTML pages say beside their tables: text, and the data of their scripts."""

from benchdb.importing.document import Document
from benchdb.importing.guess.draft import propose
from benchdb.importing.sheet import Sheet
from benchdb.importing.sheets import READERS, readable
from benchdb.importing.tables.page import flattened
from tests.importing.sheet_texts import texts

START = "<!DOCTYPE html>\n<html><body>\n"


def page(text: str) -> Document:
    return Document("page.html", f"{START}{text}</body></html>\n".encode())


def read(text: str) -> list[Sheet]:
    return list(readable(page(text)))


def shown(text: str) -> list[tuple[int, str]]:
    """Return the lines of a page that hold anything, with their numbers."""
    flat = flattened(page(text))
    lines = zip(flat.places, flat.text.lines[:-1], strict=False)
    return [(number, line) for (number, _), line in lines if line]


def test_each_element_is_a_line_at_its_place():
    text = "<h2>Speed\nof all</h2><p>It is <b>fast</b>\n&amp; cool.</p>\n"
    text += "<ul><li>a<ul><li>b</li></ul></li></ul><pre>x  y\n1  2</pre>"

    fence = "`" * 40
    assert shown(text) == [
        (3, "## Speed of all"),
        (4, "It is fast & cool."),
        (6, "- a"),
        (6, "  - b"),
        (6, fence),
        (6, "x  y"),
        (7, "1  2"),
        (7, fence),
    ]


def test_tables_scripts_and_styles_are_no_text_and_spans_are_words():
    text = "<style>a{}</style><table><tr><td>1</table><script>let a = 1;</script>\n"
    text += "<p><span>CPU</span><span>12 ms</span></p>"

    assert shown(text) == [(4, "CPU 12 ms")]


def test_a_page_without_tables_has_a_card_of_its_sentences():
    document = page("<h1>Matmul on the M2 Ultra</h1>\n<p>It took 12.5 ms there.</p>\n")
    (sheet,) = readable(document)

    assert (sheet.kind, sheet.line) == ("sentences", 4)
    assert sheet.context == ("Matmul on the M2 Ultra",)
    assert texts(sheet) == [("It took there", "12.5 ms")]
    assert READERS["sentences"](document) == (sheet,)
    assert propose(document, (sheet,)).questions


def test_lists_of_a_page_are_read_as_those_of_markdown():
    document = page(
        "<ul>\n<li><b>vgg</b>: 140 img/s</li>\n<li>resnet: 90 img/s</li></ul>"
    )
    (sheet,) = readable(document)

    assert [row.line for row in sheet.rows] == [4, 5]
    assert texts(sheet) == [("vgg", "140 img/s"), ("resnet", "90 img/s")]
    assert READERS["bullets"](document) == (sheet,)


def test_results_in_a_script_are_read_as_json_at_their_lines():
    text = '<script>\nconst DATA = {"gpu": "RTX 4090",\n"runs": ['
    text += '{"name": "a", "tps": 58.25},'
    text += (
        '\n{"name": "b", "tps": 52.5}]};\nlet other = {size: 3}, dark = {"size": 1};\n'
    )
    document = page(f"{text}</script>\n")
    (sheet,) = readable(document)

    assert (sheet.kind, sheet.header) == ("json", ("name", "tps", "gpu"))
    assert [row.line for row in sheet.rows] == [5, 6]
    assert texts(sheet) == [("a", "58.25", "RTX 4090"), ("b", "52.5", "RTX 4090")]
    assert READERS["json"](document) == (sheet,)
