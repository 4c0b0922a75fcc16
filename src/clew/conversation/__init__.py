"""entries → conversation: messages, calls, threads, turns, epochs, agent runs.

Pure: the same entries make the same conversation, in whatever order their files come.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.conversation.blocks import joined_text, to_block, to_blocks
    from clew.conversation.build import build
    from clew.conversation.claims import Claim, SessionClaim, session_claim
    from clew.conversation.fillers import says_something
    from clew.conversation.material import Material, Surroundings, Transcript, TranscriptKind
    from clew.conversation.model import (
        MISSING,
        AgentRun,
        Block,
        CacheMiss,
        CallTimes,
        Conversation,
        Duplicate,
        Epoch,
        Lineage,
        Location,
        Message,
        Permission,
        ProgressNote,
        PullRequestLink,
        Reported,
        Retry,
        Session,
        Thread,
        ToolCall,
        Totals,
        Turn,
        Variant,
    )
    from clew.conversation.model_usage import (
        COUNT_LIMITS,
        MAX_TOKENS,
        ModelUsage,
        is_inherited,
        is_lower_bound,
        make_quality,
        sum_quality,
    )
    from clew.conversation.opening import Opening, find_opening, plan_heading
    from clew.conversation.outcome import Evidence, outcome, to_permission
    from clew.conversation.progress_runs import progress_entry
    from clew.conversation.projects import project_of
    from clew.conversation.titles import stated_title, with_digest_title, with_own_title
    from clew.conversation.tool_calls import nameless_position
    from clew.conversation.turns import count_compactions, first_whole_epoch
    from clew.conversation.usage import (
        add_up,
        advisor_usages,
        merge_snapshots,
        to_model_usage,
        total_tokens,
        usage_counts,
        usage_of_fragments,
        with_searches,
    )

__all__ = [
    "COUNT_LIMITS",
    "MAX_TOKENS",
    "MISSING",
    "AgentRun",
    "Block",
    "CacheMiss",
    "CallTimes",
    "Claim",
    "Conversation",
    "Duplicate",
    "Epoch",
    "Evidence",
    "Lineage",
    "Location",
    "Material",
    "Message",
    "ModelUsage",
    "Opening",
    "Permission",
    "ProgressNote",
    "PullRequestLink",
    "Reported",
    "Retry",
    "Session",
    "SessionClaim",
    "Surroundings",
    "Thread",
    "ToolCall",
    "Totals",
    "Transcript",
    "TranscriptKind",
    "Turn",
    "Variant",
    "add_up",
    "advisor_usages",
    "build",
    "count_compactions",
    "find_opening",
    "first_whole_epoch",
    "is_inherited",
    "is_lower_bound",
    "joined_text",
    "make_quality",
    "merge_snapshots",
    "nameless_position",
    "outcome",
    "plan_heading",
    "progress_entry",
    "project_of",
    "says_something",
    "session_claim",
    "stated_title",
    "sum_quality",
    "to_block",
    "to_blocks",
    "to_model_usage",
    "to_permission",
    "total_tokens",
    "usage_counts",
    "usage_of_fragments",
    "with_digest_title",
    "with_own_title",
    "with_searches",
]

import_lazily(__name__)
