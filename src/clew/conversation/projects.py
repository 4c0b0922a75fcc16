"""The project that a session belongs to."""

import re
from collections.abc import Iterable
from typing import Final

from clew.entries import Body, Relocated, WorktreeState

_in_worktree: Final = re.compile(r"^(.*?)[/\\]\.claude[/\\]worktrees[/\\]").match


def project_of(cwd: str, bodies: Iterable[Body]) -> str:
    """Return the project of a session that started in `cwd`; `bodies` include its markers.

    A worktree belongs to the repository it was made from, a moved folder to its new path.
    """
    for body in bodies:
        if isinstance(body, WorktreeState) and body.worktree_session:
            state = body.worktree_session
            if state.worktree_path and cwd.startswith(state.worktree_path):
                cwd = state.original_cwd or cwd
        elif isinstance(body, Relocated) and body.relocated_cwd:
            cwd = body.relocated_cwd
    found = _in_worktree(cwd)
    return found[1] if found else cwd
