"""BasePage: head, navigation and scripts of every page but a session's."""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from clew.render.html import content_policy, stylesheet
from clew.render.html.escaping import in_url, markup
from clew.render.html.marks import APP_MARKS, PAGE_MARKS
from clew.render.html.templates import LATE_SCRIPTS
from clew.render.html.templates import asset as page_asset
from clew.render.site.account import AccountLinks
from clew.render.site.archiving import ArchivingStatus
from clew.render.site.session_bar import SessionBar
from clew.render.site.templates import asset, draw
from clew.render.site.urls import SiteUrls

Tab: TypeAlias = Literal[
    "home", "sessions", "search", "usage", "files", "permissions", "lessons", "compare", ""
]

_EARLY: Final = "theme.js"
_TIMES: Final = "times.js"
_STYLES: Final = (
    "site.css",
    "frame.css",
    "home.css",
    "notes.css",
    "list.css",
    "export.css",
    "access.css",
    "reading.css",
    "agents.css",
    "timeline.css",
)
_KEYS: Final = (
    ("j k", "Next, previous row"),
    ("Enter", "Open"),
    ("x", "Select, with Shift up to here"),
    ("a", "Go to what can be done with the selection"),
    ("/", "Filter or search"),
    ("Esc", "Leave the field"),
    ("Ctrl K", "Search, or jump to a session, page or action"),
    ("?", "Keyboard shortcuts"),
)
_LIVE: Final = "live.js"
_RAIL: Final = "rail.js"
FRAME_SCRIPTS: Final = ("running.js", "palette.js")
"""What the header needs in the app."""
_STRIP: Final = "strip.js"
_SCROLLERS: Final = "scrollers.js"
# With a period, numbers are compared with the one before.
_USAGE_PERIOD: Final = "30d"
_OWN: Final = (
    "site.js",
    _LIVE,
    "charts.js",
    "timeline.js",
    "resume.js",
    "changes.js",
    "files.js",
    "sections.js",
    "session.js",
    "site_search.js",
    *FRAME_SCRIPTS,
    _RAIL,
    _STRIP,
    "notes.js",
    "suggest.js",
    "list.js",
    "selection.js",
    "searches.js",
    "export.js",
    "preferences.js",
    _SCROLLERS,
)


class BasePage(msgspec.Struct, frozen=True, kw_only=True):
    """How pages are composed.

    With `assets`, an address under which styles and scripts are served, and a `nonce`, a page
    refers to them; without, it contains them and has a content security policy of its own.
    `archiving` says how far a long sync is, and `account` who is signed in. Whoever must log in
    first has no tabs. `session` is the session that a page is about.
    """

    urls: SiteUrls
    assets: str = ""
    nonce: str = ""
    archiving: ArchivingStatus | None = None
    account: AccountLinks | None = None
    has_tabs: bool = True
    session: SessionBar | None = None

    @property
    def tabs(self) -> list[tuple[str, str, str]]:
        """The sections of the app: name, label and URL."""
        urls = self.urls
        found = (
            ("home", "Home", urls.home if urls.home != urls.sessions else ""),
            ("sessions", "Sessions", urls.sessions),
            ("search", "Search", urls.search),
            ("usage", "Usage", urls.filtered_usage(since=_USAGE_PERIOD) or urls.usage),
            ("files", "Files", urls.files),
            ("lessons", "Lessons", urls.lessons),
            ("permissions", "Permissions", urls.permissions),
        )
        return [tab for tab in found if tab[2] and self.has_tabs]

    def draw(self, title: str, body: str, tab: Tab = "", scripts: Sequence[str] = ()) -> str:
        """Return a whole page."""
        live = (_LIVE, _STRIP, *FRAME_SCRIPTS) if self.urls.is_dynamic else ()
        rail = (_RAIL,) if self.session is not None and self.session.has_rail else ()
        names = ("theme.js", _TIMES, "site.js", _SCROLLERS, *live, *rail, *scripts)
        texts = [asset_text(name) for name in names]
        style = asset_text("all.css")
        policy = "" if self.assets else content_policy([style], texts)
        return draw(
            "base.html",
            title=title,
            body=markup(body),
            tab=tab or ("" if self.session is None else "sessions"),
            tabs=self.tabs,
            session=self.session,
            in_url=in_url,
            urls=self.urls,
            assets=self.assets,
            nonce=self.nonce,
            policy=policy,
            style=markup(style),
            early=markup(texts[0]),
            late=[(name, markup(text)) for name, text in zip(names[1:], texts[1:], strict=True)],
            live=self.urls.is_dynamic,
            archiving=self.archiving,
            account=self.account,
            keys=_KEYS,
            known_marks=(*PAGE_MARKS, *APP_MARKS),
        )


def asset_names() -> tuple[str, ...]:
    """Name what pages refer to."""
    return ("all.css", _EARLY, *LATE_SCRIPTS, *_OWN)


def asset_text(name: str) -> str:
    """Return the text of a style or a script."""
    if name == "all.css":
        return "\n".join((stylesheet(), *map(asset, _STYLES)))
    return asset(name) if name in _OWN else page_asset(name)
