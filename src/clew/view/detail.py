"""Detail: how much of a conversation is shown."""

from enum import IntEnum
from typing import Final

from clew.conversation import Message


class Detail(IntEnum):
    """Each level shows what the one before it shows, and more."""

    OUTLINE = 0
    PROMPTS = 1
    TALK = 2
    TOOLS = 3
    EVERYTHING = 4

    @property
    def label(self) -> str:
        """Return the word for it."""
        return self.name.lower()


_FIRST_SHOWN: Final = {
    "prompt": Detail.PROMPTS,
    "steering": Detail.PROMPTS,
    "memory": Detail.PROMPTS,
    "answer": Detail.TALK,
    "api_error": Detail.TALK,
    "bash_input": Detail.TALK,
    "bash_output": Detail.TALK,
    "command": Detail.TALK,
    "command_output": Detail.TALK,
    "interrupt": Detail.TALK,
    "teammate": Detail.TALK,
    "unsent": Detail.TALK,
    "notification": Detail.TOOLS,
}
_LOUD: Final = ("error", "warning")


def shows(detail: Detail, message: Message) -> bool:
    """Return whether a message is shown at a level; its tool calls are another question."""
    return detail >= level_of(message)


def level_of(message: Message) -> Detail:
    """Return the lowest level that shows a message."""
    if message.subtype == "broken" or (message.kind == "system" and message.level in _LOUD):
        return Detail.TOOLS
    if message.kind == "unsent" and message.pair_id is not None:
        # The words were sent after all, as they were or edited.
        return Detail.EVERYTHING
    if message.is_meta:
        return Detail.EVERYTHING
    return _FIRST_SHOWN.get(message.kind, Detail.EVERYTHING)
