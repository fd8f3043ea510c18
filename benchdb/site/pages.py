"""A page: its facts in no language, its words in each, and the file that it becomes."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import chain
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec
from markupsafe import Markup

from benchdb.errors import UsageError
from benchdb.report import html, page_assets, untrusted
from benchdb.report import language as languages
from benchdb.report.language import Language
from benchdb.report.slim import slim
from benchdb.report.wording import filters
from benchdb.site.addresses import relative

# Entries of the navigation, in its order.
Kind = Literal["answers", "chips", "workloads", "compare", "runs", "sources"]
_STYLES = ("tokens.css", "chart.css", "site.css", "rows.css")
# Scripts of a page, by its template, in the order in which they run.
_SCRIPTS = {
    "run": ("site",),
    "compare": ("site", "compare"),
    "index": ("site", "kept", "front", "tables"),
    "chip": ("site", "kept", "tables", "yours"),
}
_SCRIPTS_OF_TABLES = ("site", "kept", "tables")


class Words(msgspec.Struct, frozen=True):
    """What a page says in a language.

    *title* is its heading and its name elsewhere, *description* a sentence for search
    engines and previews. *crumbs* are the pages above it (address, name), *contents*
    its sections (id, name), and *parts* whatever else its template shows, by name.
    """

    title: str
    description: str = ""
    crumbs: tuple[tuple[str, str], ...] = ()
    contents: tuple[tuple[str, str], ...] = ()
    parts: Mapping[str, object] = {}


class Page(msgspec.Struct, frozen=True):
    """A page of the site.

    *facts* is all that it shows, without a language: the JSON beside it, and what tells
    whether it must be made anew. *words* makes of them what the *template* shows. One
    that is *local* stands in the site's first language alone. *files* are what its
    script loads, by their paths; *keys* tell what some of them were made from.
    *json* is what ``data`` returns, where that is known already.
    """

    address: str
    kind: Kind
    template: str
    facts: Any
    words: Callable[[Language], Words]
    local: bool = False
    files: Mapping[str, bytes] = {}
    keys: Mapping[str, str] = {}
    json: bytes = b""


class Frame(msgspec.Struct, frozen=True):
    """What all pages of a site share: *codes* of languages, the first one in front.

    *base* is the address that the site will have, with a slash at its end, "" if nobody
    says it.
    """

    codes: tuple[str, ...]
    base: str = ""

    def path(self, address: str, code: str, ending: str = "html") -> str:
        """Return the path of a page below the site's folder."""
        folder = "" if code == self.codes[0] else f"{code}/"
        return f"{folder}{address}.{ending}"


def checked_base(address: str | None) -> str:
    """Return the address that a site will have, with a slash at its end.

    Raise ``UsageError`` unless it is an absolute address of the web.
    """
    if address is None:
        return ""
    parts = urlsplit(address)
    usable = parts.scheme in ("http", "https") and parts.hostname
    if (
        not usable
        or parts.query
        or parts.fragment
        or untrusted.plain(address) != address
    ):
        raise UsageError(
            f"{address!r} is no address for a site; name one such as "
            "https://example.org/bench"
        )
    return address.rstrip("/") + "/"


@cache
def navigation(language: Language) -> tuple[tuple[Kind, str, str], ...]:
    """Return the entries of the navigation: kind, address and name."""
    return (
        ("answers", "index", language.pgettext("page", "Answers")),
        ("chips", "chips", language.pgettext("page", "Chips")),
        ("workloads", "workloads", language.pgettext("page", "Workloads")),
        ("compare", "compare", language.pgettext("page", "Compare")),
        ("runs", "runs", language.pgettext("page", "Runs")),
        ("sources", "sources", language.pgettext("page", "Sources")),
    )


def data(page: Page) -> bytes:
    """Return the JSON of a page, for programs."""
    return page.json or encoded(page.facts)


def encoded(facts: Any) -> bytes:
    """Return the JSON of a page's facts."""
    return msgspec.json.encode(facts, order="deterministic")


def render(page: Page, language: Language, frame: Frame) -> str:
    """Return the page in *language*."""
    own = frame.path(page.address, language.code)
    text = _filled(
        page,
        language,
        layout="site/base.html.j2",
        alone=False,
        frame=frame,
        mast=_mast(language, frame, page.kind, "" if page.local else page.address),
        own=own,
        style=relative(assets()["style"], own),
        scripts=[relative(assets()[f"{it}.js"], own) for it in scripts(page.template)],
        icon=relative(assets()["icon"], own),
        data=relative(f"{page.address}.json", own),
        root=relative("", own),
        to=partial(_to, frame, own, language.code),
        others=[(code, languages.load(code)) for code in frame.codes],
    )
    # Thousands of small pages gain little from it, and take half as long again.
    return text if page.local else slim(text)


@lru_cache(maxsize=16)
def _mast(language: Language, frame: Frame, kind: Kind, address: str) -> Markup:
    """Return the head of the page at *address*: the same for all that are local, ""."""
    own = frame.path(address or "run/", language.code)
    text = (
        html.environment(language)
        .get_template("site/mast.html.j2")
        .render(
            address=address,
            kind=kind,
            language=language,
            frame=frame,
            navigation=navigation(language),
            own=own,
            root=relative("", own),
            folder=relative(frame.path("", language.code, "").removesuffix("."), own),
            search=relative(f"assets/search.{language.code}.js", own),
            relative=relative,
            to=partial(_to, frame, own, language.code),
            others=[(code, languages.load(code)) for code in frame.codes],
        )
    )
    return html.verbatim(text)


def _filled(page: Page, language: Language, **more: Any) -> str:
    """Return what the template of a page makes of its words and of *more*."""
    words = page.words(language)
    template = html.environment(language).get_template(f"site/{page.template}.html.j2")
    return template.render(
        page=page, words=words, language=language, **more, **words.parts
    )


class Sheet(msgspec.Struct, frozen=True):
    """What stands around a page that is one file.

    *codes* are the languages of those beside it, *files* the data there (label, name),
    *command* makes it again from the database of that *digest*.
    """

    command: str
    digest: str
    codes: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()

    @property
    def tongues(self) -> list[tuple[str, Language]]:
        """Return the languages by their codes."""
        return [(code, languages.load(code)) for code in self.codes]


def alone(page: Page, language: Language, sheet: Sheet) -> str:
    """Return the page as one file with its style inside; it leads to no other page."""
    text = _filled(
        page,
        language,
        layout="site/alone.html.j2",
        alone=True,
        sheet=sheet,
        style=html.verbatim(_STYLE_HERE),
        made_from=filters.made_from(language, sheet.digest),
        to=lambda address, fragment="": "" if address == page.address else _NOWHERE,
    )
    plain = slim(_LINK.sub(partial(_kept, f" {text}"), text))
    style = page_assets.needed(page_assets.stylesheet(_STYLES), plain)
    return plain.replace(_STYLE_HERE, style, 1)


_NOWHERE = "about:nowhere"
_STYLE_HERE = "/*style*/"
# Text holds no bare < or ", for templates escape both: what matches is markup.
_LINK = re.compile(
    rf'<a\b([^<>]*?) href="({_NOWHERE}|#[\w-]+)"([^<>]*)>(.*?)</a>', re.DOTALL
)


def _kept(page: str, link: re.Match[str]) -> str:
    """Return a link that leads to a part of the *page*; of others only their text."""
    before, way, after, text = link.groups()
    if f' id="{way[1:]}"' in page:
        return link[0]
    return f"<span{before}{after}>{text}</span>"


def _to(frame: Frame, own: str, code: str, address: str, fragment: str = "") -> str:
    """Return the way from the page at *own* to that at an *address*."""
    if address.startswith("run/"):  # local: in the first language alone
        code = frame.codes[0]
    way = relative(frame.path(address, code), own)
    return f"{way}#{fragment}" if fragment else way


def scripts(template: str) -> tuple[str, ...]:
    """Return the names of the scripts of a page that has this template."""
    return _SCRIPTS.get(template, _SCRIPTS_OF_TABLES)


@cache
def assets() -> Mapping[str, str]:
    """Return the paths of style, script and icon, which change with their content."""
    return {name: path for name, (path, _) in _assets().items()}


def asset_files() -> Sequence[tuple[str, bytes]]:
    """Return the files that all pages share: path and content."""
    return [*_assets().values()]


@cache
def _assets() -> Mapping[str, tuple[str, bytes]]:
    """Return path and content of each by its name."""
    from benchdb.report.charts import svg  # noqa: PLC0415  only for its rules

    names = sorted({*_SCRIPTS_OF_TABLES, *chain.from_iterable(_SCRIPTS.values())})
    contents = {
        "style": ("site", "css", svg.rules() + page_assets.stylesheet(_STYLES)),
        "icon": ("site", "svg", page_assets.asset("icon.svg")),
        **{f"{it}.js": (it, "js", page_assets.script(f"{it}.js")) for it in names},
    }
    named = {}
    for name, (stem, ending, text) in contents.items():
        content = text.encode()
        digest = hashlib.sha256(content).hexdigest()[:8]
        named[name] = (f"assets/{stem}.{digest}.{ending}", content)
    return named
