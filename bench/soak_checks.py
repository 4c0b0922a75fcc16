"""What must be true of a team server after all faults."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
import psycopg

from bench.soak_devices import SoakDevice
from clew.store.postgres_location import PostgresLocation
from tests.postgres_dump import frame_gaps
from tests.team.clean_rows import archived_files, server_rows, session_files, synced_rows

_PAUSE_SECONDS: Final = 1.0
_UNFINISHED: Final = """
SELECT owner, session_id, head_seq, derived_seq, attempts, claim, claimed_until > now(),
  waiting_reason, failed_reason, due_at - now()
FROM session_state
WHERE deleted_at IS NULL AND (head_seq > derived_seq OR failed_reason IS NOT NULL)
"""
_WORDS: Final = "word"
_SHOWN: Final = 3


def settle(devices: Sequence[SoakDevice], location: PostgresLocation, patience: float) -> list[str]:
    """Let devices push as hooks do until all is sent and parsed; return what is not."""
    until = time.monotonic() + patience
    while True:
        unsent = [each for each in devices if not each.push()]
        waiting = _unfinished(location)
        if not unsent and not waiting:
            return []
        if time.monotonic() > until:
            return [
                *(f"a device of {each.name} cannot push" for each in unsent),
                *(f"not parsed: {row}" for row in waiting),
            ]
        time.sleep(_PAUSE_SECONDS)


def find_losses(devices: Sequence[SoakDevice], location: PostgresLocation) -> Iterator[str]:
    """Name the files that are not on the server as they are on their device, or once were."""
    for device in devices:
        found = archived_files(location, device.member)
        newest = {(root, path): content for (root, path, _), content in sorted(found.items())}
        for path, content in session_files(device.machine.claude).items():
            if content not in [kept for (_, other), kept in newest.items() if other == path]:
                yield f"{path} of {device.name} differs on the server"
        for path, contents in device.acknowledged.items():
            kept = [content for (_, other, _), content in found.items() if other == path]
            for content in contents:
                if not any(each.startswith(content) for each in kept):
                    yield f"{path} of {device.name} was acknowledged, and is lost"


def find_differences(
    devices: Sequence[SoakDevice], location: PostgresLocation, clean: PostgresLocation
) -> Iterator[str]:
    """Name the tables whose rows are not those of a plain sync of the same files."""
    roots = {
        device.member: [each.machine.claude for each in devices if each.member == device.member]
        for device in devices
    }
    expected, found = synced_rows(location, clean, roots), server_rows(location.database_url)
    for table, rows in expected.items():
        known, wanted = Counter(map(repr, found[table])), Counter(map(repr, rows))
        differences = {"too few": wanted - known, "too many": known - wanted}
        if table == _WORDS:
            # They stay when the last text with them goes.
            differences.pop("too many")
        for what, which in differences.items():
            if which:
                yield f"{table}: {which.total()} rows {what}, such as {list(which)[:_SHOWN]}"
    yield from (f"gap in the frames of {row[0]}" for row in frame_gaps(location.database_url))


def _unfinished(location: PostgresLocation) -> list[tuple[object, ...]]:
    with psycopg.connect(location.database_url) as connection:
        return connection.execute(_UNFINISHED).fetchall()


class PushedNumbers(msgspec.Struct, frozen=True):
    """How much was pushed."""

    sessions: int
    files: int
    generations: int
    bytes: int


def count_pushed(location: PostgresLocation) -> PushedNumbers:
    """Count what there is on the server."""
    with psycopg.connect(location.database_url) as connection:
        ((*numbers,),) = connection.execute(
            "SELECT (SELECT count(*) FROM session_state), count(*), sum(generation), "
            "sum(size_bytes) FROM received_file"
        )
    return PushedNumbers(*map(int, numbers))
