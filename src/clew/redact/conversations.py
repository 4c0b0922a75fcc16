"""A conversation → the secrets that it reveals, so that each is masked wherever it occurs."""

import msgspec

from clew.conversation import Conversation
from clew.redact.redactor import Redactor
from clew.redact.tree import prepare_tree


def learn_conversation(conversation: Conversation, redactor: Redactor) -> None:
    """Read a whole session, calls and results included, before any part of it is masked."""
    prepare_tree(conversation, redactor)
    for call in conversation.tool_calls:
        values = [msgspec.json.decode(call.input), msgspec.json.decode(call.result)]
        prepare_tree(values, redactor)
