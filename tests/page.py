"""Read a page as a browser would: its elements, and the text inside each."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "input", "br", "link", "img", "hr", "wbr"}
# Elements that need no end tag: one of these begins, or what they are in ends.
_CELL = {"td", "th", "tr", "tbody"}
_ENDED_BY = {"td": _CELL, "th": _CELL}
_ENDED_BY |= {"tr": {"tr", "tbody"}, "thead": {"tbody"}, "tbody": {"tbody"}}
_ENDED_BY |= {
    "option": {"option"},
    "li": {"li"},
    "p": {"p", "div", "ul", "table", "figure", "details"},
}
_ENDED_BY["p"] |= {"h2", "h3"}


@dataclass
class Element:
    """An element with its attributes, and everything inside it in order."""

    name: str
    attributes: dict[str, str]
    children: list["Element | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        parts = (c if isinstance(c, str) else c.text for c in self.children)
        return "".join(parts)

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()

    def walk(self) -> Iterator["Element"]:
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, name: str = "", **attributes: str) -> list["Element"]:
        """Return what has this *name*, and these attributes, inside."""
        return [
            e
            for e in self.walk()
            if name in ("", e.name)
            and all(e.attributes.get(k) == v for k, v in attributes.items())
        ]

    def having(self, attribute: str) -> list["Element"]:
        return [e for e in self.walk() if attribute in e.attributes]

    def by_id(self, wanted: str) -> "Element":
        (element,) = self.all(id=wanted)
        return element


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"attribute twice in <{tag}>: {attrs}"
        while tag in _ENDED_BY.get(self.open[-1].name, ()):
            self.open.pop()
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        last = self.open.pop()
        while last.name != tag and last.name in _ENDED_BY:
            last = self.open.pop()
        assert last.name == tag, f"<{last.name}> closed by </{tag}>"

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parse(page: str) -> Element:
    """Return the tree of *page*; fail where elements do not nest."""
    builder = _Builder()
    builder.feed(page)
    builder.close()
    assert builder.open == [builder.root]
    return builder.root
