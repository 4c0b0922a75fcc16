"""Sessions → one file to share, and a report of what is in it.

All sessions are read before the first is written: a password that one of them reveals is masked in
all. Whoever wants the report writes the file to nowhere, so that it tells of exactly that file.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Protocol, TypeVar

import msgspec

from clew.conversation import Conversation
from clew.digest import extract_session
from clew.export.session_file import names_in
from clew.export.share_hits import SharedHits, mask_hits, write_hits
from clew.export.share_options import ShareOptions, needs_zip
from clew.export.share_pages import (
    HTML_OPTIONS,
    join_json,
    join_markdown,
    several_title,
    write_markdown,
    write_zip,
)
from clew.export.share_report import PlaceCollector, SharedItem, ShareReport
from clew.redact import Redactor, prepare_tree, redact_tree
from clew.render import render_json
from clew.render.html import render_html, render_several
from clew.store import SessionOverview
from clew.view import (
    Detail,
    FrameView,
    PageIndex,
    SectionView,
    SessionPage,
    ViewOptions,
    make_layout,
    page_of,
)

T = TypeVar("T")
# A file has no other page to link to: runs are shown below their calls, however deep.
_DEEPEST: Final = 64
_SHORT_ID: Final = 8
_LONGEST_TITLE: Final = 200
_SUFFIXES: Final = {"html": "html", "markdown": "md", "json": "json"}
_IMAGE: Final = "<img "


class LoadSession(Protocol):
    """Builds a session, and returns what `make` makes of it; one is in memory at a time."""

    def __call__(self, session_id: str, make: Callable[[PageIndex], T]) -> T:
        """Load a session."""


class Share:
    """Sessions, or the hits of a search in them, on their way into one file.

    `done` and `total` are steps, for a progress bar. With `is_reporting`, it is noted where
    something was masked, or would be if that is not wanted.
    """

    def __init__(
        self,
        sessions: Sequence[SessionOverview],
        options: ShareOptions,
        load: LoadSession,
        *,
        hits: SharedHits | None = None,
        is_reporting: bool = False,
    ) -> None:
        self.sessions = sessions
        self.options = options
        self.done = 0
        self.total = len(sessions) * (1 if hits else 2)
        self._load = load
        self._hits = hits
        self._is_reporting = is_reporting
        self._redactor = Redactor(names_in(()))
        self._places = PlaceCollector()
        self._frames: list[FrameView] = []
        self._kept_page: SessionPage | None = None
        self._images = 0
        self._size = 0
        self._is_zip = hits is None and needs_zip(sessions, options)

    @property
    def name(self) -> str:
        """The name of the file; it says nothing that might have to be masked."""
        suffix = "zip" if self._is_zip else _SUFFIXES[self.options.form]
        return f"clew-{self._stem()}.{suffix}"

    def _stem(self) -> str:
        if self._hits is not None:
            return "search"
        if len(self.sessions) != 1:
            return f"{len(self.sessions)}-sessions"
        plain = "".join(c for c in self.sessions[0].id[:_SHORT_ID] if c.isascii() and c.isalnum())
        turns = f"-turns-{self.options.turns.label}" if self.options.turns else ""
        return f"{plain or 'session'}{turns}"

    def write(self) -> Iterator[bytes]:
        """Write the file, piece by piece; empty pieces say that it goes on."""
        for session in self.sessions:
            self._load(session.id, self._learn)
            self.done += 1
            yield b""
        for piece in self._pieces():
            data = piece.encode("utf-8", "backslashreplace") if isinstance(piece, str) else piece
            self._size += len(data)
            yield data

    def report(self) -> ShareReport:
        """Return what the file contains, once it is written."""
        # Titles are masked for the report alone, and do not count.
        found = self._redactor.report
        return ShareReport(
            name=self.name,
            form=self.options.form,
            detail=self.options.detail.label,
            is_redacted=self.options.is_redacted,
            size_bytes=self._size,
            sessions=tuple(map(self._item, self.sessions)),
            turns=self.options.turns.label if self.options.turns else "",
            query=self._hits.query if self._hits else "",
            hits=len(self._hits.hits) if self._hits else 0,
            images=self._images,
            masked=found.total,
            kinds=self._places.kinds(found),
        )

    @property
    def _masks(self) -> bool:
        return self.options.is_redacted or self._is_reporting

    def _item(self, session: SessionOverview) -> SharedItem:
        shown = self._redactor.redact if self.options.is_redacted else str
        return SharedItem(
            session_id=session.id,
            title=shown(session.title or session.first_prompt)[:_LONGEST_TITLE],
            project=shown(session.project),
            started_at=session.started_at or "",
            messages=session.messages,
            transcript_bytes=session.size_bytes,
        )

    def _learn(self, index: PageIndex) -> None:
        """Read a session for its secrets, and keep what is on top of its page."""
        if self._masks:
            self._learn_secrets(index.conversation)
        if self._hits is None and self.options.form != "json":
            page = self._make_page(index)
            self._frames.append(page.frame)
            self._kept_page = page if len(self.sessions) == 1 else None

    def _learn_secrets(self, conversation: Conversation) -> None:
        session = conversation.session
        paths = {session.cwd, session.project, *(m.cwd or "" for m in conversation.messages)}
        ids = dict.fromkeys(conversation.account_ids, "account-id")
        self._redactor.add_people(names_in(paths), ids)
        # A password may be named as one only in a part that the file leaves out.
        prepare_tree(conversation, self._redactor)
        for call in conversation.tool_calls:
            values = [msgspec.json.decode(call.input), msgspec.json.decode(call.result)]
            prepare_tree(values, self._redactor)

    def _pieces(self) -> Iterator[str | bytes]:
        if self._hits is not None:
            yield from self._write_hits(self._hits)
        elif self.options.form == "json":
            yield from join_json(self._json(session) for session in self.sessions)
        else:
            self._frames = [self._mask_frame(*pair) for pair in enumerate(self._frames)]
            yield from map(self._count_images, self._page_pieces())

    def _count_images(self, piece: str | bytes) -> str | bytes:
        if isinstance(piece, str) and self.options.form == "html":
            self._images += piece.count(_IMAGE)
        return piece

    def _page_pieces(self) -> Iterator[str | bytes]:
        options = msgspec.structs.replace(
            HTML_OPTIONS, detail=min(self.options.detail, Detail.TOOLS)
        )
        if self._is_zip:
            overviews = [self._listed(*pair) for pair in enumerate(self.sessions)]
            yield from write_zip(overviews, self._page, options, self._count_images)
        elif self.options.form == "markdown":
            pages = map(self._page, range(len(self.sessions)))
            several = len(self.sessions) > 1
            yield from join_markdown(self._frames, pages) if several else write_markdown(pages)
        elif len(self.sessions) == 1:
            yield from render_html(self._page(0), options)
        else:
            title = several_title(len(self.sessions))
            yield from render_several(title, self._frames, self._sections, options)

    def _page(self, number: int) -> SessionPage:
        return SessionPage(frame=self._frames[number], sections=self._sections(number))

    def _make_page(self, index: PageIndex) -> SessionPage:
        turns = self.options.turns
        view = ViewOptions(
            detail=self.options.detail,
            turn=turns.first if turns else None,
            last_turn=turns.last if turns else None,
            max_run_depth=_DEEPEST,
            with_hidden_runs=self.options.detail is Detail.EVERYTHING,
        )
        return page_of(make_layout(index, view))

    def _sections(self, number: int) -> tuple[SectionView, ...]:
        """Return the messages of a session, masked."""
        session_id = self.sessions[number].id
        page = self._kept_page or self._load(session_id, self._make_page)
        self._kept_page = None
        self.done += 1
        if not self._masks:
            return page.sections
        masked = redact_tree(page.sections, self._redactor)
        if self._is_reporting:
            self._places.add_sections(session_id, page.sections, masked)
        return masked if self.options.is_redacted else page.sections

    def _mask_frame(self, number: int, frame: FrameView) -> FrameView:
        if not self._masks:
            return frame
        masked = redact_tree(frame, self._redactor)
        if self._is_reporting:
            self._places.add_top(self.sessions[number].id, frame, masked)
        return masked if self.options.is_redacted else frame

    def _listed(self, number: int, session: SessionOverview) -> SessionOverview:
        """Return a session as the list in a zip shows it: with what its page shows."""
        header = self._frames[number].header
        plain = self._redactor.redact if self.options.is_redacted else str
        return msgspec.structs.replace(
            session,
            title=header.title,
            first_prompt=plain(session.first_prompt),
            description=plain(session.description),
            git_branch=header.git_branch or None,
            project=header.project,
            cwd=header.cwd,
            path="",
        )

    def _json(self, session: SessionOverview) -> bytes:
        value: Any = self._load(session.id, _json_value)
        self.done += 1
        masked = redact_tree(value, self._redactor) if self._masks else value
        if self._is_reporting:
            self._places.add_json(session.id, dict(value), dict(masked))
        return msgspec.json.encode(masked if self.options.is_redacted else value)

    def _write_hits(self, hits: SharedHits) -> Iterator[str]:
        shown = hits
        if self._masks:
            masked = mask_hits(hits, self._redactor)
            if self._is_reporting:
                for before, after in zip(hits.hits, masked.hits, strict=True):
                    self._places.add_hit(before.session_id, before.message_id, before, after)
            shown = masked if self.options.is_redacted else hits
        yield from write_hits(shown, self.options.form)


def _json_value(index: PageIndex) -> Any:
    digest = index.digest or extract_session(index.conversation)
    return msgspec.json.decode(b"".join(render_json(index.conversation, digest)))
