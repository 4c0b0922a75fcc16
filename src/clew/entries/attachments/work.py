"""Attachments about the work itself: plans, tasks, teams, queued prompts."""

from msgspec import Raw, field

from clew.entries.attachments.base import Attachment
from clew.entries.blocks import AnyBlock
from clew.entries.row import NULL, Whole
from clew.entries.user import Origin


class GoalStatusAttachment(Attachment, frozen=True, tag="goal_status"):
    """Whether a goal was reached."""

    met: Raw = NULL
    sentinel: Raw = NULL
    condition: Raw = NULL
    failed: Raw = NULL
    reason: Raw = NULL
    iterations: Raw = NULL
    duration_ms: float | None = None
    tokens: Raw = NULL


class GoalsAttachment(Attachment, frozen=True, tag="goals"):
    """Goals of the session."""


class PlanFileReferenceAttachment(Attachment, frozen=True, tag="plan_file_reference"):
    """A plan that a compaction preserves."""

    plan_file_path: str = ""
    plan_content: str = ""


class PlanModeAttachment(Attachment, frozen=True, tag="plan_mode"):
    """The client is in plan mode."""

    reminder_type: str = ""
    is_sub_agent: bool = False
    plan_file_path: str = ""
    plan_exists: bool = False
    custom_instructions: Raw = NULL
    plan_goes_to_exit_tool: Raw = NULL
    plan_doc_server: Raw = NULL
    plan_doc: Raw = NULL


class PlanModeExitAttachment(Attachment, frozen=True, tag="plan_mode_exit"):
    """The client left plan mode."""

    plan_exists: bool = False
    plan_file_path: str = ""


class PlanModeReentryAttachment(Attachment, frozen=True, tag="plan_mode_reentry"):
    """The client went back to plan mode."""

    plan_file_path: str = ""


class QueuedCommandAttachment(Attachment, frozen=True, tag="queued_command"):
    """What was typed while the model worked, handed to it on the way."""

    prompt: str | list[AnyBlock] = ""
    source_uuid: str = field(default="", name="source_uuid")
    origin: Origin | None = None
    timestamp: str = ""
    is_meta: bool | None = None
    forwarded_intent: Raw = NULL
    lineage: Raw = NULL
    carried_by_compaction: Raw = NULL
    delivery_id: str = field(default="", name="delivery_id")
    image_paste_ids: Raw = NULL
    file_attachments: Raw = NULL
    inlined_image_paths: Raw = NULL
    inlined_image_names: Raw = NULL
    image_file_uuids: Raw = NULL
    saved_files: Raw = NULL
    widget_views: Raw = NULL
    widget_views_more: Raw = NULL
    command_mode: str = ""
    prompt_rewritten: Raw = NULL
    from_connector: Raw = NULL
    typed_by_person: Raw = NULL
    run_id: str = ""
    usage: Raw = NULL
    task_delivery: Raw = NULL
    verified_slack_human_turn: Raw = NULL
    text_not_typed: Raw = NULL
    projects_user_turn: Raw = NULL
    email_sender_turn: Raw = NULL
    input_source: Raw = NULL
    send_message_tool_absent: Raw = NULL
    hearth_relay_rows: Raw = NULL
    hearth_relay_thread_ts: Raw = NULL
    hearth_relay_message_ids: Raw = NULL
    human_turn: Raw = NULL
    hosts_own_turn: Raw = NULL
    beside_tool_results: Raw = NULL


class TaskReminderAttachment(Attachment, frozen=True, tag="task_reminder"):
    """The task list as a reminder."""

    content: Raw = NULL
    item_count: Whole | None = None


class TaskStatusAttachment(Attachment, frozen=True, tag="task_status"):
    """The status of a background task."""

    task_id: str = ""
    task_type: str = ""
    description: str = ""
    status: str = ""
    delta_summary: Raw = NULL
    output_file_path: str = ""
    can_continue_agent: Raw = NULL
    shell: Raw = NULL


class TeamContextAttachment(Attachment, frozen=True, tag="team_context"):
    """The team this agent belongs to."""

    agent_id: str = ""
    agent_name: str = ""
    team_name: str = ""
    team_config_path: Raw = NULL
    task_list_path: Raw = NULL
    has_task_list_tools: Raw = NULL


class TeammateMailboxAttachment(Attachment, frozen=True, tag="teammate_mailbox"):
    """Messages from teammates."""


class TeammateShutdownBatchAttachment(Attachment, frozen=True, tag="teammate_shutdown_batch"):
    """Teammates were shut down."""

    count: Raw = NULL


class TodoReminderAttachment(Attachment, frozen=True, tag="todo_reminder"):
    """The checklist as a reminder."""

    content: Raw = NULL
    item_count: Whole | None = None
