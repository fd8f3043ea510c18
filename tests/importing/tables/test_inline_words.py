"""What is left of cells once their markup is taken off."""

import pytest

from benchdb.importing.tables import inline


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("**140** img/s", "140 img/s"),
        ("__resnet_50__ and _x_", "resnet_50 and x"),
        ("mobilenet_v2_100", "mobilenet_v2_100"),
        ("224*224*3", "224*224*3"),
        ("3 * 4", "3 * 4"),
        ("**속도**를 `a*b`", "속도를 a*b"),
        ("[M1](http://x/a_(b) 'T')", "M1"),
        ("![fast](a.png) 12", "fast 12"),
        ("[a] (b)", "[a] (b)"),
        ("<https://x.org/a_b_c>", "https://x.org/a_b_c"),
        ("a<br/>b <kbd>c</kbd>", "a b c"),
        ("~~140~~ 152", "152"),
        ("<del>140</del>", ""),
        ("~1.80", "~1.80"),
        ("<0.3 &lt; 5&nbsp;ms &copy", "<0.3 < 5 ms &copy"),
        ("1&#160;234,5", "1\u00a0234,5"),
        ("<none>", "<none>"),
        ("1.5×10<sup>9</sup> m<sup>2</sup> s<sup>-1</sup>", "1.5×10⁹ m² s⁻¹"),
        ("$3-$5", "$3-$5"),
        ("✅ 10\u200b", "✅ 10"),
        ("a\\_b \\\\ \\x", "a_b \\ \\x"),
        ("<script>alert(1)</script>5", "5"),
        ("<span>Speed</span><span lang='ko'>속도</span>", "Speed 속도"),
        ("<span>ms (p50)</span><span>Zeit</span>", "ms (p50) Zeit"),
        ("<span>12</span><span class='unit'>ms</span>", "12 ms"),
        ("<span>12</span><span>.5</span><span>07</span>", "12.507"),
        ("<span>foo</span><span>.</span><span>bar</span>", "foo.bar"),
        ("<span>1</span><span>2</span>", "12"),
        ("", ""),
    ],
)
def test_markup_is_taken_off(raw, text):
    assert inline.words(raw)[0] == text


@pytest.mark.parametrize(
    ("raw", "text", "notes"),
    [
        ("140*", "140", ("*",)),
        ("140* img/s", "140 img/s", ("*",)),
        ("140 **", "140", ("**",)),
        ("img/s¹", "img/s", ("1",)),
        ("1024¹", "1024", ("1",)),
        ("1024&sup3;", "1024³", ()),
        ("8192<sup>2</sup>", "8192²", ()),
        ("91.5²", "91.5", ("2",)),
        ("70[^a][^b]", "70", ("a", "b")),
        ("70<sup>1,2</sup>", "70", ("1", "2")),
        ("70<sup>[3](#n)</sup>", "70", ("3",)),
        ("*", "", ("*",)),
        ("70<sup>*</sup>", "70", ("*",)),
        ("[a](b) c] [5]", "a c] [5]", ()),
        ("`conv*`", "conv*", ()),
    ],
)
def test_marks_of_footnotes_are_taken_off(raw, text, notes):
    pair = inline.words(raw)

    assert pair == (text, notes)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("_a_" + " b" * inline.LENGTH_LIMIT, "_a_" + " b" * inline.LENGTH_LIMIT),
        ("_a_" + "[" * 398, "a" + "[" * 398),
        ("_a_" + "[" * 399, "_a_" + "[" * 399),
        ("<!--" * 100_000, "<!--" * 100_000),
        ("<" * 100_000, "<" * 100_000),
    ],
)
def test_a_text_that_would_keep_the_parser_busy_stays(raw, text):
    assert inline.words(raw)[0] == text
