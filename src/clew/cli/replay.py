"""Sessions with their files over time, for commands."""

from collections.abc import Sequence
from pathlib import Path

from clew.archive import open_archive
from clew.cli.search_paths import find_existing_roots
from clew.cli.show import load
from clew.conversation import Conversation
from clew.replay import SessionReplay, replay_session
from clew.sessions import is_path


def load_replay(session: str, roots: Sequence[Path]) -> tuple[Conversation, SessionReplay]:
    """Load a session, and follow its files through its calls."""
    conversation = load(session, roots)
    target = session if is_path(session) else conversation.session.id
    with open_archive() as archive:
        backups = archive.backups(target, find_existing_roots(roots))
    return conversation, replay_session(conversation, backups)
