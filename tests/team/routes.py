"""Every route of the server, and who may use it.

The table says what members were promised, not what the code does. A route without a line in it
fails a test.
"""

import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import msgspec
from litestar import Litestar
from litestar.routes import HTTPRoute

from clew.protocol import Tier, Visibility
from clew.server.app import make_team_app
from clew.server.principal import Role
from clew.server.settings import TeamSettings
from clew.store.postgres_location import PostgresLocation
from tests.team.matrix_team import DELETED, PROJECT, Caller, MatrixTeam, SentSession, folder_of
from tests.team.pushing import pack, sha256

READERS: Final = {
    "private": {"owner", "auditor"},
    "project": {"owner", "auditor", "colleague"},
    "organisation": {"owner", "auditor", "colleague", "outsider", "chief", "admin"},
    "deleted": set[str](),
}
"""Who reads a session of a visibility: an administrator only what is shared with them, too."""

Decide: TypeAlias = Callable[[Caller, SentSession], bool]
Values: TypeAlias = Callable[[MatrixTeam, Caller, SentSession], dict[str, Any]]


def reads(caller: Caller, session: SentSession) -> bool:
    """Return whether somebody may read a session."""
    return caller.is_let_in and caller.member in READERS[session.shown]


def owns(caller: Caller, session: SentSession) -> bool:
    """Return whether a session is somebody's own."""
    return caller.member == "owner" and session.shown != DELETED


def knows_state(caller: Caller, session: SentSession) -> bool:
    """Return whether somebody hears where a session is; owner and administrators always do."""
    return reads(caller, session) or caller.member in ("owner", "admin")


def anybody(_caller: Caller, _session: SentSession) -> bool:
    """Let everybody in."""
    return True


def is_lead(caller: Caller, _session: SentSession) -> bool:
    """Return whether somebody sees totals of projects."""
    return caller.role in (Role.LEAD, Role.AUDITOR)


def administrates(caller: Caller, _session: SentSession) -> bool:
    """Return whether somebody manages an organisation, in a browser."""
    return caller.role is Role.ADMIN and not caller.has_device


def is_browser(caller: Caller, _session: SentSession) -> bool:
    """Return whether somebody uses a browser, as is needed for an account."""
    return not caller.has_device


def is_device(caller: Caller, _session: SentSession) -> bool:
    """Return whether somebody uses a device, as is needed for a push."""
    return caller.has_device


def pushed(caller: Caller, _session: SentSession) -> bool:
    """Return whether it is the owner's device, which may name a deleted session, too."""
    return caller.has_device and caller.member == "owner"


def has_link(_caller: Caller, session: SentSession) -> bool:
    """Return whether a link shows the session: whoever has it reads it, logged in or not."""
    return session.shown != DELETED


def nothing(_matrix: MatrixTeam, _caller: Caller, _session: SentSession) -> dict[str, Any]:
    """Send nothing."""
    return {}


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """Who may use a route, and what they and others get.

    `shows` says that it shows something of one session; `lists` that it shows something of all
    that one may read. `foreign` is what administrators of another organisation get, and `browser`
    what a browser gets where a device is needed. After a route that `ends` a login, callers log
    in again. Cells that would change what others need are `left_out`.
    """

    may: Decide
    ok: frozenset[int] = frozenset({200})
    no: int = 404
    foreign: int = 0
    is_open: bool = False
    is_stream: bool = False
    ends: bool = False
    shows: bool = False
    lists: bool = False
    query: str = ""
    sends: Values = nothing
    values: Values = nothing
    left_out: Decide | None = None

    def expected(self, caller: Caller, session: SentSession) -> frozenset[int]:
        """Return the statuses that somebody may get."""
        if not caller.is_let_in and not self.is_open:
            return frozenset({401})
        if not self.may(caller, session):
            wrong_kind = self.no if self.may is not pushed or caller.has_device else 403
            return frozenset({wrong_kind})
        if self.foreign and caller.organisation != "acme":
            return frozenset({self.foreign})
        return self.ok


def _statuses(*numbers: int) -> frozenset[int]:
    return frozenset(numbers)


def _read(query: str = "", **more: Any) -> Rule:
    return Rule(may=reads, shows=True, query=query, **more)


def _list(query: str = "", **more: Any) -> Rule:
    return Rule(may=anybody, lists=True, query=query or "?limit=1000", **more)


def _open(*ok: int, **more: Any) -> Rule:
    return Rule(may=anybody, is_open=True, ok=_statuses(*ok), **more)


def _member(*ok: int, **more: Any) -> Rule:
    return Rule(may=anybody, ok=_statuses(*(ok or (200,))), **more)


def _account(*ok: int, **more: Any) -> Rule:
    return Rule(may=is_browser, no=403, ok=_statuses(*ok), **more)


def _push(*ok: int, **more: Any) -> Rule:
    return Rule(may=is_device, no=403, ok=_statuses(*ok), **more)


def _admin(*ok: int, **more: Any) -> Rule:
    return Rule(may=administrates, no=403, ok=_statuses(*ok), **more)


def _link(query: str = "") -> Rule:
    # Whether there ever was such a link is not said.
    return Rule(may=has_link, no=410, is_open=True, query=query)


def _json(message: Any) -> dict[str, Any]:
    return {"json": message}


def _form(**fields: str) -> dict[str, Any]:
    return {"data": fields}


def _visibility(session: SentSession) -> dict[str, str]:
    if session.shown == Visibility.PROJECT:
        return {"visibility": "project", "project": PROJECT}
    return {"visibility": "organisation" if session.shown == DELETED else session.shown}


def _own_link(matrix: MatrixTeam, caller: Caller, session: SentSession) -> dict[str, Any]:
    """Name a link to the session; its owner gets another one to revoke."""
    if owns(caller, session):
        return {"link_id": matrix.new_link(session.id)[1].id}
    return {"link_id": session.link.id}


def _own_device(matrix: MatrixTeam, caller: Caller, _session: SentSession) -> dict[str, Any]:
    return {"device_id": matrix.new_device(caller.member) if caller.member else 1}


def _spare_device(matrix: MatrixTeam, _caller: Caller, _session: SentSession) -> dict[str, Any]:
    return {"device_id": matrix.devices["spare"]}


def _waiting_code(matrix: MatrixTeam, _caller: Caller, _session: SentSession) -> dict[str, Any]:
    return {"data": {"code": matrix.new_code(), "answer": "confirm"}}


def _file(session: SentSession) -> str:
    return f"{folder_of(session.word)}/{session.word}.py"


_SESSION: Final = "/api/sessions/{session_id}"
_PAGE: Final = "/sessions/{session_id}"
_FRAGMENT: Final = "?anchor=m-{message}"
_FRAME: Final = b"a frame of my own"

RULES: Final[dict[str, Rule]] = {
    # Open to everybody: to log in, and to see that the server runs.
    "GET /health": _open(200),
    "GET /ready": _open(200),
    "GET /metrics": _open(200),
    "GET /assets/{digest}/{name}": _open(404),
    "GET /login": _open(200, 303),
    "POST /login": _open(403, 429, sends=lambda *_: _form(name="nobody")),
    "GET /login/oidc": _open(400),
    "GET /login/oidc/callback": _open(400),
    "GET /invite/{token}": _open(410),
    "POST /invite/{token}": _open(410),
    "GET /reset/{token}": _open(410),
    "POST /reset/{token}": _open(410),
    "POST /push/login": _open(400, sends=lambda *_: _json({})),
    "POST /push/login/poll": _open(410, sends=lambda *_: _json({"device_code": "x" * 43})),
    # A link shows one session, to whoever has it.
    "GET /shared/{session_id}": _link(),
    "GET /shared/{session_id}/find": _link(_FRAGMENT),
    "GET /shared/{session_id}/frame": _link(),
    "GET /shared/{session_id}/lines": _link(_FRAGMENT),
    "GET /shared/{session_id}/runs/{run_id}": _link(),
    "GET /shared/{session_id}/sections/{number}": _link(),
    # One session: those who may read it.
    f"GET {_PAGE}": _read(),
    f"GET {_PAGE}/export/{{form}}": _read(),
    f"GET {_PAGE}/find": _read(_FRAGMENT),
    f"GET {_PAGE}/frame": _read(),
    f"GET {_PAGE}/kept": _read(),
    f"GET {_PAGE}/lines": _read(_FRAGMENT),
    f"GET {_PAGE}/runs/{{run_id}}": _read(),
    f"GET {_PAGE}/sections/{{number}}": _read(),
    f"GET {_PAGE}/next": Rule(may=reads, ok=_statuses(302)),
    f"GET {_PAGE}/previous": Rule(may=reads, ok=_statuses(302)),
    f"GET {_PAGE}/timeline": _read(),
    f"GET {_PAGE}/agents": _read(),
    f"GET {_PAGE}/context": _read(),
    f"GET {_PAGE}/changes": _read(),
    f"GET {_PAGE}/changes.patch": _read(),
    f"GET {_SESSION}": _read(),
    f"GET {_SESSION}/agent-runs": _read(),
    f"GET {_SESSION}/agents": _read(),
    f"GET {_SESSION}/around": _read(),
    f"GET {_SESSION}/conversation": _read(),
    f"GET {_SESSION}/digest": _read(),
    f"GET {_SESSION}/facts": _read(),
    f"GET {_SESSION}/context": _read(),
    f"GET {_SESSION}/changes": _read(),
    f"GET {_SESSION}/messages": _read(),
    f"GET {_SESSION}/messages/{{message_id}}": _read(),
    f"GET {_SESSION}/messages/{{message_id}}/lines": _read(),
    f"GET {_SESSION}/note": _read(),
    f"GET {_SESSION}/page": _read(),
    f"GET {_SESSION}/page/sections/{{number}}": _read(),
    f"GET {_SESSION}/resume": _read(),
    f"GET {_SESSION}/raw": _read(),
    f"GET {_SESSION}/raw/{{number}}": _read(),
    f"GET {_SESSION}/stats": _read(),
    f"GET {_SESSION}/tool-calls": _read(),
    f"GET {_SESSION}/transcript": _read(),
    f"GET {_SESSION}/transcripts": _read(),
    f"GET {_SESSION}/transcripts/{{number}}": _read(),
    f"GET {_SESSION}/events": Rule(may=reads, is_stream=True),
    f"GET {_SESSION}/state": Rule(may=knows_state, values=lambda _m, _c, s: {"session_id": s.id}),
    # Own notes: of what one may read, and nobody else sees them.
    f"POST {_SESSION}/note": _read(sends=lambda *_: _json({"star": True})),
    f"POST {_SESSION}/bookmarks": _read(
        sends=lambda _m, _c, s: _json({"message_id": s.message, "comment": "why"})
    ),
    "POST /api/notes": _read(
        sends=lambda _m, _c, s: _json({"session_ids": [s.key], "add_tags": ["seen"]})
    ),
    "GET /api/notes": _member(),
    # Sharing: the owner alone.
    f"GET {_SESSION}/links": Rule(may=owns),
    f"POST {_SESSION}/links": Rule(
        may=owns, ok=_statuses(201), sends=lambda *_: _json({"hours": 1})
    ),
    f"POST {_SESSION}/share": Rule(may=owns, sends=lambda _m, _c, s: _json(_visibility(s))),
    "DELETE /api/links/{link_id}": Rule(may=owns, ok=_statuses(204), values=_own_link),
    f"GET {_PAGE}/share": Rule(may=owns),
    f"POST {_PAGE}/share": Rule(
        may=owns,
        ok=_statuses(303),
        sends=lambda _m, _c, s: _form(visibility=" ".join(_visibility(s).values())),
    ),
    f"POST {_PAGE}/links": Rule(may=owns, ok=_statuses(303), sends=lambda *_: _form(hours="1")),
    f"POST {_PAGE}/links/{{link_id}}/revoke": Rule(may=owns, ok=_statuses(303), values=_own_link),
    # Lists of what one may read.
    "GET /": Rule(may=anybody, lists=True),
    "GET /live": _member(),
    "GET /sessions": _list(),
    "GET /files": _list(),
    "GET /files/history": Rule(
        may=lambda caller, session: reads(caller, session) and session.tier != Tier.STRUCTURE,
        shows=True,
        query="?path={file}",
    ),
    "GET /api/file-versions": Rule(
        may=lambda caller, session: reads(caller, session) and session.tier != Tier.STRUCTURE,
        shows=True,
        query="?path={file}",
    ),
    "GET /api/file-at": Rule(
        may=lambda caller, session: reads(caller, session) and session.tier != Tier.STRUCTURE,
        shows=True,
        query="?path={file}&time=2100-01-01",
    ),
    "GET /search": _list("?q=common&limit=1000"),
    "GET /usage": _list("?by=session"),
    "GET /compare": Rule(may=reads, shows=True, query="?a={session}&b={session}"),
    "GET /export": Rule(may=reads, shows=True, query="?session={session}"),
    "GET /export/report": Rule(may=reads, shows=True, query="?session={session}"),
    "GET /export/file": Rule(may=reads, shows=True, query="?session={session}&form=markdown"),
    "GET /api/export": Rule(may=reads, shows=True, query="?session={session}"),
    "GET /api/compare": Rule(may=reads, shows=True, query="?a={session}&b={session}"),
    "GET /api/agent-runs": _list(),
    "GET /api/file-uses": _list("?path=/srv&limit=1000"),
    "GET /api/files": _list(),
    "GET /api/palette": _list("?q=srv+app&limit=100"),
    "GET /api/projects": _list(),
    "GET /api/search": _list("?q=common&limit=1000"),
    "GET /api/suggest": _list("?text=project:&limit=100"),
    "GET /api/sessions": _list(),
    "GET /api/live": _member(),
    "GET /api/tool-calls": _list(),
    "GET /api/usage": _list("?by=project"),
    "GET /api/usage/cache": _list(),
    # Reports on what one may read.
    "GET /settings": _member(),
    "GET /api/settings": _member(),
    "GET /permissions": _list(),
    "GET /lessons": _member(),
    "GET /api/permissions": _list(),
    "GET /api/lessons": _list("?min_sessions=1"),
    # Everybody who is logged in.
    "GET /api/events": _member(is_stream=True),
    "GET /api/health": _member(),
    "GET /api/schema": _member(),
    "GET /api/schema/openapi.json": _member(),
    "GET /api/schema/{path}": _member(404),
    "GET /api/audit/mine": _member(),
    "GET /audit": _member(),
    "GET /processing": _member(),
    "POST /logout": _member(303, ends=True),
    # Totals of projects.
    "GET /api/team/usage": Rule(may=is_lead, no=403),
    "GET /team": Rule(may=is_lead, no=403),
    # One's own account, in a browser.
    "GET /account": _account(200),
    "POST /account/devices/{device_id}/revoke": _account(303, values=_own_device),
    "POST /account/identity": _account(400, sends=lambda *_: _form(current="wrong")),
    "POST /account/password": _account(400, 429, sends=lambda *_: _form(current="")),
    "GET /device": _account(200),
    "POST /device": _account(200, sends=_waiting_code),
    # Administrators, in a browser, in their own organisation.
    "GET /admin": _admin(200),
    "GET /admin/audit": _admin(200),
    "POST /admin/devices/{device_id}/revoke": _admin(303, foreign=404, values=_spare_device),
    "POST /admin/digests": _admin(303, sends=lambda *_: _form(has_digests="no")),
    "POST /admin/members": _admin(
        200, sends=lambda _m, c, _s: _form(name=f"new-{c.member}", role="member")
    ),
    "POST /admin/members/{name}/disable": _admin(303, foreign=404),
    "POST /admin/members/{name}/enable": _admin(303, foreign=404),
    "POST /admin/members/{name}/reset": _admin(200, foreign=404),
    "POST /admin/members/{name}/role": _admin(
        303, foreign=404, sends=lambda *_: _form(role="member")
    ),
    "POST /admin/projects": _admin(303, sends=lambda _m, c, _s: _form(project=f"of {c.member}")),
    "POST /admin/projects/{project_id}/{how}": _admin(
        303, foreign=404, sends=lambda *_: _form(name="spare")
    ),
    "POST /admin/retry": _admin(
        303,
        foreign=400,
        sends=lambda m, _c, s: _form(owner=str(m.members["owner"].id), session=s.id),
    ),
    "POST /admin/settings": _admin(303, sends=lambda *_: _form(shows_members="no")),
    # Pushing, with a device.
    "GET /push/whoami": _push(200),
    "GET /push/consents": _push(200),
    "PUT /push/consents/{project_key}": _push(200, sends=lambda *_: _json({"tier": "nothing"})),
    "PUT /push/frames/{sha256}": _push(204, sends=lambda *_: {"content": pack(_FRAME)}),
    "POST /push/hello": _push(200, sends=lambda *_: _json({"protocol": 1})),
    "POST /push/missing": _push(200, sends=lambda *_: _json({"frames": [sha256(_FRAME)]})),
    "POST /push/manifests": _push(400, sends=lambda *_: _json({})),
    "POST /push/logout": _push(204, ends=True),
    "DELETE /push/sessions/{session}": Rule(
        may=pushed, ok=_statuses(204), left_out=lambda c, s: pushed(c, s) and s.shown != DELETED
    ),
    "POST /push/sessions/{session}/revive": Rule(
        may=pushed, ok=_statuses(204), left_out=lambda c, s: pushed(c, s) and s.shown == DELETED
    ),
}


def find_routes(location: PostgresLocation) -> list[str]:
    """Return the method and path of every route of the application."""
    app = make_team_app(TeamSettings(location=location)).app
    assert isinstance(app, Litestar)
    assert all(isinstance(route, HTTPRoute) for route in app.routes)
    return sorted(
        f"{method} {route.path_format}"
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for method in route.methods
        if method != "OPTIONS"
    )


def is_of_session(route: str) -> bool:
    """Return whether a route names a session, so that it matters who sees it."""
    return "{session" in route or "{link_id}" in route or RULES[route].shows


def place_of(route: str, sent: SentSession, /, **values: Any) -> str:
    """Return the address of a route with the names of a session, or with others."""
    known: dict[str, Any] = {
        "session_id": sent.token if " /shared/" in route else sent.key,
        "session": sent.id,
        "message_id": sent.message,
        "run_id": sent.run,
        "number": 0,
        "form": "md",
        "name": "spare",
        "how": "add",
        "digest": "0" * 8,
        "token": "x" * 43,
        "path": "none",
        "project_key": "of-nobody",
        "sha256": sha256(_FRAME),
        **values,
    }
    path = re.sub(r"\{(\w+)\}", lambda found: str(known[found[1]]), route.partition(" ")[2])
    query = RULES[route].query.replace("{message}", sent.message)
    query = query.replace("{session}", str(known["session_id"]))
    return path + query.replace("{file}", _file(sent))
