"""BasePage: head, navigation and scripts of every page but a session's."""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from clew.render.html import content_policy, stylesheet
from clew.render.html.escaping import markup
from clew.render.html.templates import LATE_SCRIPTS
from clew.render.html.templates import asset as page_asset
from clew.render.site.account import AccountLinks
from clew.render.site.archiving import ArchivingStatus
from clew.render.site.templates import asset, draw
from clew.render.site.urls import SiteUrls

Tab: TypeAlias = Literal["sessions", "search", "usage", "files", ""]

_EARLY: Final = "theme.js"
_TIMES: Final = "times.js"
_STYLE: Final = "site.css"
_KEYS: Final = (
    ("j k", "Next, previous row"),
    ("Enter", "Open"),
    ("/", "Filter or search"),
    ("Esc", "Leave the field"),
    ("?", "Keyboard shortcuts"),
)
_LIVE: Final = "live.js"
_OWN: Final = ("site.js", _LIVE, "charts.js", "session.js", "site_search.js")


class BasePage(msgspec.Struct, frozen=True, kw_only=True):
    """How pages are composed.

    With `assets`, an address under which styles and scripts are served, and a `nonce`, a page
    refers to them; without, it contains them and has a content security policy of its own.
    `archiving` says how far a long sync is, and `account` who is signed in. Whoever must log in
    first has no tabs.
    """

    urls: SiteUrls
    assets: str = ""
    nonce: str = ""
    archiving: ArchivingStatus | None = None
    account: AccountLinks | None = None
    has_tabs: bool = True

    def draw(self, title: str, body: str, tab: Tab = "", scripts: Sequence[str] = ()) -> str:
        """Return a whole page."""
        live = (_LIVE,) if self.urls.is_dynamic else ()
        names = ("theme.js", _TIMES, "site.js", *live, *scripts)
        texts = [asset_text(name) for name in names]
        style = asset_text("all.css")
        policy = "" if self.assets else content_policy([style], texts)
        tabs = [
            (name, word, url)
            for name, word, url in (
                ("sessions", "Sessions", self.urls.sessions),
                ("search", "Search", self.urls.search),
                ("usage", "Usage", self.urls.usage),
                ("files", "Files", self.urls.files),
            )
            if url and self.has_tabs
        ]
        return draw(
            "base.html",
            title=title,
            body=markup(body),
            tab=tab,
            tabs=tabs,
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
        )


def asset_names() -> tuple[str, ...]:
    """Name what pages refer to."""
    return ("all.css", _EARLY, *LATE_SCRIPTS, *_OWN)


def asset_text(name: str) -> str:
    """Return the text of a style or a script."""
    if name == "all.css":
        return stylesheet() + "\n" + asset(_STYLE)
    return asset(name) if name in _OWN else page_asset(name)
