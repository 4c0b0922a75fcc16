"""SendMessage: words to another agent of the session."""

from typing import Final

import msgspec

from clew.tools.tool import Tool


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


SEND_MESSAGE: Final = Tool(
    names=("SendMessage",), input=SendMessageInput, result=SendMessageResult, json_text=True
)
