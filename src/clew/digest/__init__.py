"""A conversation → a short account of it, whose claims are quotes of what was said."""

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
]
