"""The pages of the app, each by a name, as addresses of one archive."""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, urlsplit

import httpx

from clew.web.pages import PAGES

PIECES: Final = frozenset(
    {
        "/assets/{digest:str}/{name:str}",
        "/export/file",
        "/export/report",
        "/live",
        "/sessions/{session_id:str}/changes.patch",
        "/sessions/{session_id:str}/export/{form:str}",
        "/sessions/{session_id:str}/find",
        "/sessions/{session_id:str}/frame",
        "/sessions/{session_id:str}/lines",
        "/sessions/{session_id:str}/next",
        "/sessions/{session_id:str}/previous",
        "/sessions/{session_id:str}/sections/{number:int}",
    }
)
"""What is no page of its own: parts of pages, files to save, and ways to other pages."""


def all_places(client: httpx.Client) -> dict[str, str]:
    """Give the address of one page of every kind."""
    sessions = client.get("/api/sessions", params={"sort": "messages"}).json()["sessions"]
    runs = client.get("/api/agent-runs").json()["agent_runs"]
    files = client.get("/api/files", params={"sort": "changes"}).json()["files"]
    session = f"/sessions/{quote(sessions[0]['id'], safe='')}"
    return {
        "home": "/",
        "sessions": "/sessions",
        "by project": "/sessions?group=project&sort=cost&has_errors=true",
        "no sessions": "/sessions?text=nothingislikethis",
        "search": "/search",
        "hits": "/search?q=test",
        "a bad query": "/search?q=%22",
        "usage": "/usage",
        "files": "/files",
        "permissions": "/permissions",
        "lessons": "/lessons",
        "a comparison": f"/compare?a={sessions[0]['id']}&b={sessions[1]['id']}",
        "a file": f"/files/history?path={quote(files[0]['path'], safe='')}",
        "a session": session,
        "an errand": f"/sessions/{quote(runs[0]['session_id'], safe='')}/runs/{runs[0]['id']}",
        "Archived files": f"{session}/kept",
        "Timeline": f"{session}/timeline",
        "Agents": f"/sessions/{quote(runs[0]['session_id'], safe='')}/agents",
        "Context": f"{session}/context",
        "Changes": f"{session}/changes",
        "an export": f"/export?session={sessions[0]['id']}",
        "exported hits": "/export?q=test",
        "settings": "/settings",
        "door": "/login",
        "not there": "/sessions/nope",
    }


def page_routes() -> set[str]:
    """Give the paths of all pages, as the app declares them."""
    shown = (handler for handler in PAGES if "GET" in handler.http_methods)
    return {path for handler in shown for path in handler.paths}


def routes_without(places: Iterable[str]) -> set[str]:
    """Give the pages that none of these addresses leads to."""
    paths = [urlsplit(place).path for place in places]
    wanted = page_routes() - PIECES
    return {route for route in wanted if not any(_fits(route, path) for path in paths)}


def _fits(route: str, path: str) -> bool:
    return re.fullmatch(re.sub(r"\\\{.*?\\\}", "[^/]+", re.escape(route)), path) is not None
