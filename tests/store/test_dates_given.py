"""What is given as the date of a source is one."""

import os

import pytest

from tests.in_process import benchdb


@pytest.mark.parametrize("option", ["--published", "--retrieved"])
@pytest.mark.parametrize(
    "text", ["gestern", "2023-13-45", "2023-02-30", "2023-01-01T99", "20230101", ""]
)
def test_what_is_no_date_is_refused_before_anything_is_made(tmp_path, option, text):
    database = tmp_path / "r.sqlite"

    done = benchdb("import", __file__, option, text, "--db", database)

    accepted = "give it as 2026, 2026-11 or 2026-11-22"
    assert (done.status, done.out) == (2, "")
    assert done.err == f"benchdb: {text!r} is no date; {accepted}\n"
    assert not database.exists()


@pytest.mark.parametrize("text", ["2023", "2023-02", "2024-02-29"])
def test_a_year_a_month_or_a_day_is_one(tmp_path, text):
    database = tmp_path / "r.sqlite"

    done = benchdb("import", os.devnull, "--published", text, "--db", database)

    assert done.status == 1
    assert done.err == f"benchdb: {os.devnull}: the file is empty\n"
