"""What a hook does in the background: wait until the transcript is written, sync, push.

Any number of hooks may run at once. Each leaves a note of its session, and one process at a time
works through the notes; who finds it working ends, because it looks for new notes at the end.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from clew.processes import lower_priority
from clew.settings import HOME, data_folder
from clew.store import ArchiveBusyError, writer_lock
from clew.writing import make_folders

_QUIET_SECONDS: Final = 2.0
_MOST_SECONDS: Final = 20.0
_LOOK_SECONDS: Final = 0.2
_RETRY_SECONDS: Final = (5.0, 30.0)
_COMMAND_SECONDS: Final = 3600
_FAILED: Final = 1
_LOG_BYTES: Final = 128 << 10
_REASON_LENGTH: Final = 400
_FOLDER: Final = "hooks"
_LOG: Final = "log"
_START: Final = "SessionStart"
_END: Final = "SessionEnd"
_SYNCED: Final = "synced"


def hooks_folder() -> Path:
    """Return the folder of what hooks remember: notes, a lock, a log, and what was installed."""
    home = os.environ.get(HOME)
    return (Path(home) if home else data_folder(os.environ, Path.home())) / _FOLDER


def work(event: str, payload: bytes) -> None:
    """Sync and push after an event, unless another process of a hook does it."""
    lower_priority()
    folder = hooks_folder()
    notes = folder / "notes"
    make_folders(notes, folder.parent, 0o700)
    _leave_note(notes, event, payload)
    # A note that comes after the last look and before the end of the lock is seen by the next look.
    while any(notes.iterdir()):
        try:
            with writer_lock(folder / "lock"):
                _work_through(folder, notes)
        except ArchiveBusyError:
            return


def last_runs(count: int = 1) -> list[str]:
    """Return the last lines of the log."""
    with suppress(OSError):
        return (hooks_folder() / _LOG).read_text("utf-8", "replace").splitlines()[-count:]
    return []


def _leave_note(notes: Path, event: str, payload: bytes) -> None:
    """Write which transcript to look at; a session has one note, however many events."""
    transcript = _transcript(payload)
    name = hashlib.sha256(transcript.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    part = notes.parent / f"{name}.{os.getpid()}.part"
    part.write_text(json.dumps({"event": event, "transcript": transcript}), "utf-8")
    part.replace(notes / name)


def _transcript(payload: bytes) -> str:
    """Return the transcript that the client names, or nothing if it names none."""
    try:
        found = json.loads(payload)
    except ValueError:
        return ""
    path = found.get("transcript_path") if isinstance(found, dict) else None
    return path if isinstance(path, str) else ""


def _work_through(folder: Path, notes: Path) -> None:
    while taken := list(_take(notes)):
        for transcript in {note["transcript"] for note in taken if note["event"] != _START}:
            _wait_until_quiet(transcript)
        events = ",".join(sorted({note["event"] for note in taken}))
        ended = [Path(note["transcript"]).stem for note in taken if note["event"] == _END]
        outcome = _sync()
        _log(folder, f"{events}: {outcome}{_push(ended) if outcome == _SYNCED else ''}")


def _take(notes: Path) -> Iterator[dict[str, str]]:
    """Read the notes and remove them, before the files are read that they name."""
    for path in sorted(notes.iterdir()):
        text = path.read_text("utf-8", "replace")
        path.unlink()
        with suppress(ValueError, KeyError, TypeError):
            found = json.loads(text)
            yield {key: str(found[key]) for key in ("event", "transcript")}


def _wait_until_quiet(transcript: str) -> None:
    """Wait until a session's files have not changed for a while; the client writes late."""
    started = changed = time.monotonic()
    state = _state(transcript)
    while (now := time.monotonic()) - changed < _QUIET_SECONDS and now - started < _MOST_SECONDS:
        time.sleep(_LOOK_SECONDS)
        if (found := _state(transcript)) != state:
            state, changed = found, time.monotonic()


def _state(transcript: str) -> list[tuple[str, int, int]]:
    """Return the sizes and times of a transcript and of the files of its agents."""
    path = Path(transcript)
    found = []
    with suppress(OSError, ValueError):
        for file in (path, *sorted(path.with_suffix("").glob("subagents/**/*.jsonl"))):
            with suppress(OSError):
                about = file.stat()
                found.append((str(file), about.st_size, about.st_mtime_ns))
    return found


def _sync() -> str:
    """Sync, again if it fails: the archive may be in use."""
    code, said = _run_command("sync")
    for pause in _RETRY_SECONDS:
        if code != _FAILED:
            break
        time.sleep(pause)
        code, said = _run_command("sync")
    return _SYNCED if code == 0 else f"sync failed ({code}): {said}"


def _push(ended: list[str]) -> str:
    """Push what may leave, if this laptop is logged in; the next event tries again."""
    words = [word for session in ended for word in ("--ended", session)]
    code, said = _run_command("push", "--background", *words)
    return "" if code == 0 else f", push failed ({code}): {said}"


def _run_command(*words: str) -> tuple[int, str]:
    """Run a command of clew, and return its exit code and what it says about errors."""
    try:
        done = subprocess.run(  # noqa: S603 (our own module)
            [sys.executable, "-m", "clew", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_COMMAND_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return _FAILED, type(error).__name__
    said = " ".join(done.stderr.decode("utf-8", "replace").split())
    return done.returncode, said[-_REASON_LENGTH:]


def _log(folder: Path, line: str) -> None:
    """Append a line to the log, which is started anew when it is long; one old log is left."""
    path = folder / _LOG
    if path.exists() and path.stat().st_size > _LOG_BYTES:
        path.replace(folder / f"{_LOG}.1")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "a", encoding="utf-8") as stream:
        stream.write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {line}\n")
