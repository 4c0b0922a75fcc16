"""A dossier as one page that needs no server."""

from clew.render.formatting import UNTITLED, money_usd
from clew.render.html.escaping import markup
from clew.render.html.prose import draw_typed
from clew.render.site.base import BasePage
from clew.render.site.templates import draw
from clew.render.site.urls import SiteUrls
from clew.view import Dossier

_HERE = SiteUrls(
    home="#content",
    sessions="#content",
    search="",
    usage="",
    session_prefix="",
    session_suffix="",
)
_KINDS = {"commit": "Commit", "range": "Commits", "pull_request": "Pull request"}
_EVIDENCE = {"commit": "made a commit", "lines": "wrote lines", "pull_request": "pull request"}


def render_dossier(dossier: Dossier) -> str:
    """Draw a dossier."""
    title = f"{_KINDS.get(dossier.kind, dossier.kind)} {dossier.name}"
    sessions = [
        (session, [(turn, markup(draw_typed(turn.prompt))) for turn in session.turns])
        for session in dossier.sessions
    ]
    body = draw(
        "dossier.html",
        dossier=dossier,
        title=title,
        untitled=UNTITLED,
        money=money_usd,
        sessions=sessions,
        evidence=_EVIDENCE,
        lines=sum(commit.lines for commit in dossier.commits),
        written=sum(commit.session_lines for commit in dossier.commits),
        turns=sum(len(session.turns) for session in dossier.sessions),
    )
    return BasePage(urls=_HERE, has_tabs=False).draw(f"Dossier: {title}", body)
