"""Digests that models wrote: kept in rows and, in a folder's archive, as small files.

Nothing can derive them again, so a database that was lost gets them back from their files.
"""

import hashlib
import logging
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from clew.digest import Digest, QuotedClaim, SessionDigest, describe
from clew.store.home import Home
from clew.store.postgres_location import PostgresLocation
from clew.store.protocols import Database, DatabaseRow
from clew.store.receipts import find_receipts
from clew.writing import whole_file

_NAME_LENGTH: Final = 32
_log: Final = logging.getLogger(__name__)


class KeptDigest(msgspec.Struct, frozen=True, kw_only=True):
    """A digest, of which state of a session it is, and who wrote it when.

    `receipt` is that of `find_receipts`: with another one now, the digest is stale.
    """

    session_id: str
    receipt: str
    model: str
    prompt_version: int
    made_at: str
    digest: Digest
    cost_nano_usd: int = 0


class DigestUsage(msgspec.Struct, frozen=True):
    """What the requests to one model cost, in nano-dollars; of some the cost is not known."""

    model: str
    calls: int
    failed_calls: int
    unknown_calls: int
    input_tokens: int
    output_tokens: int
    cost_nano_usd: int
    sessions: int


_kept: Final = msgspec.json.Decoder(KeptDigest)
_digest: Final = msgspec.json.Decoder(Digest)


def read_digest(database: Database, session_id: str) -> KeptDigest | None:
    """Return the digest of a session; None if there is none."""
    row = next(database.rows("digest_of_session", {"session": session_id}), None)
    return None if row is None else _from_row(row)


def read_digests(database: Database) -> dict[str, KeptDigest]:
    """Return the digests of all sessions, by their ids."""
    found = map(_from_row, database.rows("all_digests"))
    return {kept.session_id: kept for kept in found}


def read_shown_digest(
    database: Database, session_id: str, messages: int | None = None
) -> SessionDigest | None:
    """Return the digest of a session as pages show it; None if no model wrote one.

    With another number of messages than is archived, it is stale, too.
    """
    row = next(database.rows("shown_digest", {"session": session_id}), None)
    if row is None:
        return None
    text, made_at, is_stale, archived = row
    has_changed = bool(is_stale) or messages not in (None, archived)
    return _shown(_digest.decode(text), made_at, is_stale=has_changed)


def shown_digest(kept: KeptDigest, *, is_stale: bool = False) -> SessionDigest:
    """Return a digest as pages show it."""
    return _shown(kept.digest, kept.made_at, is_stale=is_stale)


def read_digest_title(database: Database, session_id: str) -> str:
    """Return how the digest of a session calls it; nothing if there is none."""
    row = next(database.rows("digest_title", {"session": session_id}), None)
    return "" if row is None else str(row[0])


def read_digest_usage(
    database: Database, since: str | None = None, until: str | None = None
) -> list[DigestUsage]:
    """Return what digests cost in a time, by model."""
    rows = database.rows("digest_usage", {"since": since, "until": until})
    return [DigestUsage(*map(_plain_number, row)) for row in rows]


def keep_digest(database: Database, location: Home | PostgresLocation, kept: KeptDigest) -> None:
    """Keep a digest in place of an earlier one of its session: first its file, then its row."""
    if isinstance(location, Home):
        path = digest_path(location, kept.session_id)
        with whole_file(path, location.folder, mode=0o600, folder_mode=0o700) as stream:
            stream.write(msgspec.json.encode(kept))
    with database.transaction():
        _write_row(database, kept)


def write_digest(database: Database, kept: KeptDigest) -> None:
    """Write the row of a digest, as a part of the caller's transaction."""
    _write_row(database, kept)


def recover_digests(database: Database, location: Home | PostgresLocation) -> int:
    """Write the rows of digests that only their files have; return how many there were."""
    if not isinstance(location, Home) or not location.digests.is_dir():
        return 0
    known = {digest_path(location, name) for name in read_digests(database)}
    lost = [path for path in sorted(location.digests.glob("*.json")) if path not in known]
    found = [kept for path in lost for kept in _read_file(path)]
    if found:
        with database.transaction():
            for kept in found:
                _write_row(database, kept)
                _recover_cost(database, kept)
    return len(found)


def copy_digests(source: Database, target: Database, location: Home | PostgresLocation) -> int:
    """Keep the digests of one archive in another one, unless it has later ones; count them."""
    there = read_digests(target)
    copied = 0
    for name, kept in read_digests(source).items():
        if name not in there or there[name].made_at < kept.made_at:
            keep_digest(target, location, kept)
            copied += 1
    return copied


def digest_path(home: Home, session_id: str) -> Path:
    """Return the file of a session's digest, which its id names, whatever characters that has."""
    name = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
    return home.digests / f"{name[:_NAME_LENGTH]}.json"


def _shown(digest: Digest, made_at: str, *, is_stale: bool) -> SessionDigest:
    fields = msgspec.structs.asdict(digest)
    return SessionDigest(**fields, description=describe(digest), made_at=made_at, is_stale=is_stale)


def _plain_number(value: Any) -> Any:
    """Return a sum as the integer that it is: PostgreSQL adds up to decimals."""
    return value if isinstance(value, str) else int(value)


def _from_row(row: DatabaseRow) -> KeptDigest:
    session_id, receipt, model, prompt_version, made_at, text, cost = row
    return KeptDigest(
        session_id=session_id,
        receipt=receipt,
        model=model,
        prompt_version=prompt_version,
        made_at=made_at,
        digest=_digest.decode(text),
        cost_nano_usd=cost,
    )


def _write_row(database: Database, kept: KeptDigest) -> None:
    """Write the row of a digest, which names its session unless somebody else did."""
    digest = kept.digest
    receipt = find_receipts(database, kept.session_id).get(kept.session_id, kept.receipt)
    values = {
        "session": kept.session_id,
        "receipt": kept.receipt,
        "model": kept.model,
        "prompt_version": kept.prompt_version,
        "made_at": kept.made_at,
        "title": digest.title,
        "outcome": str(digest.outcome),
        "text": "\n".join(_texts(digest)),
        "json": msgspec.json.encode(digest).decode(),
        "claims_quoted": digest.claims_quoted,
        "claims_dropped": digest.claims_dropped,
        "cost_nano_usd": kept.cost_nano_usd,
        "description": describe(digest),
        "is_stale": int(receipt != kept.receipt),
    }
    database.run("set_digest", values)
    database.run("name_after_digest", {"session": kept.session_id, "title": digest.title})


def _recover_cost(database: Database, kept: KeptDigest) -> None:
    """Note what a digest cost, unless the calls that it took are still known."""
    values = {
        "id": secrets.token_hex(_NAME_LENGTH // 2),
        "session": kept.session_id,
        "model": kept.model,
        "made_at": kept.made_at,
        "cost_nano_usd": kept.cost_nano_usd,
    }
    database.run("recover_digest_call", values)


def _texts(digest: Digest) -> Iterator[str]:
    yield digest.title
    claims: tuple[QuotedClaim, ...] = (*digest.summary, *digest.decisions, *digest.open_items)
    yield from (claim.text for claim in claims)


def _read_file(path: Path) -> Iterator[KeptDigest]:
    """Return the digest in a file, if it is one: another program may have written there."""
    try:
        yield _kept.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        _log.warning("%s is not a digest and is ignored: %s", path, error)
