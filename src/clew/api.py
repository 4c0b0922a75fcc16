"""What `import clew` offers."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from clew.archive import Archive, Filters, Order, open_archive
from clew.conversation import Conversation
from clew.entries import Entry, decode_all
from clew.errors import PathNotFoundError, UsageError
from clew.sessions import load as load_session
from clew.source import read_lines

__all__ = ["Archive", "Filters", "Order", "load", "open_archive", "read"]


def read(path: str | os.PathLike[str]) -> Iterator[Entry]:
    """Give the entries of one transcript, lazily and in the order of the file.

    Nothing in the file raises: broken lines are entries too, and each entry has its `problems`.

    Raises:
        PathNotFoundError: Nothing stands at `path`.
        UsageError: A folder stands there.
        OSError: The file cannot be read; raised when its first entry is asked for.
    """
    file = Path(path)
    if file.is_dir():
        raise UsageError(f"{file} is a folder; give one transcript (.jsonl)")
    if not file.exists():
        raise PathNotFoundError(file)
    return decode_all(read_lines(file))


def load(
    path_or_id: str | os.PathLike[str], roots: Iterable[str | os.PathLike[str]] | None = None
) -> Conversation:
    """Give the conversation of one session, its agent runs included.

        conversation = clew.load("latest")
        print(conversation.session.title, conversation.totals.tool_calls)
        for message in conversation.messages:
            print(message.kind, message.text)

    Args:
        path_or_id: A transcript or its folder, the id of a session or the beginning of one, or
            `latest` for the session written to last.
        roots: Where to look for ids, by default where Claude Code keeps its data, and then in
            the archive.

    Raises:
        PathNotFoundError: Nothing stands at the path.
        SeveralSessionsError: Not one session stands there, but several or none.
        SessionNotFoundError: No session has that id, or several have.
    """
    if roots is not None:
        return load_session(path_or_id, [Path(root) for root in roots])
    with open_archive() as archive:
        return archive.load(path_or_id)
