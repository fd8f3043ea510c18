import pytest

from tests.importing.sheet_texts import FIXTURES, one, read, read_file, texts


def test_each_program_that_takes_the_time():
    found = read_file("time", FIXTURES / "times.txt")
    rows = [
        dict(zip(sheet.header, row, strict=True))
        for sheet in found
        for row in texts(sheet)
    ]

    assert rows == [
        {
            "command": "python3 cnn.py --epochs 3",
            "real": "0m12.345s",
            "user": "0m20.100s",
            "sys": "0m1.250s",
        },
        {
            "command": "python3 rnn.py",
            "real": "1m02.000s",
            "user": "1m10.000s",
            "sys": "0m2.000s",
        },
        {
            "command": "python3 lstm.py",
            "user": "64,10s",
            "system": "2,30s",
            "cpu": "131%",
            "total": "50,700",
        },
        {
            "command": "python3 bert.py --batch 8",
            "user": "113,65s",
            "system": "3,10s",
            "cpu": "98%",
            "total": "1:59,21",
        },
        {
            "command": "python3 gan.py",
            "real": "12.50",
            "user": "11.00",
            "sys": "1.25",
            "maximum resident set size": "734003200",
            "page reclaims": "1200",
        },
        {
            "command": "python3 gan.py",
            "User time (seconds)": "33.10",
            "Elapsed (wall clock) time (h:mm:ss or m:ss)": "0:40.70",
            "Maximum resident set size (kbytes)": "512000",
            "Exit status": "0",
        },
        {
            "command": "model.fit(x, y)",
            "user": "1.5 s",
            "sys": "250 ms",
            "total": "1.75 s",
            "Wall time": "1.9 s",
        },
        {
            "command": "x @ y",
            "per loop": "12.5 ms ± 40 µs",
            "runs": "7",
            "loops": "100",
        },
    ]


def test_each_figure_stands_on_its_own_line():
    (sheet,) = read("time", "$ time ./x\nreal 12.34\nuser 10.00\nsys 1.20\n")

    assert [cell.line for cell in sheet.rows[0].cells] == [2, 2, 3, 4]


def test_what_is_printed_between_is_context_of_the_first_alone():
    first, second, *_ = read_file("time", FIXTURES / "times.txt")

    assert (first.context, second.context) == (("Epoch 3 done",), ())


def test_a_reading_without_a_command_has_a_blank_one():
    two = "real 12.34\nuser 10.00\nsys 1.20\n"

    (sheet,) = read("time", f"$ time ./x\n{two}{two}")
    assert [row[0] for row in texts(sheet)] == ["./x", ""]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "54.17user 3.32system 0:49.70elapsed 115%CPU (0avgtext+0avgdata "
            "1234maxresident)k\n0inputs+0outputs (0major+12minor)pagefaults 0swaps",
            ("", "54.17", "3.32", "0:49.70", "115%", "1234"),
        ),
        ("10 loops, best of 3: 44.1 msec per loop", ("", "44.1 msec", "10", "3")),
        (
            "user@mac ~ % ./x.py\n./x.py  1.0s user 2.0s system 9% cpu 3.0 total",
            ("./x.py", "1.0s", "2.0s", "9%", "3.0"),
        ),
    ],
)
def test_less_common_programs(text, expected):
    assert tuple(one("time", text).values()) == expected


@pytest.mark.parametrize(
    "text",
    [
        "in real 12 cases",
        "the user 10",
        "12 swaps were made",
        "in total",
        "5.0 per loop",
        "Average time: 3.2 s",
        "Maximum resident set size (kbytes): 512000",
    ],
)
def test_prose_is_left_alone(text):
    assert read("time", text) == ()
