"""A conversation → a short account of it, whose claims are quotes of what was said."""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.digest.check import check_reply
    from clew.digest.condense import CondensedPart, condense
    from clew.digest.errors import DigestError, ReplyError
    from clew.digest.extract import (
        describe,
        extract_session,
        find_outcome,
        make_extract,
        outcome_of_files,
    )
    from clew.digest.facts import gather_facts
    from clew.digest.model import (
        EXTRACT,
        Digest,
        DigestFacts,
        DigestModel,
        ListedTask,
        ModelReply,
        ModelRequest,
        Outcome,
        QuotedClaim,
        ReportedCommit,
        SessionDigest,
        TestRun,
        TouchedFile,
    )
    from clew.digest.outcomes import cap_outcome
    from clew.digest.plain import strip_lead, strip_markdown
    from clew.digest.prompt import PROMPT_VERSION, combine_request, digest_request

__all__ = [
    "EXTRACT",
    "PROMPT_VERSION",
    "CondensedPart",
    "Digest",
    "DigestError",
    "DigestFacts",
    "DigestModel",
    "ListedTask",
    "ModelReply",
    "ModelRequest",
    "Outcome",
    "QuotedClaim",
    "ReplyError",
    "ReportedCommit",
    "SessionDigest",
    "TestRun",
    "TouchedFile",
    "cap_outcome",
    "check_reply",
    "combine_request",
    "condense",
    "describe",
    "digest_request",
    "extract_session",
    "find_outcome",
    "gather_facts",
    "make_extract",
    "outcome_of_files",
    "strip_lead",
    "strip_markdown",
]

import_lazily(__name__)
