"""What a transcript's markers and first rows state about its session."""

from typing import Final

from clew.analytics.transcript_facts import TranscriptFacts, decode_facts, key_of
from clew.analytics.usage_fields import BAD, decode_location
from clew.conversation import project_of, stated_title
from clew.entries import AiTitle, Body, CostState, CustomTitle, Relocated, WorktreeState

_CWD: Final = b'"cwd"'
_WARMUP: Final = b'"content":"Warmup"'


class SessionNotes:
    """The session's id, project, title and cost.

    All rows of an agent's transcript are side rows; in a session's own, other rows come first.
    `facts` are the values of some `fields` in all rows. Reading every row takes longer, so only
    fields that filters need are read.
    """

    def __init__(self, *, is_agent: bool, fields: frozenset[str] = frozenset()) -> None:
        self.session_id = ""
        self.started_at = ""
        self.client_cost_usd: float | None = None
        self.is_warmup = False
        self.is_incomplete = True
        self.facts = TranscriptFacts()
        self._is_agent = is_agent
        self._fields = fields
        self._keys = tuple(map(key_of, fields))
        self._is_located = False
        self._cwd = ""
        self._markers: list[Body] = []

    @property
    def project(self) -> str:
        """The project that the session belongs to."""
        return project_of(self._cwd, self._markers)

    @property
    def title(self) -> str:
        """The title that the markers state, if any."""
        return stated_title(self._markers).text

    def add_line(self, raw: bytes) -> None:
        """Read a line, as long as `is_incomplete`."""
        if self._fields and any(key in raw for key in self._keys):
            self._find_facts(raw)
        if not self._is_located:
            self._find_location(raw)
        self.is_incomplete = bool(self._fields) or not self._is_located

    def _find_location(self, raw: bytes) -> None:
        self.is_warmup = self.is_warmup or _WARMUP in raw
        if _CWD not in raw:
            return
        try:
            row = decode_location(raw)
        except BAD:
            return
        self.session_id = self.session_id or row.session_id
        self.started_at = self.started_at or row.timestamp
        self._is_located = bool(row.cwd) and (self._is_agent or not row.is_sidechain)
        if row.cwd and (self._is_located or not self._cwd):
            self._cwd = row.cwd

    def _find_facts(self, raw: bytes) -> None:
        try:
            row = decode_facts(raw)
        except BAD:
            return
        if self._is_agent or not row.is_sidechain:
            self.facts.add_row(self._fields, row)

    def add(self, body: Body) -> None:
        """Add a marker; others are ignored."""
        match body:
            case CostState():
                self.client_cost_usd = body.total_cost_usd
            case AiTitle() | CustomTitle() | WorktreeState() | Relocated():
                self._markers.append(body)
            case _:
                return
