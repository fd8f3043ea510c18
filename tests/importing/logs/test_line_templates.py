"""Lines of a layout that no reader knows are read by one with names in braces."""

import pytest

from benchdb.importing.document import Document, DocumentError
from benchdb.importing.sheets import readable
from tests.importing.sheet_texts import texts

RUNS = """\
# Qwen3 8B on an M3 Max with MLX

=== warm ===
  try-1      wall= 13.05s  ttft=   107ms  toks=1000  tps= 76.61
  try-2      wall= 13.35s  ttft=   141ms  toks= 800  tps= 74.89 (slow)
"""


def sheets(text, *templates, name="log.txt"):
    every = readable(Document(name, text.encode()), templates)
    return [sheet for sheet in every if sheet.kind == "template"]


def test_a_name_takes_what_stands_up_to_the_next_printed_words():
    (sheet,) = sheets(RUNS, "try-{run} wall={wall}s ttft={ttft}ms ... tps={tps} ")

    assert sheet.header == ("run", "wall (s)", "ttft (ms)", "tps")
    assert texts(sheet) == [
        ("1", "13.05", "107", "76.61"),
        ("2", "13.35", "141", "74.89 (slow)"),
    ]
    assert [row.line for row in sheet.rows] == [4, 5]
    assert sheet.context == ("Qwen3 8B on an M3 Max with MLX", "warm")


def test_printed_words_may_stand_in_a_name_as_well():
    text = "rate of qwen3:8b: 61.5 tokens/s\nrate of phi4: 70 tokens/s\n"

    (sheet,) = sheets(text, "rate of {model}: {rate} tokens/s")

    assert texts(sheet) == [("qwen3:8b", "61.5"), ("phi4", "70")]


def test_a_unit_behind_a_name_wants_a_number_before_it():
    text = "classes: yes\nconv: 3.2 s\npool: about 1 s\nnorm: 1.5e-3 s\nlast: 3 sec\n"

    (sheet,) = sheets(text, "{layer}: {time} s")

    assert sheet.header == ("layer", "time (s)")
    assert texts(sheet) == [("conv", "3.2"), ("norm", "1.5e-3")]


@pytest.mark.parametrize(
    "template",
    [
        "{model} takes {time} ms/token ... ~ {rate} tok/s",
        "{model} takes {time} ms/token ...~ {rate} tok/s",
    ],
)
def test_a_range_is_a_number_and_three_dots_may_stand_for_nothing(template):
    text = "vgg takes 17-20 ms/token, or ~ 55 tok/s\ncnn takes 9 ms/token ~ 48 tok/s\n"

    (sheet,) = sheets(text, template)

    assert texts(sheet) == [("vgg", "17-20", "55"), ("cnn", "9", "48")]


def test_nan_stands_for_a_number_that_is_missing():
    text = "a took nan ms at 12 MB\nb took 3.5 ms at nan MB\nc took long ms at 9 MB\n"

    (sheet,) = sheets(text, "{work} took {time ms} ms at {peak} MB")

    assert texts(sheet) == [("a", "nan", "12"), ("b", "3.5", "nan")]


def test_the_unit_behind_a_name_goes_before_that_in_it():
    (sheet,) = sheets("vgg time : 40.78ms\n", "{model} time : {work_seconds}ms")

    assert sheet.header == ("model", "work_seconds (ms)")
    assert texts(sheet) == [("vgg", "40.78")]


@pytest.mark.parametrize(
    ("line", "template", "title"),
    [
        ("123.6 Tokens / Second", "{speed} Tokens / Second", "speed (Tokens / Second)"),
        ("12 tokens per second", "{n} tokens per second", "n (tokens per second)"),
        ("12 tok/s.", "{speed} tok/s.", "speed (tok/s)"),
        ("28s/~x", "{time}s/~x", "time (s)"),
        ("28 ms per run", "{time} ms per run", "time (ms)"),
        ("rate 28 tokens/s", "rate {tok/s} tokens/s", "tok/s"),
        ("torch: it works", "{framework}: it works", "framework"),
        ("torch it works", "{framework} it works", "framework"),
    ],
)
def test_the_unit_behind_a_name_is_in_its_title(line, template, title):
    (sheet,) = sheets(f"{line}\n", template)

    assert sheet.header == (title,)
    assert len(sheet.rows) == 1


MIXED = """\
Rates on an M2

conv: 8.1 ms
gemm: 12 tok/s
pool: 0.95 s
attn: 123.6 Tokens / Second
note: see below
"""


@pytest.mark.parametrize("template", ["{work}: {value}", "{work}: {value} {unit}"])
def test_figures_in_units_of_several_kinds_are_columns_of_their_own(template):
    every = {sheet.header[1]: texts(sheet) for sheet in sheets(MIXED, template)}

    times, rates = every.pop("value (ms)"), every.pop("value (tok/s)")
    assert [row[:2] for row in times] == [("conv", "8.1 ms"), ("pool", "0.95 s")]
    assert [row[:2] for row in rates] == [
        ("gemm", "12 tok/s"),
        ("attn", "123.6 Tokens / Second"),
    ]
    assert all(not any(row[2:]) for row in (*times, *rates))
    assert every in ({}, {"value": [("note", "see below")]})


def test_a_unit_in_a_name_may_be_printed_as_well():
    text = "conv fp16 0.25 ms 32.5 GB/s\npool fp16 0.5 41 GB/s\n"

    (sheet,) = sheets(text, "{work} {precision} {time ms} {bandwidth GB/s}")

    assert texts(sheet) == [
        ("conv", "fp16", "0.25", "32.5"),
        ("pool", "fp16", "0.5", "41"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "- **conv**: `3.2` ms",
        "  * conv :  3.2ms, first",
        "> conv: 3.2 ms",
        "2026-03-01 10:00:00,123 INFO conv: 3.2 ms",
    ],
)
def test_marks_and_blanks_are_no_difference(line):
    (sheet,) = sheets(f"Times\n\n{line}\n", "{layer}: {time} ms")

    assert texts(sheet) == [("conv", "3.2")]


def test_what_upper_lines_say_holds_until_they_come_again():
    text = "net vgg\nbatch 8\n10 ms\n11 ms\nbatch 16\n20 ms\nnet cnn\n5 ms\n"

    (sheet,) = sheets(text, r"net {model}\nbatch {batch}\n{time} ms")

    assert texts(sheet) == [
        ("vgg", "8", "10"),
        ("vgg", "8", "11"),
        ("vgg", "16", "20"),
    ]
    assert [cell.line for cell in sheet.rows[2].cells] == [1, 5, 6]
    assert [(it.number, it.reason) for it in sheet.bad] == [
        (8, "no line like 'batch {batch}' stands above it")
    ]


def test_a_figure_of_an_upper_line_is_of_one_row_and_never_lost():
    text = "first 3 ms\nrate 7 fps\nrate 8 fps\nfirst 4 ms\nfirst 5 ms\nrate 9 fps\n"
    bare = "took 3.5\nrate 7 fps\nrate 8 fps\n"

    (sheet,) = sheets(text, r"first {first} ms\nrate {rate} fps")

    assert texts(sheet) == [("3", "7"), ("", "8"), ("5", "9")]
    assert texts(sheets(bare, r"took {time}\nrate {rate} fps")[0])[1] == ("", "8")
    assert [(it.number, it.reason) for it in sheet.bad] == [
        (4, "no line like 'rate {rate} fps' follows it")
    ]


def test_labels_and_values_in_elements_of_a_page_are_lines():
    page = """<!doctype html>
<html><body><h2>M4 Max</h2>
<div class="bar"><div>Qwen3 8B</div><div style="width: 60%">62.3 tok/s</div></div>
<div class="bar"><div>Gemma 4B</div><div style="width: 90%">101 tok/s</div></div>
</body></html>
"""
    (sheet,) = sheets(page, r"{model}\n{decode} tok/s", name="page.html")

    assert sheet.header == ("model", "decode (tok/s)")
    assert texts(sheet) == [("Qwen3 8B", "62.3"), ("Gemma 4B", "101")]
    assert [row.line for row in sheet.rows] == [3, 4]


def test_lines_beside_others_are_no_headings_of_those_below():
    text = "Speed on an M2\n\nstart net=vgg\nrun it\nend after 3 ms\nstart net=cnn\n"
    text += "warning: slow\nrun it\nend after 4 ms\n\nOn the CPU:\nstart net=rnn\n"
    text += "run it\nend after 9 ms\n"

    first, second = sheets(text, r"start net={model}\nrun ...\nend after {time} ms")

    assert first.context == ("Speed on an M2",)
    assert texts(first) == [("vgg", "3"), ("cnn", "4")]
    assert second.context == ("On the CPU",)
    assert texts(second) == [("rnn", "9")]


def test_data_in_a_script_of_a_page_are_lines_where_its_text_has_none_like_them():
    page = """<!doctype html>
<html><body><p>Rates on an L4</p>
<script>
const DATA = {
  vllm: {
    rate: [17.1, 66.2],
  },
};
</script></body></html>
"""
    (sheet,) = sheets(
        page, r"{engine}: {\nrate: [{c1 tok/s}, {c4 tok/s}]", name="a.html"
    )

    assert texts(sheet) == [("vllm", "17.1", "66.2")]
    assert sheet.rows[0].line == 6


def test_a_line_that_is_only_a_name_stands_right_below_the_one_above_it():
    text = "batch 8\n62\n\nbatch 16\n\n77\n80\nshare\n55\n"

    (sheet,) = sheets(text, r"batch {batch}\n{prefill tok/s}")

    assert texts(sheet) == [("8", "62"), ("16", "77")]


def test_a_line_that_may_be_several_is_the_next_below_the_line_above():
    text = "14 s\nper shard\n11 min\n163 s\nper worker\n15 s\nper shard\n12 min\n"
    text += "170 s\nper worker\n"
    template = r"{shard} s\nper shard\n{total} min\n{worker} s\nper worker"

    (sheet,) = sheets(text, template)

    assert texts(sheet) == [("14", "11", "163"), ("15", "12", "170")]
    assert not sheet.bad


def test_of_lines_that_may_be_several_the_one_with_most_printed_words_counts():
    text = "net: vgg\nin: fp16\nrun: 3\nnet: cnn\nin: fp32\nrun: 4\n"

    (sheet,) = sheets(text, r"net: {model}\nin: {precision}\n{what}: {time}")

    assert texts(sheet) == [("vgg", "fp16", "run", "3"), ("cnn", "fp32", "run", "4")]


def test_a_name_does_not_end_inside_the_name_of_a_chip():
    text = "on RTX 2080Ti 7000k iterations: 259 s\non M2 30k iterations: 80 s\n"

    (sheet,) = sheets(text, "on {machine} {iterations}k iterations: {time} s")

    assert texts(sheet) == [("RTX 2080Ti", "7000", "259"), ("M2", "30", "80")]


def test_a_sign_before_a_name_that_makes_a_figure_approximate_is_part_of_it():
    text = "load ~14.5s of ~/model\nload ~9s of ~/other\n"

    (sheet,) = sheets(text, "load ~{load}s of ~{path}")

    assert texts(sheet) == [("~14.5", "/model"), ("~9", "/other")]


def test_a_line_is_read_once_by_the_first_template_that_it_is_like():
    text = "fast: 3 ms\nslow: 40 ms\nrun 1, 5 ms\n"
    document = Document("log.txt", text.encode())
    first, second = "slow: {slow} ms", "{name}: {time} ms"

    every = readable(document, [first, second])

    rows = {(sheet.template, texts(sheet)[0]) for sheet in every if sheet.template}
    assert rows == {(first, ("40",)), (second, ("fast", "3"))}
    others = [row.line for sheet in every if not sheet.template for row in sheet.rows]
    assert not {1, 2} & {*others}


def test_of_templates_that_end_in_equal_lines_the_next_reads_what_the_first_does_not():
    text = "first\n8.1 ms\nof: vgg\n\nmost\n1217 fps\nof: cnn\n\nlast\nof: rnn\n"
    first, second = (
        r"{what}\n{time} ms\nof: {model}",
        r"{what}\n{rate} fps\nof: {model}",
    )

    rates, times = sorted(sheets(text, first, second), key=lambda it: it.header)

    assert texts(times) == [("first", "8.1", "vgg")]
    assert texts(rates) == [("most", "1217", "cnn")]
    assert [(it.number, it.reason) for it in times.bad] == [
        (10, "no line like '{time} ms' stands above it")
    ]
    assert not rates.bad


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("try-1 wall", "it needs a name in braces, as in 'ttft={ttft} ms'"),
        ("{run} {Run}", "two names are the same"),
        ("{wall}{ttft}", "between two names a blank or printed words are needed"),
        ("{wall} s" * 300, "it has 1 lines and 2400 characters; 8 and 1000 are the"),
        ("speed={tps}", "no line is like 'speed={tps}'"),
        ("wall ...\\ntry-{run}", "no line like 'wall ...' stands above it"),
        (
            "try-{run} wall={wall}s tps={tps}",
            "'try-1 wall= 13.05s ttft= 107ms toks=1000 tps= 76.61' has "
            "'try-{run} wall=', but no '{wall}s tps=' behind it",
        ),
    ],
)
def test_what_is_no_template_of_any_line_says_why(template, why):
    with pytest.raises(DocumentError) as error:
        sheets(RUNS, template)

    assert why in str(error.value)


def test_the_head_line_of_values_between_commas_is_no_heading_of_lines():
    text = "size,mac_time,windows_time\n8,2.5,1.5\n16,4.5,3.5\n"
    (sheet,) = sheets(text, "{size},{mac time},{windows time}", name="times.csv")
    assert sheet.context == ()


def test_three_dots_stand_for_several_cells_of_a_row():
    text = "# A100\n\n|adalora|qwen|agent|2.0|True|True|32.55GiB|17.33(45 tokens)|\n"
    template = "|{exp}|{model}|{dataset}|...|{memory GiB}GiB|{tok/s}(... tokens)|"

    (sheet,) = sheets(text, template)

    assert texts(sheet) == [("adalora", "qwen", "agent", "32.55", "17.33")]


def test_names_behind_three_dots_stand_in_the_last_cells_of_a_row():
    text = "| a | b | 1 ms | 2 ms | 3 ms |\n| c | d | | 4 ms | 5 ms |\n"

    (sheet,) = sheets(text, "| {model} | {chip} | ... | {time} ms |")

    assert texts(sheet) == [("a", "b", "3"), ("c", "d", "5")]


def test_a_name_takes_one_cell_of_a_row():
    text = "| a | x | 3 ms |\n| b | 4 ms |\n| | 5 ms |\n"

    (sheet,) = sheets(text, "| {model} | {time} ms |")

    assert texts(sheet) == [("b", "4")]


@pytest.mark.parametrize("template", ["|{model} | {time} ms|", "= {time} ms"])
def test_a_template_that_begins_with_no_word_begins_where_the_line_does(template):
    text = "| x | y | 3 ms|\nrun | a | 3 ms| of = 3 ms\n"

    with pytest.raises(DocumentError, match="no line is like"):
        sheets(text, template)


def test_a_template_that_begins_with_dots_or_words_begins_anywhere():
    text = "step 1 -> 3 ms\nrestep 2 -> 4 ms\n"

    assert texts(sheets(text, "... -> {time} ms")[0]) == [("3",), ("4",)]
    assert texts(sheets(text, "step {step} -> {time} ms")[0]) == [("1", "3")]


def test_a_line_that_can_be_read_in_several_ways_is_no_row():
    text = "|a|x|1 ms|2 ms|y|\n|b|x|-|3 ms|y|\n|c|x|4 ms|4 ms|y|\n"

    (sheet,) = sheets(text, "|{model}|...|{time} ms|...|")

    assert texts(sheet) == [("b", "3"), ("c", "4")]
    assert [(it.number, it.reason) for it in sheet.bad] == [
        (1, "it can be read as a, 1 or as a, 2")
    ]


def test_dots_for_each_of_many_cells_are_no_trouble():
    text = "|" + "a|" * 100 + "\n|" + "b|" * 20 + "3 ms|\n"

    assert texts(sheets(text, "|..." * 20 + "|{time} ms|")[0]) == [("3",)]


def test_a_figure_takes_one_cell_of_a_row():
    (sheet,) = sheets("|a|3|b|4 GB|\n|c|5|\n", "|{model}|{peak GB}|...")

    assert texts(sheet) == [("a", "3"), ("c", "5")]
