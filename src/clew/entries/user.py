"""Rows of the user's side: prompts, tool results, command output, injected context."""

from typing import Literal

import msgspec

from clew.entries.blocks import AnyBlock
from clew.entries.row import NULL, Row, Whole


class UserMessage(msgspec.Struct, frozen=True, gc=False):
    """What was sent to the model as the user's."""

    role: str = ""
    content: str | list[AnyBlock] = ""


class Origin(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Who or what a user row comes from."""

    kind: str = ""
    subkind: str = ""
    producer: str = ""
    run_id: str = ""
    sender: str = msgspec.field(default="", name="from")
    sender_task_id: str = ""
    name: str = ""
    body: str = ""
    server: str = ""


class ThinkingTrigger(msgspec.Struct, frozen=True, gc=False):
    """A word in a prompt that requested more thinking."""

    start: Whole = 0
    end: Whole = 0
    text: str = ""


class ThinkingMetadata(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """How much thinking a prompt requested."""

    level: str | None = None
    disabled: bool | None = None
    triggers: tuple[ThinkingTrigger, ...] = ()
    max_thinking_tokens: Whole | None = None


class TodoItem(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """One item of the checklist as it was when a prompt was sent."""

    content: str = ""
    status: str = ""
    active_form: str = ""
    id: str = ""
    priority: str = ""


class PermissionDecision(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Whether a tool was allowed to run, who decided it, and for how long."""

    decision: str = ""
    source: str = ""
    grant_scope: str | None = None
    reason_type: str | None = None
    reason_code: str | None = None
    rule_source: str | None = None


class User(Row, frozen=True, kw_only=True):
    """A user row. It does not mean that a person wrote it: see `classify`."""

    type: Literal["user"]
    message: UserMessage
    tool_use_result: msgspec.Raw = NULL
    source_tool_assistant_uuid: str = msgspec.field(default="", name="sourceToolAssistantUUID")
    is_meta: bool | None = False
    is_compact_summary: bool = False
    is_visible_in_transcript_only: bool = False
    prompt_id: str | None = ""
    prompt_source: str | None = ""
    origin: Origin | None = None
    turn_origin: str = ""
    turn_position: msgspec.Raw = NULL
    turn_companion: bool | None = None
    permission_mode: str | None = ""
    permission_decision: PermissionDecision | None = None
    source_tool_use_id: str = msgspec.field(default="", name="sourceToolUseID")
    thinking_metadata: ThinkingMetadata | None = None
    todos: tuple[TodoItem, ...] = ()
    plan_content: str = ""
    image_paste_ids: tuple[Whole, ...] = ()
    interrupted_message_id: str = ""
    refused_message_id: str = ""
    summarized_turn_prompt_uuids: tuple[str, ...] = ()
    tool_denial_kind: str | None = ""
    tool_ends_turn: bool | None = None
    user_feedback: str | None = None
    holds_persons_words: bool | None = None
    queue_skip_attachments: bool | None = None
    queue_skip_slash_commands: bool | None = None
    sandboxed: bool | None = None
    mcp_meta: msgspec.Raw = NULL
    mcp_call_not_read_only: str | bool | None = None
    # Of the flat dialect: `error` on a result that is one.
    level: str | None = None
