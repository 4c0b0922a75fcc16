"""Which project a session belongs to."""

import pytest

from clew.conversation import project_of
from tests.unit.conversation.built import entries_of

WORKTREE = (
    b'{"type":"worktree-state","worktreeSession":'
    b'{"originalCwd":"/code/app","worktreePath":"/trees/fix"}}\n'
)
MOVED = b'{"type":"relocated","relocatedCwd":"/new/app"}\n'


@pytest.mark.parametrize(
    ("cwd", "markers", "project"),
    [
        ("/code/app", b"", "/code/app"),
        ("/code/app/.claude/worktrees/fix/src", b"", "/code/app"),
        ("C:\\app\\.claude\\worktrees\\fix", b"", "C:\\app"),
        ("/trees/fix", WORKTREE, "/code/app"),
        ("/trees/fix/src", WORKTREE, "/code/app"),
        ("/elsewhere", WORKTREE, "/elsewhere"),
        ("/code/app", MOVED, "/new/app"),
        ("/trees/fix", WORKTREE + MOVED, "/new/app"),
        ("/code/app", b'{"type":"relocated"}\n{"type":"worktree-state"}', "/code/app"),
        ("", b"", ""),
    ],
)
def test_a_worktree_belongs_to_its_repository(cwd: str, markers: bytes, project: str) -> None:
    assert project_of(cwd, [entry.body for entry in entries_of(markers)]) == project
