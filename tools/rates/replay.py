"""How often a file is what the replay says: at the next read, the next edit."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from clew.replay import Certainty, SessionReplay, Version, replay_session
from tools.rates.source import Rate, RateSource

_REQUIRED: Final = 0.98


def measure(source: RateSource) -> Iterator[Rate]:
    """Compare every text that a call shows with the one that the replay had."""
    counts: Counter[tuple[str, str, bool]] = Counter()
    wrong = sure = 0
    for conversation, backups in source.sessions():
        replay = replay_session(conversation, backups)
        for version in _shown(replay):
            kind = version.action if version.action in ("read", "backup") else "originalFile"
            is_equal = version.expected.text == version.before.text
            counts[kind, _between(version), is_equal] += 1
            if version.expected.state is Certainty.EXACT:
                sure += 1
                wrong += not is_equal
    for kind in ("read", "originalFile", "backup"):
        for between in ("nothing", "told by the client", "something that may write"):
            equal = counts[kind, between, True]
            whole = equal + counts[kind, between, False]
            required = _REQUIRED if (kind, between) == ("originalFile", "nothing") else None
            yield Rate(f"next {kind} equals replay, {between} in between", equal, whole, required)
    yield Rate("states called exact that are right", sure - wrong, sure, 1.0)


def _shown(replay: SessionReplay) -> Iterator[Version]:
    """Return the versions whose text before is recorded and was expected."""
    for version in replay.versions:
        if version.is_shown and version.expected.is_known:
            yield version


def _between(version: Version) -> str:
    match version.expected.state:
        case Certainty.EXACT:
            return "nothing"
        case Certainty.TOLD:
            return "told by the client"
        case _:
            return "something that may write"
