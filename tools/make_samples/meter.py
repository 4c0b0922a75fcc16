"""What model calls use and cost: the numbers that a client would have counted."""

import math
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from clew.analytics import Tokens, cost_of
from tests.build import Usage

_NANO: Final = 1_000_000_000
_CHARACTERS_PER_TOKEN: Final = 3.5
# Chinese takes about one token for each character, English and code one for three or four.
_WIDE_FROM: Final = "\u2e80"
_KEPT: Final = timedelta(minutes=5)
_PICTURE_TOKENS: Final = 640
# Instructions and tools, which the client sends before the first prompt.
PREFIX_TOKENS: Final = 21_400
RUN_PREFIX_TOKENS: Final = 11_900


class Totals(msgspec.Struct):
    """What a session and its runs took so far, as the client counts it."""

    nano_dollars: dict[str, int] = {}
    unpriced: set[str] = set()
    thinking_tokens: dict[str, int] = {}
    api_seconds: float = 0
    wasted_seconds: float = 0
    tool_seconds: float = 0
    lines_added: int = 0
    lines_removed: int = 0

    def add(self, model: str, usage: Usage, thought: int, at: datetime) -> None:
        """Count one model call at the price of its day."""
        self.thinking_tokens[model] = self.thinking_tokens.get(model, 0) + thought
        cost = cost_of(_tokens(usage), model, at.date())
        if cost is None:
            self.unpriced.add(model)
        else:
            self.nano_dollars[model] = self.nano_dollars.get(model, 0) + cost.nano_dollars

    def costs_usd(self) -> dict[str, float]:
        """Give the cost of each model in dollars."""
        return {model: nano / _NANO for model, nano in self.nano_dollars.items()}


class Context(msgspec.Struct):
    """What a model has in view: tokens that it read before, and tokens that are new to it.

    `weight` tells how much more comes with a result than its text: reminders and diagnostics.
    """

    known: int = 0
    fresh: int = PREFIX_TOKENS
    prefix: int = PREFIX_TOKENS
    weight: float = 1.2
    used_at: datetime | None = None

    def add(self, value: Any) -> None:
        """Put something into view."""
        self.fresh += int(self.weight * tokens_in(value))

    def call(self, at: datetime, output: int, jitter: float) -> Usage:
        """Give the usage of the next call; what no call used for a while left the cache."""
        is_cached = self.used_at is not None and at - self.used_at < _KEPT
        read = self.known if is_cached else 0
        written = self.known + self.fresh - read
        self.known, self.fresh = self.known + self.fresh + output, 0
        self.used_at = at
        return Usage(3 + int(jitter * 9), output, cache_read=read, cache_write_5m=written)

    def restart(self, tokens: int) -> None:
        """Forget all but the instructions, and take in a summary."""
        self.known, self.fresh = self.prefix, tokens


def tokens_in(value: Any) -> int:
    """Guess how many tokens something takes."""
    match value:
        case None:
            return 0
        case str():
            wide = sum(character >= _WIDE_FROM for character in value)
            return math.ceil(wide * 0.9 + (len(value) - wide) / _CHARACTERS_PER_TOKEN)
        case {"type": "image" | "document"}:
            return _PICTURE_TOKENS
        case {"type": "tool_use", "name": str(name), "input": arguments}:
            return 24 + tokens_in(name) + tokens_in(arguments)
        case {"type": "thinking"}:
            return 0
        case dict():
            return sum(2 + tokens_in(inner) for inner in value.values())
        case list() | tuple():
            return sum(tokens_in(inner) for inner in value)
        case _:
            return 1


def _tokens(usage: Usage) -> Tokens:
    return Tokens(
        input=usage.input,
        output=usage.output,
        cache_read=usage.cache_read,
        cache_write_5m=usage.cache_write_5m,
        cache_write_1h=usage.cache_write_1h,
        web_searches=usage.web_searches,
    )
