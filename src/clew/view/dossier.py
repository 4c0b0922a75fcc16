"""Dossier: the story behind a change, as plain structs."""

from typing import Final

import msgspec

SCHEMA: Final = "clew.dossier/1"


class DossierFile(msgspec.Struct, frozen=True):
    """A file that a turn changed; lines are None where nothing says how many."""

    path: str
    added: int | None = None
    removed: int | None = None


class DossierTest(msgspec.Struct, frozen=True):
    """A command that ran tests; `has_passed` is None if that cannot be told."""

    command: str
    has_passed: bool | None = None
    result: str = ""
    at: str = ""
    message_id: str = ""


class DossierDecision(msgspec.Struct, frozen=True):
    """Something that a person decided: a question with its answer, a plan, a refusal."""

    kind: str
    text: str
    answer: str = ""
    at: str = ""
    message_id: str = ""


class DossierTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt, and what came of it for this change."""

    turn: int | None
    prompt: str
    prompt_id: str | None = None
    at: str = ""
    answers: int = 0
    models: tuple[str, ...] = ()
    cost_usd: float | None = None
    files: tuple[DossierFile, ...] = ()
    tests: tuple[DossierTest, ...] = ()
    decisions: tuple[DossierDecision, ...] = ()
    commits: tuple[str, ...] = ()


class DossierSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session behind a change; `evidence` says how that is known: commit, lines, pull_request."""

    id: str
    title: str
    project: str = ""
    branch: str | None = None
    started_at: str = ""
    ended_at: str = ""
    evidence: tuple[str, ...] = ()
    lines: int = 0
    cost_usd: float | None = None
    quality: str = "exact"
    turns: tuple[DossierTurn, ...] = ()


class DossierCommit(msgspec.Struct, frozen=True, kw_only=True):
    """A commit: how many lines it introduced, and how many of them sessions wrote."""

    hash: str
    subject: str
    author: str = ""
    committed_at: str = ""
    lines: int = 0
    session_lines: int = 0
    session_ids: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class Dossier(msgspec.Struct, frozen=True, kw_only=True):
    """All sessions, prompts, decisions, test runs and cost behind a change.

    `kind` is commit, range or pull_request. The cost is that of the listed answers, each once.
    """

    schema: str = SCHEMA
    kind: str
    name: str
    url: str = ""
    repository: str = ""
    commits: tuple[DossierCommit, ...] = ()
    sessions: tuple[DossierSession, ...] = ()
    cost_usd: float | None = None
    quality: str = "exact"
    notes: tuple[str, ...] = ()
