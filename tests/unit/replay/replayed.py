"""Sessions as replays, and calls with results as clients write them."""

from typing import Any

from clew.conversation import Conversation
from clew.replay import FileState, ReplayIndex, SessionReplay, Version, replay_session
from clew.sessions import load
from tests.build import Call, SessionBuilder

FILE = "/home/dev/code/demo/a.py"


def conversation_of(builder: SessionBuilder, folder: Any) -> Conversation:
    """Write a session and build it."""
    return load(builder.write(folder))


def replay_of(builder: SessionBuilder, folder: Any) -> SessionReplay:
    """Write a session and replay it."""
    return replay_session(conversation_of(builder, folder))


def end_of(replay: SessionReplay, path: str = FILE) -> FileState:
    """Return what is known of a file at the end."""
    return ReplayIndex(replay).last_state(path)


def versions_of(replay: SessionReplay, path: str = FILE) -> list[Version]:
    """Return the versions of a file."""
    return [version for version in replay.versions if version.path == path]


def shell(command: str, *files: dict[str, Any], changed: tuple[str, ...] = ()) -> Call:
    """Run a command of which the client says what it changed."""
    told = {
        "files": list(files),
        "moreFiles": len(changed),
        "changedFiles": [*(file["filePath"] for file in files), *changed],
    }
    result = {"stdout": "", "stderr": "", "interrupted": False, "bashEditDiff": told}
    return Call("Bash", {"command": command}, "", result)


def hunk(old: int, new: int, *lines: str) -> dict[str, Any]:
    """Write a hunk as clients do."""
    return {
        "oldStart": old,
        "oldLines": sum(line[0] in " -" for line in lines),
        "newStart": new,
        "newLines": sum(line[0] in " +" for line in lines),
        "lines": list(lines),
    }


def update(path: str, before: str, content: str) -> Call:
    """Write over a file."""
    result = {"type": "update", "filePath": path, "content": content, "originalFile": before}
    arguments = {"file_path": path, "content": content}
    return Call("Write", arguments, f"The file {path} has been updated.", result)


def multi_edit(path: str, before: str | None, *steps: tuple[str, str]) -> Call:
    """Replace several texts."""
    edits = [{"old_string": old, "new_string": new} for old, new in steps]
    result = {"filePath": path, "edits": edits, "originalFileContents": before}
    arguments = {"file_path": path, "edits": edits}
    return Call("MultiEdit", arguments, f"Applied {len(steps)} edits to {path}", result)
