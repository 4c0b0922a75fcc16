"""Options of a shared file, and how much fits into one."""

import re
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, get_args

import msgspec

from clew.errors import UsageError
from clew.store import SessionOverview
from clew.view import Detail

ShareForm: TypeAlias = Literal["html", "markdown", "json"]
SHARE_FORMS: Final[tuple[ShareForm, ...]] = get_args(ShareForm)
MAX_SESSIONS: Final = 150
MAX_BYTES: Final = 256_000_000
MAX_HITS: Final = 500
"""How much one file may contain: sessions, bytes of their transcripts, hits of a search."""
ONE_PAGE_BYTES: Final = 24_000_000
"""Above this size of transcripts, several sessions become pages in a zip, not one page."""
_TURNS: Final = re.compile(r"\s*(\d{1,6})\s*(?:[-.]{1,2}\s*(\d{1,6})\s*)?")


class TurnRange(msgspec.Struct, frozen=True):
    """Some turns of a session, from the first to the last."""

    first: int
    last: int

    @property
    def label(self) -> str:
        """Return the turns as they are written."""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


class ShareOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How sessions are written to one file; `turns` are for a file with a single session."""

    form: ShareForm = "html"
    detail: Detail = Detail.EVERYTHING
    is_redacted: bool = True
    turns: TurnRange | None = None


def read_turns(text: str) -> TurnRange | None:
    """Read a range of turns, such as `3` or `3-7`; None if there is none.

    Raises:
        UsageError: It is not one.
    """
    if not text.strip():
        return None
    found = _TURNS.fullmatch(text)
    if found is None:
        raise UsageError(f"invalid turns {text[:40]!r}; use a number or a range such as 3-7")
    first, last = int(found[1]), int(found[2] or found[1])
    if first < 1 or last < first:
        raise UsageError(f"invalid turns {text[:40]!r}; the first turn is 1, the last comes later")
    return TurnRange(first, last)


def require_shareable(sessions: Sequence[SessionOverview], options: ShareOptions) -> None:
    """Check that sessions fit into one file.

    Raises:
        UsageError: They do not, or the options are for other sessions.
    """
    if len(sessions) > MAX_SESSIONS:
        raise UsageError(
            f"{len(sessions):,} sessions are too many for one file, which has {MAX_SESSIONS} at "
            "most; choose fewer, or use `clew export`"
        )
    size = sum(session.size_bytes for session in sessions)
    if size > MAX_BYTES:
        raise UsageError(
            f"transcripts of {size / 1e6:,.0f} MB are too large for one file, {MAX_BYTES // 10**6} "
            "MB is the maximum; choose fewer sessions, or use `clew export`"
        )
    if options.turns is not None and len(sessions) != 1:
        raise UsageError("turns are those of one session; choose one session, or all turns")
    if options.turns is not None and options.form == "json":
        raise UsageError("the JSON of a session has all turns; use HTML or Markdown for some")


def needs_zip(sessions: Sequence[SessionOverview], options: ShareOptions) -> bool:
    """Return whether sessions are too long for one page."""
    size = sum(session.size_bytes for session in sessions)
    return options.form == "html" and len(sessions) > 1 and size > ONE_PAGE_BYTES
