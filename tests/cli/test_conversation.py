"""``import`` asks what a table means: on a real terminal, and in scripts."""

import json
import re
import signal
from pathlib import Path

import pytest

from benchdb.store.database import open_database
from benchdb.store.tables import run
from tests.contents import contents
from tests.in_process import benchdb
from tests.terminal import END, talk

TABLE = """\
# Llama 3.1 8B with llama.cpp

| Machine | Quant | TTFT | tok/s |
|---|---|---|---|
| M1 Max 32c | Q4_K_M | 512 | 51.2 |
| M3 Pro | Q4_K_M | 430 | 44.9 |
"""
FIXTURES = Path(__file__).parents[1] / "fixtures"
HEARD = "unit of TTFT", "work of tok/s", "device", "readings"
ANSWERS = ("ms", "llm-decode", "gpu", "yes")
CORRECTED = "yes, but 1: gpu"  # the device, which is not stated
SETTLED = [
    word
    for key, choice in zip(HEARD, ANSWERS, strict=True)
    for word in ("--answer", f"{key}={choice}")
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "macs.md"
    path.write_text(TABLE)
    return path


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BENCHDB_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def runs(db: Path) -> list[tuple[object, ...]]:
    return contents(open_database(str(db)))["run"] if db.exists() else []


def figures(db: Path) -> dict[tuple[str, str], float]:
    """Return the figure of each workload and chip."""
    query = "SELECT workload, accelerator, value FROM results"
    engine = open_database(str(db))
    with engine.connect() as connection:
        rows = connection.exec_driver_sql(query).all()
    return {(workload, chip): value for workload, chip, value in rows}


FIGURES = {
    ("llm-decode", "M1 Max"): 51.2,
    ("llm-decode", "M3 Pro"): 44.9,
    ("llm-prefill", "M1 Max"): 0.512,
    ("llm-prefill", "M3 Pro"): 0.43,
}


def test_a_conversation_ends_with_the_rows_in_the_database(table, db):
    done = talk([CORRECTED, "yes"], "import", table, "--db", db)

    assert done.status == 0, done.out
    lines = re.findall(r"^  \(\d\) (.{10,26})", done.out, re.MULTILINE)
    assert lines == [
        "not stated: device (Apple)",
        "framework: 'Llama 3.1 8B w",
        "In which unit are the numb",
        "Which tokens do 'tok/s' (5",
    ]
    assert "macs.md: 4 runs, 4 new [map macs]" in done.out
    assert figures(db) == FIGURES


@pytest.mark.parametrize(("typed", "count"), [("yes", 4), ("leave-out", 0)])
def test_a_plain_answer_to_the_card_is_one_to_the_rows_beside_it(
    table, db, typed, count
):
    done = talk([" ", typed], "import", table, "--db", db)

    assert done.status == 0, done.out
    assert done.out.index("4 rows would be imported") < done.out.index("(1) not stated")
    assert "give yes, or what is wrong" in done.out  # Enter alone is no yes
    assert len(runs(db)) == count


def test_a_no_to_the_rows_beside_their_lines_stores_nothing_and_is_no_failure(
    table, db, home
):
    done = talk([CORRECTED, "no"], "import", table, "--db", db)

    assert done.status == 0
    assert "macs.md: nothing was imported, as you said" in done.out
    assert runs(db) == []
    assert not (home / "maps").exists()
    line = "  line 5: | M1 Max 32c | Q4_K_M | 512 | 51.2 |\n"
    before, _, after = done.out.partition(line)
    assert "4 rows would be imported:" in before
    rows = after.splitlines()[:2]
    assert "time_to_first_token_seconds 512 ms" in rows[0]
    assert "tokens_per_second 51.2 tokens/s" in rows[1]
    assert all("-> llm-" in row and "M1 Max (32 GPU cores)" in row for row in rows)


def test_the_ends_of_each_metric_are_shown_where_not_all_rows_are(tmp_path, db):
    path = tmp_path / "long.md"
    rows = "".join(f"| net{n} | {n}.5 |\n" for n in range(1, 21))
    path.write_text(f"# torch on M1 CPU\n\n| Model | s/epoch |\n|---|---|\n{rows}")

    done = benchdb("import", "--guess", path)

    ends = "1.50 s (net1, line 5) to 20.5 s (net20, line 24)"
    assert f"\nsmallest and largest:\n  epoch_seconds: {ends}\n" in done.out


def test_a_guess_or_an_answer_holds_against_a_format_that_knows_the_file(tmp_path, db):
    document = FIXTURES / "tools" / "llama-bench.csv"
    text = f"{document}: read by llama-bench otherwise; here guess and answers hold"

    guessed = benchdb("import", "--guess", document)
    answered = benchdb("import", "--yes", "--answer", "readings=yes", document)

    assert text in guessed.err
    assert text in answered.err


def test_what_was_answered_once_is_not_asked_again(table, db):
    talk([CORRECTED, "yes"], "import", table, "--db", db)
    before = contents(open_database(str(db)))

    again = benchdb("import", table, "--db", db)

    assert again.status == 0, again.err
    assert again.out == f"{table}: 4 runs, 0 new (file imported before) [map macs]\n"
    assert contents(open_database(str(db)))["run"] == before["run"]


def test_an_undone_import_is_asked_about_again(table, db, home):
    talk([CORRECTED, "yes"], "import", table, "--db", db)

    undone = benchdb("import", "--undo", "--db", db)
    again = talk(["yes, but 1: gpu; 3: s", "yes"], "import", table, "--db", db)

    assert "what was agreed on about its tables is forgotten as well" in undone.out
    assert "readings: are these right?" in again.out
    assert figures(db)["llm-prefill", "M3 Pro"] == 430


def test_an_answer_that_makes_no_sense_is_asked_for_again(table, db):
    nonsense = ["9", " ", "furlongs", "1: toaster", "99: ms", "precison: fp16"]
    answers = [*nonsense, "y, but 1: gpu", "maybe", "y"]

    done = talk(answers, "import", table, "--db", db)

    assert done.status == 0, done.out
    texts = [line for line in done.out.splitlines() if line.startswith("benchdb: ")]
    ways = "give yes, or what is wrong as NUMBER: ANSWER, 1 to 4, or NAME: ANSWER"
    assert texts[1:4] == [
        f"benchdb: 'readings': {typed!r}: {ways}" for typed in ("9", "", "furlongs")
    ]
    assert (
        "'toaster': say which fact it is; allowed: 'device: …', 'precision: …'"
        in texts[4]
    )
    assert "nothing asks '99'" in texts[5]
    assert "nothing asks 'precison'; did you mean 'precision" in texts[6]
    assert texts[7] == "benchdb: type yes or no"
    assert figures(db) == FIGURES


@pytest.mark.parametrize("answered", [(), (CORRECTED,)])
def test_ctrl_c_in_the_middle_stores_nothing(table, db, home, answered):
    done = talk([*answered, signal.SIGINT], "import", table, "--db", db)

    assert done.status == 130
    assert done.out.splitlines()[-1].endswith("benchdb: interrupted")
    assert "Traceback" not in done.out
    assert runs(db) == []
    assert not (home / "maps").exists()


def test_the_end_of_the_answers_in_the_middle_stores_nothing(table, db):
    done = talk([CORRECTED, END], "import", table, "--db", db)

    assert done.status == 1
    assert done.out.splitlines()[-1].endswith(
        "macs.md: the answers ended before the questions; nothing was stored"
    )
    assert runs(db) == []


def test_several_tables_are_asked_about_in_turn_and_known_files_come_first(
    table, db, tmp_path, two_runs
):
    other = tmp_path / "more.md"
    other.write_text(TABLE.replace("512", "600"))
    answers = [CORRECTED, "yes"]

    done = talk(answers * 2, "import", table, two_runs, other, "--db", db)

    assert done.status == 0, done.out
    heads = [line for line in done.out.splitlines() if line.startswith(("=== ", "/"))]
    names = [name for line in heads for name in re.findall(r"[\w.]+(?=: )", line)]
    assert names == ["two_runs.jsonl", "macs.md", "more.md", "macs.md", "more.md"]
    assert len(runs(db)) == 2 + 4 + 4


def test_a_rehearsal_asks_and_keeps_neither_rows_nor_answers(table, db, home):
    done = talk([CORRECTED, "yes"], "import", table, "--dry-run", "--db", db)

    assert done.status == 0
    assert "macs.md: 4 runs, 4 new [map macs]" in done.out
    assert "nothing was kept (--dry-run)" in done.out
    assert not db.exists()
    assert not (home / "maps").exists()


def test_what_was_agreed_on_can_be_saved_and_imported_elsewhere(table, db, tmp_path):
    map_ = tmp_path / "macs.toml"
    talk([CORRECTED, "yes"], "import", table, "--save", map_, "--db", db)

    other = tmp_path / "other.sqlite"
    done = benchdb("import", "--map", map_, table, "--db", other)

    assert done.status == 0, done.err
    assert figures(other) == figures(db) == FIGURES
    assert len(map_.read_text().splitlines()) <= 40


def test_without_a_terminal_one_line_names_the_way(table, db):
    done = benchdb("import", table, "--db", db)

    assert (done.status, done.out) == (1, "")
    assert done.err == (
        f"benchdb: {table}: a table, but no map says what the columns mean; 'benchdb "
        "import --guess macs.md' proposes one\n"
    )
    assert runs(db) == []


def test_one_unknown_table_among_known_files_is_refused_alone(table, db, two_runs):
    done = benchdb("import", table, two_runs, "--db", db)

    assert done.status == 1
    assert done.out == f"{two_runs}: 2 runs, 2 new\n"
    assert len(runs(db)) == 2


def test_a_guess_prints_map_questions_and_rows_and_imports_nothing(table, db):
    done = benchdb("import", "--guess", *SETTLED[:2], table, "--db", db)

    assert done.status == 0, done.err
    assert "[table.columns]" in done.out
    assert "\n4 rows would be imported:\n" in done.out
    assert "In which unit are the numbers in 'TTFT'" not in done.out.split("\n\n")[-1]
    assert ") Which tokens do 'tok/s' (51.2, 44.9) count? tokens written" in done.out
    assert "imports where no question is open" in done.err
    assert not db.exists()


def test_a_script_answers_by_key_and_imports_where_nothing_is_open(table, db):
    done = benchdb("import", "--yes", *SETTLED, table, "--db", db)

    assert done.status == 0, done.err
    assert figures(db) == FIGURES


def test_what_is_left_out_for_reasons_that_differ_in_numbers_alone_is_one_line(table):
    rows = [
        f"| llama 7B | {test} | {rate} |"
        for n, prompt in enumerate((4096, 8192, 16384))
        for test, rate in ((f"pp{prompt}", 900 - n), ("tg256", 160 - 30 * n))
    ]
    head = "# M2 Max, MLX\n\n| model | test | t/s |\n|---|---|---|\n"
    table.write_text(head + "\n".join(rows))

    done = benchdb("import", "--guess", str(table))

    assert done.out.count("twice: tokens_per_second") == 1
    assert "  3 × twice: tokens_per_second of the same run is at line 8" in done.out


def test_a_script_hears_what_is_left_out(table, db):
    table.write_text(TABLE + "\nLater 61.5 tok/s were reached.\n")
    done = benchdb("import", "--yes", *SETTLED, table, "--db", db)

    assert figures(db) == FIGURES
    assert f"{table}: left out:\n  line 8: '61.5 tok/s': in no table" in done.err


def test_json_lines_are_imported_as_a_guess_reads_them(tmp_path, db):
    path = tmp_path / "decode.jsonl"
    line = '{"machine": "%s", "model": "a-7b", "decode_tps": %s}\n'
    path.write_text(line % ("M1 Max", 30.5) + line % ("M3 Pro", 21.5))

    plain = benchdb("import", path, "--db", db)
    agreed = ("--answer", "readings=yes, but device: gpu")
    done = benchdb("import", path, "--yes", *agreed, "--db", db)

    assert "'benchdb import --guess decode.jsonl' proposes one" in plain.err
    assert done.status == 0, done.err
    assert figures(db) == {
        ("llm-decode", "M1 Max"): 30.5,
        ("llm-decode", "M3 Pro"): 21.5,
    }


def test_a_log_that_begins_with_a_bracket_is_no_broken_json(tmp_path, db):
    path = tmp_path / "run.log"
    path.write_text("[bench] device=mps\nresnet50 throughput: 12.5 img/s\n")

    plain = benchdb("import", path, "--db", db)
    done = benchdb("import", path, "--yes", "--db", db)

    assert "--guess proposes a map for other text" in plain.err
    assert done.status == 1
    assert "readings: are these right?" in done.err


def test_what_is_called_json_and_is_none_is_told_with_its_place(tmp_path, db):
    path = tmp_path / "run.json"
    path.write_text('{"a": 1,\n "b": }')

    for how in ([], ["--yes"]):
        done = benchdb("import", path, *how, "--db", db)

        assert done.status == 1
        assert "line 2, column 7: no JSON" in done.err


def test_answers_make_a_map_of_a_document_that_a_tool_wrote_too(tmp_path, db):
    document = tmp_path / "bench.md"
    document.write_text(
        "| model | size | params | backend | ngl | test | t/s |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n"
        "| llama 7B Q4_0 | 3.56 GiB | 6.74 B | Remote | 99 | pp512 | 800.5 |\n"
    )

    named = "yes, but machine: M1 Max; device: gpu; framework: llama.cpp"
    known = ["names of backend=leave-out", f"readings={named}"]
    answers = [word for text in known for word in ("--answer", text)]
    done = benchdb("import", document, "--yes", *answers, "--db", db)

    assert done.status == 0, done.err
    assert figures(db) == {("llm-prefill", "M1 Max"): 800.5}


def test_a_card_stops_a_script_and_says_what_to_type(table, db):
    done = benchdb("import", "--yes", *SETTLED[:4], table, "--db", db)

    assert (done.status, done.out) == (1, "")
    assert "\n  (1) not stated: device (Apple); precision\n" in done.err
    assert done.err.endswith(
        f"benchdb: {table}: a card of 2 lines is open, nothing of it was imported; to "
        "agree: --answer 'readings=yes'\n"
    )
    assert runs(db) == []


def test_a_table_without_figures_is_no_import(table, db, home):
    table.write_text("| Chip | Made by |\n|---|---|\n| M1 | Apple |\n")

    done = benchdb("import", "--yes", table, "--db", db)
    asked = talk([], "import", table, "--db", db)

    assert (done.status, asked.status) == (1, 1)
    assert "no table with figures was found; nothing was stored" in done.err
    assert "no row is left to import; nothing was stored" in asked.out
    assert not (home / "maps").exists()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("unit of TTFT=furlongs", "'furlongs'"),
        ("device=toaster", "allowed: one such as 'gpu', not-stated"),
        ("readings=99: ms", "nothing asks '99'"),
        ("precison=fp16", "nothing asks 'precison'"),
        ("red", "give KEY=CHOICE"),
    ],
)
def test_nonsense_in_a_script_is_wrong_use(table, db, answer, why):
    for way in ("--yes", "--guess"):
        done = benchdb("import", way, "--answer", answer, table, "--db", db)

        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1), done.err
        assert why in done.err
    assert runs(db) == []


def test_other_answers_take_the_place_of_the_first(table, db):
    benchdb("import", "--yes", *SETTLED, table, "--db", db)
    other = [word.replace("=ms", "=s") for word in SETTLED]

    done = benchdb("import", "--yes", *other, table, "--db", db)

    assert done.status == 0, done.err
    listed = json.loads(benchdb("sources", "--json", "--db", db).out)
    (newer,) = (item["digest"] for item in listed if item["superseded_by"] is None)
    assert [item["superseded_by"] for item in listed if item["digest"] != newer] == [
        newer
    ]
    source = run.c.keys().index("source")
    runs_ = {row[0] for row in runs(db) if row[source] == newer}
    values = [
        row for row in contents(open_database(str(db)))["value"] if row[0] in runs_
    ]
    assert sorted(row[2] for row in values) == [44.9, 51.2, 430, 512]
    assert benchdb("import", table, "--db", db).out.count(", 0 new") == 1


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--guess", "--map", "x.toml"), "leave out --map"),
        (("--answer", "device=gpu"), "there is no terminal to ask on"),
        (("--save", "x.toml"), "there is no terminal to ask on"),
    ],
)
def test_options_that_contradict_each_other_are_wrong_use(
    table, db, monkeypatch, options, why
):
    monkeypatch.chdir(table.parent)
    Path("x.toml").write_text("nothing = 'a specification'\n")
    done = benchdb("import", *options, table, "--db", db)

    assert (done.status, done.err.count("\n")) == (2, 1), done.err
    assert why in done.err
    assert not db.exists()


def test_a_map_that_cannot_be_read_any_more_is_named(table, db, home):
    benchdb("import", "--yes", *SETTLED, table, "--db", db)
    (map_,) = (home / "maps").iterdir()
    map_.write_text("[[table]]\nnonsense = 1\n")

    done = benchdb("import", table, "--db", db)

    assert (done.status, done.err.count("\n")) == (1, 1)
    assert "the answers kept for it cannot be used" in done.err
    assert f"delete {map_}" in done.err
