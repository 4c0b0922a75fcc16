"""What each version of the client writes, as far as a reader can tell versions apart."""

from typing import Final

import msgspec

from bench.dice import Dice, Weighted

NEVER: Final = "9.9.9"

# Feature: the first and the last version that has it.
FEATURES: Final = {
    "split_cache": ("1.0.98", NEVER),
    "thinking_metadata": ("1.0.128", "2.1.45"),
    "snapshots": ("2.0.15", NEVER),
    "boundaries": ("2.0.31", NEVER),
    "queue": ("2.0.37", NEVER),
    "slug": ("2.0.55", "2.1.177"),
    "todos": ("2.0.55", "2.1.62"),
    "agent_files": ("2.0.71", NEVER),
    "geography": ("2.0.71", NEVER),
    "stop_hooks": ("2.0.60", NEVER),
    "source_uuid": ("2.1.1", NEVER),
    "turn_durations": ("2.1.1", NEVER),
    "nested_agents": ("2.1.2", NEVER),
    "progress": ("2.1.11", "2.1.81"),
    "lean_agents": ("2.1.14", NEVER),
    "permission_mode": ("2.1.15", NEVER),
    "task_tools": ("2.1.17", NEVER),
    "callers": ("2.1.38", NEVER),
    "persisted_output": ("2.1.47", NEVER),
    "long_agent_ids": ("2.1.50", NEVER),
    "agent_tool": ("2.1.76", NEVER),
    "agent_meta": ("2.1.76", NEVER),
    "prompt_ids": ("2.1.76", NEVER),
    "last_prompts": ("2.1.69", NEVER),
    "message_first": ("2.1.81", NEVER),
    "attachments": ("2.1.92", NEVER),
    "queued_commands": ("2.1.111", NEVER),
    "ai_titles": ("2.1.112", NEVER),
    "linked_meta": ("2.1.150", NEVER),
    "modes": ("2.1.176", NEVER),
    "inline_agents": ("0.0.0", "2.0.27"),
    "old_titles": ("0.0.0", "2.1.29"),
    "warm_ups": ("2.0.28", "2.1.39"),
    "thinking_text": ("0.0.0", "2.1.79"),
    "silent_stops": ("0.0.0", "2.1.79"),
}

SONNET_4: Final = {"claude-sonnet-4-20250514": 4.0, "claude-opus-4-1-20250805": 1.0}
OPUS_45: Final = {
    "claude-opus-4-5-20251101": 5.0,
    "claude-sonnet-4-5-20250929": 2.0,
    "claude-haiku-4-5-20251001": 0.5,
}
OPUS_46: Final = {"claude-opus-4-6": 6.0, "claude-sonnet-4-6": 1.5, "claude-opus-4-5-20251101": 1.0}
OPUS_47: Final = {"claude-opus-4-7": 6.0, "claude-sonnet-4-6": 1.0}
SMALL_MODEL: Final = "claude-haiku-4-5-20251001"


class Release(msgspec.Struct, frozen=True):
    """A version in use: since when, how often among sessions, and with which models."""

    version: str
    day: str
    weight: float
    models: dict[str, float]


RELEASES: Final = (
    Release("1.0.98", "2025-09-02", 3, SONNET_4),
    Release("1.0.128", "2025-09-28", 4, SONNET_4),
    Release("2.0.14", "2025-10-11", 3, OPUS_45),
    Release("2.0.76", "2026-01-05", 9, OPUS_45),
    Release("2.1.12", "2026-01-18", 9, OPUS_45),
    Release("2.1.31", "2026-02-04", 15, OPUS_46),
    Release("2.1.39", "2026-02-12", 19, OPUS_46),
    Release("2.1.49", "2026-02-21", 10, OPUS_46),
    Release("2.1.74", "2026-03-15", 8, OPUS_46),
    Release("2.1.98", "2026-04-08", 7, OPUS_46),
    Release("2.1.114", "2026-04-18", 6, OPUS_47),
    Release("2.1.150", "2026-05-24", 5, OPUS_47),
    Release("2.1.178", "2026-06-20", 4, OPUS_47),
)
WEIGHTED: Final = Weighted({release.version: release.weight for release in RELEASES})
BY_VERSION: Final = {release.version: release for release in RELEASES}


class Client(msgspec.Struct, frozen=True):
    """A version of the client with all that it writes, and the model it uses."""

    version: str
    day: str
    model: str
    features: frozenset[str]

    def has(self, feature: str) -> bool:
        """Tell whether this version writes such a thing; an unknown feature is a mistake."""
        if feature not in FEATURES:
            raise KeyError(feature)
        return feature in self.features


def pick_client(dice: Dice, version: str = "") -> Client:
    """Pick a version by how common it is, or take the one given, and one of its models."""
    release = BY_VERSION[version or dice.pick(WEIGHTED)]
    model = dice.pick(Weighted(release.models))
    number = _number(release.version)
    features = frozenset(
        name
        for name, (first, last) in FEATURES.items()
        if _number(first) <= number <= _number(last)
    )
    return Client(release.version, release.day, model, features)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
