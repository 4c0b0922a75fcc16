"""Lines of changes whose own calls do not say how many they are.

Such a call is counted against the text that the session last knew of the file: what it had read or
written there before, also by an agent. The page *Changes* compares the same texts.
"""

from clew.conversation import Conversation
from clew.replay import count_lines, replay_session
from clew.tools import LineCounts


class Recounts:
    """The recounted changes of one session; its files are followed when the first is needed."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._found: dict[str, LineCounts] | None = None

    def settle(self, call_id: str, own: LineCounts | None) -> LineCounts | None:
        """Return what a call says itself if that is exact, else what the session knows."""
        if own is not None and not own.is_lower_bound:
            return own
        if self._found is None:
            self._found = _count(self._conversation)
        return self._found.get(call_id, own)


def _count(conversation: Conversation) -> dict[str, LineCounts]:
    found = {}
    for version in replay_session(conversation).versions:
        counted = count_lines(version) if version.is_change else None
        if counted is not None:
            found[version.call_id] = LineCounts(*counted)
    return found
