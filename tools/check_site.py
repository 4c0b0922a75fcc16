"""Check that every link and picture of the built site leads to a file, and every anchor to an id.

uv run python -m tools.check_site build/site
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class PageLinks(HTMLParser):
    """The ids of a page, and what it links to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.feed(page.read_text("utf-8"))

    # typing.override comes with Python 3.12
    def handle_starttag(  # type: ignore[explicit-override]
        self, tag: str, attrs: list[tuple[str, str | None]]
    ) -> None:
        """Note the ids and addresses of one element."""
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name in ("href", "src") and value and tag != "link":
                self.links.append(value)


def broken_links(site: Path) -> list[str]:
    """Return the links that lead nowhere, each with its page; other sites are not checked."""
    pages = {page.resolve(): PageLinks(page) for page in sorted(site.rglob("*.html"))}
    return [
        f"{page.relative_to(site.resolve())}: {link}"
        for page, found in pages.items()
        for link in found.links
        if not _leads_somewhere(page, link, pages)
    ]


def _leads_somewhere(page: Path, link: str, pages: dict[Path, PageLinks]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not parts.fragment or target not in pages:
        return target.is_file()
    return unquote(parts.fragment) in pages[target].ids


if __name__ == "__main__":
    broken = broken_links(Path(sys.argv[1]))
    print("\n".join(broken) or "all links lead somewhere")
    sys.exit(bool(broken))
