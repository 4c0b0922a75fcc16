"""SendMessage: words to another agent of the session."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Part
from clew.tools.pieces import facts, options, prose, words
from clew.tools.tool import Standing, Tool


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
    """The way a message took."""

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


def label(send: SendMessageInput, _cwd: str) -> str:
    """Tell who is told what."""
    said = send.message if isinstance(send.message, str) else send.message.type
    told = send.summary or said or send.content or send.type
    return f"{send.to or send.recipient}: {told}"


def parts(
    send: SendMessageInput, result: SendMessageResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show the message, and the way it took."""
    if isinstance(send.message, str):
        yield from options(call, "message", "content")
        yield from prose(send.message)
    else:
        yield from options(call, "content")
    yield from prose(send.content if send.content != send.message else "")
    if result is None:
        return
    yield from words(result.message)
    route = result.routing or Routing()
    yield from facts(
        ("from", route.sender),
        ("to", route.target or result.target or ", ".join(result.recipients)),
        ("request", result.request_id),
    )


def _state(result: SendMessageResult) -> Standing:
    return ("", "") if result.success else ("failed", "bad")


SEND_MESSAGE: Final = Tool(
    names=("SendMessage",),
    input=SendMessageInput,
    result=SendMessageResult,
    label=label,
    parts=parts,
    state=_state,
    json_text=True,
)
