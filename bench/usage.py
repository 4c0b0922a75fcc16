"""Token counts of a model call, in the shape its version writes them."""

from typing import Any, Final

import msgspec

from bench.clients import Client
from bench.dice import Dice

CHARACTERS_PER_TOKEN: Final = 3.6
SYSTEM_PROMPT: Final = 16_000


class Meter:
    """The context of one thread: what the model has read, and what waits to be read."""

    def __init__(self) -> None:
        self.cached = 0
        self.fresh = SYSTEM_PROMPT

    def add(self, characters: int) -> None:
        """Count text that the next model call reads."""
        self.fresh += int(characters / CHARACTERS_PER_TOKEN)

    def forget(self) -> None:
        """Start again after a compaction."""
        self.cached, self.fresh = SYSTEM_PROMPT, 1_000

    @property
    def total(self) -> int:
        """Count the tokens in the context."""
        return self.cached + self.fresh


class Tally(msgspec.Struct, frozen=True):
    """What one model call read and wrote."""

    input: int
    written: int
    read: int
    output: int


def count_call(dice: Dice, meter: Meter, characters: int) -> Tally:
    """Count a model call that answers with so many characters, and move on the context."""
    output = int(characters / CHARACTERS_PER_TOKEN) + dice.randint(10, 60)
    tally = Tally(dice.randint(1, 12), meter.fresh, meter.cached, output)
    meter.cached += meter.fresh
    meter.fresh = output
    return tally


def snapshots(dice: Dice, client: Client, tally: Tally, count: int) -> list[int]:
    """Give the output tokens that each fragment states: never fewer than the one before."""
    start = dice.randint(1, 8)
    if client.has("silent_stops"):
        if dice.chance(0.76):
            return [start] * count
        return [*[start] * (count - 1), tally.output]
    if dice.chance(0.5):
        return [tally.output] * count
    return [*sorted(dice.randint(start, tally.output) for _ in range(count - 1)), tally.output]


def write_usage(client: Client, tally: Tally, output: int) -> dict[str, Any]:
    """Write a call's counts, with this many output tokens."""
    counts: dict[str, Any] = {
        "input_tokens": tally.input,
        "cache_creation_input_tokens": tally.written,
        "cache_read_input_tokens": tally.read,
    }
    if client.has("message_first"):
        split = {"ephemeral_1h_input_tokens": tally.written, "ephemeral_5m_input_tokens": 0}
        return counts | {
            "output_tokens": output,
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
            "cache_creation": split,
            "inference_geo": "",
            "iterations": [
                {**counts, "output_tokens": output, "cache_creation": split, "type": "message"}
            ],
            "speed": "standard",
        }
    if client.has("split_cache"):
        split = {"ephemeral_5m_input_tokens": tally.written, "ephemeral_1h_input_tokens": 0}
        counts["cache_creation"] = split
    counts |= {"output_tokens": output, "service_tier": "standard"}
    return counts | {"inference_geo": "not_available"} if client.has("geography") else counts
