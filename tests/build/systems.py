"""Rows that nobody said: system rows, queue operations and bookkeeping."""

from typing import Any

from tests.build.clients import Client, Row
from tests.build.draft import Draft
from tests.build.usage import model_usage_json


def system_body(subtype: str, **fields: Any) -> Row:
    """Write a system row of any kind."""
    row: Row = {"type": "system", "subtype": subtype, **fields}
    return row | {"timestamp": None, "uuid": None, "isMeta": False}


def stop_hook_body(command: str, error: str, hook_id: str, *, stops: bool) -> Row:
    """Write what the hooks at the end of a turn did."""
    return {
        "type": "system",
        "subtype": "stop_hook_summary",
        "hookCount": 1,
        "hookInfos": [{"command": command, "durationMs": 20}],
        "hookErrors": [error] if error else [],
        "hookAdditionalContext": [],
        "preventedContinuation": stops,
        "stopReason": "",
        "hasOutput": bool(error),
        "level": "suggestion",
        "timestamp": None,
        "uuid": None,
        "toolUseID": hook_id,
    }


def api_error_body(client: Client, status: int, words: str, request_id: str, attempt: int) -> Row:
    """Write a failed request that is tried again."""
    return {
        "type": "system",
        "subtype": "api_error",
        "level": "error",
        "error": _error(client, status, words, request_id),
        "retryInMs": 500 * 2**attempt,
        "retryAttempt": attempt,
        "maxRetries": 10,
        "source": "request_retry",
        "timestamp": None,
        "uuid": None,
    }


def boundary_body(client: Client, parent: str | None, trigger: str, pre: int, post: int) -> Row:
    """Write the line between a past and the summary that stands for it."""
    values = {
        "trigger": trigger,
        "preTokens": pre,
        "postTokens": post,
        "cumulativeDroppedTokens": pre - post,
        "durationMs": 20_000,
    }
    return {
        "logicalParentUuid": parent,
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "isMeta": False,
        "timestamp": None,
        "uuid": None,
        "level": "info",
        "compactMetadata": client.keep(values, "compact"),
    }


def attachment_body(kind: str, fields: Row, rendered: str) -> Row:
    """Write something that is handed to the model beside the talk."""
    body: Row = {
        "attachment": {"type": kind, **fields},
        "type": "attachment",
        "uuid": None,
        "timestamp": None,
    }
    shown = {"rendered": [{"content": rendered}], "renderedRole": "system"} if rendered else {}
    return body | shown


def progress_body(kind: str, call_id: str, data: Row) -> Row:
    """Write a sign of life of a call."""
    return {
        "type": "progress",
        "data": {"type": kind, **data},
        "toolUseID": call_id if kind == "hook_progress" else f"{kind}-0",
        "parentToolUseID": call_id,
    }


def queue_row(draft: Draft, operation: str, fields: Row) -> Row:
    """Write an operation on the queue of prompts."""
    return {
        "type": "queue-operation",
        "operation": operation,
        "timestamp": draft.stamp(),
        "sessionId": draft.place.session_id,
        **draft.client.keep(fields, "queue" if operation == "remove" else ""),
    }


def queued_command(draft: Draft, words: str, source: str, delivery: str) -> Row:
    """Describe words that were handed to the model in the middle of a turn."""
    values = {
        "prompt": words,
        "source_uuid": source,
        "delivery_id": delivery,
        "commandMode": "prompt",
        "origin": {"kind": "human"},
        "timestamp": draft.stamp(),
        "humanTurn": True,
    }
    return draft.client.keep(values, "queued")


def snapshot_row(draft: Draft, files: Row) -> Row:
    """Write which files were saved before the next change."""
    message_id = draft.last_uuid
    return {
        "type": "file-history-snapshot",
        "messageId": message_id,
        "snapshot": {
            "messageId": message_id,
            "trackedFileBackups": files,
            "timestamp": draft.stamp(),
        },
        "isSnapshotUpdate": False,
    }


def cost_state_row(draft: Draft, costs_usd: dict[str, float]) -> Row:
    """Write the client's own totals, with the cost of each model."""
    usage = {
        model: model_usage_json(spent, costs_usd.get(model, 0))
        for model, spent in draft.spent.items()
    }
    return {
        "type": "cost-state",
        "sessionId": draft.place.session_id,
        "totalCostUSD": sum(costs_usd.values()),
        "totalAPIDuration": 1000,
        "totalAPIDurationWithoutRetries": 1000,
        "totalToolDuration": 0,
        "totalLinesAdded": 0,
        "totalLinesRemoved": 0,
        "totalDuration": 2000,
        "startTime": int(draft.now.timestamp() * 1000),
        "modelUsage": usage,
        "hasUnknownModelCost": False,
    }


def _error(client: Client, status: int, words: str, request_id: str) -> Row:
    inner = {"type": "error", "error": {"type": "api_error", "message": words}}
    if not client.writes("source"):
        return {"status": status, "headers": {}, "requestID": request_id, "error": inner}
    return {
        "message": f"{status} {words}",
        "status": status,
        "requestId": request_id,
        "formatted": f"{status} {words}",
        "connection": None,
        "isNetworkDown": False,
        "rateLimits": None,
        "noResponse": None,
    }
