"""Masked pages → the bytes of one file: Markdown, JSON, or pages in a zip."""

import io
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import msgspec

from clew.clock import LocalZone
from clew.export.file_names import file_stem
from clew.figures import plural
from clew.render.formatting import UNTITLED
from clew.render.html import HtmlOptions, render_html
from clew.render.markdown import MarkdownOptions, render_markdown
from clew.render.markdown.inline import inline
from clew.render.site import BasePage, ListPage, SiteUrls, render_sessions
from clew.store import SessionOverview
from clew.view import FrameView, SessionPage

HTML_OPTIONS: Final = HtmlOptions(home="file")
_URLS: Final = SiteUrls(
    sessions="index.html", search="", usage="", session_prefix="sessions/", session_suffix=".html"
)


def several_title(count: int) -> str:
    """Return what a file with several sessions is called."""
    return plural(count, "session")


def write_markdown(pages: Iterable[SessionPage]) -> Iterator[str]:
    """Write one page as Markdown, with its facts as front matter."""
    for page in pages:
        yield from render_markdown(page, MarkdownOptions())


def join_markdown(frames: Sequence[FrameView], pages: Iterable[SessionPage]) -> Iterator[str]:
    """Write several pages as Markdown: a list of the sessions, and each below a rule."""
    titles = (inline(frame.header.title) or UNTITLED for frame in frames)
    lines = [f"{number}. {title}" for number, title in enumerate(titles, start=1)]
    yield "\n".join((f"# {several_title(len(frames))}", "", *lines, ""))
    for page in pages:
        yield "\n---\n\n"
        yield from render_markdown(page, MarkdownOptions(front_matter=False))


def join_json(conversations: Iterable[bytes]) -> Iterator[bytes]:
    """Write conversations as JSON: one as it is, several as a list."""
    written = iter(conversations)
    first = next(written, b"{}")
    second = next(written, None)
    if second is None:
        yield first
        return
    yield b'{"schema":"clew.conversations/1","sessions":[\n'
    yield first
    yield b",\n" + second
    for other in written:
        yield b",\n" + other
    yield b"\n]}"


class _Outgoing(io.RawIOBase):
    """A file that is sent as it is written."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []

    # typing.override comes with Python 3.12
    def writable(self) -> bool:  # type: ignore[explicit-override]
        """Say that it can be written to, and not searched."""
        return True

    def write(self, data: object, /) -> int:  # type: ignore[explicit-override]
        """Keep a piece until it is taken."""
        piece = bytes(data)  # type: ignore[call-overload]
        self._pieces.append(piece)
        return len(piece)

    def take(self) -> bytes:
        """Return what was written since the last time."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def write_zip(
    sessions: Sequence[SessionOverview],
    make_page: Callable[[int], SessionPage],
    options: HtmlOptions,
    see: Callable[[str], object],
) -> Iterator[bytes]:
    """Write a list of sessions and a page for each into a zip; `see` gets each piece of a page."""
    site = msgspec.structs.replace(options, home="site", home_url="../index.html")
    out = _Outgoing()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_entry("index.html"), _draw_list(sessions), zipfile.ZIP_DEFLATED)
        yield out.take()
        for number, session in enumerate(sessions):
            name = f"sessions/{file_stem(session.id)}.html"
            with archive.open(_entry(name), "w") as stream:
                for piece in render_html(make_page(number), site):
                    see(piece)
                    stream.write(piece.encode("utf-8", "backslashreplace"))
                    yield out.take()
    yield out.take()


def _entry(name: str) -> zipfile.ZipInfo:
    found = zipfile.ZipInfo(name)
    found.compress_type = zipfile.ZIP_DEFLATED
    found.external_attr = 0o644 << 16
    return found


def _draw_list(sessions: Sequence[SessionOverview]) -> bytes:
    shown = [msgspec.structs.replace(each, id=file_stem(each.id)) for each in sessions]
    page = ListPage(sessions=shown, zone=LocalZone())
    drawn = render_sessions(page, BasePage(urls=_URLS))
    return drawn.encode("utf-8", "backslashreplace")
