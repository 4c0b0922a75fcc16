"""Model calls, one by one and summed: what counting passes from step to step."""

from typing import Final

import msgspec

from clew.conversation import ModelUsage

HOUR: Final = len("2026-11-15T08")
"""The number of letters of a time up to its hour."""
NO_MODEL: Final = ""
"""The model of calls of which nothing is known."""


class CountedCall(msgspec.Struct, gc=False):
    """The largest count of one model call, whose `name` is the same wherever it is written down.

    `run` is the agent run that made it, empty for the session itself. `is_ended` says whether the
    count was taken when the answer was whole, `is_corrupt` that parts of it cannot be and are left
    out, `is_partial` that its price leaves something out.
    """

    name: str
    at: str
    model: str
    run: str
    is_ended: bool
    is_corrupt: bool
    is_partial: bool
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_5m_tokens: int
    cache_write_1h_tokens: int
    web_searches: int
    web_fetches: int
    cost_nano_usd: int | None


class CallSum(msgspec.Struct, gc=False):
    """Model calls that are alike in all they may be grouped by, summed.

    `at` is the time of one of them. `unpriced_calls` have no part in the cost, the output of
    `lower_bound_calls` was counted before they ended, of `partial_calls` a part of the price is not
    known, and of `corrupt_calls` a count is left out: with any of them, a sum is a lower bound.
    So it is with `missing_transcripts`, whose calls are not known; they have no model.
    """

    at: str
    model: str
    session_id: str
    project: str
    branch: str
    agent: str
    calls: int = 0
    unpriced_calls: int = 0
    lower_bound_calls: int = 0
    partial_calls: int = 0
    corrupt_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    web_searches: int = 0
    web_fetches: int = 0
    cost_nano_usd: int = 0
    missing_transcripts: int = 0

    def count_bounds(self) -> int:
        """Count what makes a sum of these calls a lower bound; a call may count twice."""
        unknown = self.unpriced_calls + self.partial_calls
        return self.lower_bound_calls + self.corrupt_calls + unknown + self.missing_transcripts


class WorkCall(CallSum, gc=False):
    """Model calls on one branch (`branch` is the session's last), and what they count for.

    `group` is a commit, a pull request or a branch.
    """

    call_branch: str = ""
    group: str = ""


def missing_sum(
    at: str, session_id: str, agent: str, project: str = "", branch: str = ""
) -> CallSum:
    """Return the sum of the calls of a missing transcript: none that is known."""
    return CallSum(at, NO_MODEL, session_id, project, branch, agent, missing_transcripts=1)


class SessionLabel(msgspec.Struct, frozen=True, gc=False):
    """What people know a session by."""

    title: str
    project: str


class Window(msgspec.Struct, frozen=True):
    """Which calls are summed: those from `since` on and before `until`.

    Calls whose times begin with the same `letters` may be summed.
    """

    since: str = ""
    until: str | None = None
    letters: int = 16

    def includes(self, at: str) -> bool:
        """Return whether a time is in it."""
        return at >= self.since and (self.until is None or at < self.until)


def counts(usage: ModelUsage) -> dict[str, int]:
    """Return what is counted of a call; cache writes of unknown length count as short ones."""
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_5m_tokens": usage.cache_write_5m_tokens + usage.cache_write_unsplit_tokens,
        "cache_write_1h_tokens": usage.cache_write_1h_tokens,
        "web_searches": usage.web_searches,
        "web_fetches": usage.web_fetches,
    }


class Sums:
    """Calls of a window, added up as they come."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._found: dict[tuple[str, str, str, str], CallSum] = {}

    def add(self, session_id: str, agent: str, call: CountedCall) -> None:
        """Count a call of a session, by one of its agents or by none."""
        window, at = self._window, call.at
        if not window.includes(at):
            return
        key = (session_id, agent, call.model, at[: window.letters])
        total = self._found.get(key)
        if total is None:
            total = self._found[key] = CallSum(at, call.model, session_id, "", "", agent)
        total.calls += 1
        total.input_tokens += call.input_tokens
        total.output_tokens += call.output_tokens
        total.cache_read_tokens += call.cache_read_tokens
        total.cache_write_5m_tokens += call.cache_write_5m_tokens
        total.cache_write_1h_tokens += call.cache_write_1h_tokens
        total.web_searches += call.web_searches
        total.web_fetches += call.web_fetches
        if call.is_corrupt:
            total.corrupt_calls += 1
        elif not call.is_ended:
            total.lower_bound_calls += 1
        if call.is_partial and call.cost_nano_usd is not None:
            total.partial_calls += 1
        if call.cost_nano_usd is None:
            total.unpriced_calls += 1
        else:
            total.cost_nano_usd += call.cost_nano_usd

    def finish(self) -> list[CallSum]:
        """Return the sums."""
        return list(self._found.values())
