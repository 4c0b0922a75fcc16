"""Ids that point from one entry to another, and the ends that are still loose."""

from array import array
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import msgspec

from clew.problems import Problem


class LooseEnd(msgspec.Struct, frozen=True, gc=False):
    """An id that nothing in its own file answers to, and the problem if no other file does."""

    digest: int
    problem: Problem


def digest(name: str) -> int:
    """Return the same 64 bits for the same id in every process."""
    raw = blake2b(name.encode("utf-8", "backslashreplace"), digest_size=8).digest()
    return int.from_bytes(raw, "little")


def digests(names: Iterable[str]) -> bytes:
    """Return the digests of many ids in eight bytes each: all ids of an archive fit in memory."""
    return array("Q", map(digest, names)).tobytes()


def unresolved(loose: Sequence[LooseEnd], known: Iterable[bytes]) -> list[Problem]:
    """Return the problems of those loose ends whose id is in no file."""
    waiting = {end.digest for end in loose}
    for packed in known:
        waiting.difference_update(memoryview(packed).cast("Q"))
    return [end.problem for end in loose if end.digest in waiting]
