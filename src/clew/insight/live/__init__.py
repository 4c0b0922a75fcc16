"""What running sessions do: working, waiting for a person, or finished."""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.insight.live.activity import read_activity
    from clew.insight.live.context_fill import ContextFill, read_context_fill
    from clew.insight.live.model import LIVE_WINDOW, QUESTION_WINDOW, Activity, LiveState
    from clew.insight.live.state import state_at, state_by_time

__all__ = [
    "LIVE_WINDOW",
    "QUESTION_WINDOW",
    "Activity",
    "ContextFill",
    "LiveState",
    "read_activity",
    "read_context_fill",
    "state_at",
    "state_by_time",
]

import_lazily(__name__)
