"""`clew push` when something is wrong: one sentence on stderr, an exit code, and a way on."""

import signal
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from clew.protocol import Tier
from clew.push import Consents, Logins, ProjectConsent
from clew.push.push_files import PushFiles
from clew.server import hello
from clew.server.accounts import require_member, set_quota
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder
from tests.postgres_server import PostgresServer
from tests.team.clean_rows import session_files
from tests.team.laptop import PROJECT, TeamOfTests, running_team
from tests.team.machines import PATIENCE, Machine

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    import subprocess

INTERRUPTED = 130
SESSIONS = 12
_numbers = count(1)


class Member(msgspec.Struct, frozen=True):
    """A member of a team with a laptop on which there is something to push."""

    id: int
    name: str
    team: TeamOfTests
    machine: Machine

    def push(self) -> tuple[int, str, str]:
        """Push; return the exit code and what was printed."""
        process = self.machine.start("push")
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out.decode(), err.decode()

    def has_arrived(self) -> bool:
        """Tell whether the server has all that there is, byte for byte."""
        return self.team.received(self.id) == session_files(self.machine.claude)


@pytest.fixture(scope="module")
def server(
    postgres_server: PostgresServer,
    prepared_database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[TeamOfTests]:
    url = postgres_server.make_database(like=prepared_database)
    location = PostgresLocation(url, str(tmp_path_factory.mktemp("blobs")))
    with running_team(location) as team:
        yield team


@pytest.fixture
def member(
    server: TeamOfTests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Member]:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    name = f"member{next(_numbers)}"
    number = server.join(name)
    machine = Machine(tmp_path / "laptop", server.address, server.device(number))
    machine.log_in()
    consent = ProjectConsent(server=server.address, path=PROJECT, tier=Tier.EVERYTHING)
    Consents(PushFiles(machine.home)).save([consent])
    for session in range(SESSIONS):
        SessionBuilder(f"session {session}").user(f"question {session}").write(machine.claude)
    port = server.proxy.server_port
    yield Member(number, name, server, machine)
    server.proxy.server_port, server.proxy.seconds = port, 0.0
    server.proxy.refuse_each(0)


def stop_server(member: Member, _: pytest.MonkeyPatch) -> Callable[[], object]:
    proxy = member.team.proxy
    proxy.server_port, port = 1, proxy.server_port
    return lambda: setattr(proxy, "server_port", port)


def be_busy(member: Member, _: pytest.MonkeyPatch) -> Callable[[], object]:
    member.team.proxy.refuse_each(1)
    return lambda: member.team.proxy.refuse_each(0)


def use_wrong_token(member: Member, _: pytest.MonkeyPatch) -> Callable[[], object]:
    logins = Logins(PushFiles(member.machine.home))
    login = logins.find(member.machine.address)
    logins.add(login, "clew_wrong")
    return lambda: logins.add(login, member.machine.token)


def revoke(member: Member, _: pytest.MonkeyPatch) -> Callable[[], object]:
    member.team.rows("UPDATE device SET revoked_at = now() WHERE member_id = %s", member.id)
    token = member.team.device(member.id)
    return msgspec.structs.replace(member.machine, token=token).log_in


def exceed_quota(member: Member, _: pytest.MonkeyPatch) -> Callable[[], object]:
    def limit(size: int | None) -> None:
        with open_team(member.team.location) as team:
            set_quota(team, require_member(team, member.name), size)

    limit(100)
    return lambda: limit(None)


def require_newer_protocol(member: Member, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    assert member.id
    monkeypatch.setattr(hello, "OLDEST_PROTOCOL", 2)
    monkeypatch.setattr(hello, "PROTOCOL_VERSION", 3)
    return monkeypatch.undo


Trouble = Callable[[Member, pytest.MonkeyPatch], Callable[[], object]]
TROUBLES: dict[Trouble, str] = {
    stop_server: "cannot be reached",
    be_busy: "cannot be reached",
    use_wrong_token: "run `clew login ",
    revoke: "may have been revoked",
    exceed_quota: "no storage is left",
    require_newer_protocol: "install a newer version of clew",
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_trouble_is_one_sentence_and_an_exit_code_and_the_next_push_goes_on(
    trouble: Trouble, member: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_trouble = trouble(member, monkeypatch)

    code, out, err = member.push()

    assert (code, out) == (1, "")
    (line,) = err.splitlines()
    assert line.startswith("clew: ")
    assert TROUBLES[trouble] in line
    assert member.machine.token not in line
    end_trouble()
    assert member.push()[0] == 0
    assert member.has_arrived()


def start_slowly(member: Member) -> "subprocess.Popen[bytes]":
    """Start a push over a long line, and wait until it is under way."""
    member.machine.clew("sync")
    proxy = member.team.proxy
    before, proxy.seconds = proxy.requests, 0.5
    process = member.machine.start("push", "--no-sync")
    until = time.monotonic() + PATIENCE
    while proxy.requests < before + 3:
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.02)
    return process


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, INTERRUPTED), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_an_interrupted_push_goes_on(sent: signal.Signals, code: int, member: Member) -> None:
    process = start_slowly(member)

    process.send_signal(sent)
    out, err = process.communicate(timeout=PATIENCE)

    assert (process.returncode, out) == (code, b"")
    assert len(err.splitlines()) <= 1
    assert b"Traceback" not in err
    assert not member.has_arrived()
    member.team.proxy.seconds = 0
    assert member.push()[0] == 0
    assert member.has_arrived()
    assert member.team.frames(member.id) == SESSIONS


def test_a_second_push_at_the_same_time_says_so(member: Member) -> None:
    process = start_slowly(member)
    process.send_signal(signal.SIGSTOP)

    try:
        code, out, err = member.push()
    finally:
        process.send_signal(signal.SIGCONT)

    assert (code, out) == (1, "")
    assert err == "clew: another `clew push` or `clew pull` is running; run this again later\n"
    member.team.proxy.seconds = 0
    _, err_of_first = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err_of_first) == (0, b"")
    assert member.has_arrived()
