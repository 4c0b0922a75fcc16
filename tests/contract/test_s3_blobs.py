"""What blobs on S3 must do beyond the contract: damage, failing servers, requests, downloads."""

import os
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from clew.errors import ClewError, UsageError
from clew.processes import share
from clew.store import Blobs, DamagedBlobError, open_blobs
from clew.store.frames import Frame
from clew.store.s3 import (
    Bucket,
    BucketMissingError,
    S3Blobs,
    S3LibraryMissingError,
    StorageDeniedError,
    StorageUnavailableError,
    open_bucket,
)
from clew.store.s3.address import parse_address
from clew.store.s3.bucket import ListedObject
from tests.contract.test_blobs import FIRST, NAME, SECOND, grow, pack, write
from tests.s3_servers import S3Server, running_rclone, use_s3_server

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


@pytest.fixture(params=["rclone", "moto"])
def address(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Give the address of an empty prefix on each server."""
    server: S3Server = request.getfixturevalue(f"{request.param}_server")
    use_s3_server(server, monkeypatch)
    bucket = server.make_bucket()
    yield f"s3://{bucket}/blobs"
    server.drop_bucket(bucket)


class CountingBucket(Bucket):
    """A bucket that counts how often it is listed and written."""

    def __init__(self, address: str) -> None:
        super().__init__(parse_address(address))
        self.lists: list[str] = []
        self.most_puts = self._puts = 0
        self._lock = threading.Lock()

    def objects(self, prefix: str = "") -> Iterator[ListedObject]:  # type: ignore[explicit-override]
        self.lists.append(prefix)
        return super().objects(prefix)

    def put(  # type: ignore[explicit-override]
        self, key: str, data: bytes, attributes: dict[str, str] | None = None
    ) -> None:
        with self._lock:
            self._puts += 1
            self.most_puts = max(self.most_puts, self._puts)
        super().put(key, data, attributes)
        with self._lock:
            self._puts -= 1


def keys(address: str) -> list[str]:
    return [each.key for each in open_bucket(address).objects()]


def read(address: str, frames: Iterable[Frame]) -> tuple[bytes, ...]:
    return tuple(open_blobs(address).read(NAME, frames))


@pytest.mark.parametrize("is_sealed", [False, True])
def test_a_changed_object_is_damaged(address: str, *, is_sealed: bool) -> None:
    frames = write(open_blobs(address))
    if is_sealed:
        open_blobs(address).seal(NAME, frames)
    key = keys(address)[-1]
    data = bytearray(open_bucket(address).get(key))
    data[-6] ^= 1
    open_bucket(address).put(key, bytes(data))

    with pytest.raises(DamagedBlobError):
        read(address, frames)


@pytest.mark.parametrize("is_sealed", [False, True])
def test_a_truncated_object_is_damaged(address: str, *, is_sealed: bool) -> None:
    frames = write(open_blobs(address))
    if is_sealed:
        open_blobs(address).seal(NAME, frames)
    key = keys(address)[-1]
    open_bucket(address).put(key, open_bucket(address).get(key)[:-1])

    with pytest.raises(DamagedBlobError):
        read(address, frames)
    assert open_blobs(address).size(NAME) < sum(frame.blob_bytes for frame in frames)


@pytest.mark.parametrize("is_sealed", [False, True])
def test_a_missing_object_is_damaged(address: str, *, is_sealed: bool) -> None:
    frames = write(open_blobs(address))
    if is_sealed:
        open_blobs(address).seal(NAME, frames)
    open_bucket(address).delete([keys(address)[-1]])

    with pytest.raises(DamagedBlobError, match="missing"):
        read(address, frames)
    assert open_blobs(address).size(NAME) < sum(frame.blob_bytes for frame in frames)


def test_a_damaged_object_is_repaired_by_replacing_the_blob(address: str) -> None:
    frames = write(open_blobs(address))
    open_bucket(address).put(keys(address)[0], b"damaged")

    blobs = open_blobs(address)
    blobs.replace(NAME, pack(FIRST))
    blobs.flush([NAME])

    assert read(address, frames) == FIRST


def test_a_damaged_sealed_blob_is_repaired_for_readers_that_know_it(address: str) -> None:
    frames = write(open_blobs(address))
    open_blobs(address).seal(NAME, frames)
    reader = open_blobs(address)
    assert tuple(reader.read(NAME, frames)) == FIRST
    open_bucket(address).put(keys(address)[0], bytes(sum(frame.blob_bytes for frame in frames)))
    open_bucket(address).cache.clear()
    with pytest.raises(DamagedBlobError):
        list(reader.read(NAME, frames))

    writer = open_blobs(address)
    writer.replace(NAME, pack(FIRST))
    writer.flush([NAME])

    assert tuple(reader.read(NAME, frames)) == read(address, frames) == FIRST
    writer.seal(NAME, frames)
    assert len(keys(address)) == 1
    assert tuple(reader.read(NAME, frames)) == read(address, frames) == FIRST


def test_a_sealed_blob_is_one_object_that_zstd_restores(address: str) -> None:
    blobs = open_blobs(address)
    frames = grow(blobs, write(blobs))
    assert len(keys(address)) == 3

    blobs.seal(NAME, frames)

    [key] = keys(address)
    assert key.endswith("/session.jsonl.zst")
    assert zstd.decompress(open_bucket(address).get(key)) == b"".join(FIRST + SECOND)


def test_a_sealed_blob_is_downloaded_with_a_presigned_url(address: str) -> None:
    blobs = open_blobs(address)
    frames = write(blobs)
    assert blobs.presigned_url(NAME, 60) is None

    blobs.seal(NAME, frames)

    url = blobs.presigned_url(NAME, 60)
    assert url is not None
    assert zstd.decompress(httpx.get(url).raise_for_status().content) == b"".join(FIRST)


def test_a_presigned_url_is_for_one_object(s3_address: str) -> None:
    blobs = open_blobs(s3_address)
    blobs.seal(NAME, write(blobs))
    url = blobs.presigned_url(NAME, 60)
    assert url is not None

    other = url.replace("session.jsonl.zst?", "other.jsonl.zst?")

    assert other != url
    assert httpx.get(other).status_code == httpx.codes.FORBIDDEN
    assert httpx.get(url.partition("?")[0]).is_error


def test_no_key_is_used_for_two_contents(address: str) -> None:
    blobs = open_blobs(address)
    frames = write(blobs)
    before = {key: open_bucket(address).get(key) for key in keys(address)}
    blobs.append(NAME, 0, pack(SECOND))
    blobs.append(NAME, frames[0].blob_bytes, pack(SECOND, frames[:1]))
    blobs.flush([NAME])

    after = {key: open_bucket(address).get(key) for key in keys(address)}

    assert len(after) == 4
    assert before.items() <= after.items()


def test_two_writers_of_a_blob_keep_what_each_has_written(address: str) -> None:
    first, second = open_blobs(address), open_blobs(address)
    frames = write(first)
    one = grow(first, frames)
    packed = pack((b"other " * 500,), frames)

    second.append(NAME, packed[0][1].blob_start, packed)
    second.flush([NAME])
    second.replace(NAME, pack(SECOND))
    second.flush([NAME])

    assert read(address, one) == FIRST + SECOND
    assert read(address, [*frames, packed[0][1]]) == (*FIRST, b"other " * 500)


def test_the_sizes_of_many_blobs_take_few_requests(s3_address: str) -> None:
    names = [f"root-1/p{number % 7}/{number}.jsonl.zst" for number in range(60)]
    writer = open_blobs(s3_address)
    sizes = {name: sum(frame.blob_bytes for frame in write(writer, name)) for name in names}
    bucket = CountingBucket(s3_address)
    blobs = S3Blobs(bucket)

    assert {name: blobs.size(name) for name in names} == sizes
    assert len(bucket.lists) < 10
    before = len(bucket.lists)
    frames = grow(blobs, write(blobs, names[3]), names[3])
    assert blobs.size(names[3]) == sum(frame.blob_bytes for frame in frames)
    assert len(bucket.lists) == before + 1


def test_one_blob_is_read_without_a_listing(s3_address: str) -> None:
    frames = write(open_blobs(s3_address))
    bucket = CountingBucket(s3_address)

    assert tuple(S3Blobs(bucket).read(NAME, frames)) == FIRST
    assert bucket.lists == []


def test_of_many_sealed_blobs_only_the_first_is_looked_for(s3_address: str) -> None:
    names = [f"root-1/{number}.zst" for number in range(6)]
    frames = {name: write(open_blobs(s3_address), name) for name in names}
    for name in names[:-1]:
        open_blobs(s3_address).seal(name, frames[name])
    bucket = CountingBucket(s3_address)
    blobs = S3Blobs(bucket)

    for name in names:
        assert tuple(blobs.read(name, frames[name])) == FIRST

    assert len(bucket.lists) == 1


def test_many_blobs_are_written_at_once(s3_address: str) -> None:
    bucket = CountingBucket(s3_address)
    blobs = S3Blobs(bucket)
    names = [f"root-1/{number}.zst" for number in range(40)]
    for name in names:
        blobs.replace(name, pack(FIRST))
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda name: blobs.flush([name]), names))

    assert bucket.most_puts > 1
    assert open_blobs(s3_address).names() == sorted(names)


def make_blobs(names: list[str]) -> list[str]:
    """Write blobs in any process, whose address comes first."""
    address, *rest = names
    blobs = open_blobs(address)
    for name in rest:
        write(blobs, name)
    return rest


def test_other_processes_open_blobs_by_their_address(s3_address: str) -> None:
    # This process has used its client before others start.
    assert open_blobs(s3_address).names() == []
    batches = [[s3_address, f"root-1/{number}.zst"] for number in range(4)]

    written = list(share(batches, make_blobs, 2))

    assert open_blobs(s3_address).names() == sorted(written)


@pytest.fixture
def fragile(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """Give a server that a test may kill."""
    with running_rclone() as server:
        use_s3_server(server, monkeypatch)
        yield server


def test_a_server_that_dies_in_the_middle_of_a_write_loses_nothing(fragile: S3Server) -> None:
    address = f"s3://{fragile.make_bucket()}/blobs?retries=1"
    frames = write(open_blobs(address))
    blobs = open_blobs(address)

    def dying() -> Iterator[tuple[bytes, Frame]]:
        for number, packed in enumerate(pack([bytes([n]) * 5000 for n in range(50)], frames)):
            if number == 9:
                fragile.kill()
            yield packed

    def write_on() -> None:
        blobs.append(NAME, sum(frame.blob_bytes for frame in frames), dying())
        blobs.flush([NAME])

    with pytest.raises(StorageUnavailableError, match="run this again"):
        write_on()

    fragile.start()
    assert read(address, frames) == FIRST
    grown = grow(open_blobs(address), frames)
    assert read(address, grown) == FIRST + SECOND
    assert list(open_blobs(address).scan(NAME))[: len(FIRST)] == list(FIRST)


def test_a_write_waits_for_a_server_that_restarts(fragile: S3Server) -> None:
    address = f"s3://{fragile.make_bucket()}/blobs"
    fragile.kill()
    blobs = open_blobs(address)
    blobs.append(NAME, 0, pack(FIRST))
    fragile.start()

    blobs.flush([NAME])

    assert read(address, [frame for _, frame in pack(FIRST)]) == FIRST


def use_everything(blobs: Blobs) -> Iterator[ClewError]:
    """Return what goes wrong in each operation."""
    frames = [frame for _, frame in pack(FIRST)]
    for use in (
        lambda: write(blobs),
        lambda: list(blobs.read(NAME, frames)),
        lambda: blobs.read_range(NAME, frames, 0, 10),
        lambda: blobs.scan(NAME),
        lambda: blobs.size(NAME),
        blobs.names,
        blobs.folders,
        lambda: blobs.seal(NAME, frames),
    ):
        with pytest.raises(ClewError) as raised:
            use()
        yield raised.value


def test_a_server_that_is_down_is_named(s3_address: str) -> None:
    down = f"{s3_address}?endpoint=http://127.0.0.1:9&retries=0"
    for error in use_everything(open_blobs(down)):
        assert isinstance(error, StorageUnavailableError)
        assert "check the network, AWS_ENDPOINT_URL and AWS_REGION" in str(error)


@pytest.mark.parametrize("name", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
def test_wrong_credentials_are_named(
    s3_address: str, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "somethingelse")

    for error in use_everything(open_blobs(s3_address)):
        assert isinstance(error, StorageDeniedError)
        assert "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY" in str(error)
        assert "somethingelse" not in str(error)


def test_a_missing_bucket_is_named(address: str) -> None:
    bucket = address.removeprefix("s3://").partition("/")[0]

    for error in use_everything(open_blobs(address.replace(bucket, f"{bucket}-not"))):
        assert isinstance(error, BucketMissingError)
        assert f"'{bucket}-not'" in str(error)


def test_an_address_has_options(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = write(open_blobs(address))
    endpoint = os.environ["AWS_ENDPOINT_URL"]
    monkeypatch.delenv("AWS_ENDPOINT_URL")

    with_options = f"{address}/?endpoint={endpoint}&region=us-east-1&style=path&retries=0"

    assert read(with_options, frames) == FIRST


@pytest.mark.parametrize(
    "variables",
    [
        {"AWS_ENDPOINT_URL_S3": "{server}", "AWS_ENDPOINT_URL": "http://127.0.0.1:9"},
        {"AWS_ENDPOINT_URL": "{server}", "AWS_DEFAULT_REGION": "auto"},
        {"AWS_ENDPOINT_URL": "{server}", "AWS_VIRTUAL_HOSTED_STYLE_REQUEST": "false"},
    ],
)
def test_the_usual_variables_say_how_to_reach_a_server(
    s3_address: str,
    rclone_server: S3Server,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    monkeypatch.delenv("AWS_REGION")
    for name, value in variables.items():
        monkeypatch.setenv(name, value.replace("{server}", rclone_server.endpoint))

    assert read(f"{s3_address}?retries=0", write(open_blobs(s3_address))) == FIRST


def test_missing_credentials_are_named(s3_address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")

    with pytest.raises(ClewError, match=r"no credentials for s3://.*set AWS_ACCESS_KEY_ID"):
        open_blobs(s3_address)


@pytest.mark.parametrize("profile", ["default", "work"])
def test_credentials_come_from_a_profile(
    s3_address: str,
    rclone_server: S3Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    profile: str,
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    file = tmp_path / "credentials"
    keys = f"aws_access_key_id={rclone_server.key}\naws_secret_access_key={rclone_server.secret}\n"
    file.write_text(f"[other]\naws_access_key_id=x\n[{profile}]\n{keys}", "utf-8")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    if profile != "default":
        monkeypatch.setenv("AWS_PROFILE", profile)

    assert read(s3_address, write(open_blobs(s3_address))) == FIRST


def test_a_missing_library_is_named(s3_address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore.store", None)

    with pytest.raises(S3LibraryMissingError, match=r"pip install 'clew\[team\]'"):
        open_blobs(s3_address)


@pytest.mark.parametrize(
    "text",
    ["s3://", "s3:///prefix", "s3://key@bucket", "s3://b?other=1", "s3://b?style=x", "gs://bucket"],
)
def test_other_addresses_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="s3://bucket/prefix"):
        open_blobs(text)


def test_too_long_a_name_fails_as_on_a_disk(s3_address: str) -> None:
    with pytest.raises(OSError, match="too long"):
        write(open_blobs(s3_address), f"{'x' * 200}/" * 6 + "y.zst")
