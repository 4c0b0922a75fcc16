"""What a transcript's bookkeeping and first rows tell about its session."""

import re
from typing import Final

from clew.analytics.lean import BAD, decode_place
from clew.entries import AiTitle, Body, CostState, CustomTitle, Relocated, WorktreeState

_CWD: Final = b'"cwd"'
_WARMUP: Final = b'"content":"Warmup"'
_WORKTREE: Final = re.compile(r"^(.*?)[/\\]\.claude[/\\]worktrees[/\\]")


class SessionNotes:
    """Whose transcript it is, where its session works, what it is called and what it cost.

    An agent's transcript holds nothing but side rows; in a session's own they tell least.
    """

    def __init__(self, *, is_agent: bool) -> None:
        self.session_id = ""
        self.title = ""
        self.client_cost_usd: float | None = None
        self.is_warmup = False
        self.is_placed = False
        self._is_agent = is_agent
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
        """Look at one of the first lines, until one tells where the session works."""
        self.is_warmup = self.is_warmup or _WARMUP in raw
        if _CWD not in raw:
            return
        try:
            row = decode_place(raw)
        except BAD:
            return
        self.session_id = self.session_id or row.session_id
        self.is_placed = bool(row.cwd) and (self._is_agent or not row.is_sidechain)
        if row.cwd and (self.is_placed or not self._cwd):
            self._cwd = row.cwd

    def add(self, body: Body) -> None:
        """Take a piece of bookkeeping; the last word counts."""
        match body:
            case CustomTitle(custom_title=title) | AiTitle(ai_title=title) if title:
                self.title = title
            case CostState():
                self.client_cost_usd = body.total_cost_usd
            case WorktreeState() | Relocated():
                self._moves.append(body)
            case _:
                return
