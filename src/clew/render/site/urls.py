"""URLs of pages, in the web app and in a static site."""

from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, urlencode

import msgspec

from clew.render.html.escaping import anchor


class SiteUrls(msgspec.Struct, frozen=True, kw_only=True):
    """URLs of the pages.

    A session's page is `session_prefix`, its id, `session_suffix`. Only the app has pages that are
    made on request: `is_dynamic`. A static site begins with its list: `home` is `sessions`.
    """

    home: str = ""
    sessions: str
    search: str
    usage: str
    files: str = ""
    permissions: str = ""
    lessons: str = ""
    compare: str = ""
    live: str = ""
    export: str = ""
    settings: str = ""
    session_prefix: str
    session_suffix: str = ""
    is_dynamic: bool = False

    def session(self, session_id: str, message_id: str | None = None) -> str:
        """Return the address of a session, or of a message in it."""
        place = f"{self.session_prefix}{quote(session_id, safe='')}{self.session_suffix}"
        return place if message_id is None else f"{place}#{anchor('m', message_id)}"

    def run(self, session_id: str, run_id: str) -> str:
        """Return the address of an agent run's page, which only the app has."""
        own = self.session(session_id)
        return f"{own}/runs/{quote(run_id, safe='')}" if self.is_dynamic else own

    def call(self, session_id: str, call_id: str) -> str:
        """Return the address of a tool call."""
        return f"{self.session(session_id)}#{anchor('c', call_id)}"

    def hit(self, session_id: str, message_id: str | None, call_id: str | None) -> str:
        """Return the address of what a search found: a tool call, a message, or a session."""
        return self.call(session_id, call_id) if call_id else self.session(session_id, message_id)

    def timeline(self, session_id: str) -> str:
        """Return the address of a session's timeline."""
        return (
            f"{self.session_prefix}{quote(session_id, safe='')}/timeline" if self.is_dynamic else ""
        )

    def context(self, session_id: str) -> str:
        """Return the address of what filled a session's context."""
        return (
            f"{self.session_prefix}{quote(session_id, safe='')}/context" if self.is_dynamic else ""
        )

    def agents(self, session_id: str) -> str:
        """Return the address of a session's agent runs."""
        return (
            f"{self.session_prefix}{quote(session_id, safe='')}/agents" if self.is_dynamic else ""
        )

    def filtered_sessions(self, *counted: str, **filters: str) -> str:
        """Return the address of a list with filters, or of the sessions that a number counts.

        It is empty where lists are fixed.
        """
        params = [(name, value) for name, value in filters.items() if value]
        params += [("counted", group) for group in counted]
        return f"{self.sessions}?{urlencode(params)}" if self.is_dynamic and params else ""

    def filtered_usage(self, **filters: str) -> str:
        """Return the address of the usage with filters, which only the app can count."""
        params = [(name, value) for name, value in filters.items() if value]
        return f"{self.usage}?{urlencode(params)}" if self.is_dynamic and params else ""

    def search_results(self, query: str, given: Iterable[tuple[str, str]] = ()) -> str:
        """Return the URL of the results of a query with filters."""
        return f"{self.search}?{urlencode([('q', query), *given])}" if self.is_dynamic else ""

    def export_of(self, params: Iterable[tuple[str, str]]) -> str:
        """Return the address of the page that exports sessions or a search, where there is one."""
        return f"{self.export}?{urlencode(list(params))}" if self.export else ""

    def export_search(self, query: str, given: Iterable[tuple[str, str]] = ()) -> str:
        """Return the address of the page that exports the results of a query with filters."""
        return self.export_of([("q", query), *given])

    def blame(self, path: str) -> str:
        """Return the address of a file's blame, which only an app beside its repository has."""
        return f"{self.files}/blame?{urlencode({'path': path})}" if self.is_dynamic else ""

    def file(self, path: str) -> str:
        """Return the address of a file's history."""
        return f"{self.files}/history?{urlencode({'path': path})}" if self.is_dynamic else ""


APP: Final = SiteUrls(
    home="/",
    sessions="/sessions",
    search="/search",
    usage="/usage",
    files="/files",
    permissions="/permissions",
    lessons="/lessons",
    compare="/compare",
    export="/export",
    settings="/settings",
    live="/api/live",
    session_prefix="/sessions/",
    is_dynamic=True,
)
SITE: Final = SiteUrls(
    home="index.html",
    sessions="index.html",
    search="search.html",
    usage="usage.html",
    session_prefix="sessions/",
    session_suffix=".html",
)
