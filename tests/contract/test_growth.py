"""What a growing session promises: after each growth, the rows of one sync of all of it."""

import datetime as dt
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from clew.store import Home, Location, SyncReport, sync
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder, bash
from tests.dump import dump, tree
from tests.recordings import HERE

pytestmark = pytest.mark.slow

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
TALKS = (
    "1.0.128/tools",
    "1.0.30/bigturn",
    "2.0.14/tui-rewind",
    "2.0.76/tui-queue",
    "2.1.150/permissions",
    "2.1.325/bgagent",
    "2.1.325/subagent-nested",
    "2.1.325/tui-basic",
    "2.1.325/tui-hooks",
    "2.1.47/autocompact",
    "2.1.47/tui-queue",
)
Step = Callable[[SessionBuilder], object]


def begun() -> SessionBuilder:
    """A session of some turns."""
    session = SessionBuilder().user("Look around").remember("first")
    session.tools(bash("ls", "a\nb")).assistant("There are two files.")
    for number in range(3):
        session.user(f"Go on with part {number}").tools(bash(f"cat {number}", "text"))
        session.assistant(f"Part {number} is done.").turn_duration()
    return session.remember("last")


def grow(location: Location, tmp_path: Path, session: SessionBuilder, step: Step) -> SyncReport:
    """Sync a session, let it grow, sync again, and prove the rows."""
    root = tmp_path / "claude"
    session.write(root)
    sync(location, [root], now=NOW)
    step(session)
    session.write(root)
    report = sync(location, [root], now=NOW)
    assert dump(location) == at_once(tmp_path, root)
    return report


def at_once(tmp_path: Path, root: Path) -> object:
    """Give the rows of one sync of all there is, in a folder."""
    shutil.rmtree(tmp_path / "whole", ignore_errors=True)
    sync(Home(tmp_path / "whole"), [root], now=NOW)
    return dump(Home(tmp_path / "whole"))


def tree_bytes(root: Path) -> int:
    return sum(map(len, tree(root).values()))


def rewound(session: SessionBuilder) -> None:
    session.user("One way").remember("fork").assistant("So.").user("Or").assistant("Hm.")
    session.rewind_to("fork").user("Another way").assistant("So then.")


def found(run: SessionBuilder) -> None:
    run.tools(bash("ls", "a")).assistant("Found it.")


def renamed(line: bytes) -> bytes:
    return line.replace(b'"uuid":"', b'"uuid":"f')


def output() -> bytes:
    text = "<local-command-stdout>late</local-command-stdout>"
    return f'{{"type":"user","uuid":"o","message":{{"role":"user","content":"{text}"}}}}'.encode()


STEPS: dict[str, Step] = {
    "a prompt": lambda s: s.user("And now the tests"),
    "an answer": lambda s: s.assistant("One more thing."),
    "a turn": lambda s: s.user("Test it").tools(bash("pytest", "ok")).assistant("It works."),
    "parallel calls": lambda s: (
        s.user("Both").tools(bash("a", "1"), bash("b", "2")).assistant("Ok")
    ),
    "a failed call": lambda s: s.user("Try").tool("Bash", {"command": "false"}, "no", error=True),
    "an unanswered call": lambda s: s.user("Try").tool("Bash", {"command": "sleep 9"}),
    "the end of a turn": lambda s: s.user("Hi").assistant("Hello").turn_duration(),
    "a generated title": lambda s: s.ai_title("Parts"),
    "a person's title": lambda s: s.ai_title("Parts").custom_title("All parts"),
    "words from the queue": lambda s: s.queue("enqueue", "Hi").queue("dequeue").user("Hi"),
    "words that wait": lambda s: s.queue("enqueue", "And then this"),
    "words in the queue alone": lambda s: s.queue("enqueue", "Lint too").queue("remove"),
    "the client's costs": lambda s: s.cost_state({"claude-opus-5-5": 0.5}),
    "a command": lambda s: s.command("/model", "opus", stdout="Set model"),
    "a shell line": lambda s: s.bash("git status", stdout="clean"),
    "a failed request": lambda s: s.user("Again").api_error().api_error(attempt=2),
    "a retried request": lambda s: s.user("Again").api_error().assistant("Here."),
    "an interruption": lambda s: s.user("Stop").assistant("I…").interrupt(),
    "steering": lambda s: (
        s.user("Work").tools(bash("make", "ok")).steer("And lint").assistant("Yes")
    ),
    "another model": lambda s: s.model("claude-haiku-4-5").user("Hi").assistant("Hello"),
    "another branch": lambda s: s.branch("fix").user("Hi").assistant("Hello"),
    "another version": lambda s: s.version("2.1.150").user("Hi").assistant("Hello"),
    "a broken line": lambda s: s.raw(b'{"type":"user","uuid":"x').user("Hi"),
    "an unknown row": lambda s: s.raw(b'{"type":"news","uuid":"n","sessionId":"x"}').user("Hi"),
    "a long pause": lambda s: s.wait(3600).user("Back").assistant("Welcome"),
    "a rewind": lambda s: s.rewind_to("first").user("Look elsewhere").assistant("There."),
    "a rewind of its own": rewound,
    "a compaction": lambda s: s.compact().user("Go on").assistant("Yes."),
    "a row again": lambda s: s.raw(s.lines()[2]),
    "a result again": lambda s: s.raw(renamed(s.lines()[3])),
    "a result of nothing": lambda s: s.raw(renamed(s.lines()[3]).replace(b"toolu_", b"toolv_")),
    "an old title": lambda s: s.summary("Parts", leaf="last"),
    "words that were said": lambda s: s.queue("enqueue", "Go on with part 1"),
    "an older row": lambda s: s.at("2020-01-01T00:00:00.000Z").user("Late").assistant("Yes."),
    "a fork's row": lambda s: s.user("Hi").change(
        forkedFrom={"sessionId": "x", "messageUuid": "y"}
    ),
    "a worktree": lambda s: s.marker("worktree-state", worktreeSession={"originalCwd": "/x"}),
    "a side chain": lambda s: s.user("Aside").change(isSidechain=True),
    "an agent run": lambda s: s.user("Ask").agent("Look", "Look it up", found),
    "output of nothing": lambda s: s.raw(output()),
}


@pytest.mark.parametrize("name", STEPS)
def test_growth_reads_the_append_and_derives_the_session_again(
    name: str, location: Location, tmp_path: Path
) -> None:
    session = begun()
    before = len(b"\n".join(session.lines())) + 1

    report = grow(location, tmp_path, session, STEPS[name])

    assert report.sessions_written == 1
    assert report.entries_decoded >= len(session.lines())
    assert report.bytes_read <= tree_bytes(tmp_path / "claude") - before + 256 * 1024


@pytest.mark.parametrize("name", STEPS)
def test_growth_goes_on_after_any_growth(name: str, tmp_path: Path) -> None:
    session = begun()
    STEPS[name](session)
    session.user("Something else").assistant("Yes.")

    home = Home(tmp_path / "home")
    report = grow(home, tmp_path, session, lambda s: s.user("More").assistant("JobResult."))

    assert report.sessions_written == 1


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("sample", TALKS)
def test_growing_piece_by_piece_gives_at_each_step_the_rows_of_the_whole(
    sample: str, seed: int, tmp_path: Path
) -> None:
    grow_in_pieces(Home(tmp_path / "home"), sample, seed, tmp_path)


@pytest.mark.parametrize("sample", TALKS[::4])
def test_a_server_has_at_each_step_the_rows_of_the_whole(
    sample: str, postgres_url: str, s3_address: str, tmp_path: Path
) -> None:
    grow_in_pieces(PostgresLocation(postgres_url, s3_address), sample, 0, tmp_path)


def grow_in_pieces(location: Location, sample: str, seed: int, tmp_path: Path) -> None:
    """Let a recording grow in several steps, and prove the rows after each."""
    chance = random.Random(f"{sample}{seed}")  # noqa: S311 (a test's dice)
    files = {
        name: data for name, data in tree(HERE / sample / "root").items() if "projects" in name
    }
    root = tmp_path / "claude"

    for part in range(1, 8):
        for name, data in files.items():
            place = root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            have = place.stat().st_size if place.exists() else 0
            target = max(have, len(data) * part // 7 - chance.randint(0, 300))
            with place.open("ab") as stream:
                stream.write(data[have : len(data) if part == 7 else target])
        sync(location, [root], now=NOW)

        assert dump(location) == at_once(tmp_path, root)


def running_agent(tmp_path: Path, root: Path) -> dict[Path, bytes]:
    """Write a session whose agent still runs; give its transcripts as they will be."""
    session = begun().user("Ask one")
    session.agent("Look", "Look it up", found)
    session.assistant("It was found.").write(tmp_path / "later")
    later = tree(tmp_path / "later")
    for name, data in later.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        lines = data.splitlines(keepends=True)
        rest = 2 if name.endswith(".jsonl") else 0
        (root / name).write_bytes(b"".join(lines[: len(lines) - rest]))
    return {root / name: data for name, data in later.items() if name.endswith(".jsonl")}


def test_a_running_agent_grows_with_its_session(location: Location, tmp_path: Path) -> None:
    root = tmp_path / "claude"
    later = running_agent(tmp_path, root)
    sync(location, [root], now=NOW)

    for path, data in later.items():
        path.write_bytes(data)
    report = sync(location, [root], now=NOW)

    assert report.files_grown == 2
    assert dump(location) == at_once(tmp_path, root)


def test_what_was_kept_without_rows_is_not_taken_for_known(tmp_path: Path) -> None:
    home, root = Home(tmp_path / "home"), tmp_path / "claude"
    later = running_agent(tmp_path, root)
    agent, session = sorted(later, key=lambda path: not path.name.startswith("agent-"))
    sync(home, [root], now=NOW)
    blob = next(home.blobs.rglob(f"{session.name}.zst"))
    whole = blob.read_bytes()
    blob.write_bytes(whole[:-9] + b"123456789")
    agent.write_bytes(later[agent])
    faults = sync(home, [root], now=NOW).faults
    blob.write_bytes(whole)

    session.write_bytes(later[session])
    sync(home, [root], now=NOW)

    assert len(faults) == 1
    assert dump(home) == at_once(tmp_path, root)


def test_an_answer_that_another_session_has_too_is_settled_anew(
    location: Location, tmp_path: Path
) -> None:
    root = tmp_path / "claude"
    session = begun()
    longer = begun().user("More").assistant("Yes.")
    longer.fork("copy").write(root)
    session.write(root)
    sync(location, [root], now=NOW)

    longer.write(root)
    sync(location, [root], now=NOW)

    assert dump(location) == at_once(tmp_path, root)


GROW = """
import datetime as dt, sys
from pathlib import Path
from clew.store import Home, sync
print("ready", flush=True)
sync(Home(Path(sys.argv[1])), [Path(sys.argv[2])], now=dt.datetime.now(dt.UTC), workers=1)
"""


def test_a_growth_that_is_killed_at_any_moment_is_completed_by_the_next(tmp_path: Path) -> None:
    home, root = Home(tmp_path / "home"), tmp_path / "claude"
    session = begun()
    session.write(root)
    sync(home, [root], now=NOW)
    chance = random.Random(3)  # noqa: S311 (a test's dice)

    for number in range(8):
        session.user(f"Round {number}").tools(bash("ls", "a")).assistant("JobResult.").write(root)
        command = [sys.executable, "-c", GROW, str(home.folder), str(root)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)  # noqa: S603 (ourselves)
        with process, suppress(subprocess.TimeoutExpired):
            assert process.stdout is not None
            process.stdout.readline()
            try:
                process.wait(chance.uniform(0, 0.06))
            finally:
                process.kill()
        sync(home, [root], now=NOW)

        assert dump(home) == at_once(tmp_path, root)
