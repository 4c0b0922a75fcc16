"""Receipts: hashes of what is archived of sessions, by which digests that are stale are known."""

import hashlib

from clew.source import TRANSCRIPT_KINDS
from clew.store.protocols import Database


def find_receipts(database: Database, *session_ids: str) -> dict[str, str]:
    """Return a hash of all that sessions' transcripts contain, of some sessions or of all."""
    hashes: dict[str, hashlib._Hash] = {}
    values = {"sessions": list(session_ids) or None, "kinds": sorted(TRANSCRIPT_KINDS)}
    for session, path, size, start, frame in database.rows("hashes_of_transcripts", values):
        known = hashes.setdefault(session, hashlib.sha256())
        # In a preview, a file has grown of which no frames are known yet.
        text = f"{path}\0{size}\0{start}\0{frame.lower()}\n"
        known.update(text.encode("utf-8", "surrogatepass"))
    return {session: known.hexdigest() for session, known in hashes.items()}


def mark_stale_digests(database: Database) -> None:
    """Note which digests of sessions that were just written are stale, in a transaction."""
    found = list(database.rows("digests_of_changed_sessions"))
    if not found:
        return
    receipts = find_receipts(database, *(str(row[0]) for row in found))
    states = [(name, int(receipts.get(name) != receipt), known) for name, receipt, known in found]
    changed = [{"session": name, "is_stale": new} for name, new, known in states if new != known]
    if changed:
        database.run_many("set_digest_stale", changed)
