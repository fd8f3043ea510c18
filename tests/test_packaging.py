"""The files by which others package, cite and run benchdb are right and current.

None of their hosts is here: schemas, parsers and the files themselves stand for them.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from benchdb import __version__
from tools import licences, manual_page, release

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PACKAGING = ROOT / "packaging"
FORMULA = PACKAGING / "homebrew" / "benchdb.rb"
RECIPE = PACKAGING / "conda" / "recipe.yaml"
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
BY_SCHEMA = {
    "citation-file-format": [ROOT / "CITATION.cff"],
    "github-actions": [ROOT / "action.yml"],
    "github-workflows": [*(ROOT / ".github" / "workflows").iterdir()],
    "github-issue-forms": FORMS,
}


@pytest.mark.parametrize("schema", BY_SCHEMA)
def test_files_for_a_host_are_what_its_schema_allows(schema):
    checker = (sys.executable, "-m", "check_jsonschema")
    files = map(str, BY_SCHEMA[schema])
    named = ("--builtin-schema", f"vendor.{schema}", *files)

    done = subprocess.run([*checker, *named], capture_output=True, check=False)

    assert done.returncode == 0, done.stdout.decode()


def test_the_manual_page_says_what_help_says():
    assert (PACKAGING / "benchdb.1").read_text() == manual_page.page()


def test_no_word_of_a_help_text_is_a_request_of_roff():
    lines = manual_page.page().splitlines()
    requests = {line.split()[0] for line in lines if line[:1] in {".", "'"}}
    escapes = set(re.findall(r"\\(\(..|.)", "\n".join(lines)))

    assert requests <= {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".I", ".IR", ".RB"}
    assert escapes <= {"-", "&", "e", "f", "(dq"}


def test_licences_of_what_is_asked_for_are_listed():
    page = (ROOT / "docs" / "licences.md").read_text()

    for extra, names in licences.direct().items():
        for name in names:
            row = f"| {name} | {licences.licence(name)} |"
            assert f"{extra and f'| {extra} '}{row}\n" in page


def test_every_file_has_the_version(tmp_path):
    names = [*release.VERSIONS, "CHANGELOG.md"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)

    for name in release.VERSIONS:
        assert __version__ in (tmp_path / name).read_text()
    release.prepare(tmp_path, "9.8.7", date(2030, 1, 2))

    assert [n for n in names if "9.8.7" not in (tmp_path / n).read_text()] == []
    changes = (tmp_path / "CHANGELOG.md").read_text()
    assert "## Unreleased\n\n## 9.8.7, 2030-01-02\n" in changes


def test_conda_installs_what_pip_installs():
    recipe = yaml.safe_load(RECIPE.read_text())
    asked = map(Requirement, PROJECT["dependencies"])

    run = [Requirement(line) for line in recipe["requirements"]["run"]]
    wanted = {"python": PROJECT["requires-python"]}
    wanted |= {each.name: str(each.specifier) for each in asked}
    assert {each.name: str(each.specifier) for each in run} == wanted


def test_the_formula_asks_for_extras_and_a_python_that_there_are():
    text = FORMULA.read_text()
    (asked,) = re.findall(r"buildpath\}\[(.*?)\]", text)
    extras = asked.split(",")
    (python,) = set(re.findall(r"python@?(\d\.\d+)", text))

    assert {*extras} <= PROJECT["optional-dependencies"].keys()
    assert f"Programming Language :: Python :: {python}" in PROJECT["classifiers"]
    assert text.count("\nend") == text.count("\nclass ") == 1


KEYWORDS = ("ARG", "FROM", "COPY", "RUN", "USER", "ENV", "VOLUME", "ENTRYPOINT", "CMD")


def instructions() -> list[list[str]]:
    """Return keyword and rest of each instruction of the container file."""
    text = (PACKAGING / "Containerfile").read_text()
    joined = re.sub(r"^#.*\n|\\\n", "", text, flags=re.MULTILINE)
    return [line.split(None, 1) for line in joined.splitlines() if line]


def test_the_container_runs_benchdb_as_nobody_special():
    steps = instructions()

    assert {word for word, _ in steps} <= {*KEYWORDS}
    assert [word for word, _ in steps][:2] == ["ARG", "FROM"]
    assert steps[-2:] == [["ENTRYPOINT", '["benchdb"]'], ["CMD", '["doctor"]']]
    last_user = [rest for word, rest in steps if word == "USER"][-1]
    (script,) = [rest for word, rest in steps if word == "RUN"]
    assert f"useradd --create-home {last_user} " in script
    subprocess.run(["bash", "-n", "-c", script], check=True)


@pytest.mark.parametrize(
    "extra", re.findall(r"EXTRAS=([\w,]+)", (PACKAGING / "Containerfile").read_text())
)
def test_the_container_asks_for_extras_that_there_are(extra):
    assert {*extra.split(",")} <= PROJECT["optional-dependencies"].keys()


def test_make_alone_explains_every_target_that_people_type():
    text = (ROOT / "Makefile").read_text()
    (line,) = re.findall(r"^\.PHONY: (.*)", text, re.MULTILINE)[:1]
    phony = line.split()

    done = subprocess.run(
        ["make", "--no-print-directory"],  # which a make around the tests asks for
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert [line.split()[1] for line in done.stdout.splitlines()] == [
        name for name in re.findall(r"^(\w+):", text, re.MULTILINE) if name in phony
    ]
    assert len(done.stdout.splitlines()) == len(phony)
