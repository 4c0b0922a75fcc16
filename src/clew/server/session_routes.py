"""What a server knows of a session beside the archive: its state, who sees it, who read it."""

import datetime as dt
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from litestar import Request, delete, get, post
from litestar.params import JSONBody, PathParameter, QueryParameter

from clew.errors import SessionNotFoundError
from clew.protocol import Visibility
from clew.server.audit import AuditEvent, list_audit
from clew.server.requests import principal_of, team_of, team_settings_of
from clew.server.session_states import SessionState, find_owner, read_session_state
from clew.server.sharing import (
    MAX_HOURS,
    NotYourSessionError,
    ShareLink,
    list_share_links,
    make_share_link,
    revoke_share_link,
    share_session,
)
from clew.server.viewer_cache import viewer_cache_of
from clew.web.params import Id, require_id

AnyRequest: TypeAlias = Request[Any, Any, Any]
_SESSION: Final = "/api/sessions/{session_id:str}"
_TAGS: Final = ["sharing"]
RowNumber: TypeAlias = Annotated[int, PathParameter(ge=1, le=1 << 62)]
BeforeLine: TypeAlias = Annotated[
    int | None, QueryParameter(ge=1, le=1 << 62, description="Only earlier lines than this one.")
]


class ShareRequest(msgspec.Struct, frozen=True):
    """Who shall see a session; a project is named unless the session was pushed for one."""

    visibility: Visibility
    project: Annotated[str, msgspec.Meta(max_length=200)] | None = None


class LinkRequest(msgspec.Struct, frozen=True):
    """How long a link can be used, and whether it masks what may be secret: it does by default."""

    hours: Annotated[int, msgspec.Meta(ge=1, le=MAX_HOURS)] = 24
    is_masked: bool = True


class NewShareLink(msgspec.Struct, frozen=True, kw_only=True):
    """A new link; its address is shown only now."""

    schema: str = "clew.link/1"
    id: int
    url: str
    expires_at: dt.datetime
    is_masked: bool


class ShareLinkList(msgspec.Struct, frozen=True, kw_only=True):
    """The links to a session that can be used."""

    schema: str = "clew.links/1"
    links: list[ShareLink]


class AuditPage(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of the audit log, the latest first; `next_before` asks for the earlier ones."""

    schema: str = "clew.audit/1"
    events: list[AuditEvent]
    next_before: int | None = None


_AUDIT_PAGE: Final = 100


@get(f"{_SESSION}/state", sync_to_thread=True, tags=["sessions"], operation_id="sessionState")
def session_state(request: AnyRequest, session_id: Id) -> SessionState:
    """Get where a session is: received, working, parsed, summarised, outdated, failed, deleted."""
    principal = principal_of(request)
    try:
        found = viewer_cache_of(request).viewed.find(require_id(session_id))
        owner, name = found.owner, found.id
    except SessionNotFoundError:
        with team_of(request) as team:
            owner, name = find_owner(team, principal, session_id), session_id
    with team_of(request) as team:
        return read_session_state(team, principal, owner, name)


@post(f"{_SESSION}/share", sync_to_thread=True, status_code=200, tags=_TAGS, operation_id="share")
def share(request: AnyRequest, session_id: Id, data: JSONBody[ShareRequest]) -> SessionState:
    """Let a session of your own be seen by your project, by all, or by you alone."""
    principal, name = principal_of(request), own_session(request, session_id)
    with team_of(request) as team:
        share_session(team, principal, name, data.visibility, data.project)
        return read_session_state(team, principal, principal.member_id, name)


@post(f"{_SESSION}/links", sync_to_thread=True, tags=_TAGS, operation_id="makeLink")
def make_link(request: AnyRequest, session_id: Id, data: JSONBody[LinkRequest]) -> NewShareLink:
    """Make a link that shows a session of your own to anybody, until it expires."""
    name = own_session(request, session_id)
    with team_of(request) as team:
        token, link = make_share_link(
            team, principal_of(request), name, data.hours, is_masked=data.is_masked
        )
    url = f"{team_settings_of(request).url}/shared/{token}"
    return NewShareLink(id=link.id, url=url, expires_at=link.expires_at, is_masked=link.is_masked)


@get(f"{_SESSION}/links", sync_to_thread=True, tags=_TAGS, operation_id="links")
def share_links(request: AnyRequest, session_id: Id) -> ShareLinkList:
    """List the links to a session of your own."""
    name = own_session(request, session_id)
    with team_of(request) as team:
        return ShareLinkList(links=list_share_links(team, principal_of(request), name))


@delete("/api/links/{link_id:int}", sync_to_thread=True, tags=_TAGS, operation_id="revokeLink")
def revoke_link(request: AnyRequest, link_id: RowNumber) -> None:
    """Revoke a link to a session of your own."""
    with team_of(request) as team:
        revoke_share_link(team, principal_of(request), link_id)


@get("/api/audit/mine", sync_to_thread=True, tags=["audit"], operation_id="ownAudit")
def own_audit(request: AnyRequest, before: BeforeLine = None) -> AuditPage:
    """List what you did, and who read sessions of yours."""
    return audit_page(request, before)


def audit_page(request: AnyRequest, before: int | None, *, of_all: bool = False) -> AuditPage:
    """Read one page of the audit log: of the member's own, or of the organisation."""
    principal = principal_of(request)
    with team_of(request) as team:
        events = list_audit(
            team,
            principal.organisation_id,
            member_id=None if of_all else principal.member_id,
            before=before,
            maximum=_AUDIT_PAGE,
        )
    return AuditPage(
        events=events, next_before=events[-1].id if len(events) == _AUDIT_PAGE else None
    )


def own_session(request: AnyRequest, name: str) -> str:
    """Return the id of a session of the member's own, given its key or its id.

    Raises:
        NotYourSessionError: It is another member's, or they see none.
    """
    archive, member = viewer_cache_of(request).viewed, principal_of(request).member_id
    found = [one for one in archive.named(require_id(name)) if one.owner == member]
    if len(found) != 1:
        raise NotYourSessionError
    return found[0].id


SESSION_ROUTES: Final = (
    session_state,
    share,
    make_link,
    share_links,
    revoke_link,
    own_audit,
)
