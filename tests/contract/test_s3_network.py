"""Blobs on S3 over a network that is slow or fails, and with keys that may not do everything."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest

from clew.errors import ClewError
from clew.store import open_blobs
from clew.store.s3 import StorageDeniedError, open_bucket
from clew.store.s3.frame_cache import FrameCache
from tests.contract.test_blobs import FIRST, NAME, grow, pack, write
from tests.s3_servers import S3Server, running_moto, use_s3_server
from tests.slow_proxy import SlowProxy, slow_proxy

_DELAY: Final = 0.03
_NAMES: Final = [f"root-1/{number}.zst" for number in range(32)]
_DOCS: Final = Path(__file__).parents[2] / "docs"


@pytest.fixture
def far(rclone_server: S3Server, s3_address: str) -> Iterator[tuple[str, SlowProxy]]:
    """Give the address of an empty bucket that is 30 milliseconds away."""
    with slow_proxy(rclone_server.port, _DELAY) as proxy:
        yield f"{s3_address}?endpoint={proxy.endpoint}", proxy


def test_many_blobs_are_written_at_the_same_time(far: tuple[str, SlowProxy]) -> None:
    address, proxy = far
    blobs = open_blobs(address)

    for name in _NAMES:
        blobs.replace(name, pack(FIRST))
    blobs.flush(_NAMES)

    assert proxy.most_waiting >= 8
    assert open_blobs(address).names() == sorted(_NAMES)


def test_many_blobs_are_read_at_the_same_time(far: tuple[str, SlowProxy]) -> None:
    address, proxy = far
    frames = [frame for _, frame in pack(FIRST)][:1]
    blobs = open_blobs(address)
    for name in _NAMES:
        blobs.replace(name, pack(FIRST[:1]))
    blobs.flush(_NAMES)
    proxy.most_waiting = proxy.requests = 0

    blobs.prefetch((name, frames) for name in _NAMES)
    found = [tuple(blobs.read(name, frames)) for name in _NAMES]

    assert found == [FIRST[:1]] * len(_NAMES)
    assert len(_NAMES) <= proxy.requests < 2 * len(_NAMES)
    assert proxy.most_waiting >= 8


@pytest.mark.parametrize("is_sealed", [False, True])
def test_what_was_read_is_read_again_without_a_request(
    far: tuple[str, SlowProxy], *, is_sealed: bool
) -> None:
    address, proxy = far
    frames = write(open_blobs(address))
    if is_sealed:
        open_blobs(address).seal(NAME, frames)
    assert tuple(open_blobs(address).read(NAME, frames)) == FIRST
    before = proxy.requests

    again = open_blobs(address)

    assert tuple(again.read(NAME, frames)) == FIRST
    assert again.read_range(NAME, frames, 1, 5) == FIRST[0][1:6]
    assert proxy.requests == before


def test_of_a_blob_that_grew_only_the_new_frame_is_fetched(far: tuple[str, SlowProxy]) -> None:
    address, proxy = far
    frames = write(open_blobs(address))
    list(open_blobs(address).read(NAME, frames))
    grown = grow(open_blobs(address), frames)
    before = proxy.requests

    list(open_blobs(address).read(NAME, grown))

    assert proxy.requests == before + 1


def test_the_cache_forgets_what_nobody_read_for_the_longest_time() -> None:
    cache = FrameCache(100)
    for key in "abc":
        cache.put(key, bytes(30))
    cache.get("a")

    cache.put("d", bytes(30))

    assert [key for key in "abcd" if cache.get(key) is not None] == ["a", "c", "d"]
    cache.put("larger than the cache", bytes(101))
    cache.put("as large", bytes(100))
    assert cache.get("larger than the cache") is None
    assert cache.get("as large") is not None


def test_refused_requests_are_repeated(rclone_server: S3Server, s3_address: str) -> None:
    with slow_proxy(rclone_server.port, 0, refuse_each=3) as proxy:
        address = f"{s3_address}?endpoint={proxy.endpoint}"
        blobs = open_blobs(address)
        frames = {name: write(blobs, name) for name in _NAMES[:4]}
        blobs.seal(_NAMES[0], frames[_NAMES[0]])

        for name, each in frames.items():
            assert tuple(blobs.read(name, each)) == FIRST
        assert open_blobs(address).names() == sorted(frames)
        assert proxy.refused > 3


@contextmanager
def limited_keys(policy: Any) -> Iterator[S3Server]:
    """Start a server with a bucket `team`, and with keys that may do what a policy says."""
    with pytest.MonkeyPatch.context() as patch:
        # So many requests need no permission: those that follow here.
        patch.setenv("INITIAL_NO_AUTH_ACTION_COUNT", "4")
        with running_moto() as server:
            keys = {"aws_access_key_id": server.key, "aws_secret_access_key": server.secret}
            options = {"endpoint_url": server.endpoint, "region_name": "us-east-1", **keys}
            boto = import_module("boto3")
            boto.client("s3", **options).create_bucket(Bucket="team")
            users = boto.client("iam", **options)
            users.create_user(UserName="clew")
            made = users.create_access_key(UserName="clew")["AccessKey"]
            users.put_user_policy(
                UserName="clew", PolicyName="blobs", PolicyDocument=json.dumps(policy)
            )
            server.key, server.secret = made["AccessKeyId"], made["SecretAccessKey"]
            use_s3_server(server, patch)
            yield server


def documented_policy() -> Any:
    text = (_DOCS / "team-archive.md").read_text("utf-8")
    found = re.search(r"```json\n(\{\n  \"Version\".*?)```", text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_documented_policy_is_enough() -> None:
    with limited_keys(documented_policy()):
        blobs = open_blobs("s3://team/clew?retries=0")
        frames = grow(blobs, write(blobs))
        blobs.seal(NAME, frames)

        assert blobs.names() == [NAME]
        assert len(list(open_bucket("s3://team/clew?retries=0").objects())) == 1
        assert b"".join(open_blobs("s3://team/clew?retries=0").read(NAME, frames))
        with pytest.raises(StorageDeniedError):
            write(open_blobs("s3://team/other?retries=0"))


def test_keys_that_may_only_read_are_told_so() -> None:
    policy = documented_policy()
    for statement in policy["Statement"]:
        actions = statement["Action"]
        statement["Action"] = [name for name in actions if "List" in name or "Get" in name]
    with limited_keys(policy):
        blobs = open_blobs("s3://team/clew?retries=0")

        assert blobs.names() == []
        with pytest.raises(ClewError, match="allow these keys to list, read, write and delete"):
            write(blobs)
