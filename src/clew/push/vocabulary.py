"""The closed lists of the tier *structure*: all words that may leave are here or in the parser.

Whatever is in none of these lists becomes `other`.
"""

from functools import lru_cache
from typing import Final, get_args

from clew.analytics import SYNTHETIC, normalise, price_table, region_of
from clew.entries import (
    ATTACHMENTS,
    PROGRESS_KINDS,
    RECORD_TYPES,
    SYSTEM_SUBTYPES,
    AnyBlock,
)
from clew.tools import TOOL_NAMES

OTHER: Final = "other"

_ROLES: Final = "user assistant system message developer"
_BLOCKS: Final = "base64 url file direct ephemeral compaction advisor"
_STOP_REASONS: Final = """
end_turn tool_use max_tokens stop_sequence pause_turn refusal model_context_window_exceeded
compaction
"""
_SERVICE: Final = """
standard priority batch flex fast us eu global not_available 5m 1h low medium high xhigh max none
model updates omitted summarized
"""
_MODES: Final = """
default acceptEdits bypassPermissions plan dontAsk auto normal manual prompt bash task-notification
orphaned-permission
"""
_CLIENTS: Final = """
external internal cli sdk sdk-cli sdk-py sdk-ts claude-vscode claude-jetbrains claude-desktop mcp
remote local-agent bg typed system voice human task_notification peer coordinator channel hook
scheduled queued suggestion
"""
_LEVELS: Final = "debug info notice warning error suggestion"
_QUEUE: Final = """
enqueue dequeue remove popAll append flush absorbed_mid_turn blocked-by-hook blocked_by_hook
"""
_DECISIONS: Final = """
accept reject config user user_temporary user_permanent hook rule mode once session always
subcommandResults classifier user-rejected interrupted hook-blocked permission-rule built-in
request_retry projectSettings userSettings localSettings policySettings flagSettings cliArg
"""
_STATUSES: Final = """
pending running in_progress completed done working failed killed stopped cancelled interrupted
error success started launched queued skipped deleted async_launched remote_launched
teammate_spawned timeout timed_out unknown in_process_teammate local_agent local_bash remote_agent
conversation_compacted conversation_restored
"""
_ERRORS: Final = """
rate_limit rate_limit_error authentication_failed authentication_error permission_error
invalid_request invalid_request_error not_found_error request_too_large server_error api_error
overloaded overloaded_error billing_error max_output_tokens timeout_error unknown
cache_evicted cache_expired system_changed tools_changed messages_changed model_changed
previous_message_not_found
"""
_HOOK_EVENTS: Final = """
PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit Notification Stop SubagentStart
SubagentStop PreCompact PostCompact SessionStart SessionEnd PermissionRequest Setup TeammateIdle
TaskCompleted ConfigChange WorktreeCreate WorktreeRemove
"""
_MEDIA: Final = """
image/png image/jpeg image/gif image/webp image/svg+xml application/pdf text/plain
"""
WORDS: Final = frozenset(
    {
        *RECORD_TYPES,
        *SYSTEM_SUBTYPES,
        *ATTACHMENTS,
        *PROGRESS_KINDS,
        *(str(block.__struct_config__.tag) for block in get_args(AnyBlock)),
        *" ".join(
            (
                *(_ROLES, _BLOCKS, _STOP_REASONS, _SERVICE, _MODES, _CLIENTS, _LEVELS, _QUEUE),
                *(_DECISIONS, _STATUSES, _ERRORS, _HOOK_EVENTS, _MEDIA),
            )
        ).split(),
    }
)

_AGENTS: Final = """
general-purpose Explore Plan statusline-setup output-style-setup claude-code-guide
workflow-subagent fork worker
"""
AGENTS: Final = frozenset(_AGENTS.split())
_SERVER_TOOLS: Final = """
web_search web_fetch code_execution bash_code_execution text_editor_code_execution
tool_search_tool_regex tool_search_tool_bm25 advisor memory computer
"""
TOOLS: Final = TOOL_NAMES | frozenset(_SERVER_TOOLS.split())
MCP_TOOL: Final = "mcp__other__other"
_COMMANDS: Final = """
add-dir agents branch bug clear color compact config context copy cost doctor effort exit export
fast feedback fork help hooks ide init install-github-app keybindings login logout mcp memory
mobile model output-style permissions plan plugin pr-comments privacy-settings quit
release-notes reload-plugins remote-control rename resume review rewind sandbox security-review
simplify skills stats status statusline tasks terminal-setup theme think-back todos upgrade usage
vim
"""
COMMANDS: Final = frozenset(_COMMANDS.split())
_REGIONS: Final = {"": "", "regional": "eu.anthropic.", "gov": "us-gov.anthropic."}


def word(value: str) -> str:
    """Return a word of the closed lists."""
    return value if value in WORDS or not value else OTHER


def agent_word(value: str) -> str:
    """Return the name of an agent that comes with the client."""
    return value if value in AGENTS or not value else OTHER


def tool_word(value: str) -> str:
    """Return the name of a tool that comes with the client."""
    if value in TOOLS or not value:
        return value
    return MCP_TOOL if value.startswith("mcp__") else OTHER


def command_word(value: str) -> str:
    """Return the name of a command that comes with the client, with its slash."""
    name = value.removeprefix("/")
    return f"/{name if name in COMMANDS else OTHER}"


@lru_cache(maxsize=256)
def model_word(value: str) -> str:
    """Return the name of a model that has a price, with what that price depends on."""
    if value == SYNTHETIC or not value:
        return value
    name = normalise(value)
    return _REGIONS[region_of(value)] + name if name in _priced_models() else OTHER


@lru_cache(maxsize=1)
def _priced_models() -> frozenset[str]:
    return frozenset(price.model for price in price_table().rows)
