"""Writing a site: what is new, what is gone, and what is never touched."""

import json
import os
import signal
import sys
from subprocess import DEVNULL, run

import pytest

from benchdb.errors import BenchdbError, UsageError
from benchdb.site.addresses import addresses, slug
from benchdb.site.build import MANIFEST, Local, Outcome, Plan, build
from benchdb.site.pages import Frame, Page, Words
from tests.in_process import benchdb
from tests.store_factory import Machine, Run
from tests.summary_page import WALL
from tests.written_reports import EVIL, mixed, report, store

FRAME = Frame(("en", "de"))


def page(address: str, fact: str, *, local: bool = False) -> Page:
    parts = {"lead": fact, "heads": (), "rows": ()}
    words = lambda language: Words(title=fact, parts=parts)  # noqa: E731
    return Page(address, "chips", "list", [fact], words, local)


def built(shared: list[Page], folder) -> Outcome:
    return build([Plan(shared, [])], FRAME, folder)


def facts_at(addresses):
    return ((address, "y") for address in addresses)


def local_page(address: str, fact: str) -> Page:
    return page(address, fact, local=True)


def names(folder) -> set[str]:
    return {
        str(item.relative_to(folder)) for item in folder.rglob("*") if item.is_file()
    }


def test_shared_pages_are_in_every_language_and_local_ones_in_the_first(tmp_path):
    plan = Plan(
        shared=[page("a/b", "x")],
        files=[("assets/c.css", b"c")],
        local=Local({"run/1": "as it is"}, facts_at, local_page),
    )
    done = build([plan], FRAME, tmp_path / "site")

    assert names(tmp_path / "site") == {
        MANIFEST,
        "a/b.html",
        "a/b.json",
        "assets/c.css",
        "de/a/b.html",
        "run/1.html",
        "run/1.json",
    }
    assert (done.written, done.kept, done.removed) == (6, 0, 0)


def test_a_second_build_writes_only_what_changed(tmp_path):
    built([page("a", "x"), page("b", "x")], tmp_path)
    before = {name: (tmp_path / name).stat().st_mtime_ns for name in names(tmp_path)}
    done = built([page("a", "x"), page("b", "new")], tmp_path)

    assert (done.written, done.kept) == (3, 3)
    changed = {
        text for text in before if (tmp_path / text).stat().st_mtime_ns != before[text]
    }
    assert changed == {"b.html", "b.json", "de/b.html", MANIFEST}


def test_a_local_page_is_made_again_only_if_its_key_is_another(tmp_path):
    made = []

    def noted(wanted):
        made.append(sorted(wanted))
        return facts_at(wanted)

    for keys in ({"run/1": "a", "run/2": "b"}, {"run/1": "a", "run/2": "c"}):
        build([Plan([], [], Local(keys, noted, local_page))], FRAME, tmp_path)

    assert made == [["run/1", "run/2"], ["run/2"]]
    assert (tmp_path / "run" / "1.json").exists()


def test_a_page_that_is_gone_is_removed_unless_somebody_changed_it(tmp_path):
    built([page("a", "x"), page("b", "x")], tmp_path)
    (tmp_path / "b.html").write_text("mine now")
    (tmp_path / "mine.html").write_text("mine")
    done = built([page("a", "x")], tmp_path)

    assert done.removed == 2
    assert (tmp_path / "b.html").read_text() == "mine now"
    assert (tmp_path / "mine.html").read_text() == "mine"
    assert not (tmp_path / "de" / "b.html").exists()


def test_a_folder_of_others_is_not_written_to(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")

    with pytest.raises(UsageError, match="not made by 'benchdb report --site'"):
        built([page("a", "x")], tmp_path)
    assert names(tmp_path) == {"thesis.tex"}


def test_a_file_of_others_in_our_folder_is_not_overwritten(tmp_path):
    built([page("a", "x")], tmp_path)
    (tmp_path / "b.html").write_text("mine")

    with pytest.raises(UsageError, match="not of this site"):
        built([page("a", "x"), page("b", "x")], tmp_path)
    assert (tmp_path / "b.html").read_text() == "mine"


def test_a_build_that_was_interrupted_is_finished_by_the_next(tmp_path):
    def broken(language):
        raise RuntimeError("the power went")

    halves = [page("a", "x"), Page("b", "chips", "list", ["x"], broken)]
    with pytest.raises(RuntimeError):
        built(halves, tmp_path / "site")
    assert (tmp_path / "site" / "a.html").exists()
    done = built([page("a", "x"), page("b", "x")], tmp_path / "site")

    assert done.written + done.kept == 6
    assert (tmp_path / "site" / "de" / "b.html").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="one process makes all pages")
def test_a_process_that_is_killed_is_said_in_a_line(tmp_path, monkeypatch):
    def killed(address: str, fact: str) -> Page:
        os.kill(os.getpid(), signal.SIGKILL)
        return local_page(address, fact)

    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    runs = {f"run/{n}": "new" for n in range(60)}

    with pytest.raises(BenchdbError, match="made pages was killed, perhaps for lack"):
        build([Plan([], [], Local(runs, facts_at, killed))], FRAME, tmp_path / "site")


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path):
    site, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    built([page("a", "x")], site)
    (site / "chip").symlink_to(elsewhere)

    with pytest.raises(UsageError, match="leads out of"):
        built([page("chip/a", "x")], site)
    assert names(elsewhere) == set()


def test_a_list_that_names_files_elsewhere_removes_nothing_there(tmp_path):
    site, victim = tmp_path / "site", tmp_path / "victim"
    victim.write_text("x")
    built([page("a", "x")], site)
    known = json.loads((site / MANIFEST).read_text())
    known["../victim"] = known["a.json"] | {
        # The digest of what is there: as if we had written it.
        "sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    }
    (site / MANIFEST).write_text(json.dumps(known))
    built([page("a", "x")], site)

    assert victim.read_text() == "x"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("M1 Max", "m1-max"),
        ("../../etc/passwd", "etc-passwd"),
        ("Ünïcode ™", "unicode-tm"),
        ("芯片", "unnamed"),
        ("", "unnamed"),
        ("a" * 10_000, "a" * 60),
    ],
)
def test_a_name_becomes_an_address_of_plain_letters(name, short):
    assert slug(name) == short


def test_names_that_collide_have_addresses_of_their_own():
    made = addresses("chip", ["M1 Max", "m1-max", "M1/Max", "m1 max 2"], {"M1 Max"})

    assert made["M1 Max"] == "chip/m1-max"
    assert len(set(made.values())) == 4


def hostile() -> list[Run]:
    """Return runs of chips whose names are meant to break out of the folder."""
    chips = ("../../etc", "M1 Max", "m1-max", "x" * 10_000, "<script>alert(1)</script>")
    return [
        Run(
            machine=Machine(chip=chip, model=EVIL),
            values={WALL: 10.0 + number},
            source=f"../source {number}",
        )
        for number, chip in enumerate(chips)
    ]


def test_hostile_names_stay_in_the_folder_and_are_only_text(tmp_path):
    site = tmp_path / "out" / "site"
    done = report(store(tmp_path, hostile()), "--site", site, "--lang", "en,ar")

    assert done.status == 0, done.err
    there = {item.name.partition("-")[0] for item in tmp_path.iterdir()}
    assert there == {"out", "results.sqlite"}
    pages = [*site.rglob("*.html")]
    assert any("&lt;script&gt;alert(1)" in item.read_text() for item in pages)
    assert all("<script>alert" not in item.read_text() for item in pages)


def test_the_same_database_gives_the_same_bytes_whatever_surrounds_it(tmp_path):
    """Sets have another order, times another zone and letters another coding."""
    database = store(tmp_path, mixed())
    elsewhere = {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    for name, more in (("one", {"PYTHONHASHSEED": "0"}), ("other", elsewhere)):
        options = ("--site", tmp_path / name, "--lang", "en,ja", "--db", database)
        command = [sys.executable, "-m", "benchdb", "report", *map(str, options)]
        run(command, env=os.environ | more, check=True, stdout=DEVNULL)

    assert names(tmp_path / "one") == names(tmp_path / "other")
    for name in names(tmp_path / "one"):
        result, other = ((tmp_path / it / name).read_bytes() for it in ("one", "other"))
        assert result == other, name


def test_a_site_with_an_address_has_a_sitemap(tmp_path):
    options = ("--lang", "en,de", "--base-url", "https://example.org/bench/")
    done = report(store(tmp_path, mixed()), "--site", tmp_path / "site", *options)
    sitemap = (tmp_path / "site" / "sitemap.xml").read_text()

    assert done.status == 0, done.err
    assert "<loc>https://example.org/bench/index.html</loc>" in sitemap
    assert "<loc>https://example.org/bench/de/index.html</loc>" in sitemap


def test_a_filter_that_leaves_nothing_writes_nothing(tmp_path):
    database = store(tmp_path, mixed())
    done = benchdb(
        *("report", "--db", database, "--site", tmp_path / "site"),
        *("--chip", "M2", "--device", "cuda"),
    )

    assert done.status == 2
    assert "no result matches" in done.err
    assert not (tmp_path / "site").exists()
