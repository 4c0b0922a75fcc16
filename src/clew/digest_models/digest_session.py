"""A session → its digest: facts, condensed text, a model's reply, what of it is quoted, kept."""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from clew.archive import Archive
from clew.clock import format_time, parse_time
from clew.conversation import Conversation
from clew.digest import (
    PROMPT_VERSION,
    CondensedPart,
    Digest,
    DigestError,
    DigestFacts,
    DigestModel,
    ModelReply,
    ModelRequest,
    ReplyError,
    check_reply,
    combine_request,
    condense,
    digest_request,
    gather_facts,
)
from clew.digest_models.ledger import NANO, Budget, DigestLedger
from clew.digest_models.model_errors import ModelError
from clew.digest_models.model_prices import most_tokens
from clew.redact import Redactor
from clew.store import Database, KeptDigest, find_receipts, keep_digest, read_digest, read_digests
from clew.store.location import open_index_for_writing

INPUT_TOKENS: Final = 30_000
"""So many tokens of a session a model is shown at once."""
PAUSE: Final = dt.timedelta(hours=6)
"""A session is digested so often at most."""
_ATTEMPTS: Final = 2


class TooSoonError(DigestError):
    """A session was digested a short while ago; `kept` is that digest."""

    def __init__(self, kept: KeptDigest) -> None:
        super().__init__(
            f"session {kept.session_id} was digested at {kept.made_at}; a session is digested once "
            "in six hours"
        )
        self.kept = kept


class NothingSaidError(DigestError):
    """Nobody said anything in a session."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"nobody said anything in session {session_id}; there is nothing to digest"
        )


class PlannedRequests(msgspec.Struct, frozen=True, kw_only=True):
    """What would be sent for a session; the requests of parts are followed by one that joins them.

    The most that it can cost is in nano-dollars.
    """

    session_id: str
    requests: tuple[ModelRequest, ...]
    tokens: int
    highest_nano_usd: int


class _Material(msgspec.Struct, frozen=True):
    """A session, as a model is shown it."""

    conversation: Conversation
    facts: DigestFacts
    parts: tuple[CondensedPart, ...]
    mask: Callable[[str], str]
    check_mask: Callable[[str], str]


def digest_session(
    archive: Archive, session: str, model: DigestModel, budget: Budget, *, redact: bool = True
) -> Digest:
    """Let a model write the digest of a session, and keep it.

    Raises:
        DigestError: There is none, or there was one a short while ago.
        ModelError: The model gave no answer, or a budget does not allow it.
    """
    with open_digests(archive, model, budget, redact=redact) as run:
        return run.digest(session).digest


@contextmanager
def open_digests(
    archive: Archive, model: DigestModel, budget: Budget, *, redact: bool = True
) -> Iterator["DigestRun"]:
    """Open an archive to digest sessions in it, within one budget."""
    database = open_index_for_writing(archive.location).database
    try:
        yield DigestRun(archive, database, model, budget, redact=redact)
    finally:
        database.close()


class DigestRun:
    """Digests sessions one after another."""

    def __init__(
        self,
        archive: Archive,
        database: Database,
        model: DigestModel,
        budget: Budget,
        *,
        redact: bool = True,
        clock: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
    ) -> None:
        self._archive = archive
        self._database = database
        self._model = model
        self._redact = redact
        self._clock = clock
        self.ledger = DigestLedger(database, budget)

    def digest(self, session: str) -> KeptDigest:
        """Return the digest of a session: the kept one if it is of the same bytes, else a new one.

        Raises:
            DigestError: There is none, or there was one a short while ago.
            ModelError: The model gave no answer, or a budget does not allow it.
        """
        session_id = self._archive.find_session(session)
        receipt = find_receipts(self._database, session_id).get(session_id, "")
        kept = read_digest(self._database, session_id)
        if kept is not None and self._is_current(kept, receipt):
            return kept
        if kept is not None and self._is_recent(kept):
            raise TooSoonError(kept)
        before = self.ledger.run_nano_usd
        digest = self._ask_for_all(self._read(session_id))
        cost = self.ledger.run_nano_usd - before
        new = KeptDigest(
            session_id=session_id,
            receipt=receipt,
            model=self._model.name,
            prompt_version=PROMPT_VERSION,
            made_at=format_time(self._clock()),
            digest=msgspec.structs.replace(digest, model=self._model.name, cost_usd=cost / NANO),
            cost_nano_usd=cost,
        )
        keep_digest(self._database, self._archive.location, new)
        return new

    def without_digest(self, session_ids: Iterable[str]) -> list[str]:
        """Return those of some sessions that have no digest, or one that is stale."""
        receipts, kept = find_receipts(self._database), read_digests(self._database)
        return [
            name
            for name in session_ids
            if name not in kept or kept[name].receipt != receipts.get(name, "")
        ]

    def plan(self, session: str) -> PlannedRequests:
        """Return what would be sent for a session, and reserve nothing."""
        session_id = self._archive.find_session(session)
        material = self._read(session_id)
        requests = [digest_request(part) for part in material.parts]
        tokens = sum(map(most_tokens, requests))
        cost = sum(map(self._model.highest_cost, requests))
        if len(requests) > 1:
            # What joins the parts is made of their answers, and is no longer than one of them.
            tokens += max(map(most_tokens, requests))
            cost += max(map(self._model.highest_cost, requests))
        return PlannedRequests(
            session_id=session_id,
            requests=tuple(requests),
            tokens=tokens,
            highest_nano_usd=cost,
        )

    def _is_current(self, kept: KeptDigest, receipt: str) -> bool:
        written = (kept.receipt, kept.model, kept.prompt_version)
        return written == (receipt, self._model.name, PROMPT_VERSION)

    def _is_recent(self, kept: KeptDigest) -> bool:
        made_at = parse_time(kept.made_at)
        return made_at is not None and self._clock() - made_at < PAUSE

    def _read(self, session_id: str) -> _Material:
        conversation = self._archive.conversation(session_id)
        facts = gather_facts(conversation)
        redact = Redactor().redact
        mask: Callable[[str], str] = redact if self._redact else str
        parts = condense(conversation, facts, INPUT_TOKENS, mask)
        if not parts:
            raise NothingSaidError(session_id)
        return _Material(conversation, facts, parts, mask, redact)

    def _ask_for_all(self, material: _Material) -> Digest:
        """Ask for a session at once or, if it is long, for its parts and then for all of them."""
        digests = [self._ask(digest_request(part), material) for part in material.parts]
        if len(digests) == 1:
            return digests[0]
        request = combine_request(
            digests, material.conversation, material.facts, INPUT_TOKENS, material.mask
        )
        return self._ask(request, material)

    def _ask(self, request: ModelRequest, material: _Material) -> Digest:
        """Ask until an answer is a digest, at most twice; each answer is reserved and settled."""
        for left in reversed(range(_ATTEMPTS)):
            try:
                reply = self._ask_once(request, material.facts.session_id)
                return check_reply(
                    reply.text, material.conversation, material.facts, mask=material.check_mask
                )
            except ReplyError:
                if not left:
                    raise
            except ModelError as error:
                if not left or error.cost_nano_usd is not None:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _ask_once(self, request: ModelRequest, session_id: str) -> ModelReply:
        highest = self._model.highest_cost(request)
        call = self.ledger.reserve(session_id, self._model.name, highest, self._clock())
        try:
            reply = self._model.ask(request)
        except ModelError as error:
            self.ledger.settle(call, highest, error, self._clock())
            raise
        self.ledger.settle(call, highest, reply, self._clock())
        return reply
