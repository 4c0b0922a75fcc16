"""Resuming a session: the command for it, and why it cannot be resumed if it cannot.

Claude Code goes on with a session if it finds its transcript below its own folder, and it is
started in the session's directory.
"""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from clew.conversation import Session
from clew.source import PROJECTS

CLIENT: Final = "claude"
_CONFIG_DIR: Final = "CLAUDE_CONFIG_DIR"
_DEFAULT: Final = ".claude"
# An id stands on a command line: nothing that begins like an option, nothing that a shell reads.
_is_plain: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,127}").fullmatch


class ResumePlan(msgspec.Struct, frozen=True, kw_only=True):
    """How to go on with a session.

    `command` is a line for a shell, `arguments` the same for a program, to be started in `cwd`.
    `reason` says why the session cannot be resumed, `note` what to know before.
    """

    session_id: str
    command: str = ""
    arguments: tuple[str, ...] = ()
    cwd: str = ""
    reason: str = ""
    note: str = ""

    @property
    def can_resume(self) -> bool:
        """Whether the command is expected to work, perhaps after what the note says."""
        return not self.reason


def resume_command(session_id: str, cwd: str, root: str = "") -> str:
    """Return the line for a shell that goes on with a session; `root` is the client's folder."""
    start = shlex.join(resume_arguments(session_id))
    start = f"{_CONFIG_DIR}={shlex.quote(root)} {start}" if root else start
    return f"cd {shlex.quote(cwd)} && {start}" if cwd else start


def resume_arguments(session_id: str, root: str = "") -> tuple[str, ...]:
    """Return the same as arguments of a program."""
    start = (CLIENT, "--resume", session_id)
    return ("env", f"{_CONFIG_DIR}={root}", *start) if root else start


def plan_resume(
    session: Session, transcript: Path | None, environ: Mapping[str, str], user_home: Path
) -> ResumePlan:
    """Find out how to go on with a session on this machine.

    Args:
        session: The session.
        transcript: Where its main transcript was when it was archived.
        environ: The environment of the client.
        user_home: The home directory of its user.
    """
    reason = _reason(session, transcript)
    if reason or transcript is None:
        return ResumePlan(session_id=session.id, cwd=session.cwd, reason=reason)
    own = environ.get(_CONFIG_DIR) or str(user_home / _DEFAULT)
    found = _root_of(transcript) or Path(own)
    root = "" if _is_same(found, own) else str(found)
    return ResumePlan(
        session_id=session.id,
        command=resume_command(session.id, session.cwd, root),
        arguments=resume_arguments(session.id, root),
        cwd=session.cwd,
        note=_note(session.cwd),
    )


def _reason(session: Session, transcript: Path | None) -> str:
    if not session.has_transcript:
        return "Its main transcript is missing: only its agent runs are left."
    if not _is_plain(session.id):
        return "Its id is not one that Claude Code accepts."
    if not session.cwd.isprintable():
        return "The name of its directory cannot be written in a command."
    if transcript is None or not transcript.is_file():
        return (
            "Its transcript is not on this machine: Claude Code has deleted it, or the session ran "
            f"elsewhere. To get it back, run: clew archive restore {session.id} -o DIR"
        )
    if _root_of(transcript) is None:
        return "Its transcript is not in a folder of Claude Code, which would not find it."
    return ""


def _root_of(transcript: Path) -> Path | None:
    """Return the client's folder that a transcript is in: `ROOT/projects/NAME/ID.jsonl`."""
    projects = transcript.parent.parent
    return projects.parent if projects.name == PROJECTS else None


def _note(cwd: str) -> str:
    if not cwd:
        return "The session does not say in which directory it ran: start the command there."
    if not Path(cwd).is_dir():
        return f"There is no directory {cwd} on this machine: create it first."
    return ""


def _is_same(folder: Path, other: str) -> bool:
    try:
        return folder.resolve() == Path(other).expanduser().resolve()
    except OSError:
        return False
