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
from clew.redact import Redactor, learn_conversation
from clew.store import Database, KeptDigest, find_receipts, keep_digest, read_digest, read_digests
from clew.store.location import open_index_for_writing

INPUT_TOKENS: Final = 30_000
"""So many tokens of a session a model is shown at once."""
PAUSE: Final = dt.timedelta(hours=6)
"""A session is digested so often at most."""
_ATTEMPTS: Final = 2


class TooSoonError(DigestError):
    """A session was digested a short while ago; `kept` is that digest, of other bytes if stale."""

    def __init__(self, kept: KeptDigest, *, is_stale: bool) -> None:
        super().__init__(
            f"session {kept.session_id} was digested at {kept.made_at}; a session is digested once "
            "in six hours"
        )
        self.kept = kept
        self.is_stale = is_stale


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
    """Digests sessions one after another; `keep` is called with each new digest."""

    def __init__(
        self,
        archive: Archive,
        database: Database,
        model: DigestModel,
        budget: Budget,
        *,
        redact: bool = True,
        clock: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
        keep: Callable[[KeptDigest], None] | None = None,
    ) -> None:
        self._archive = archive
        self._database = database
        self._model = model
        self._redact = redact
        self._clock = clock
        self._keep = keep or (lambda kept: keep_digest(database, archive.location, kept))
        self.ledger = DigestLedger(database, budget)

    def digest(self, session: str) -> KeptDigest:
        """Return the digest of a session: the kept one if it is of the same bytes, else a new one.

        Raises:
            DigestError: There is none, or there was one a short while ago.
            ModelError: The model gave no answer, or a budget does not allow it.
        """
        session_id = self._archive.find_session(session)
        receipt = self._receipt(session_id)
        kept = self.find_current(session_id)
        if kept is not None:
            return kept
        material = self._read(session_id)
        if len(material.parts) > 1:
            # Parts without their whole would be paid for nothing, and again in the next run.
            self.ledger.require(self._plan(material).highest_nano_usd, self._clock())
        before = self.ledger.run_nano_usd
        digest = self._ask_for_all(material)
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
        self._keep(new)
        return new

    def find_current(self, session_id: str) -> KeptDigest | None:
        """Return the kept digest of a session if it is of the same bytes.

        Raises:
            TooSoonError: It is not, and was made a short while ago.
        """
        kept, receipt = read_digest(self._database, session_id), self._receipt(session_id)
        if kept is None or self._is_current(kept, receipt):
            return kept
        if self._is_recent(kept):
            raise TooSoonError(kept, is_stale=kept.receipt != receipt)
        return None

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
        return self._plan(self._read(self._archive.find_session(session)))

    def _plan(self, material: _Material) -> PlannedRequests:
        requests = [digest_request(part) for part in material.parts]
        tokens = sum(map(most_tokens, requests))
        cost = sum(map(self._model.highest_cost, requests))
        if len(requests) > 1:
            # What joins the parts is made of their answers, and is no longer than one of them.
            tokens += max(map(most_tokens, requests))
            cost += max(map(self._model.highest_cost, requests))
        return PlannedRequests(
            session_id=material.facts.session_id,
            requests=tuple(requests),
            tokens=tokens,
            highest_nano_usd=cost,
        )

    def _receipt(self, session_id: str) -> str:
        return find_receipts(self._database, session_id).get(session_id, "")

    def _is_current(self, kept: KeptDigest, receipt: str) -> bool:
        written = (kept.receipt, kept.model, kept.prompt_version)
        return written == (receipt, self._model.name, PROMPT_VERSION)

    def _is_recent(self, kept: KeptDigest) -> bool:
        made_at = parse_time(kept.made_at)
        return made_at is not None and self._clock() - made_at < PAUSE

    def _read(self, session_id: str) -> _Material:
        conversation = self._archive.conversation(session_id)
        facts = gather_facts(conversation)
        redactor = Redactor()
        # A password may be named as one only after it was used, or in a result that is not shown.
        learn_conversation(conversation, redactor)
        mask: Callable[[str], str] = redactor.redact if self._redact else str
        parts = condense(conversation, facts, INPUT_TOKENS, mask)
        if not parts:
            raise NothingSaidError(session_id)
        return _Material(conversation, facts, parts, mask, redactor.redact)

    def _ask_for_all(self, material: _Material) -> Digest:
        """Ask for a session at once or, if it is long, for its parts and then for all of them."""
        is_whole = len(material.parts) == 1
        digests = [
            self._ask(digest_request(part), material, is_whole=is_whole) for part in material.parts
        ]
        if is_whole:
            return digests[0]
        request = combine_request(
            digests, material.conversation, material.facts, INPUT_TOKENS, material.mask
        )
        return self._ask(request, material)

    def _ask(self, request: ModelRequest, material: _Material, *, is_whole: bool = True) -> Digest:
        """Ask until an answer is a digest, at most twice; each answer is reserved and settled."""
        for left in reversed(range(_ATTEMPTS)):
            try:
                reply = self._ask_once(request, material.facts.session_id)
                return _check(reply, material, is_whole=is_whole)
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


def _check(reply: ModelReply, material: _Material, *, is_whole: bool) -> Digest:
    """Make a digest of a reply; that of a whole session must have an account.

    Raises:
        ReplyError: It is no digest, or says less than facts alone.
    """
    digest = check_reply(
        reply.text, material.conversation, material.facts, mask=material.check_mask
    )
    if is_whole and not digest.claims_quoted:
        count = digest.claims_dropped
        raise ReplyError(f"none of its {count} claims has a quote" if count else "it has no claims")
    return digest
