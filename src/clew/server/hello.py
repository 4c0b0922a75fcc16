"""The first question of a push: what does the server have that differs from what I know?"""

import re
from collections import defaultdict
from typing import Final

from clew.protocol import (
    OLDEST_PROTOCOL,
    PROTOCOL_VERSION,
    FileHead,
    Hello,
    HelloAnswer,
    bucket_of,
    digest_bucket,
)
from clew.server.consents import list_consents
from clew.server.manifest_fields import check_root
from clew.server.principal import Principal
from clew.server.receive_frames import storage_left
from clew.server.refusals import RefusedPushError, UnknownVersionError
from clew.store.postgres.team import TeamDatabase

MAX_ROOTS: Final = 1_000
_BUCKET: Final = re.compile(r"[0-9a-f]{2}")


def answer_hello(team: TeamDatabase, principal: Principal, hello: Hello) -> HelloAnswer:
    """Compare what a laptop knows of its files with what there is.

    Raises:
        UnknownVersionError: The laptop speaks another version of the protocol.
        RefusedPushError: A root or a bucket is not one.
    """
    if not OLDEST_PROTOCOL <= hello.protocol <= PROTOCOL_VERSION:
        raise UnknownVersionError(hello.protocol)
    _check(hello)
    buckets = _read_buckets(team, principal, hello.roots)
    differing = sorted(
        name
        for name in buckets.keys() | hello.buckets.keys()
        if digest_bucket(buckets.get(name, ())) != hello.buckets.get(name, digest_bucket(()))
    )
    lost = team.rows("lost_frames", {"member_id": principal.member_id})
    return HelloAnswer(
        protocol=PROTOCOL_VERSION,
        member=principal.name,
        organisation=principal.organisation,
        differing=differing,
        heads=[head for name in differing for head in buckets.get(name, ())],
        lost=[bytes(found[0]).hex() for found in lost],
        consents=list_consents(team, principal),
        quota_left_bytes=storage_left(team, principal),
    )


def _check(hello: Hello) -> None:
    if len(hello.roots) > MAX_ROOTS:
        raise RefusedPushError(f"a laptop has at most {MAX_ROOTS:,} roots")
    for root in hello.roots:
        check_root(root)
    for name in hello.buckets:
        if _BUCKET.fullmatch(name) is None:
            raise RefusedPushError("a bucket is named by two hexadecimal digits")


def _read_buckets(
    team: TeamDatabase, principal: Principal, roots: list[str]
) -> dict[str, list[FileHead]]:
    values = {"member_id": principal.member_id, "roots": roots}
    buckets: defaultdict[str, list[FileHead]] = defaultdict(list)
    for found in team.rows("file_heads", values):
        head = FileHead(*found)
        buckets[bucket_of(head.root, head.file)].append(head)
    return buckets
