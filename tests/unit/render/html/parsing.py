"""Pages read back as a browser reads them."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

import html5lib  # type: ignore[import-untyped] # it has no stubs

_PREFIX = "{http://www.w3.org/1999/xhtml}"


def parse(html: str) -> Element:
    """Read a page; anything that is not valid HTML5 is an error."""
    parser = html5lib.HTMLParser(strict=True)
    tree = parser.parse(html)
    assert isinstance(tree, Element)
    return tree


def parse_piece(html: str) -> Element:
    """Read a piece of a page."""
    return parse(f"<!doctype html><html lang=en><title>t</title><body>{html}</body></html>")


def find(tree: Element, name: str) -> Iterator[Element]:
    """Give all elements of a name."""
    return tree.iter(_PREFIX + name)


def text_of(element: Element) -> str:
    """Give the words of an element."""
    return "".join(element.itertext())
