"""``benchdb recipe``: all that somebody needs to measure a run on another machine."""

import json
import shlex
import shutil

import pytest

from tests.command_line import Outcome
from tests.in_process import benchdb
from tests.manual import CHECKOUT, code_blocks

PAGE = CHECKOUT / "docs" / "reproducing.md"
(SHOWN,) = (it for it in code_blocks(PAGE) if it.startswith("$ benchdb recipe"))
RUN = shlex.split(SHOWN.splitlines()[0])[3]


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    path = tmp_path_factory.mktemp("shipped") / "results.sqlite"
    return shutil.copyfile(CHECKOUT / "results.sqlite", path)


def recipe(database, run: str, *more: str) -> Outcome:
    return benchdb("recipe", run, *more, "--db", database)


def test_command_and_packages_are_those_of_the_run_and_no_address_is_told(database):
    shown = json.loads(benchdb("show", RUN, "--json", "--db", database).out)
    lines = dict(line.split("  ", 1) for line in recipe(database, RUN).out.splitlines())
    facts = {name: text.strip() for name, text in lines.items()}
    packages = shown["environment"]["packages"]

    assert facts["measure"].startswith(f"benchdb collect {shown['run']['workload']} ")
    assert f"torch=={packages['torch'].partition('+')[0]}" in facts["install"]
    assert f"numpy=={packages['numpy']}" in facts["install"]
    assert "driver 580.159.04" in facts["not by pip"]
    assert "://" not in "".join(facts.values())
    assert shown["run"]["collector"]["sha256"][:12] in facts["collector"]


def test_as_markdown_commands_stand_alone(database):
    plain, marked = recipe(database, RUN), recipe(database, RUN, "--markdown")
    command = next(
        line.split(None, 1)[1]
        for line in plain.out.splitlines()
        if line.startswith("measure ")
    )

    assert f"\n      {command}\n" in marked.out
    assert len([it for it in marked.out.splitlines() if it.startswith("* ")]) == len(
        plain.out.splitlines()
    )


def test_of_what_others_published_it_tells_what_their_source_says(database):
    listed = benchdb(*("list", "--source", "m1tensorbench", "--json", "--db", database))
    run = json.loads(listed.out)[0]["digest"]

    out = recipe(database, run).out

    why = "no command of ours does the same: others published it, and measured in their"
    assert why in out
    assert "its protocol" in out
    assert "address       https://github.com/rawar/m1tensorbench" in out
    assert "install" not in out
    assert "benchdb collect" not in out
