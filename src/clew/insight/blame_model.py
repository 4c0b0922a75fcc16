"""Who wrote the lines of a file, as plain structs."""

from typing import Final

import msgspec

from clew.insight.line_notes import LineNote

SCHEMA: Final = "clew.blame/1"
EXTERNAL: Final = "external"
NONE: Final = "none"


class BlameLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a file, and who wrote it.

    `evidence` is exact, whitespace (only white space changed since), external (sessions changed
    the file, but none wrote this line) or none (no session is known to have changed the file).
    With `is_told`, the client noticed the change after a command. `cost_usd` is the line's share
    of the cost of its turn. A line without a commit is not committed. `note` is what another tool
    wrote about the line.
    """

    line: int
    text: str
    evidence: str
    commit: str | None
    session_id: str | None = None
    message_id: str | None = None
    tool_call_id: str | None = None
    agent_run_id: str | None = None
    turn: int | None = None
    prompt_id: str | None = None
    prompt: str | None = None
    model: str | None = None
    cost_usd: float | None = None
    is_told: bool = False
    note: LineNote | None = None
    path: str = ""
    original_line: int = 0


class BlamedCommit(msgspec.Struct, frozen=True, kw_only=True):
    """A commit that introduced lines; times are seconds since 1970."""

    hash: str
    subject: str
    author: str
    email: str
    authored_at: int
    committed_at: int


class FileBlame(msgspec.Struct, frozen=True, kw_only=True):
    """Who wrote the lines of a file: `sessions` are titles by id, `notes` what to know."""

    schema: str = SCHEMA
    repository: str
    path: str
    revision: str
    is_working_tree: bool
    lines: list[BlameLine]
    commits: dict[str, BlamedCommit]
    sessions: dict[str, str]
    notes: list[str]


class LineAuthor(msgspec.Struct, frozen=True, kw_only=True):
    """Who wrote a line of a commit (counted from 1): what the archive remembers."""

    line: int
    evidence: str
    session_id: str
    message_id: str
    tool_call_id: str
    agent_run_id: str | None = None
    turn: int | None = None
    prompt_id: str | None = None
    prompt: str = ""
    model: str | None = None
    cost_usd: float | None = None
    is_told: bool = False
