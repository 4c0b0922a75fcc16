"""How full the context of a session's main thread was at its last request."""

import msgspec

from clew.analytics import context_tokens, is_synthetic, stated_windows, window_of
from clew.conversation import Conversation, Message


class ContextFill(msgspec.Struct, frozen=True):
    """The tokens of the last request, and how many there may be: assumed unless the client says."""

    tokens: int
    window: int
    is_window_known: bool

    @property
    def share(self) -> float:
        """The share of the window that was used."""
        return self.tokens / self.window


def read_context_fill(conversation: Conversation) -> ContextFill | None:
    """Return it, or None before the first answer; after a compaction, what that left."""
    asked = [message for message in conversation.messages if _is_request(message)]
    if not asked:
        return None
    counts = [context_tokens(message.usage) for message in asked if message.usage]
    stated = stated_windows(conversation.cost_state)
    window, is_known = window_of(asked[-1].model or "", stated, max(counts))
    left = _left_by_compaction(conversation, asked[-1])
    return ContextFill(counts[-1] if left is None else left, window, is_known)


def _is_request(message: Message) -> bool:
    return (
        message.agent_run_id is None
        and message.usage is not None
        and message.model is not None
        and not is_synthetic(message.model)
    )


def _left_by_compaction(conversation: Conversation, last: Message) -> int | None:
    """Return what the last compaction left, where no request came after it."""
    latest = conversation.epochs[-1] if conversation.epochs else None
    if latest is None or last.epoch >= latest.index:
        return None
    return latest.tokens_after
