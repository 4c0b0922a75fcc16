"""Whether and how a session can be resumed by whoever looks at it."""

import ipaddress
import os
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import msgspec
from litestar.connection import ASGIConnection

from clew.conversation import Session
from clew.render.site.session import ResumeButton
from clew.resume import ResumePlan, plan_resume
from clew.source import FileKind
from clew.web.cache import ArchiveCache
from clew.web.settings import is_loopback

_ELSEWHERE: Final = "It can be resumed on the machine where it ran."
_FORWARDED: Final = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


class ResumeState(msgspec.Struct, frozen=True):
    """What resuming a session depends on besides itself: its transcript, and who asks."""

    session_id: str
    transcript: Path | None
    has_file: bool
    may_open: bool

    @property
    def version(self) -> str:
        """A text that changes with it."""
        return f"{self.has_file:d}{self.may_open:d}"


def find_resume_state(
    request: ASGIConnection[Any, Any, Any, Any], cache: ArchiveCache, session_id: str
) -> ResumeState:
    """Look for the transcript of a session; on a team's server there is none."""
    found = None if cache.viewer else _transcript(cache, session_id)
    has_file = found is not None and found.is_file()
    return ResumeState(session_id, found, has_file, may_open_terminal(request, cache))


def plan_for(state: ResumeState, session: Session, cache: ArchiveCache) -> ResumePlan:
    """Find out how to go on with a session."""
    if cache.viewer:
        return ResumePlan(session_id=session.id, reason=_ELSEWHERE)
    return plan_resume(session, state.transcript, os.environ, Path.home())


def make_resume_button(
    state: ResumeState, session: Session, cache: ArchiveCache
) -> ResumeButton | None:
    """Return the button of a session's page; a link that was shared has none."""
    if not cache.urls.is_dynamic:
        return None
    plan = plan_for(state, session, cache)
    url = f"/api/sessions/{quote(state.session_id, safe='')}/terminal"
    return ResumeButton(
        command=plan.command,
        reason=plan.reason,
        note=plan.note,
        url=url if plan.can_resume and state.may_open else "",
    )


def may_open_terminal(request: ASGIConnection[Any, Any, Any, Any], cache: ArchiveCache) -> bool:
    """Return whether a request may open a terminal: only from this machine, if it is switched on.

    A proxy on this machine may pass on what others ask, and says so.
    """
    if not cache.settings.opens_terminal or cache.viewer or not is_loopback(cache.settings.host):
        return False
    if any(name in request.headers for name in _FORWARDED):
        return False
    client = request.client
    return client is not None and _is_own(client.host)


def _is_own(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _transcript(cache: ArchiveCache, session_id: str) -> Path | None:
    """Return where the main transcript of a session is, or was when it was archived."""
    if cache.is_archived(session_id):
        files = cache.archive.session_files(session_id)
        own = (Path(file.root, file.path) for file in files if file.kind is FileKind.SESSION)
        found = list(own)
        return next((path for path in found if path.is_file()), found[0] if found else None)
    on_disk = cache.find_on_disk(session_id)
    if on_disk is None:
        return None
    return next((file.path for file in on_disk.files if file.kind is FileKind.SESSION), None)
