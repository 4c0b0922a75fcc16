"""The addresses that devices push to. Each request may be repeated."""

from typing import Annotated, Any, Final, TypeAlias

from litestar import Request, Response, delete, get, post, put
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, PathParameter, RawBody

from clew.protocol import (
    Commit,
    ConsentChange,
    ConsentState,
    FileManifest,
    Hello,
    HelloAnswer,
    MissingFrames,
    PushRefusal,
)
from clew.server.commit import commit
from clew.server.consents import list_consents, set_consent
from clew.server.errors import respond_team_error
from clew.server.hello import answer_hello
from clew.server.own_sessions import delete_own_session, revive_own_session
from clew.server.parts import AppPart
from clew.server.receive_frames import find_missing, receive_frame
from clew.server.refusals import DeletionPendingError, NestedMessageError, RefusedPushError
from clew.server.requests import principal_of, team_of
from clew.server.settings import TeamSettings
from clew.store.objects import Objects, open_objects

PushRequest: TypeAlias = Request[Any, Any, Any]

_RETRY_SECONDS: Final = "30"
_TAGS: Final = ["push"]
_Name: TypeAlias = Annotated[str, PathParameter(max_length=256)]


def _refusals(*statuses: int) -> dict[int, ResponseSpec]:
    """Describe why a request is refused."""
    return {
        status: ResponseSpec(PushRefusal, description="Refused", generate_examples=False)
        for status in statuses
    }


@post(
    "/push/hello",
    sync_to_thread=True,
    status_code=200,
    tags=_TAGS,
    operation_id="push_hello",
    responses=_refusals(422, 426),
)
def push_hello(request: PushRequest, data: JSONBody[Hello]) -> HelloAnswer:
    """Return what the server has that differs from what a laptop knows."""
    with team_of(request) as team:
        return answer_hello(team, principal_of(request), data)


@post(
    "/push/missing",
    sync_to_thread=True,
    status_code=200,
    tags=_TAGS,
    operation_id="push_missing",
    responses=_refusals(422),
)
def push_missing(request: PushRequest, data: JSONBody[MissingFrames]) -> MissingFrames:
    """Return those of some frames that the member has to send."""
    with team_of(request) as team:
        return MissingFrames(frames=find_missing(team, principal_of(request), data.frames))


@put(
    "/push/frames/{sha256:str}",
    sync_to_thread=True,
    status_code=204,
    tags=_TAGS,
    operation_id="push_frame",
    responses=_refusals(413, 422, 429, 507),
)
def push_frame(request: PushRequest, sha256: _Name, body: RawBody) -> None:
    """Store one zstd frame, which is named by the SHA-256 of its content."""
    objects: Objects = request.app.state.push_objects
    with team_of(request) as team:
        receive_frame(team, objects, principal_of(request), sha256, body)


@post(
    "/push/manifests",
    sync_to_thread=True,
    status_code=200,
    tags=_TAGS,
    operation_id="push_manifest",
    responses=_refusals(403, 409, 410, 422, 503),
)
def push_manifest(request: PushRequest, data: JSONBody[FileManifest]) -> Commit:
    """Take over what a file consists of."""
    with team_of(request) as team:
        return commit(team, principal_of(request), data)


@get("/push/consents", sync_to_thread=True, tags=_TAGS, operation_id="push_consents")
def push_consents(request: PushRequest) -> list[ConsentState]:
    """Return what the member allows."""
    with team_of(request) as team:
        return list_consents(team, principal_of(request))


@put(
    "/push/consents/{project_key:str}",
    sync_to_thread=True,
    tags=_TAGS,
    operation_id="push_consent",
    responses=_refusals(422),
)
def push_consent(
    request: PushRequest, project_key: _Name, data: JSONBody[ConsentChange]
) -> ConsentState:
    """Change what the member allows for a project of their laptop."""
    with team_of(request) as team:
        return set_consent(team, principal_of(request), project_key, data)


@delete(
    "/push/sessions/{session:str}",
    sync_to_thread=True,
    tags=_TAGS,
    operation_id="push_delete_session",
    responses=_refusals(404, 409, 422),
)
def push_delete_session(request: PushRequest, session: _Name) -> None:
    """Delete a session of the member's own, which is then refused until they revive it."""
    with team_of(request) as team:
        delete_own_session(team, principal_of(request), session)


@post(
    "/push/sessions/{session:str}/revive",
    sync_to_thread=True,
    status_code=204,
    tags=_TAGS,
    operation_id="push_revive_session",
    responses=_refusals(404, 422),
)
def push_revive_session(request: PushRequest, session: _Name) -> None:
    """Let a deleted session of the member's own be pushed again."""
    with team_of(request) as team:
        revive_own_session(team, principal_of(request), session)


def push_part(settings: TeamSettings) -> AppPart:
    """Return the routes that devices push to."""
    return AppPart(
        handlers=[
            push_hello,
            push_missing,
            push_frame,
            push_manifest,
            push_consents,
            push_consent,
            push_delete_session,
            push_revive_session,
        ],
        state={"push_objects": open_objects(settings.location.blobs)},
        errors={RefusedPushError: respond_refused, RecursionError: respond_nested},
    )


def respond_refused(_request: PushRequest, error: RefusedPushError) -> Response[PushRefusal]:
    """Respond with why a push is refused, and what a laptop needs to go on."""
    headers = {"retry-after": _RETRY_SECONDS} if isinstance(error, DeletionPendingError) else {}
    return Response(
        error.refusal(),
        status_code=error.status,
        media_type="application/json",
        headers=headers,
    )


def respond_nested(request: PushRequest, error: RecursionError) -> Response[Any]:
    """Respond to a message that is nested more deeply than any can be."""
    if request.method == "GET":
        return respond_team_error(request, error)
    return respond_refused(request, NestedMessageError())
