"""Attachments about what the model can use: tools, skills, agents, commands."""

from msgspec import Raw, field

from clew.entries.attachments.base import Attachment
from clew.entries.row import NULL, Whole


class AdvisorToolAttachment(Attachment, frozen=True, tag="advisor_tool"):
    """An advising model became available, or changed."""

    available: Raw = NULL
    model: Raw = NULL
    tool_change: Raw = NULL
    by_base: Raw = NULL
    abbreviated: Raw = NULL


class AgentListingDeltaAttachment(Attachment, frozen=True, tag="agent_listing_delta"):
    """Agents that became available or went."""

    added_types: tuple[str, ...] = ()
    added_lines: tuple[str, ...] = ()
    built_in_types: tuple[str, ...] = ()
    built_in_plugin_types: tuple[str, ...] = ()
    removed_types: tuple[str, ...] = ()
    is_initial: bool = False
    show_concurrency_note: bool = False


class CommandPermissionsAttachment(Attachment, frozen=True, tag="command_permissions"):
    """Tools that a slash command may use."""

    allowed_tools: tuple[str, ...] = ()
    model: Raw = NULL


class DeferredToolsDeltaAttachment(Attachment, frozen=True, tag="deferred_tools_delta"):
    """Tools that can be searched for came or went."""

    added_lines: tuple[str, ...] = ()
    added_names: tuple[str, ...] = ()
    failed_mcp_servers: tuple[str, ...] = ()
    needs_auth_mcp_servers: tuple[str, ...] = ()
    pending_mcp_servers: tuple[str, ...] = ()
    readded_names: tuple[str, ...] = ()
    removed_names: tuple[str, ...] = ()
    wire_hidden_names: tuple[str, ...] = ()


class DeferredToolsRecordAttachment(Attachment, frozen=True, tag="deferred_tools_record"):
    """The tools that can be searched for."""

    entries: Raw = NULL
    name_only_announcements: Raw = NULL
    stripped_references: Raw = NULL
    tool_input_copies: Raw = NULL


class DynamicSkillAttachment(Attachment, frozen=True, tag="dynamic_skill"):
    """Skills found in a folder."""

    skill_dir: str = ""
    skill_names: Raw = NULL
    display_path: str = ""


class InvokedSkillsAttachment(Attachment, frozen=True, tag="invoked_skills"):
    """Skills in use."""

    skills: Raw = NULL
    mcp_skill_entries: Raw = NULL


class LinkedPluginToolsNoteAttachment(Attachment, frozen=True, tag="linked_plugin_tools_note"):
    """A note on tools of a linked plugin."""

    text: str = ""
    prefixes: Raw = NULL


class McpDroppedToolsDeltaAttachment(Attachment, frozen=True, tag="mcp_dropped_tools_delta"):
    """MCP tools that were dropped."""


class McpInstructionsDeltaAttachment(Attachment, frozen=True, tag="mcp_instructions_delta"):
    """Instructions of MCP servers came or went."""

    added_blocks: tuple[str, ...] = ()
    added_names: tuple[str, ...] = ()
    removed_names: tuple[str, ...] = ()


class ReplMcpNeedsAuthAttachment(Attachment, frozen=True, tag="repl_mcp_needs_auth"):
    """MCP servers that need a login."""

    servers: Raw = NULL


class SkillListingAttachment(Attachment, frozen=True, tag="skill_listing"):
    """The skills available."""

    content: str = ""
    skill_count: Whole | None = None
    is_initial: bool = False
    names: tuple[str, ...] = ()
    digests: Raw = NULL
    adds_to_earlier: Raw = NULL


class ToolHostResultLinesAttachment(Attachment, frozen=True, tag="tool_host_result_lines"):
    """Where a tool ran."""

    tool_use_id: str = field(default="", name="toolUseID")
    host: Raw = NULL
    lines: Raw = NULL
    label: Raw = NULL
    unverified: Raw = NULL
    working_dir: Raw = NULL
    disposition: Raw = NULL


class ToolHostsCorrectionAttachment(Attachment, frozen=True, tag="tool_hosts_correction"):
    """A correction on where tools run."""

    lines: Raw = NULL


class ToolHostsNoticeAttachment(Attachment, frozen=True, tag="tool_hosts_notice"):
    """A notice on where tools run."""

    lines: Raw = NULL


class ToolResultsCutAttachment(Attachment, frozen=True, tag="tool_results_cut"):
    """Tool results were cut from the context."""

    call_ids: Raw = NULL
    stand_in: Raw = NULL
    rough_tokens: Raw = NULL


class ToolSearchUsageReminderAttachment(Attachment, frozen=True, tag="tool_search_usage_reminder"):
    """A reminder to search for tools."""

    undiscovered_tool_names: Raw = NULL
    undiscovered_count: Raw = NULL


class UnknownCommandFallbackAttachment(Attachment, frozen=True, tag="unknown_command_fallback"):
    """A slash command that does not exist."""

    command_name: str = ""
    suggestion: Raw = NULL
    available_command_names: tuple[str, ...] = ()
    available_command_count: Whole | None = None
    reserved_name: Raw = NULL
