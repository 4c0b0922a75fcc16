"""A bug fixed with tests: uploads that give up at the first 503."""

from typing import Final

from tools.make_samples.calls import bash, failing, find_tools, move_task, plan_task
from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.outputs import pytest_passed
from tools.make_samples.projects import ferry
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace

_FIRST_FAILURE: Final = """\
...F.                                                                    [100%]
=================================== FAILURES ===================================
___________________ test_tries_again_when_the_server_is_busy ___________________
tests/test_upload.py:76: in test_tries_again_when_the_server_is_busy
    upload(file, session)
src/ferry/upload.py:20: in upload
    _send(session, address, offset, data)
src/ferry/upload.py:29: in _send
    session.put(address, offset, data)
tests/test_upload.py:27: in put
    raise self.troubles.pop(0)
E   ferry.session.TransferError: 503 Service Unavailable
=========================== short test summary info ============================
FAILED tests/test_upload.py::test_tries_again_when_the_server_is_busy - ferry...
1 failed, 4 passed in 0.09s"""

_SECOND_FAILURE: Final = """\
....F.                                                                   [100%]
=================================== FAILURES ===================================
_______________________ test_sends_only_what_is_missing ________________________
tests/test_upload.py:102: in test_sends_only_what_is_missing
    upload(file, session)
src/ferry/upload.py:20: in upload
    _send(session, address, offset, data)
src/ferry/upload.py:29: in _send
    session.put(address, offset, data)
tests/test_upload.py:46: in put
    super().put(address, offset, data)
tests/test_upload.py:28: in put
    assert offset == len(self.stored)
E   AssertionError: assert 0 == 5
E    +  where 5 = len(b'01234')
E    +    where b'01234' = <test_upload.HalfwaySession object at 0x7fb2ac158c90>.stored
=========================== short test summary info ============================
FAILED tests/test_upload.py::test_sends_only_what_is_missing - AssertionError...
1 failed, 5 passed in 0.09s"""

_DIFF_STAT: Final = """\
 src/ferry/session.py | 15 +++++++++++++--
 src/ferry/upload.py  | 29 +++++++++++++++++++++--------
 tests/test_upload.py | 46 ++++++++++++++++++++++++++++++++++++++++++++++
 3 files changed, 80 insertions(+), 10 deletions(-)"""

_SEND: Final = '''\
(session: Session, address: str, offset: int, data: bytes) -> None:
    """Send one chunk; when that fails for now, wait, and send what is missing of it."""
    start = offset
    for attempt, seconds in enumerate((*_waits(), None)):
        try:
            if attempt:
                offset = session.offset(address)
            session.put(address, offset, data[offset - start :])
            return
        except (ConnectionError, TransferError) as error:
            if seconds is None or not _is_temporary(error):
                raise
            time.sleep(seconds)'''


def build() -> Scene:
    """Act the session."""
    setting = Setting(
        at="2026-11-05T08:14:22Z", branch="fix/retry-503", title="Retry uploads on 503"
    )
    scene = open_scene("retry-bug", Workspace(ferry.ROOT, ferry.FILES), setting)
    _find_the_cause(scene)
    _write_a_failing_test(scene)
    _fix_it(scene)
    _ask_about_lost_bytes(scene)
    _send_only_what_is_missing(scene)
    _honour_retry_after(scene)
    _commit(scene)
    return scene.end()


def _find_the_cause(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt(
        """
        Since the new proxy stands in front of staging, uploads die at the first 503. The README
        promises five tries. Find out why, and fix it. Test first, please.
        """,
        after=0,
    )
    scene.act(
        files.read("src/ferry/upload.py"),
        files.read("src/ferry/session.py"),
        say="I will read the code that sends chunks, and the layer below it.",
    )
    scene.act(
        bash(
            "git log --oneline -5 -- src/ferry/session.py",
            "8c1f0b7 session: raise TransferError for every refusal\n"
            "51d2e9a session: keep one connection open\n"
            "e07b3c4 session: send the offset with each chunk\n"
            "a9935d1 split upload.py into upload and session",
            told="Who changed the session last",
        ),
        files.read("tests/test_upload.py"),
        think="""
        `_send` repeats on `ConnectionError` alone. `Session._request` raises `TransferError` for
        any status from 400 up, and that is no `ConnectionError`. So a 503 leaves the loop at
        once. The log should show when statuses became exceptions; and I want to see what the
        tests hold today before I touch anything.
        """,
    )


def _write_a_failing_test(scene: Scene) -> None:
    files = scene.workspace
    scene.act(
        files.edit(
            "tests/test_upload.py",
            "def test_does_not_repeat_what_the_server_refuses(",
            "def test_tries_again_when_the_server_is_busy("
            "file: Path, slept: list[float]) -> None:\n"
            '    session = FakeSession(TransferError(503, "Service Unavailable"))\n'
            "\n"
            "    upload(file, session)\n"
            "\n"
            '    assert session.stored == b"0123456789"\n'
            "    assert slept == [0.5]\n"
            "\n"
            "\n"
            "def test_does_not_repeat_what_the_server_refuses(",
        ),
        say="""
        Found it. Since `8c1f0b7` the session raises `TransferError` for every status from 400 up,
        but `_send` only catches `ConnectionError`. A 503 therefore never reaches the retry loop.
        No test noticed, because the only refusal they try is a 413, which must *not* be repeated.

        First a test that fails for the right reason:
        """,
    )
    scene.act(
        failing(
            "uv run pytest -q --tb=short tests/test_upload.py",
            _FIRST_FAILURE,
            told="Run the upload tests",
            seconds=1.9,
        )
    )


def _fix_it(scene: Scene) -> None:
    files = scene.workspace
    scene.act(
        files.edit(
            "src/ferry/session.py",
            "\n\nclass TransferError(Exception):\n",
            "\n# The server or a proxy before it is busy or gone for a moment.\n"
            "TEMPORARY = (429, 502, 503, 504)\n"
            "\n\nclass TransferError(Exception):\n",
        ),
        files.edit(
            "src/ferry/session.py",
            "        self.status = status\n",
            "        self.status = status\n"
            "\n"
            "    @property\n"
            "    def is_temporary(self) -> bool:\n"
            '        """Tell whether the same request may go through later."""\n'
            "        return self.status in TEMPORARY\n",
        ),
        files.edit(
            "src/ferry/upload.py",
            "        except ConnectionError:\n            time.sleep(seconds)\n",
            "        except ConnectionError:\n"
            "            time.sleep(seconds)\n"
            "        except TransferError as error:\n"
            "            if not error.is_temporary:\n"
            "                raise\n"
            "            time.sleep(seconds)\n",
        ),
        files.edit(
            "src/ferry/upload.py",
            "from ferry.session import Session\n",
            "from ferry.session import Session, TransferError\n",
        ),
        say="It fails where it should. Now the error says itself whether it is worth a second try.",
    )
    scene.act(bash("uv run pytest -q", pytest_passed(8, 0.05), told="Run all tests", seconds=2.2))
    scene.answer(
        """
        Fixed, and the new test passes with the seven old ones.

        - `TransferError.is_temporary` is true for 429, 502, 503 and 504. Everything else is a real
          refusal and still fails at once.
        - `_send` now repeats on a temporary refusal just as it does on a dropped line: after 0.5,
          1, 2 and 4 seconds, five tries in all, as the README says.

        The cause was `8c1f0b7`, which turned statuses into exceptions without telling the loop.
        """
    )


def _ask_about_lost_bytes(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt(
        """
        What about the bytes of a chunk that the server took *before* it answered 503? We send
        the chunk again from its start, don't we?
        """,
        after=3.4,
    )
    scene.act(
        find_tools("TaskCreate", "TaskUpdate"),
        think="""
        Yes: `offset` and `data` do not change between tries. A server that stored half of the
        chunk expects the next PATCH at the new offset and answers 409 to the old one, which is no
        temporary status, so the upload dies. HEAD gives the true offset. The HEAD can hit the
        same 503, so it has to stand inside the `try`. Two things to do, both with a test.
        """,
    )
    scene.act(
        plan_task(1, "Send only what is missing", "Ask for the offset before each repeated try."),
        plan_task(2, "Survive a 503 on HEAD", "The question for the offset may fail as well."),
        say="""
        You are right, and it is worse than double work: the server would answer the stale offset
        with 409, and the upload would end there. Before each new try we must ask how far it got.
        """,
    )
    scene.act(
        files.edit(
            "tests/test_upload.py",
            "\n\n@pytest.fixture\ndef slept(",
            "\n\nclass HalfwaySession(FakeSession):\n"
            '    """Stores half of a chunk before it fails, and once does not tell how much."""\n'
            "\n"
            "    deaf = True\n"
            "\n"
            "    def offset(self, address: str) -> int:\n"
            "        if self.stored and self.deaf:\n"
            "            self.deaf = False\n"
            '            raise TransferError(503, "Service Unavailable")\n'
            "        return super().offset(address)\n"
            "\n"
            "    def put(self, address: str, offset: int, data: bytes) -> None:\n"
            "        if self.troubles:\n"
            "            self.stored += data[: len(data) // 2]\n"
            "        super().put(address, offset, data)\n"
            "\n\n@pytest.fixture\ndef slept(",
        ),
        files.edit(
            "tests/test_upload.py",
            "def test_does_not_repeat_what_the_server_refuses(",
            "def test_sends_only_what_is_missing(file: Path, slept: list[float]) -> None:\n"
            '    session = HalfwaySession(TransferError(503, "Service Unavailable"))\n'
            "\n"
            "    upload(file, session)\n"
            "\n"
            '    assert session.stored == b"0123456789"\n'
            "    assert slept == [0.5, 1.0]\n"
            "\n"
            "\n"
            "def test_does_not_repeat_what_the_server_refuses(",
        ),
    )
    scene.act(
        failing(
            "uv run pytest -q --tb=short tests/test_upload.py",
            _SECOND_FAILURE,
            told="Run the upload tests",
            seconds=1.8,
        )
    )


def _send_only_what_is_missing(scene: Scene) -> None:
    files = scene.workspace
    scene.act(
        files.edit(
            "src/ferry/upload.py",
            files.files["src/ferry/upload.py"].partition("def _send")[2].partition("\n\n\n")[0],
            _SEND,
        ),
        files.edit(
            "src/ferry/upload.py",
            "\n\ndef _waits()",
            "\n\ndef _is_temporary(error: Exception) -> bool:\n"
            "    return not isinstance(error, TransferError) or error.is_temporary\n"
            "\n\ndef _waits()",
        ),
        say="The old offset is caught by the test. The loop gets simpler if both errors share it:",
    )
    scene.act(bash("uv run pytest -q", pytest_passed(9, 0.05), told="Run all tests", seconds=2.1))
    scene.act(
        move_task(1, "completed"),
        move_task(2, "completed"),
    )
    scene.answer(
        """
        Done. After a failed try `_send` asks for the offset and sends the rest of the chunk from
        there. The question itself stands inside the `try`, so a 503 on it counts as one more
        failed try instead of ending the upload.

        ```python
        for attempt, seconds in enumerate((*_waits(), None)):
            try:
                if attempt:
                    offset = session.offset(address)
                session.put(address, offset, data[offset - start :])
                return
        ```

        `HalfwaySession` in the tests plays both troubles at once: it keeps five of ten bytes,
        then refuses to say so the first time it is asked.
        """
    )


def _honour_retry_after(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt("Nice. Our proxy sends `Retry-After: 7` with its 503. Do we care?", after=1.6)
    scene.act(
        files.edit(
            "src/ferry/session.py",
            "    def __init__(self, status: int, reason: str) -> None:\n"
            '        super().__init__(f"{status} {reason}")\n'
            "        self.status = status\n",
            "    def __init__(self, status: int, reason: str, retry_after: float = 0) -> None:\n"
            '        super().__init__(f"{status} {reason}")\n'
            "        self.status = status\n"
            "        self.retry_after = retry_after\n",
        ),
        files.edit(
            "src/ferry/session.py",
            "            raise TransferError(response.status, response.reason)\n",
            '            wait = response.headers.get("Retry-After", "")\n'
            "            seconds = float(wait) if wait.isdecimal() else 0\n"
            "            raise TransferError(response.status, response.reason, seconds)\n",
        ),
        files.edit(
            "src/ferry/upload.py",
            "            time.sleep(seconds)\n",
            "            time.sleep(max(seconds, _asked_for(error)))\n",
        ),
        files.edit(
            "src/ferry/upload.py",
            "\n\ndef _waits()",
            "\n\ndef _asked_for(error: Exception) -> float:\n"
            '    """Give the pause that the server asks for, up to a minute."""\n'
            "    asked = error.retry_after if isinstance(error, TransferError) else 0\n"
            "    return min(asked, 60)\n"
            "\n\ndef _waits()",
        ),
        files.edit(
            "tests/test_upload.py",
            "def test_does_not_repeat_what_the_server_refuses(",
            '@pytest.mark.parametrize(("asked", "waited"), [(7, 7), (0.1, 0.5), (86400, 60)])\n'
            "def test_waits_as_long_as_the_server_asks(\n"
            "    file: Path, slept: list[float], asked: float, waited: float\n"
            ") -> None:\n"
            '    session = FakeSession(TransferError(503, "Service Unavailable", asked))\n'
            "\n"
            "    upload(file, session)\n"
            "\n"
            "    assert slept == [waited]\n"
            "\n"
            "\n"
            "def test_does_not_repeat_what_the_server_refuses(",
        ),
        say="""
        So far we do not: we would knock again after half a second and be turned away. The header
        is easy to honour, so I will, with a limit: a server that asks for a day should not hang a
        command.
        """,
    )
    scene.act(
        bash("uv run pytest -q", pytest_passed(12, 0.05), told="Run all tests", seconds=2.2),
        bash(
            "uv run ruff check src tests && uv run ruff format --check src tests",
            "All checks passed!\n7 files already formatted",
            told="Lint and format",
            seconds=0.3,
        ),
    )
    scene.answer(
        """
        Now we do. The pause is the longer of our own and the server's, and at most a minute.
        `Retry-After` may also be a date; that form is ignored, and our own pauses apply. I have
        never seen a proxy send it, so I would leave it at that.
        """
    )


def _commit(scene: Scene) -> None:
    scene.prompt("Agreed. Commit it, and say in the message what the cause was.", after=2.2)
    scene.act(bash("git diff --stat", _DIFF_STAT, told="What changed"))
    scene.act(
        bash(
            "git commit -qa -F - <<'END' && git log -1 --stat --format='%h %s'\n"
            "upload: try again when the server is busy\n"
            "\n"
            "Since 8c1f0b7 every refusal is a TransferError, which the loop over tries did not\n"
            "catch: the first 503 ended an upload. Temporary refusals are now repeated like\n"
            "dropped lines, from the offset that the server reports, and not before the\n"
            "moment it asks for in Retry-After.\n"
            "END",
            "7be95aa upload: try again when the server is busy\n\n" + _DIFF_STAT,
            told="Commit",
        ),
    )
    scene.answer(
        """
        Committed as `7be95aa` on `fix/retry-503`: 80 lines added, 10 removed, of which 46 are
        tests. Nothing is pushed.
        """
    )
