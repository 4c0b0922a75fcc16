"""The agent runs of a session: a page, the fold on the session's page, and the way between runs."""

from collections.abc import Sequence
from urllib.parse import quote, urlencode

import msgspec
from litestar import Response, get

from clew.render.html.escaping import anchor
from clew.render.site import AgentsPage, render_agents, render_run_tree
from clew.view import RunSummary, RunTree
from clew.web.page_response import respond_page, session_shell
from clew.web.params import Id
from clew.web.responses import AppRequest
from clew.web.session_cache import OpenSession
from clew.web.state import session_of


@get("/sessions/{session_id:str}/agents", sync_to_thread=True, include_in_schema=False)
def agents_page(request: AppRequest, session_id: Id) -> Response[bytes]:
    """Show the agent runs of a session as a tree."""
    cache, version = session_of(request, session_id)

    def make(session: OpenSession) -> str:
        page = AgentsPage(
            session_id=session_id,
            title=session.index.conversation.session.title or "(no title)",
            tree=session.run_tree,
        )
        return render_agents(page, session_shell(request, cache, session, "agents"))

    return respond_page(
        request, cache, version, lambda: cache.with_session(session_id, version, make)
    )


def draw_run_tree(session: OpenSession, run_id: str = "") -> str:
    """Draw the runs of a session, or those below one run, as a fold of its page."""
    if not run_id:
        return render_run_tree(session.run_tree, session.urls, session.id)
    below = _runs_below(session.run_tree.runs, run_id)
    tree = RunTree(runs=below)
    return render_run_tree(tree, session.urls, session.id, "Runs that it started")


def _runs_below(runs: Sequence[RunSummary], run_id: str) -> tuple[RunSummary, ...]:
    """Return the runs below a run: those that follow it in the tree and are deeper."""
    place = next((at for at, run in enumerate(runs) if run.id == run_id), None)
    if place is None:
        return ()
    top = runs[place].depth
    found: list[RunSummary] = []
    for run in runs[place + 1 :]:
        if run.depth <= top:
            break
        found.append(msgspec.structs.replace(run, depth=run.depth - top))
    return tuple(found)


def run_links(session: OpenSession, run_id: str) -> list[tuple[str, str]]:
    """Link a run's page to its session, its call, its changes, and the runs around it."""
    own, tree = session.urls.session(session.id), session.run_tree
    among = tree.runs if any(run.id == run_id for run in tree.runs) else tree.hidden
    place = next((at for at, run in enumerate(among) if run.id == run_id), None)
    links = [("Whole session", own)]
    if place is None:
        return links
    run, known = among[place], {one.id for one in (*tree.runs, *tree.hidden)}
    if run.tool_call_id in session.index.calls:
        links.append(("Call that started it", f"{own}#{anchor('c', run.tool_call_id)}"))
    if run.parent_run_id in known:
        links.append(("Parent run", _run_url(own, run.parent_run_id)))
    if place:
        links.append(("Previous run", _run_url(own, among[place - 1].id)))
    if place + 1 < len(among):
        links.append(("Next run", _run_url(own, among[place + 1].id)))
    if not session.urls.is_dynamic:
        return links
    if run.files:
        links.append(("What it changed", f"{own}/changes?{urlencode({'run': run.id})}"))
    links.append(("All agents", f"{session.urls.agents(session.id)}#{anchor('run', run.id)}"))
    return links


def _run_url(own: str, run_id: str) -> str:
    return f"{own}/runs/{quote(run_id, safe='')}"
