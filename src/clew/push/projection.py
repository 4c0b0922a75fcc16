"""A session's files and a tier below *everything* → the files to send."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from clew.protocol import Tier
from clew.push.mark_ledger import MarkLedger
from clew.push.names import KeyedNames, wire_file
from clew.push.projected import ProjectedFile, ProjectedPiece, PushedSource, cut_pieces
from clew.push.redaction import LINE_KINDS, REDACTED_KINDS, SessionRedaction
from clew.push.structure import STRUCTURE_KINDS, StructureProjection

_Units = Callable[[PushedSource], Iterator[tuple[int, bytes]]]


def project_session(
    tier: Tier, key: bytes, sources: Sequence[PushedSource], ledger: MarkLedger
) -> Iterator[ProjectedFile]:
    """Return the files of one session as they leave at a tier; none for other tiers.

    Files that may not leave at the tier are left out.

    Args:
        tier: *structure* or *redacted*.
        key: The laptop's own, by which ids and names are hashed: at least 32 random bytes.
        sources: All files of the session.
        ledger: Numbers the marks of secrets. Save what it added before sending a piece.
    """
    names = KeyedNames(key)
    if tier is Tier.STRUCTURE:
        chosen = [source for source in sources if source.kind in STRUCTURE_KINDS]
        units: _Units = StructureProjection(names, _session_of(chosen)).units
    elif tier is Tier.REDACTED:
        chosen = [source for source in sources if source.kind in REDACTED_KINDS]
        units = SessionRedaction(chosen, names, ledger).units
    else:
        return
    for source in chosen:
        pieces = cut_pieces(units(source), source.cuts)
        first = next(pieces, None)
        # A transcript without a line is one nevertheless; of other files, nothing may be left.
        if first is not None or source.kind in LINE_KINDS:
            yield _to_file(source, names, chain([first] if first else [], pieces))


def _session_of(sources: Sequence[PushedSource]) -> str:
    return next((source.session_id for source in sources), "")


def _to_file(
    source: PushedSource, names: KeyedNames, pieces: Iterator[ProjectedPiece]
) -> ProjectedFile:
    return ProjectedFile(
        path=source.path,
        file=wire_file(source, names),
        kind=source.kind,
        session=names.hash_session(source.session_id),
        agent=names.hash_id(source.agent_id) if source.agent_id else None,
        workflow=names.hash_id(source.workflow_id) if source.workflow_id else None,
        pieces=pieces,
    )
