"""What the tier *structure* makes of a text, by the field that it is in.

A field that is not listed here loses its text.
"""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final


class TextRule(Enum):
    """What becomes of a text."""

    NOTHING = auto()
    ID = auto()
    SESSION_ID = auto()
    PATH = auto()
    LAST_OF_PATH = auto()
    DIGEST = auto()
    WORD = auto()
    MODEL = auto()
    AGENT = auto()
    TOOL = auto()
    TIME = auto()
    VERSION = auto()
    TALK = auto()
    FILLER = auto()
    ROW = auto()
    """A row as JSON: projected like a line."""


_IDS: Final = """
uuid parent_uuid logical_parent_uuid agent_id prompt_id request_id id message_uuid
source_tool_assistant_uuid source_tool_use_id tool_use_id parent_tool_use_id leaf_uuid message_id
snapshot_message_id command_uuid delivery_id parent_last_uuid head_uuid anchor_uuid tail_uuid uuids
all_uuids compacted_tool_ids cleared_attachment_uuids interrupted_message_id refused_message_id
summarized_turn_prompt_uuids run_id sender_task_id task_id background_task_id shell_id teammate_id
folded_uuids retracted_message_uuids refused_user_message_uuid launched_agent_id source_uuid
after_uuid parent_agent_id tool_id agent_name team_name sender key
"""
_SESSION_IDS: Final = "session_id live_session_id parent_session_id continued_in_session_id"
_PATHS: Final = "cwd original_cwd worktree_path relocated_cwd"
_WORDS: Final = """
type subtype role stop_reason level operation service_tier inference_geo speed user_type entrypoint
session_kind permission_mode mode trigger effort per_turn_effort made_by error api_error
api_error_type decision source grant_scope reason_type reason_code rule_source tool_denial_kind
prompt_source turn_origin kind subkind command_mode hook_event task_kind media_type
thinking_display status state prompt_cache_requested reason task_type
"""
_MODELS: Final = """
model requested_model refusing_model original_model fallback_model resolved_model
"""
_LISTS: Final[Mapping[TextRule, str]] = {
    TextRule.ID: _IDS,
    TextRule.SESSION_ID: _SESSION_IDS,
    TextRule.PATH: _PATHS,
    TextRule.LAST_OF_PATH: "transcript_dir",
    TextRule.DIGEST: "signature",
    TextRule.WORD: _WORDS,
    TextRule.MODEL: _MODELS,
    TextRule.AGENT: "agent_type attribution_agent agent_setting",
    TextRule.TOOL: "tool_name tools pre_compact_discovered_tools",
    TextRule.TIME: "timestamp",
    TextRule.VERSION: "version",
    TextRule.TALK: "content text prompt",
    TextRule.FILLER: "thinking description",
}
_RULES: Final = {name: rule for rule, names in _LISTS.items() for name in names.split()}
# Fields whose rule is not that of their name, by their struct.
_OWN_RULES: Final[Mapping[tuple[str, str], TextRule]] = {
    ("ToolUseBlock", "name"): TextRule.TOOL,
    ("ServerToolUseBlock", "name"): TextRule.TOOL,
    ("McpToolUseBlock", "name"): TextRule.TOOL,
    ("Origin", "name"): TextRule.ID,
    ("AgentMeta", "name"): TextRule.ID,
    ("RedactedThinkingBlock", "data"): TextRule.DIGEST,
    ("AgentProgress", "message"): TextRule.ROW,
    ("SkillProgress", "message"): TextRule.ROW,
    ("ResultLinks", "error"): TextRule.FILLER,
}
# Numbers pass, except those that name something.
_NAMING_NUMBERS: Final = frozenset({"pr_number"})


def rule_of(struct: str, field: str) -> TextRule:
    """Return what becomes of the texts of a field."""
    return _OWN_RULES.get((struct, field)) or _RULES.get(field, TextRule.NOTHING)


def is_left_out(field: str) -> bool:
    """Return whether not even a number of a field passes."""
    return field in _NAMING_NUMBERS
