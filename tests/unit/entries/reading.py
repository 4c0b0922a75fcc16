"""Lines for tests, in one expression, and what is read from them."""

from typing import Any, TypeVar

import msgspec

from clew.entries import AnyBlock, Entry, User, UserMessage, decode
from clew.source import Line

Body = TypeVar("Body", bound=msgspec.Struct)


def line_of(record: Any, *, offset: int = 0, ended: bool = True) -> Line:
    """Give a line that holds a record, or the very bytes when those are given."""
    raw = record if isinstance(record, bytes) else msgspec.json.encode(record)
    return Line(raw, "s.jsonl", 1, offset, ended)


def entries_of(record: Any, *, offset: int = 0, ended: bool = True) -> list[Entry]:
    """Decode a line."""
    return decode(line_of(record, offset=offset, ended=ended))


def entry_of(record: Any, *, ended: bool = True) -> Entry:
    """Decode a line that holds one entry."""
    (entry,) = entries_of(record, ended=ended)
    return entry


def body_of(record: Any, struct: type[Body]) -> Body:
    """Decode a record that its struct reads without a problem."""
    entry = entry_of(record)
    assert entry.problems == ()
    assert isinstance(entry.body, struct)
    return entry.body


def mended(record: Any, struct: type[Body]) -> tuple[Body, list[str]]:
    """Decode a record with problems, and give them as `kind: text`."""
    entry = entry_of(record)
    assert isinstance(entry.body, struct)
    return entry.body, [f"{problem.kind}: {problem.text}" for problem in entry.problems]


def blocks_of(content: str | list[AnyBlock]) -> list[AnyBlock]:
    """Give the blocks of a message that has blocks."""
    assert isinstance(content, list)
    return content


def kinds(entry: Entry) -> list[str]:
    """List the kinds of an entry's problems."""
    return [problem.kind for problem in entry.problems]


def prompt(content: Any, **fields: Any) -> dict[str, Any]:
    """Give a user record."""
    return {"type": "user", "message": {"role": "user", "content": content}, **fields}


def user(content: Any, **fields: Any) -> User:
    """Read a user record."""
    return body_of(prompt(content, **fields), User)


def answer(*blocks: Any, **fields: Any) -> dict[str, Any]:
    """Give an assistant record."""
    message = {"id": "msg_1", "role": "assistant", "model": "m", "content": list(blocks)}
    return {"type": "assistant", "message": message, **fields}


EMPTY = UserMessage()
