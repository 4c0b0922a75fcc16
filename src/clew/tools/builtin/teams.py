"""ListAgents, SendMessage, TeamCreate and TeamDelete: agents that work together."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Part
from clew.tools.display import failed_state, fields, input_fields, prose, words
from clew.tools.fallback import UntypedResult, untyped_result_parts
from clew.tools.tool import Tool


class ListAgentsInput(msgspec.Struct, frozen=True):
    """What to look for."""

    channel: str = ""
    q: str = ""


def _list_parts(_arguments: object, result: UntypedResult | None, call: ToolCall) -> Iterator[Part]:
    """Show all there is."""
    yield from input_fields(call)
    if result is not None:
        yield from untyped_result_parts(result)


LIST_AGENTS: Final = Tool(
    names=("ListAgents",),
    input=ListAgentsInput,
    result=UntypedResult,
    label=lambda arguments, _: arguments.q or arguments.channel,
    parts=_list_parts,
)


class TeamMessage(msgspec.Struct, frozen=True):
    """A message with a meaning of its own: a request to shut down, an answer to one."""

    type: str
    request_id: str = ""
    approve: bool | None = None
    reason: str = ""
    feedback: str = ""


class SendMessageInput(msgspec.Struct, frozen=True):
    """To whom, and what; older clients say `recipient` and `content` for `to` and `message`."""

    to: str = ""
    message: str | TeamMessage = ""
    summary: str = ""
    type: str = ""
    recipient: str = ""
    recipient_kind: str = ""
    content: str = ""
    request_id: str = ""
    approve: bool | None = None
    notify_when_idle: bool = False


class Routing(msgspec.Struct, frozen=True, rename="camel"):
    """The sender and the recipient of a message."""

    sender: str = ""
    target: str = ""
    summary: str = ""
    content: str = ""
    sender_color: str = ""
    target_color: str = ""


class SendMessageResult(msgspec.Struct, frozen=True):
    """Whether it went out."""

    success: bool
    message: str = ""
    routing: Routing | None = None
    request_id: str = ""
    target: str = ""
    recipients: tuple[str, ...] = ()


def _send_label(send: SendMessageInput, _cwd: str) -> str:
    """Name the recipient, and summarise the message."""
    text = send.message if isinstance(send.message, str) else send.message.type
    summary = send.summary or text or send.content or send.type
    return f"{send.to or send.recipient}: {summary}"


def _send_parts(
    send: SendMessageInput, result: SendMessageResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the message, its sender and its recipients."""
    if isinstance(send.message, str):
        yield from input_fields(call, "message", "content")
        yield from prose(send.message)
    else:
        yield from input_fields(call, "content")
    yield from prose(send.content if send.content != send.message else "")
    if result is None:
        return
    yield from words(result.message)
    route = result.routing or Routing()
    yield from fields(
        ("From", route.sender),
        ("To", route.target or result.target or ", ".join(result.recipients)),
        ("Request", result.request_id),
    )


SEND_MESSAGE: Final = Tool(
    names=("SendMessage",),
    input=SendMessageInput,
    result=SendMessageResult,
    label=_send_label,
    parts=_send_parts,
    state=lambda result: failed_state(not result.success),
    json_text=True,
)


class TeamCreateInput(msgspec.Struct, frozen=True):
    """The team's name and purpose."""

    team_name: str
    description: str = ""
    agent_type: str = ""


class TeamCreateResult(msgspec.Struct, frozen=True):
    """The new team; its lead's id is `name@team`."""

    team_name: str
    team_file_path: str = ""
    lead_agent_id: str = ""


class TeamDeleteInput(msgspec.Struct, frozen=True):
    """Nothing, or the team's name."""

    team_name: str = ""


class TeamDeleteResult(msgspec.Struct, frozen=True):
    """The confirmation."""

    success: bool
    message: str = ""
    team_name: str = ""


def _create_parts(_team: object, result: TeamCreateResult | None, call: ToolCall) -> Iterator[Part]:
    yield from input_fields(call)
    if result is not None:
        yield from fields(("Team lead", result.lead_agent_id), ("Team file", result.team_file_path))


def _delete_parts(_team: object, result: TeamDeleteResult | None, call: ToolCall) -> Iterator[Part]:
    yield from input_fields(call)
    if result is not None:
        yield from words(result.message)


TEAM_CREATE: Final = Tool(
    names=("TeamCreate",),
    input=TeamCreateInput,
    result=TeamCreateResult,
    label=lambda team, _: f"{team.team_name} {team.description}",
    parts=_create_parts,
    json_text=True,
)


TEAM_DELETE: Final = Tool(
    names=("TeamDelete",),
    input=TeamDeleteInput,
    result=TeamDeleteResult,
    label=lambda team, _: team.team_name,
    parts=_delete_parts,
    state=lambda result: failed_state(not result.success),
    json_text=True,
)
