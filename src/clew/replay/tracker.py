"""Files through the steps of a session: what is known of each, and since when."""

import re
from typing import Final, assert_never

import msgspec

from clew.conversation import ToolCall
from clew.replay.disturbances import Disturbances, stale
from clew.replay.model import UNKNOWN, Cause, Certainty, Disturbance, FileState, Version
from clew.replay.observations import (
    Edited,
    Observation,
    Seen,
    SeenPart,
    Told,
    Unchanged,
    Written,
    apply_hunks,
    apply_steps,
    removed_text,
)
from clew.replay.shell import Effects, covers

# What programs put in place of names and secrets.
_MASKED: Final = re.compile(r"REDACTED|\*{3}|\[(?:redacted|masked|hidden)", re.IGNORECASE)


class Known(msgspec.Struct, frozen=True, gc=False):
    """What is known of a file since a step, and by whose call."""

    state: FileState
    order: int
    context: str


class Running(msgspec.Struct, frozen=True, gc=False):
    """Something that may write until it ends."""

    effects: Effects
    cause: Cause
    context: str


class Tracker:
    """The state of every file of a session, step by step."""

    def __init__(self) -> None:
        self.order = 0
        self.files: dict[str, Known] = {}
        self.disturbances = Disturbances()
        self.versions: list[Version] = []
        self._running: dict[str, Running] = {}
        self._by_text: dict[str, set[str]] = {}
        self._has_links = False

    def current(self, path: str) -> FileState:
        """Return what is known of a file after all steps so far."""
        known = self.files.get(path)
        if known is None:
            return UNKNOWN
        return self.disturbances.state_of(path, known.state, known.order)

    def begin(self, name: str, running: Running) -> None:
        """Begin something that may write while other calls are made."""
        self._running[name] = running
        self.disturb(running.effects, running.cause)

    def end(self, name: str) -> None:
        """End it: from here on only what it has written counts."""
        running = self._running.pop(name, None)
        if running is not None:
            self.disturb(running.effects, running.cause)

    def disturb(self, effects: Effects, cause: Cause) -> None:
        """Note that files may have changed."""
        self._has_links |= effects.makes_links
        if effects.is_any or (effects.paths and self._has_links):
            self.disturbances.add(Disturbance(self.order, cause))
        elif effects.paths:
            self.disturb_files(list(covers(effects.paths, list(self.files))), cause)

    def disturb_files(self, paths: list[str], cause: Cause) -> None:
        """Note that some files may have changed."""
        if paths:
            self.disturbances.add(Disturbance(self.order, cause, tuple(paths)))

    def observe(self, seen: Observation, call: ToolCall, version: Version, cause: Cause) -> None:
        """Take what a call says about a file; `version` has what is the same for all."""
        expected = self.current(seen.path)
        context = call.agent_run_id or ""
        match seen:
            case Seen():
                self.see(seen, version)
            case SeenPart():
                self._check_part(seen, expected, cause)
            case Unchanged():
                self._confirm(seen, expected, version, context)
            case Edited():
                found, left = _edit(seen, expected, cause)
                self._keep(version, expected, found, left, context)
            case Written():
                found, left = _write(seen, expected, cause)
                self._keep(version, expected, found, left, context)
            case Told():
                self.tell(seen, expected, version, cause)
            case _:
                assert_never(seen)

    def see(self, seen: Seen, version: Version) -> None:
        """Take the whole text of a file."""
        found = FileState(Certainty.EXACT, seen.text, exists=True)
        self._keep(version, self.current(seen.path), found, found, version.agent_run_id or "")

    def tell(self, seen: Told, expected: FileState, version: Version, cause: Cause) -> None:
        """Take what a command is said to have made of a file, which had a state before it."""
        found, left = _found_by(seen, expected), _tell(seen, expected, cause)
        self._keep(version, expected, found, left, version.agent_run_id or "")

    def _keep(
        self, version: Version, expected: FileState, found: FileState, left: FileState, context: str
    ) -> None:
        left = self._while_running(version.path, left, context)
        if _MASKED.search(version.path):
            left = stale(left, _cause(version, "a masked path may name several files"))
        self._doubt_twins(version, found, left)
        self.files[version.path] = Known(left, self.order, context)
        if left.text:
            self._by_text.setdefault(left.text, set()).add(version.path)
        self.versions.append(
            msgspec.structs.replace(version, expected=expected, before=found, after=left)
        )

    def _while_running(self, path: str, state: FileState, context: str) -> FileState:
        """What something else may write to at any moment is stale at once."""
        for running in self._running.values():
            effects = running.effects
            if running.context != context and (
                effects.is_any or any(covers(effects.paths, [path]))
            ):
                return stale(state, running.cause)
        return state

    def _doubt_twins(self, version: Version, found: FileState, left: FileState) -> None:
        """Files with the same text may be one file: a link, or a name in another case."""
        if not found.text or found.text == left.text:
            return
        twins = self._by_text.get(found.text, set()) - {version.path}
        same = [path for path in twins if self.current(path).text == found.text]
        self.disturb_files(sorted(same), _cause(version, f"may be the same file as {version.path}"))

    def _check_part(self, seen: SeenPart, expected: FileState, cause: Cause) -> None:
        """Some lines that are other than expected show that the file has changed."""
        if expected.text is None or expected.state not in (Certainty.EXACT, Certainty.TOLD):
            return
        lines = expected.text.split("\n")[seen.start_line - 1 :]
        part = seen.text.removesuffix("\n").split("\n")
        if lines[: len(part)] != part:
            self.disturb_files([seen.path], cause)

    def _confirm(
        self, seen: Unchanged, expected: FileState, version: Version, context: str
    ) -> None:
        """The client compares a file's time: what this agent last knew of it is still so."""
        known = self.files.get(seen.path)
        if known is not None and known.context == context and known.state.state is Certainty.EXACT:
            self._keep(version, expected, known.state, known.state, context)


def _cause(version: Version, text: str) -> Cause:
    return Cause("call", text, version.call_id, version.message_id, version.session_id, version.at)


def _edit(seen: Edited, expected: FileState, cause: Cause) -> tuple[FileState, FileState]:
    is_found = seen.original is not None
    found = FileState(Certainty.EXACT, seen.original, exists=True) if is_found else expected
    if is_found and not seen.original and not seen.steps[0].old and expected.exists is not True:
        # An empty text to replace makes a new file: clients record an empty original.
        found = FileState(Certainty.EXACT, None, exists=False)
    text = apply_steps(found.text or "", seen.steps, is_found=is_found) if found.is_known else None
    if text is None and not seen.steps[0].old and len(seen.steps) == 1:
        text = seen.steps[0].new
        found = found if found.is_known else FileState(Certainty.EXACT, None, exists=False)
    if text is None:
        return found, FileState(Certainty.UNKNOWN, None, exists=True, since=cause)
    left = msgspec.structs.replace(found, text=text, exists=True)
    return found, left if seen.is_sure else stale(left, cause)


def _write(seen: Written, expected: FileState, cause: Cause) -> tuple[FileState, FileState]:
    left = FileState(Certainty.EXACT, seen.text, exists=True)
    if seen.original is not None:
        found = FileState(Certainty.EXACT, seen.original, exists=True)
    elif seen.is_new:
        # Clients also call an empty file new.
        is_empty = expected.exists is True and expected.text == ""
        found = FileState(Certainty.EXACT, "" if is_empty else None, exists=is_empty)
    else:
        found = expected
    return found, left if seen.is_sure else stale(left, cause)


def _found_by(seen: Told, expected: FileState) -> FileState:
    """What a command found: where nothing else is known, what the client said about it."""
    if seen.created and expected.exists is not False:
        return FileState(Certainty.TOLD, None, exists=False)
    if seen.deleted and not expected.is_known and seen.hunks:
        text = removed_text(seen)
        return expected if text is None else FileState(Certainty.TOLD, text, exists=True)
    return expected


def _tell(seen: Told, expected: FileState, cause: Cause) -> FileState:
    if seen.deleted:
        return FileState(Certainty.TOLD, None, exists=False)
    text = apply_hunks(expected.text, seen) if seen.has_hunks else None
    if text is None:
        return FileState(Certainty.UNKNOWN, None, exists=True, since=cause)
    if expected.state is Certainty.STALE and not seen.created:
        return msgspec.structs.replace(expected, text=text, exists=True)
    return FileState(Certainty.TOLD, text, exists=True)
