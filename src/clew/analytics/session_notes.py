"""What a transcript's bookkeeping and first rows tell about its session."""

import re
from typing import Final

from clew.analytics.lean import BAD, decode_branch, decode_place
from clew.entries import AiTitle, Body, CostState, CustomTitle, Relocated, WorktreeState

_CWD: Final = b'"cwd"'
_BRANCH: Final = b'"gitBranch":"'
_WARMUP: Final = b'"content":"Warmup"'
_WORKTREE: Final = re.compile(r"^(.*?)[/\\]\.claude[/\\]worktrees[/\\]")


class SessionNotes:
    """Whose transcript it is, where its session works, what it is called and what it cost.

    An agent's transcript holds nothing but side rows; in a session's own they tell least. The
    branch is the last one, so every row must be looked at for it: that is done when it is wanted.
    """

    def __init__(self, *, is_agent: bool, with_branch: bool = False) -> None:
        self.session_id = ""
        self.started_at = ""
        self.title = ""
        self.client_cost_usd: float | None = None
        self.is_warmup = False
        self.is_looking = True
        self.branch = ""
        self._is_agent = is_agent
        self._with_branch = with_branch
        self._is_placed = False
        self._is_named = False
        self._cwd = ""
        self._moves: list[WorktreeState | Relocated] = []

    @property
    def project(self) -> str:
        """A worktree belongs to the repository it was made from, a moved folder to where it is."""
        cwd = self._cwd
        for move in self._moves:
            if isinstance(move, Relocated):
                cwd = move.relocated_cwd or cwd
                continue
            state = move.worktree_session
            if state and state.worktree_path and cwd.startswith(state.worktree_path):
                cwd = state.original_cwd or cwd
        found = _WORKTREE.match(cwd)
        return found[1] if found else cwd

    def look(self, raw: bytes) -> None:
        """Look at a line, until nothing that is wanted can come any more."""
        if self._with_branch and _BRANCH in raw:
            self._look_for_branch(raw)
        if not self._is_placed:
            self._look_for_place(raw)
        self.is_looking = self._with_branch or not self._is_placed

    def _look_for_place(self, raw: bytes) -> None:
        self.is_warmup = self.is_warmup or _WARMUP in raw
        if _CWD not in raw:
            return
        try:
            row = decode_place(raw)
        except BAD:
            return
        self.session_id = self.session_id or row.session_id
        self.started_at = self.started_at or row.timestamp
        self._is_placed = bool(row.cwd) and (self._is_agent or not row.is_sidechain)
        if row.cwd and (self._is_placed or not self._cwd):
            self._cwd = row.cwd

    def _look_for_branch(self, raw: bytes) -> None:
        try:
            row = decode_branch(raw)
        except BAD:
            return
        if row.git_branch and (self._is_agent or not row.is_sidechain):
            self.branch = row.git_branch

    def add(self, body: Body) -> None:
        """Take a piece of bookkeeping; the last word counts, but a person's before the client's."""
        match body:
            case CustomTitle(custom_title=title) if title:
                self.title, self._is_named = title, True
            case AiTitle(ai_title=title) if title and not self._is_named:
                self.title = title
            case CostState():
                self.client_cost_usd = body.total_cost_usd
            case WorktreeState() | Relocated():
                self._moves.append(body)
            case _:
                return
