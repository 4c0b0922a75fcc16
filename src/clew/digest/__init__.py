"""A conversation → a short account of it, whose claims are quotes of what was said."""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.digest.extract import describe, find_outcome, make_extract
    from clew.digest.facts import gather_facts
    from clew.digest.model import (
        Digest,
        DigestFacts,
        DigestModel,
        ListedTask,
        ModelReply,
        ModelRequest,
        Outcome,
        QuotedClaim,
        ReportedCommit,
        TestRun,
        TouchedFile,
    )

__all__ = [
    "Digest",
    "DigestFacts",
    "DigestModel",
    "ListedTask",
    "ModelReply",
    "ModelRequest",
    "Outcome",
    "QuotedClaim",
    "ReportedCommit",
    "TestRun",
    "TouchedFile",
    "describe",
    "find_outcome",
    "gather_facts",
    "make_extract",
]

import_lazily(__name__)
