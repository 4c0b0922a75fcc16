"""A conversation → what a digest may quote: what its user and its model said to each other.

Results of tools, injected text, output of commands, compaction summaries and agent runs are not
among it: whoever can write those could otherwise put words into a digest.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import Conversation, Message

USER: Final = "user"
ASSISTANT: Final = "assistant"
_PROMPTS: Final = ("prompt", "steering")
_NEVER_SENT: Final = ("undelivered", "withdrawn")
# Text that clients and hooks put beside what a person typed; it runs to the last closing tag.
_INJECTED: Final = re.compile(
    r"<(system-reminder|local-command-[a-z]+|bash-[a-z]+|command-[a-z]+|[a-z-]+-hook|ide_[a-z_]+"
    r"|task-notification|teammate-message|agent-message)\b(?:.*</\1>|.*\Z)",
    re.DOTALL,
)


class Spoken(msgspec.Struct, frozen=True):
    """A prompt or an answer of the main thread; a model knows it by its `reference`."""

    reference: str
    message_id: str
    speaker: str
    text: str


def find_spoken(conversation: Conversation) -> tuple[Spoken, ...]:
    """Return the prompts and answers of the main thread that have words, in order."""
    found = [message for message in main_messages(conversation) if speaker_of(message)]
    return tuple(
        Spoken(f"m{number}", message.id, speaker_of(message), without_injections(message.text))
        for number, message in enumerate(found, 1)
    )


def main_messages(conversation: Conversation) -> Iterator[Message]:
    """Iterate over the messages of the main thread, without those of agent runs."""
    by_id = {message.id: message for message in conversation.messages}
    main = next((thread for thread in conversation.threads if thread.is_main), None)
    for name in main.message_ids if main else ():
        message = by_id.get(name)
        if message is not None and message.agent_run_id is None and not message.is_sidechain:
            yield message


def speaker_of(message: Message) -> str:
    """Return who spoke in a message: `user`, `assistant`, or nobody who may be quoted."""
    if message.is_meta or message.is_deleted or not message.text.strip():
        return ""
    if message.kind == "answer" and message.subtype != "synthetic":
        return ASSISTANT
    is_sent = message.kind in _PROMPTS and message.subtype not in _NEVER_SENT
    is_typed = is_sent and message.source_tool_call_id is None and not message.is_transcript_only
    return USER if is_typed else ""


def without_injections(text: str) -> str:
    """Remove what clients and hooks put into a text between tags."""
    return _INJECTED.sub("\n\n", text) if "<" in text else text
