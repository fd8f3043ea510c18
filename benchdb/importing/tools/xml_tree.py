"""XML as a plain tree, without anything that XML can do beyond that.

Documents that declare a type or an entity are refused before either can have an effect:
so nothing expands, and no other file is opened.
"""

import io
from typing import NoReturn
from xml.parsers import expat

import msgspec

from benchdb.importing.document import DEPTH_LIMIT, DocumentError

_ELEMENTS = 10**6  # the most that are read; the largest honest file has a tenth


class Element(msgspec.Struct):
    """An element: its name, the line it begins on, its text, and what it holds."""

    name: str
    line: int
    texts: list[str] = []
    children: list["Element"] = []

    @property
    def text(self) -> str:
        """Return the text, without the space around it."""
        return "".join(self.texts).strip()

    def all(self, name: str) -> list["Element"]:
        """Return the elements inside that are called *name*."""
        return [one for one in self.children if one.name == name]

    def one(self, name: str) -> "Element | None":
        """Return the first element inside that is called *name*."""
        return next((one for one in self.children if one.name == name), None)

    def told(self, name: str) -> str:
        """Return the text of the first element called *name*; blank without one."""
        found = self.one(name)
        return "" if found is None else found.text


def parsed(text: str) -> Element:
    """Return the outermost element; refuse what is no plain XML (``DocumentError``)."""
    parser = expat.ParserCreate("utf-8")  # whatever it declares
    tree = _Tree(parser)
    parser.StartElementHandler = tree.start
    parser.EndElementHandler = tree.end
    parser.CharacterDataHandler = tree.inside
    parser.StartDoctypeDeclHandler = tree.refuse
    parser.EntityDeclHandler = tree.refuse
    parser.ExternalEntityRefHandler = tree.refuse
    parser.SkippedEntityHandler = tree.refuse
    try:
        parser.ParseFile(io.BytesIO(text.encode()))
    except expat.ExpatError as error:
        raise DocumentError(
            f"line {error.lineno}, column {error.offset + 1}: no XML "
            f"({expat.ErrorString(error.code)})"
        ) from error
    return tree.top.children[0]


class _Tree:
    """What the parser has come by: the elements still open, and how many in all."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        self.parser = parser
        self.top = Element("", 0)
        self.open = [self.top]
        self.count = 0

    def start(self, name: str, _: dict[str, str]) -> None:
        where = self.parser.CurrentLineNumber
        self.count += 1
        if len(self.open) > DEPTH_LIMIT:
            raise DocumentError(f"line {where}: nested too deeply")
        if self.count > _ELEMENTS:
            raise DocumentError(f"line {where}: more than {_ELEMENTS} elements")
        element = Element(name, where)
        self.open[-1].children.append(element)
        self.open.append(element)

    def end(self, _: str) -> None:
        self.open.pop()

    def inside(self, text: str) -> None:
        self.open[-1].texts.append(text)

    def refuse(self, *_: object) -> NoReturn:
        raise DocumentError(
            f"line {self.parser.CurrentLineNumber}: a DOCTYPE or ENTITY, which results "
            "have no use for; remove it"
        )
