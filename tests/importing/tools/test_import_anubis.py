"""Anubis: dumps of the leaderboard's table, of two programs and two versions."""

import re

import pytest

from benchdb.exchange.record import digest_of
from benchdb.importing.tools import anubis
from tests.foreign_files import OURS, document, sample_cases, taken, written

PUBLISHED = "anubis_leaderboard_submissions.sql"
MADE_UP = OURS / "anubis.sql"


def published(path):
    return taken(anubis, document(path))


@pytest.fixture(scope="module")
def made_up():
    return taken(anubis, document(MADE_UP))


def changed(old, new):
    """Return what is read of our dump with *new* in the place of *old*."""
    text = MADE_UP.read_text(encoding="utf-8")
    assert old in text
    return taken(anubis, written(text.replace(old, new)))


def figures(run):
    return {value.metric: value for value in run.end.values}


def everything(read):
    return "".join(repr(one) for one in (*read.runs, *read.bad, *read.claims))


@pytest.mark.parametrize(
    ("path", "models"),
    sample_cases(
        PUBLISHED,
        ours=(
            [
                *("gemma:2b", "llama3.2:1b", "qwen2.5:3b"),
                "mlx-community/Qwen2.5-3B-4bit",
            ],
        ),
        shared=(
            [
                *("gemma:7b", "llama3.2:3b", "qwen2.5:7b"),
                "mlx-community/Llama-3.2-3B-Instruct-4bit",
            ],
        ),
    ),
)
def test_four_rows_are_four_runs_on_one_machine(path, models):
    runs = published(path).runs

    assert {(run.run.workload, run.run.setting) for run in runs} == {
        ("llm-generate", "anubis")
    }
    assert [run.run.parameters["model"] for run in runs] == models
    assert [run.run.framework for run in runs] == ["ollama"] * 3 + ["mlx"]
    assert len({digest_of(run.machine) for run in runs}) == 1
    assert {(run.run.device, run.run.label) for run in runs} == {("metal", "aggregate")}


@pytest.mark.parametrize(
    ("path", "line", "printed"),
    sample_cases(
        PUBLISHED,
        ours=(65, ["25.5", "1.25", "9.25", "3000000000", "8.25"]),
        shared=(
            82,
            [
                *("17.376164931119", "2.0430880784988", "24.766903125"),
                *("9567785144", "9.7792751752489"),
            ],
        ),
    ),
)
def test_the_figures_keep_their_characters_and_places(path, line, printed):
    found = figures(published(path).runs[0])

    metrics = (
        *("tokens_per_second", "time_to_first_token_seconds", "operation_seconds"),
        *("peak_memory_reported_bytes", "mean_power_watts"),
    )
    assert [found[metric].printed for metric in metrics] == printed
    assert [found[metric].value for metric in metrics] == pytest.approx(
        [float(figure) for figure in printed]
    )
    assert found["tokens_per_second"].locator == (
        f"line {line}, column tokens_per_second"
    )


@pytest.mark.parametrize(
    ("path", "printed"),
    sample_cases(PUBLISHED, ours=("0.32",), shared=("0.60497213956056",)),
)
def test_watts_for_a_token_become_tokens_for_a_joule(path, printed):
    found = figures(published(path).runs[0])["tokens_per_joule"]

    assert found.value == pytest.approx(1 / float(printed))
    assert (found.printed, found.derived) == (printed, "1 / avg_watts_per_token")


@pytest.mark.parametrize(
    ("path", "facts", "levels", "gigabytes", "model", "label"),
    sample_cases(
        PUBLISHED,
        ours=(
            *(("Apple", "M2", 8, 10, 100e9), [4, 4], 16),
            *("Mac14,2", "MacBook Air (13-inch, M2, 2022)"),
        ),
        shared=(
            *(("Apple", "M4", 10, 10, 120e9), [4, 6], 24),
            *("Mac16,13", "MacBook Air (15-inch, M4, 2025)"),
        ),
    ),
)
def test_the_machine_has_its_cores_memory_and_bandwidth(
    path, facts, levels, gigabytes, model, label
):
    machine = published(path).runs[0].machine

    chip = machine.chip
    assert facts == (
        *(chip.vendor, chip.name, chip.cpu_cores, chip.gpu_cores),
        chip.memory_bandwidth_bytes_per_second,
    )
    assert [level.cores for level in chip.cpu_levels] == levels
    assert chip.ram_bytes == gigabytes * 2**30
    assert (machine.model, machine.label) == (model, label)


@pytest.mark.parametrize("path", sample_cases(PUBLISHED))
def test_0_is_not_measured(path):
    run = published(path).runs[3]

    load = figures(run)["load_seconds"]
    assert (load.value, load.printed) == (None, "0")
    assert "not measured" in load.reason
    assert "prompt_tokens" not in run.run.parameters
    assert {"prompt_tokens", "context_length"} <= run.run.missing.keys()


@pytest.mark.parametrize(
    ("path", "people"),
    [
        *sample_cases(
            PUBLISHED,
            ours=(["tester", "c0ffee00"],),
            shared=(["uncSoft", "cyberpunk", "daddy", "6c9c1ed0"],),
        ),
        pytest.param(MADE_UP, ["Nickname", "0f0f", "192.0.2."], id="import"),
    ],
)
def test_nobody_is_named(path, people):
    read = published(path)

    assert all(somebody in path.read_text(encoding="utf-8") for somebody in people)
    assert not [somebody for somebody in people if somebody in everything(read)]
    assert "on purpose" in read.runs[0].source.missing["submitters"]


@pytest.mark.parametrize("path", sample_cases(PUBLISHED))
def test_power_of_which_the_scope_is_unknown_is_flagged(path, made_up):
    assert {flag.metric for flag in published(path).runs[0].end.flags} == {
        *("mean_power_watts", "peak_soc_power_watts", "tokens_per_joule")
    }
    assert made_up.runs[0].end.flags == ()


def test_settings_are_parameters_and_the_state_of_the_machine_conditions(made_up):
    run = made_up.runs[0].run

    assert run.parameters == {
        "model_id": "toy:1b",
        "model": "toy:1b",
        "quantization": "4-bit",
        "backend": "Ollama (Local)",
        "prompt": 'What\'s a "tensor"? Say; it), (briefly.',
        "prompt_tokens": 12,
        "methodology_version": 2,
        "temperature": 0.7,
    }
    assert run.conditions == {"thermal_state_at_start": 0, "low_power_mode": 1}


def test_a_run_that_failed_says_so(made_up):
    run = made_up.runs[1]

    assert (run.end.status, run.end.reason) == ("failed", "status is failed")
    assert figures(run)["tokens_per_joule"].reason == "not in the file"
    assert figures(run)["mean_power_watts"].printed == "1.5e-7"
    assert (run.run.started, run.run.missing["started"]) == (None, "not in the file")
    assert run.run.parameters["prompt"] == "It's due."


def test_a_back_end_without_a_process_leaves_the_device_open(made_up):
    run = made_up.runs[1].run

    assert (run.framework, run.device) == ("at …", "unknown")
    assert "no process" in run.missing["device"]


def test_a_row_with_too_few_values_is_quarantined_without_its_names(made_up):
    (bad,) = made_up.bad

    assert bad.reason == "4 values under 24 columns"
    assert (bad.number, bad.raw) == (32, "")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (",50,20,", ",-50,20,", "tokens_per_second is -50, less than nothing"),
        (",50,20,", ",'fast',20,", "tokens_per_second is 'fast', no number"),
        (",50,20,", ",1e300,20,", "which cannot be"),
        (",0.4,2,", ",1e-320,2,", "not finite"),
        ("'completed',12", "'perhaps',12", "status is 'perhaps'"),
        ("'toy:1b','4-bit'", "'','4-bit'", "model_name is missing"),
        ("'toy:1b','4-bit'", "'a\u202eb','4-bit'", "U+202E"),
        ("'4-bit'", "'4\\0bit'", "U+0000"),
        ("'2026-03-01 09:00:00'", "'2999-01-01'", "has not come yet"),
        (",36)", ",36000000000000000000)", "which cannot be"),
    ],
)
def test_what_cannot_be_true_is_refused_and_the_other_row_lands(old, new, why):
    read = changed(old, new)

    assert why in read.bad[0].reason
    assert "Nickname" not in everything(read)
    assert [run.end.status for run in read.runs] == ["failed"]


def test_a_row_without_a_figure_is_not_measured():
    run = changed(",50,20,0.4,", ",0,0,NULL,").runs[0]

    assert run.end.status == "not-measured"


def test_a_column_told_twice_is_refused():
    read = changed("`temperature`,", "`prompt`,")

    assert {bad.reason for bad in read.bad[:2]} == {"column 'prompt' appears twice"}


def test_a_framework_that_may_compute_anywhere_leaves_the_device_open():
    text = MADE_UP.read_text(encoding="utf-8").replace("Ollama (Local)", "Bench")
    run = taken(anubis, written(text.replace("'ollama'", "'python3'"))).runs[0].run
    other = changed("Apple M3 Pro", "Intel(R) Core(TM) i7").runs[0].run

    assert (run.framework, run.device) == ("Bench", "unknown")
    assert (other.framework, other.device) == ("ollama", "unknown")
    assert other.missing["device"] == "ollama may compute on any"


def test_another_table_is_named():
    more = "INSERT INTO `users` (`a`, `b`) VALUES (1, 'A Nickname');\n"
    read = changed("-- MariaDB", f"{more}-- MariaDB")

    assert read.bad[0].reason == "table 'users' is none of Anubis"
    assert "Nickname" not in everything(read)


def test_a_dump_without_the_names_of_its_columns_says_what_to_do():
    text = re.sub(r"(?m)^(INSERT INTO \S+) \([^()]*\)", r"\1", MADE_UP.read_text())

    first, _ = taken(anubis, written(text)).bad

    assert "mysqldump: --complete-insert" in first.reason


def test_columns_that_are_not_known_are_left_out():
    run = changed("`temperature`,", "`favourite_colour`,").runs[0].run

    assert "temperature" not in run.parameters
    assert "favourite_colour" not in {**run.parameters, **run.conditions}


def test_the_table_without_a_row_is_no_result():
    schema = MADE_UP.read_text(encoding="utf-8").split("INSERT")[0]

    assert not anubis.recognises(written(schema))


@pytest.mark.parametrize(
    "end", ["'" + "\\'" * 50_000, "'" * 99_999, "(" * 99_999, "'\\", "1,2"]
)
def test_a_dump_that_breaks_off_is_refused_at_once(end):
    schema = MADE_UP.read_text(encoding="utf-8").split("INSERT")[0]
    start = "INSERT INTO leaderboard_submissions (a, b) VALUES ("
    read = taken(anubis, written(schema + start + end))

    assert not read.runs
    assert [bad.number for bad in read.bad] == [31]
