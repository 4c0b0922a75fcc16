"""What a session changed: a page, and patches to save."""

from typing import Annotated, Final

from litestar import Response, get
from litestar.params import QueryParameter

from clew.conversation import Conversation, Message, plan_heading
from clew.render.site.changes import (
    SPLIT,
    UNIFIED,
    ChangesPage,
    RunChoice,
    TurnChoice,
    render_changes,
)
from clew.replay import SessionReplay, make_patch
from clew.view import run_label
from clew.web.page_response import respond_page, session_shell
from clew.web.params import Id
from clew.web.responses import AppRequest
from clew.web.session_cache import OpenSession
from clew.web.session_changes import RunParam, TurnParam, changes_of
from clew.web.state import session_of

View = Annotated[str, QueryParameter(max_length=20)]
Reverse = Annotated[bool, QueryParameter(description="The patch that takes the changes back.")]
_PATCH: Final = "text/x-diff"
_NAME_LENGTH: Final = 8


@get("/sessions/{session_id:str}/changes", sync_to_thread=True, include_in_schema=False)
def changes_page(
    request: AppRequest,
    session_id: Id,
    turn: TurnParam = None,
    run_id: RunParam = None,
    view: View = UNIFIED,
) -> Response[bytes]:
    """Show what a session changed, or one turn of it, or one agent run."""
    cache, version = session_of(request, session_id)

    def make(session: OpenSession) -> str:
        conversation = session.index.conversation
        changes = changes_of(session, turn, run_id)
        page = ChangesPage(
            session_id=session_id,
            title=conversation.session.title or "(no title)",
            changes=changes,
            address=f"{cache.urls.session(session_id)}/changes",
            view=SPLIT if view == SPLIT else UNIFIED,
            turns=changing_turns(conversation, session.replay),
            runs=changing_runs(conversation, session.replay),
            take_back=make_patch(changes.files, changes.project, reverse=True),
        )
        return render_changes(page, session_shell(request, cache, session, "changes"))

    return respond_page(
        request, cache, version, lambda: cache.with_session(session_id, version, make)
    )


@get("/sessions/{session_id:str}/changes.patch", sync_to_thread=True, include_in_schema=False)
def changes_patch(
    request: AppRequest,
    session_id: Id,
    turn: TurnParam = None,
    run_id: RunParam = None,
    *,
    reverse: Reverse = False,
) -> Response[bytes]:
    """Download what a session changed as a patch for `git apply`."""
    cache, version = session_of(request, session_id)

    def make(session: OpenSession) -> bytes:
        changes = changes_of(session, turn, run_id)
        text = make_patch(changes.files, changes.project, reverse=reverse).text
        return text.encode("utf-8", "surrogatepass")

    data = cache.with_session(session_id, version, make)
    name = "".join(c for c in session_id[:_NAME_LENGTH] if c.isalnum()) or "session"
    saved = f'attachment; filename="{name}{"-reverse" if reverse else ""}.patch"'
    return Response(data, media_type=_PATCH, headers={"content-disposition": saved})


def _prompt_words(prompt: Message | None) -> str:
    """Return the first words of a prompt, or the heading of the plan that it is."""
    words = "" if prompt is None else plan_heading(prompt) or prompt.text
    return " ".join(words.split())[:120]


def changing_turns(conversation: Conversation, replay: SessionReplay) -> list[TurnChoice]:
    """List the turns that changed files, with their prompts."""
    changing = {v.turn for v in replay.versions if v.is_change and not v.is_inherited}
    messages = {message.id: message for message in conversation.messages}
    return [
        TurnChoice(turn.index, _prompt_words(messages.get(turn.prompt_id)), turn.prompt_id)
        for turn in conversation.turns
        if turn.index in changing
    ]


def changing_runs(conversation: Conversation, replay: SessionReplay) -> list[RunChoice]:
    """List the agent runs that changed files, in order of their start."""
    changing = {v.agent_run_id for v in replay.versions if v.is_change and not v.is_inherited}
    runs = sorted(conversation.agent_runs, key=lambda run: (run.started_at, run.id))
    return [RunChoice(run.id, run_label(run)) for run in runs if run.id in changing]
