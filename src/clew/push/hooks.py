"""The hooks of clew in Claude Code's settings: how they are added, found and removed.

Nothing else in the file changes. What was added is remembered as edits, so that removing the hooks
restores the file byte for byte as long as nobody has changed it since.
"""

import hashlib
import json
import os
import shlex
import shutil
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PureWindowsPath
from typing import Any, Final

import msgspec

from clew.errors import ClewError
from clew.push.background import hooks_folder
from clew.push.json_edit import (
    JsonChild,
    TextEdit,
    append,
    apply,
    children,
    invert,
    member,
    remove,
    root,
)
from clew.source import possible_roots
from clew.writing import whole_file

EVENTS: Final = ("SessionStart", "Stop", "PreCompact", "SessionEnd")
"""A session starts or resumes, an answer ends, the conversation is compacted, a session ends."""

_PROGRAM: Final = "clew"
_MODULE: Final = [sys.executable, "-m", _PROGRAM]
_HOOKS: Final = "hooks"
_OFF: Final = "disableAllHooks"
_TIMEOUT_SECONDS: Final = 10
"""Without one, Claude Code ends a hook of SessionEnd after 1.5 s."""
_MAX_BYTES: Final = 16 << 20
_NEW_FILE: Final = "{}\n"
_FILE_MODE: Final = 0o600


class HookSettingsError(ClewError):
    """Claude Code's settings cannot be changed."""


class InstalledHook(msgspec.Struct, frozen=True):
    """An event and the command that clew runs on it; None if it runs none."""

    event: str
    command: str | None


class InstalledEdits(msgspec.Struct, frozen=True):
    """How to undo an installation: edits of the file with this SHA-256, and what was created."""

    sha256: str
    edits: list[TextEdit]
    has_created_file: bool = False
    has_created_folder: bool = False


class SettingsChange(msgspec.Struct, frozen=True):
    """What a file says and what it will say; None is no file."""

    path: Path
    before: str | None
    after: str | None
    undo: InstalledEdits | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes."""
        return self.before == self.after


def settings_path(environ: Mapping[str, str], user_home: Path) -> Path:
    """Return the settings file of Claude Code."""
    return possible_roots(environ, user_home)[0] / "settings.json"


def hook_command() -> str:
    """Return what runs this installation of clew from a shell."""
    script = shutil.which(sys.argv[0])
    is_script = script is not None and PureWindowsPath(script).stem == _PROGRAM
    words = [str(Path(script).absolute())] if script and is_script else _MODULE
    if os.name == "nt":
        # Claude Code uses Git Bash there, which reads a backslash as an escape.
        words = [word.replace("\\", "/") for word in words]
    return shlex.join(words)


def read_hooks(path: Path) -> list[InstalledHook]:
    """Return which hooks of clew a settings file has.

    Raises:
        HookSettingsError: The file cannot be understood.
    """
    text = _read(path)
    found = {} if text is None else dict(_find_commands(text))
    return [InstalledHook(event, found.get(event)) for event in EVENTS]


def are_hooks_off(path: Path) -> bool:
    """Return whether a settings file says that no hooks run at all."""
    text = _read(path)
    return text is not None and json.loads(text.removeprefix("\ufeff")).get(_OFF) is True


def plan_install(path: Path, command: str) -> SettingsChange:
    """Return the change that adds the hooks, or replaces those of another installation.

    Raises:
        HookSettingsError: The file cannot be understood.
    """
    before = _read(path)
    wanted = {event: f"{command} hook {event}" for event in EVENTS}
    if before is not None and dict(_find_commands(before)) == wanted:
        return SettingsChange(path, before, before)
    record = _read_record(path)
    clean = _without_hooks(before, record) if before is not None else None
    edits = _additions(clean if clean is not None else _NEW_FILE, wanted)
    after = apply(clean if clean is not None else _NEW_FILE, edits)
    return SettingsChange(
        path,
        before,
        after,
        InstalledEdits(
            _digest(after),
            invert(edits),
            has_created_file=clean is None,
            has_created_folder=not path.parent.exists()
            or (record is not None and record.has_created_folder),
        ),
    )


def plan_remove(path: Path) -> SettingsChange:
    """Return the change that removes the hooks, and the file if it was created for them.

    Raises:
        HookSettingsError: The file cannot be understood.
    """
    before = _read(path)
    after = None if before is None else _without_hooks(before, _read_record(path))
    return SettingsChange(path, before, after)


def apply_change(change: SettingsChange) -> None:
    """Write a settings file as planned, and remember how to undo it.

    A symbolic link stays, and the file that it leads to is written.

    Raises:
        HookSettingsError: The file has changed since it was read, or cannot be written.
    """
    if _read(change.path) != change.before:
        raise HookSettingsError(f"{change.path} has changed meanwhile; run this command again")
    record = _read_record(change.path)
    target = Path(os.path.realpath(change.path))
    if change.after is None:
        target.unlink(missing_ok=True)
        if record and record.has_created_folder:
            with suppress(OSError):
                target.parent.rmdir()
    elif not change.is_empty:
        _write(target, change.after)
    if not change.is_empty:
        _write_record(change.path, change.undo)


def _read(path: Path) -> str | None:
    """Return the text of a settings file, which is an object as JSON; None if there is none."""
    try:
        if not path.exists():
            return None
        if path.stat().st_size > _MAX_BYTES:
            raise HookSettingsError(f"{path} is too long for a settings file; check it")
        text = path.read_bytes().decode()
        value = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise HookSettingsError(
            f"{path} is not valid JSON ({error}); correct it, or remove its comments"
        ) from error
    hooks = value.get(_HOOKS, {}) if isinstance(value, dict) else None
    if not isinstance(hooks, dict) or not all(_is_list(hooks.get(event, [])) for event in EVENTS):
        raise HookSettingsError(
            f"{path} has no settings as Claude Code writes them; correct its `hooks`"
        )
    return text


def _is_list(groups: Any) -> bool:
    return isinstance(groups, list) and all(isinstance(group, dict) for group in groups)


def _find_commands(text: str) -> list[tuple[str, str]]:
    """Return the events that have a hook of clew, with its command."""
    hooks = json.loads(text.removeprefix("\ufeff")).get(_HOOKS, {})
    return [
        (event, hook["command"])
        for event in EVENTS
        for group in hooks.get(event, [])
        for hook in _hooks_of(group)
        if _is_ours(hook, event)
    ]


def _hooks_of(group: Any) -> list[Any]:
    found = group.get(_HOOKS) if isinstance(group, dict) else None
    return found if isinstance(found, list) else []


def _is_ours(hook: Any, event: str) -> bool:
    """Return whether a hook runs clew, wherever that is installed."""
    command = hook.get("command") if isinstance(hook, dict) else None
    if not isinstance(command, str) or not command.endswith(f" hook {event}"):
        return False
    try:
        words = shlex.split(command)[:-2]
    except ValueError:
        return False
    return bool(words) and PureWindowsPath(words[-1]).stem == _PROGRAM


def _additions(text: str, wanted: Mapping[str, str]) -> list[TextEdit]:
    """Return the edits that add a hook for each event."""
    groups = {event: _group(command) for event, command in wanted.items()}
    start = root(text)
    hooks = member(text, start, _HOOKS)
    if hooks is None:
        return [append(text, start, 1, {_HOOKS: {event: [groups[event]] for event in groups}})]
    present = {event: member(text, hooks.value, event) for event in groups}
    edits = [
        append(text, there.value, 3, [groups[event]])
        for event, there in present.items()
        if there is not None
    ]
    absent = {event: [groups[event]] for event, there in present.items() if there is None}
    if absent:
        edits.append(append(text, hooks.value, 2, absent))
    return edits


def _group(command: str) -> dict[str, Any]:
    hook = {"type": "command", "command": command, "timeout": _TIMEOUT_SECONDS}
    return {_HOOKS: [hook]}


def _without_hooks(text: str, record: InstalledEdits | None) -> str | None:
    """Return a text without our hooks: as it was before them, if nothing else has changed."""
    if record is not None and record.sha256 == _digest(text):
        return None if record.has_created_file else apply(text, record.edits)
    left = apply(text, _removals(text))
    is_empty = not children(left, root(left))
    return None if is_empty and record is not None and record.has_created_file else left


def _removals(text: str) -> list[TextEdit]:
    """Return the edits that remove our hooks, and what is empty without them."""
    hooks = member(text, root(text), _HOOKS)
    if hooks is None:
        return []
    edits: list[TextEdit] = []
    empty = []
    members = children(text, hooks.value)
    for event in members:
        if event.key in EVENTS:
            found, is_empty = _removals_of(text, event)
            empty += [event] if is_empty else []
            edits += [] if is_empty else found
    if empty and len(empty) == len(members):
        return remove(text, root(text), [hooks])
    return edits + (remove(text, hooks.value, empty) if empty else [])


def _removals_of(text: str, event: JsonChild) -> tuple[list[TextEdit], bool]:
    """Return the edits that remove our hooks of an event, and whether nothing else is left."""
    edits: list[TextEdit] = []
    groups = children(text, event.value)
    empty = []
    for group in groups:
        there = member(text, group.value, _HOOKS)
        hooks = children(text, there.value) if there and text[there.value] == "[" else []
        ours = [
            hook for hook in hooks if _is_ours(json.loads(text[hook.value : hook.end]), event.key)
        ]
        if ours and len(ours) == len(hooks):
            empty.append(group)
        elif ours and there:
            edits += remove(text, there.value, ours)
    if empty and len(empty) == len(groups):
        return [], True
    return edits + (remove(text, event.value, empty) if empty else []), False


def _write(target: Path, text: str) -> None:
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else _FILE_MODE
    with whole_file(target, target.parent, mode=_FILE_MODE, folder_mode=0o700) as stream:
        stream.write(text.encode())
        if os.name != "nt":
            os.fchmod(stream.fileno(), mode)


def _records_path() -> Path:
    return hooks_folder() / "installed.json"


def _read_records() -> dict[str, InstalledEdits]:
    try:
        return msgspec.json.decode(_records_path().read_bytes(), type=dict[str, InstalledEdits])
    except (OSError, msgspec.DecodeError):
        return {}


def _read_record(path: Path) -> InstalledEdits | None:
    return _read_records().get(str(path.absolute()))


def _write_record(path: Path, undo: InstalledEdits | None) -> None:
    """Remember how to undo an installation; forget it when it is undone."""
    records = _read_records()
    records.pop(str(path.absolute()), None)
    if undo is not None:
        records[str(path.absolute())] = undo
    target = _records_path()
    if records:
        with whole_file(target, target.parent, mode=_FILE_MODE, folder_mode=0o700) as stream:
            stream.write(msgspec.json.encode(records))
    else:
        target.unlink(missing_ok=True)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
