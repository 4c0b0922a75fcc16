"""What sessions changed, and files as they were."""

import datetime as dt
from typing import Annotated, Final

from litestar import Response
from litestar.params import QueryParameter

from clew.clock import MOMENT_EXAMPLES, format_time, parse_until
from clew.errors import NotFoundError, UsageError
from clew.replay import (
    ChangesAnswer,
    FileAnswer,
    FileVersionsAnswer,
    answer_changes,
    answer_file,
    answer_versions,
    at_message,
    at_time,
)
from clew.web.api.routes import json_route
from clew.web.api.session import find_message, respond_from
from clew.web.file_versions import find_replays, find_uses, find_versions
from clew.web.params import Id, require_id
from clew.web.responses import AppRequest, respond_json
from clew.web.session_cache import OpenSession
from clew.web.session_changes import RunParam, TurnParam, changes_of
from clew.web.state import cache_of, session_of

_SESSION: Final = "/api/sessions/{session_id:str}"
FilePath = Annotated[str, QueryParameter(max_length=4096, description="The file's full path.")]
AtMessage = Annotated[
    str, QueryParameter(max_length=200, description="As this message of the session found it.")
]
AtTime = Annotated[str, QueryParameter(max_length=40, description="At this time.")]
InSession = Annotated[str, QueryParameter(max_length=200, description="The message's session.")]


@json_route(f"{_SESSION}/changes", "changes", "files", ChangesAnswer, "Changes of a session")
def changes(
    request: AppRequest, session_id: Id, turn: TurnParam = None, run_id: RunParam = None
) -> Response[bytes]:
    """Get what a session changed: for each file its diff, and the calls behind every hunk."""

    def make(session: OpenSession, _version: str) -> ChangesAnswer:
        return answer_changes(changes_of(session, turn, run_id))

    return respond_from(request, session_id, make)


@json_route("/api/file-versions", "fileVersions", "files", FileVersionsAnswer, "Versions of a file")
def file_versions(request: AppRequest, path: FilePath) -> Response[bytes]:
    """List the versions of a file through the latest sessions, in order of time."""
    cache = cache_of(request)

    def make() -> FileVersionsAnswer:
        replays = find_replays(cache, path, find_uses(cache, path))
        return answer_versions(path, find_versions(replays, path))

    return respond_json(request, cache, cache.listed_version(), make)


@json_route("/api/file-at", "fileAt", "files", FileAnswer, "A file at a moment")
def file_at(
    request: AppRequest,
    path: FilePath,
    session: InSession = "",
    message: AtMessage = "",
    time: AtTime = "",
) -> Response[bytes]:
    """Get a file as a message of a session found it, or as it was at a time."""
    if bool(message) == bool(time) or bool(message) != bool(session):
        raise UsageError("use either session and message, or time")
    if message:
        return _at_message(request, path, session, message)
    cache = cache_of(request)
    moment = parse_until(time, dt.datetime.now(dt.UTC))
    if moment is None:
        raise UsageError(f"invalid time {time[:40]!r}; write it as {MOMENT_EXAMPLES}")

    def make() -> FileAnswer:
        replays = find_replays(cache, path, find_uses(cache, path))
        return answer_file(at_time(replays, path, format_time(moment)))

    return respond_json(request, cache, f"{cache.listed_version()}-{format_time(moment)}", make)


def _at_message(
    request: AppRequest, path: str, session_id: str, message_id: str
) -> Response[bytes]:
    cache, version = session_of(request, require_id(session_id))

    def make(session: OpenSession) -> FileAnswer:
        _, message = find_message(session.index.conversation, message_id)
        found = at_message(session.replay, path, message.id)
        if found is None:
            raise NotFoundError(f"the session has no message {message_id[:80]!r}")
        return answer_file(found)

    return respond_json(
        request, cache, version, lambda: cache.with_session(session_id, version, make)
    )
