import pytest

from tests.importing.sheet_texts import FIXTURES, read, read_file, texts


def sheet_of(line):
    sheets = read_file("fixed-width", FIXTURES / "columns.txt")
    return next(sheet for sheet in sheets if sheet.line == line)


def test_a_table_under_a_header_has_blank_cells_and_headings():
    sheet = sheet_of(2)

    assert sheet.context == ("Results on M1 Max",)
    assert sheet.header == ("Model", "Batch", "img/s")
    assert texts(sheet) == [
        ("ResNet50", "64", "140.5"),
        ("VGG16", "", "60.2"),
        ("With mixed precision", "", ""),
        ("EfficientNet B0", "128", "90.0"),
    ]


def test_rows_that_do_not_fit_are_bad():
    assert [(item.number, item.reason) for item in sheet_of(2).bad] == [
        (7, "4 cells under 3 columns"),
        (8, "'MobileNet V2 with a long name 210.0' stands under several headers"),
    ]


def test_dashes_below_the_header_mark_the_columns():
    assert texts(sheet_of(10)) == [("matmul 1024", "1.5"), ("matmul 2048", "12.0")]
    (sheet,) = read("fixed-width", "name  ms\n----- --\nvgg   12\nlonger 3\n")
    assert texts(sheet) == [("vgg", "12")]
    assert [line.number for line in sheet.bad] == [4]


def test_a_line_that_is_only_a_time_stamp_is_no_table():
    assert read("fixed-width", "2026-11-27T09:10:11Z\n") == ()


def test_the_index_of_pandas_is_a_column_without_a_name():
    assert sheet_of(15).header == ("column 1", "model", "batch", "seconds")
    assert texts(sheet_of(15))[1] == ("1", "rnn", "32", "30.1")


def test_blocks_of_pandas_with_a_name_of_their_rows_are_tables_below_their_titles():
    text = "Summary:\n\nAverage rate by GPU:\ndata_type     FP8\ngpu            \n"
    text += "T4         1117.7\nL4         1219.8\n\nAverage price by GPU:\n"
    text += "data_type     FP8\ngpu            \nT4         6.8e-10\n"

    rates, prices = read("fixed-width", text)

    assert rates.header == prices.header == ("gpu", "FP8")
    assert texts(rates) == [("T4", "1117.7"), ("L4", "1219.8")]
    assert texts(prices) == [("T4", "6.8e-10")]
    assert rates.context == ("Average rate by GPU",)
    assert prices.context == ("Average price by GPU",)


def test_wide_characters_take_two_columns():
    (sheet,) = read("fixed-width", "模型      批次    秒\n残差网络          1.5\n")

    assert texts(sheet) == [("残差网络", "", "1.5")]


def test_a_tab_parts_cells_of_which_some_are_blank_or_missing():
    (sheet,) = read("fixed-width", "model\tms\timg/s\nvgg\t1\t2\ncnn\t\t3\nrnn\t4\n")

    assert texts(sheet) == [("vgg", "1", "2"), ("cnn", "", "3"), ("rnn", "4", "")]


def test_a_blank_line_may_part_the_names_of_columns_from_the_figures():
    text = "Speed of a chat\nTokens\tBase (tok/s)\tNew (tok/s)\tNote\n\n"
    text += "256\t74.5\t194.5\n512\t73.5\t214.5\n"
    (sheet,) = read("fixed-width", text)

    assert sheet.header == ("Tokens", "Base (tok/s)", "New (tok/s)", "Note")
    assert texts(sheet) == [("256", "74.5", "194.5", ""), ("512", "73.5", "214.5", "")]
    assert sheet.context == ("Speed of a chat",)


def test_tabs_part_columns_wherever_they_lead():
    (sheet,) = read(
        "fixed-width", "model\tbatch\timg/s\nlong name of it\t64\t1.5\nx\t6\t2"
    )

    assert texts(sheet) == [("long name of it", "64", "1.5"), ("x", "6", "2")]


@pytest.mark.parametrize(
    "text",
    [
        "vgg   12.3\nalexnet   4.5",
        "loss: 0.5   acc: 0.5\nloss: 0.4   acc: 0.6",
        "a sentence.  Two blanks follow it.\nanother one.  And so on.",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "12.50 real        11.00 user         1.25 sys\n 1  page reclaims",
    ],
)
def test_what_has_no_header_is_left_alone(text):
    assert read("fixed-width", text) == ()


def test_rows_of_a_name_a_count_and_figures_need_no_header():
    text = (
        "BenchmarkMatMul/256-8\t    1024\t 1120331 ns/op\t 91.5 gen_tok/s\n"
        "BenchmarkMatMul/512-8\t     142\t 8220331 ns/op\t 32.6 gen_tok/s\n"
    )
    (sheet,) = read("fixed-width", text)

    assert sheet.header == ("column 1", "column 2", "ns/op", "gen_tok/s")
    assert texts(sheet)[1] == (
        *("BenchmarkMatMul/512-8", "142"),
        *("8220331 ns/op", "32.6 gen_tok/s"),
    )


def test_a_table_of_restructured_text_is_ruled_with_single_spaces_between():
    rule = "====== ======= ======="
    text = f"{rule}\nModel  CPU (s)  MPS (s)\n{rule}\nLSTM   121.3    48.2\n{rule}\n"
    (sheet,) = read("fixed-width", text)

    assert sheet.header == ("Model", "CPU (s)", "MPS (s)")
    assert texts(sheet) == [("LSTM", "121.3", "48.2")]


def test_rows_without_a_header_may_begin_with_several_names():
    text = "[1/2] matmul  n=1024  0.41 ms  5.2 TFLOPS\n"
    (sheet,) = read("fixed-width", text + text.replace("1", "2"))

    assert sheet.header == ("column 1", "column 2", "ms", "TFLOPS")
    assert texts(sheet)[0] == ("matmul", "n=1024", "0.41 ms", "5.2 TFLOPS")


def test_a_title_above_more_names_is_no_header():
    text = (
        "torch 2.5.0  gfx1100 (7900 XTX)\n"
        "op        shape        dtype     ms\n"
        "matmul    4096x4096    fp16      1.512\n"
        "conv2d    64x3x224     fp32      2.231\n"
    )
    (sheet,) = read("fixed-width", text)

    assert sheet.header == ("op", "shape", "dtype", "ms")
    assert len(sheet.rows) == 2
