"""``benchdb report``: write comparison reports."""

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from benchdb.cli.console import Db, flag, narrowing, option, plain, print_bytes
from benchdb.cli.waiting_line import awaited
from benchdb.errors import UsageError, suggestion
from benchdb.site import output as outputs
from benchdb.site.output import FORMATS, File, Format
from benchdb.user_data import cache_folder, location_of

if TYPE_CHECKING:
    from benchdb.site.single import Single

app = typer.Typer(add_completion=False)

_STDOUT, _FOLDER = Path("-"), Path("report")
_PAGE: tuple[Format, ...] = ("html",)
_LANGUAGES = ("BENCHDB_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
_FILTERS = (
    *("chip", "workload", "framework", "device"),
    *("precision", "source", "campaign", "grade"),
)


def _formats(asked: Sequence[str]) -> tuple[Format, ...]:
    """Return the formats asked for, in a fixed order; raise ``UsageError`` for others.

    They may be given several times, or with commas.
    """
    given = [name.strip() for value in asked for name in value.split(",")]
    for name in given:
        if name not in (*FORMATS, "all"):
            raise UsageError(f"no format {name!r}{suggestion(name, [*FORMATS, 'all'])}")
    everything = not given or "all" in given
    return tuple(name for name in FORMATS if everything or name in given)


def _refuse_contradictions(
    output: Path | None,
    languages: Sequence[str],
    formats: Sequence[Format],
    *,
    check: bool,
) -> None:
    """Raise ``UsageError`` if the place cannot take what is wanted."""
    if output != _STDOUT:
        return
    if check:
        raise UsageError("standard output has nothing to check; name a folder with -o")
    if len(formats) > 1:
        raise UsageError(
            "standard output takes one format; choose it with --format: "
            f"{', '.join(formats)}"
        )
    if len(languages) > 1 and formats[0] in ("html", "markdown", "snippet"):
        raise UsageError(
            "standard output takes one language; choose it with --lang: "
            f"{', '.join(languages)}"
        )


def _refuse_beside_site(options: Mapping[str, object]) -> None:
    """Raise ``UsageError`` for an option that a site cannot follow."""
    for name, value in options.items():
        if value:
            raise UsageError(f"a site has no use for {name}; leave it out")


def _refuse_beside_run(
    options: Mapping[str, object], formats: Sequence[Format]
) -> None:
    """Raise ``UsageError`` for an option that the page of a run cannot follow."""
    for name, value in options.items():
        if value:
            raise UsageError(f"--run is of one run; leave --{name} out")
    if formats != ("html",):
        raise UsageError("the page of a run is HTML; leave --format out")


@app.command()
def report(
    context: typer.Context,
    lang: list[str] | None = option(
        "Languages: de,fr,ko … or all (default: yours)", "CODES"
    ),
    format_: list[str] | None = option(
        "html, markdown, snippet, csv, json, sqlite (default: all)", "NAMES", "--format"
    ),
    output: Path | None = option(
        "Write there; - is standard output (default: report)",
        "DIR",
        "-o",
        "--output",
        show_default=False,
    ),
    site: Path | None = option("Write a whole site of static pages there.", "DIR"),
    base_url: str | None = option("Where that site will be, for its sitemap.", "URL"),
    run: str | None = option("Write the page of this run.", "ID"),
    check: bool = flag(
        "Write nothing; fail where a file is not up to date.", "--check"
    ),
    highlight: str | None = option(
        "Mark this machine, or that of a run, in place of yours.", "ID"
    ),
    everything: bool = flag(
        "All runs of a large database, not the newest alone.", "--all"
    ),
    chip: list[str] | None = narrowing("On this chip, such as 'M1 Max'; repeatable."),
    workload: list[str] | None = narrowing("Of this workload; repeatable."),
    framework: list[str] | None = narrowing(
        "Of torch, mlx, tensorflow, numpy …; repeatable."
    ),
    device: list[str] | None = narrowing("On the cpu, metal or cuda; repeatable."),
    precision: list[str] | None = narrowing("In fp32, tf32, bf16 …; repeatable."),
    source: list[str] | None = narrowing("From this source; repeatable."),
    campaign: list[str] | None = narrowing("Of this campaign; repeatable."),
    grade: list[str] | None = narrowing(
        "Graded A, B, C, I or X; repeatable, or A,B.", "LETTER"
    ),
    db: Db = None,
) -> None:
    """Write a short report, a whole site, or the page of a run.

    The report is one HTML file that prints on two sheets, and Markdown with charts;
    beside them the same values as CSV, JSON and SQLite. The same results and options
    give the same bytes.
    """
    if site is not None:
        others = {"-o": output, "--format": format_, "--run": run}
        _refuse_beside_site({**others, "--check": check, "--all": everything})
    elif base_url is not None:
        raise UsageError("--base-url is of a site; name its folder with --site")
    formats = _formats(format_ or (["html"] if run else ()))
    filters = {name: context.params[name] or () for name in _FILTERS}
    # What one page needs is kept for another time; nothing else is asked for so often.
    is_page = formats == _PAGE and not (site or run or check or highlight)
    if is_page and _page(db, lang or (), output, filters, everything=everything):
        return
    from benchdb.cli import report_making as making  # noqa: PLC0415  heavy
    from benchdb.report.language import negotiate  # noqa: PLC0415  heavy

    languages = negotiate(lang or (["all"] if site else ()), os.environ)
    _refuse_contradictions(output, languages, formats, check=check)
    engine = making.opened(db)
    here = making.machine_of(engine, highlight)
    if run is not None:
        _refuse_beside_run({**filters, "highlight": highlight, "check": check}, formats)
        _deliver(making.files_of_run(engine, run, languages), output)
        return
    wanted = making.Wanted(filters, everything, here)
    if site is not None:
        making.write_site(engine, wanted, languages, site, base_url)
        return
    edition = making.Edition(languages, formats, alone=output == _STDOUT)
    with making.computed(engine, wanted, highlight, edition) as (content, edition):
        if check:
            again = _again(edition.options, lang, format_, output, db)
            _compare(making.files(content, edition), output or _FOLDER, again)
        else:
            making.tell_missing_fonts(edition)
            _deliver(making.files(content, edition), output)


def _page(
    db: str | None,
    lang: Sequence[str],
    output: Path | None,
    filters: Mapping[str, Sequence[str]],
    *,
    everything: bool,
) -> bool:
    """Deliver the one page, of what is kept of it; tell whether its database lets us.

    Of the same bytes of a database facts are the same, and files of a language. The
    user's own, which we make here of what ships with us, has facts that ship as well.
    """
    place, cache = Path(location_of(db)), cache_folder()
    is_new = db is None and not place.exists()
    if (state := outputs.state(place)) is None and not is_new:
        return False
    chosen = lang or [os.environ.get(variable, "") for variable in _LANGUAGES]
    about = repr((filters, everything))
    options = repr((chosen, output == _STDOUT, about))
    if state and (files := outputs.kept(cache, outputs.key(state, options))):
        _deliver(files, output)
        return True
    from benchdb.report.filters import words  # noqa: PLC0415  heavy
    from benchdb.report.language import negotiate  # noqa: PLC0415  heavy
    from benchdb.site.report_files import Edition, pages  # noqa: PLC0415  heavy

    languages = negotiate(lang, os.environ)
    _refuse_contradictions(output, languages, _PAGE, check=False)
    contents = b""
    if is_new:
        from benchdb.cli import report_making as making  # noqa: PLC0415  heavy

        contents, state = making.published(), outputs.state(place)
    names = [outputs.key_of_facts(it, about) for it in (state, contents) if it]
    facts, is_lasting = _facts(db, names, filters, everything=everything)
    more = [*words(facts.chosen), *(["--all"] if everything else [])]
    edition = Edition(languages, _PAGE, more, alone=output == _STDOUT)
    files = [*pages(facts, edition)]
    _deliver(files, output)
    if state and is_lasting and state == outputs.state(place):
        outputs.keep(cache, outputs.key(state, options), files)
        for name in names:
            outputs.keep_facts(cache, name, facts)
    return True


def _facts(
    db: str | None,
    names: Sequence[str],
    filters: Mapping[str, Sequence[str]],
    *,
    everything: bool,
) -> "tuple[Single, bool]":
    """Return what the one page shows, and whether it says all that is to be said.

    Where nothing is left, or more than has room, standard error says more each time.
    """
    from benchdb.site.single import Single  # noqa: PLC0415  heavy

    for name in names:
        if kept := outputs.kept_facts(cache_folder(), name, Single):
            return kept, True
    from benchdb.cli import report_making as making  # noqa: PLC0415  heavy

    facts = making.facts(db, making.Wanted(filters, everything))
    return facts, not (facts.there or facts.room)


def _deliver(files: Iterable[File], output: Path | None) -> None:
    """Write the files and tell each with its size, or the first to standard output."""
    if output == _STDOUT:
        print_bytes([next(iter(files)).content])
        return
    written = outputs.write(files, output or _FOLDER)
    for path, size in awaited(written, lambda _: "writing the report"):
        typer.echo(plain(f"{path} ({size:,} bytes)"))


def _again(
    options: Sequence[str],
    lang: Sequence[str] | None,
    formats: Sequence[str] | None,
    output: Path | None,
    db: str | None,
) -> str:
    """Return the command that writes what is checked; *options* are of its content."""
    command = ["benchdb", "report"]
    for name, values in (
        ("--lang", lang or ()),
        ("--format", formats or ()),
        ("-o", [output] if output else ()),
    ):
        command += [word for each in values for word in (name, str(each))]
    # An address may hold a password.
    place = [] if db is None or "://" in db else ["--db", db]
    return shlex.join([*command, *options, *place])


def _compare(files: Iterable[File], folder: Path, again: str) -> None:
    """Tell each file that is not as it would be written, and fail if there is one."""
    problems = list(outputs.differences(files, folder))
    for path, problem in problems:
        typer.echo(plain(f"{path}: {problem}; run: {again}"))
    if problems:
        raise typer.Exit(1)
