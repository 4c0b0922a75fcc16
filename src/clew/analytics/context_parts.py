"""What the context of a model is made of, at each of its requests."""

from typing import Final

import msgspec

from clew.entries import CostState

PARTS: Final = {
    "system": "System text",
    "tools": "Tool definitions",
    "injected": "Injected text",
    "summary": "Compaction summary",
    "prompts": "Prompts",
    "answers": "Answers and calls",
    "thinking": "Thinking",
    "files": "Files read",
    "results": "Tool results",
}
"""The parts of a context, from the first that is sent on, and what to call them."""

NEAR_LIMIT: Final = 0.8
"""The share of a window from which on a context is near its limit."""

_SMALL: Final = 200_000
_LARGE: Final = 1_000_000
_LARGE_NAME: Final = "[1m]"
_count: Final = msgspec.json.Decoder(int)


class ContextSample(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """How full the context was at one request, and with what.

    `tokens` has the tokens of each part. Their sum, `total`, is what the API counted; how they are
    shared out is measured in the request itself or, if it `is_estimated`, in the messages before.
    `window` is how many there may be; it is assumed unless the client says so. `cost_nano_usd` is
    what the request cost without its answer.
    """

    message_id: str
    agent_run_id: str | None
    turn: int | None
    epoch: int
    at: str
    model: str
    tokens: dict[str, int]
    total: int
    window: int
    is_window_known: bool
    is_estimated: bool
    cost_nano_usd: int | None

    @property
    def fullness(self) -> float:
        """The share of the window that was used."""
        return self.total / self.window


class ContextItem(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Something that took much of the context: how often it was sent, and what that cost.

    `read_again` says that a later read of the same file made it superfluous.
    """

    label: str
    part: str
    message_id: str
    tool_call_id: str | None
    turn: int | None
    tokens: int
    requests: int
    cost_nano_usd: int
    read_again: bool = False


class PartCost(msgspec.Struct, frozen=True, gc=False):
    """What a part of the context cost over all requests."""

    part: str
    tokens: int
    cost_nano_usd: int


def stated_windows(state: CostState | None) -> dict[str, int]:
    """Return the windows of models that the client states."""
    found = {}
    for model, cost in ({} if state is None else state.model_usage).items():
        try:
            window = _count.decode(cost.context_window)
        except msgspec.MsgspecError:
            continue
        if window > 0:
            found[model] = window
    return found


def window_of(model: str, stated: dict[str, int], largest: int) -> tuple[int, bool]:
    """Return how many tokens a model's context may have, and whether the client says so.

    A context with more tokens than usual shows that more are allowed.
    """
    if model in stated:
        return stated[model], True
    is_large = _LARGE_NAME in model or largest > _SMALL
    return (_LARGE if is_large else _SMALL), False
