"""Fixtures shared by all tests."""

import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import pytest
from hypothesis import HealthCheck, settings

from clew.processes import count_cores
from tests.postgres_server import PostgresServer, running_postgres
from tests.s3_servers import S3Server, running_moto, running_rclone, use_s3_server

GOLDEN: Final = Path(__file__).parent / "golden"

# What coverage is measured by: so many parameters of each test, and none of what stands in folders
# that go over the lines of other tests again.
MEASURED: Final = 20
UNMEASURED: Final = {"bench", "browser", "property"}

Golden: TypeAlias = Callable[[str, str], None]
_unmeasured: Final = pytest.StashKey[bool]()

# How long an example takes says how busy the machine is, nothing about the code; and in a few
# of all runs, chance alone leaves out most of the first examples.
_UNCHECKED: Final = [HealthCheck.too_slow, HealthCheck.filter_too_much]
settings.register_profile("clew", deadline=None, suppress_health_check=_UNCHECKED)
settings.load_profile("clew")

# A shell that starts the tests in the background lets them, and all they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="Write golden files anew; read the change."
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Choose the tests that coverage is measured by, of many parameters from first to last."""
    tests: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: item.nodeid):
        tests[item.nodeid.partition("[")[0]].append(item)
    for name, alike in tests.items():
        step = -(-len(alike) // MEASURED)
        is_again = not UNMEASURED.isdisjoint(name.split("/"))
        for number, item in enumerate(alike):
            item.stash[_unmeasured] = is_again or number % step > 0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Trace only what coverage is measured by: a test that is traced takes twice the time."""
    tracer = sys.gettrace()
    is_coverage = tracer is not None and item.config.pluginmanager.hasplugin("_cov")
    if not is_coverage or not item.stash[_unmeasured]:
        return (yield)
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


def pytest_xdist_auto_num_workers() -> int:
    """Run one test more at a time than there are cores: many wait for servers and browsers."""
    return count_cores() + 1


@pytest.fixture(scope="session", autouse=True)
def _no_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let no test use the archive that this user has chosen."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CLEW_ARCHIVE", "CLEW_BLOBS", "CLEW_CONFIG"):
            patch.delenv(name, raising=False)
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare text with a file below `tests/golden`, or write that file when asked to."""

    def check(name: str, text: str) -> None:
        expected = GOLDEN / name
        if request.config.getoption("--update-golden"):
            expected.parent.mkdir(parents=True, exist_ok=True)
            expected.write_text(text, "utf-8")
        assert text == expected.read_text("utf-8")

    return check


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Give a PostgreSQL server, one for all tests of this process."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """Give the address of an empty database."""
    url = postgres_server.make_database()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture(scope="session")
def rclone_server() -> Iterator[S3Server]:
    """Give an S3 server that checks signatures, one for all tests of this process."""
    with running_rclone() as server:
        yield server


@pytest.fixture(scope="session")
def moto_server() -> Iterator[S3Server]:
    """Give an S3 server that honours ranges and conditions, one for all tests of this process."""
    with running_moto() as server:
        yield server


@pytest.fixture
def s3_address(rclone_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Give the address of an empty bucket, which the environment says how to reach."""
    use_s3_server(rclone_server, monkeypatch)
    bucket = rclone_server.make_bucket()
    yield f"s3://{bucket}/blobs"
    rclone_server.drop_bucket(bucket)


@pytest.fixture(params=["folder", "rclone", "moto"])
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Give the address of an empty place: a folder, and a prefix on two servers that differ."""
    if request.param == "folder":
        yield str(tmp_path / "place")
        return
    server: S3Server = request.getfixturevalue(f"{request.param}_server")
    use_s3_server(server, monkeypatch)
    bucket = server.make_bucket()
    yield f"s3://{bucket}/some team/place"
    server.drop_bucket(bucket)
