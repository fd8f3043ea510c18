"""What Jinja compiles of templates is kept beside them, and holds their text only."""

import shutil
import sys
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from benchdb.report import html, templates
from benchdb.report.language import load
from benchdb.site import short_markdown

FOLDER = templates.folder()
PAGE, TEXT = html.environment(load("de")), short_markdown.environment(load("de"))


def environment_of(file: str) -> Environment:
    return TEXT if file.endswith(".md.j2") else PAGE


@pytest.mark.parametrize(
    "file",
    [
        str(path.relative_to(templates.folder()))
        for path in templates.folder().rglob("*.j2")
    ],
)
def test_no_template_computes_anything_while_it_is_compiled(file):
    # What filters made of constants would be kept, in one language for all.
    text = (FOLDER / file).read_text()
    tree = environment_of(file).parse(text, file)
    for expr in tree.find_all((nodes.Filter, nodes.Test, nodes.Call)):
        with pytest.raises(nodes.Impossible):
            expr.as_const()


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Keep what is compiled below *tmp_path*, as Python does if so told."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*-jinja-*") if path.is_file())


def rendered() -> str:
    html.environment.cache_clear()  # it would know the compiled template
    template = html.environment(load("de")).get_template("site/badge.svg.j2")
    return template.render(name="a", text="b", wide=10, rest=20)


def test_a_compiled_template_is_kept_and_read_again(kept):
    first = rendered()
    (file,) = files(kept)
    made = file.stat().st_mtime_ns
    assert rendered() == first
    assert file.stat().st_mtime_ns == made


def test_what_escapes_is_kept_beside_what_does_not(kept):
    escaped = rendered()
    plain = templates.environment(autoescape=False, finalize=lambda item: item)
    assert plain.get_template("site/badge.svg.j2").render(
        name="a", text="b", wide=10, rest=20
    )
    assert rendered() == escaped
    assert len(files(kept)) == 2


def test_half_of_a_compiled_template_is_compiled_anew(kept):
    first = rendered()
    (file,) = files(kept)
    whole = file.read_bytes()
    for size in (0, 5, 20, 60, len(whole) // 2):
        file.write_bytes(whole[:size])
        assert rendered() == first
        assert file.read_bytes() == whole


def test_nothing_is_kept_where_python_keeps_nothing(kept, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    rendered()
    assert not files(kept)


def test_a_place_that_cannot_be_written_to_is_no_trouble(kept):
    shutil.rmtree(kept)
    kept.write_text("no folder")
    assert '<text x="20.0" y="14">b</text>' in rendered()
