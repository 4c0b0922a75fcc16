"""Blame in formats that other programs read: git's porcelain, and Agent Trace records."""

import datetime as dt
import uuid
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

import msgspec

from clew.insight.blame_model import BlameLine, FileBlame

_NOT_COMMITTED: Final = "0" * 40
_TRACE_VERSION: Final = "0.1.0"
_PROVIDERS: Final = {"claude": "anthropic"}
_METADATA: Final = "dev.clew"
Link = Callable[[str, str], str]
"""Returns the address of a message, by its session and its id."""


def write_porcelain(blame: FileBlame) -> Iterator[str]:
    """Write lines as `git blame --porcelain` does, with keys that begin with `clew-` besides."""
    seen: set[str | None] = set()
    for group in _neighbours(blame.lines):
        for place, line in enumerate(group):
            count = f" {len(group)}" if place == 0 else ""
            name = line.commit or _NOT_COMMITTED
            yield f"{name} {line.original_line} {line.line}{count}\n"
            if line.commit not in seen:
                seen.add(line.commit)
                yield from _commit_keys(blame, line)
            yield from (f"{key} {_one_line(value)}\n" for key, value in _line_keys(line))
            yield f"\t{line.text}\n"


def _commit_keys(blame: FileBlame, line: BlameLine) -> Iterator[str]:
    commit = None if line.commit is None else blame.commits.get(line.commit)
    author = "Not Committed Yet" if commit is None else _one_line(commit.author)
    email = "not.committed.yet" if commit is None else _one_line(commit.email)
    yield f"author {author}\n"
    yield f"author-mail <{email}>\n"
    if commit is not None:
        yield f"author-time {commit.authored_at}\nauthor-tz +0000\n"
        yield f"committer-time {commit.committed_at}\ncommitter-tz +0000\n"
        yield f"summary {_one_line(commit.subject)}\n"
    yield f"filename {_one_line(line.path)}\n"


def _line_keys(line: BlameLine) -> Iterator[tuple[str, object]]:
    yield "clew-evidence", line.evidence
    for key, value in (
        ("clew-session", line.session_id),
        ("clew-message", line.message_id),
        ("clew-turn", line.turn),
        ("clew-model", line.model),
        ("clew-prompt", line.prompt),
    ):
        if value not in (None, ""):
            yield key, value


def make_trace(blame: FileBlame, link: Link) -> dict[str, Any]:
    """Make an Agent Trace record of the lines that sessions wrote.

    Lines of which no session is known are in no range: nothing says that people wrote them.
    """
    written = [line for line in blame.lines if line.session_id and line.message_id]
    by_message: dict[tuple[str, str], list[BlameLine]] = {}
    for line in written:
        by_message.setdefault((line.session_id or "", line.message_id or ""), []).append(line)
    conversations = [_conversation(lines, link) for lines in by_message.values()]
    latest = max((each.committed_at for each in blame.commits.values()), default=0)
    moment = dt.datetime.fromtimestamp(latest, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = uuid.uuid5(uuid.NAMESPACE_URL, f"{blame.revision}:{blame.path}:{len(blame.lines)}")
    files = [{"path": blame.path, "conversations": conversations}] if conversations else []
    return {
        "version": _TRACE_VERSION,
        "id": str(name),
        "timestamp": moment,
        "vcs": {"type": "git", "revision": blame.revision},
        "tool": {"name": "clew"},
        "files": files,
        "metadata": {_METADATA: {"lines": [_evidence(run) for run in _runs(written)]}},
    }


def _conversation(lines: Sequence[BlameLine], link: Link) -> dict[str, Any]:
    first = lines[0]
    contributor: dict[str, str] = {"type": "ai"}
    if first.model:
        contributor["model_id"] = _model_id(first.model)
    return {
        "url": link(first.session_id or "", first.message_id or ""),
        "contributor": contributor,
        "ranges": [{"start_line": run[0].line, "end_line": run[-1].line} for run in _runs(lines)],
    }


def _evidence(run: Sequence[BlameLine]) -> dict[str, Any]:
    first = run[0]
    return {
        "start_line": first.line,
        "end_line": run[-1].line,
        "evidence": first.evidence,
        "session_id": first.session_id,
        "message_id": first.message_id,
        "turn": first.turn,
        "commit": first.commit,
    }


def _model_id(model: str) -> str:
    provider = _PROVIDERS.get(model.partition("-")[0])
    return f"{provider}/{model}" if provider else model


def _runs(lines: Sequence[BlameLine]) -> list[list[BlameLine]]:
    """Group lines that follow each other and have the same origin."""
    shifted = ((line.line - place, line) for place, line in enumerate(lines))
    groups = groupby(shifted, key=lambda pair: (pair[0], _origin(pair[1])))
    return [[line for _, line in group] for _, group in groups]


def _origin(line: BlameLine) -> tuple[str | None, ...]:
    return (line.message_id, line.evidence, line.commit)


def _neighbours(lines: Sequence[BlameLine]) -> list[list[BlameLine]]:
    """Group lines as git does: by commit, while both their numbers go up by one."""
    places = groupby(lines, key=lambda each: (each.commit, each.line - each.original_line))
    return [list(group) for _, group in places]


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def encode_trace(record: dict[str, Any]) -> bytes:
    """Return a record as JSON."""
    return msgspec.json.encode(record)
