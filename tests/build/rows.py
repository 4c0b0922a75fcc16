"""One row of a transcript: what it says, and what every row repeats around it."""

from typing import Any

import msgspec

from tests.build.blocks import Block
from tests.build.calls import Call, tool_use_result_of
from tests.build.clients import Client, Row
from tests.build.texts import DENIED
from tests.build.usage import Usage, no_usage_json, usage_json


class Place(msgspec.Struct, frozen=True):
    """Where and by whom a row is written: what all rows of a moment share."""

    client: Client
    session_id: str
    cwd: str
    branch: str
    entrypoint: str
    slug: str = ""
    agent_id: str = ""
    agent: str = ""
    depth: int = 0


class Answer(msgspec.Struct, frozen=True):
    """What all fragments of one answer share."""

    message_id: str
    request_id: str
    request_ref: str
    model: str
    usage: Usage
    stop_reason: str | None


def envelope(place: Place, parent: str | None, body: Row) -> Row:
    """Put what every row repeats around a body, in the client's order."""
    client = place.client
    # A key that stands in several of the joined dicts keeps its first position.
    logical = {"logicalParentUuid": None} if "logicalParentUuid" in body else {}
    head = {"parentUuid": parent} | logical | {"isSidechain": bool(place.agent_id)}
    around = {
        "userType": "external",
        "entrypoint": place.entrypoint,
        "cwd": place.cwd,
        "sessionId": place.session_id,
        "version": client.version,
        "gitBranch": place.branch,
    }
    agent = {"agentId": place.agent_id} if place.agent_id else {}
    slug = {"slug": place.slug} if place.slug else {}
    if not client.has_place_last:
        return client.keep(head | around | agent | slug | body)
    prompt = {"promptId": body["promptId"]} if "promptId" in body else {}
    return client.keep(head | prompt | agent | body | around | slug)


def answer_body(place: Place, answer: Answer, block: Block, index: int) -> Row:
    """Write one block of an answer: one fragment."""
    message = {
        "id": answer.message_id,
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [block],
        "stop_reason": answer.stop_reason,
        "stop_sequence": None,
        "usage": usage_json(answer.usage, place.client),
        "stop_details": None,
    }
    attribution = {"attributionAgent": place.agent} if place.agent_id else {}
    return {
        "message": place.client.keep(message, "message"),
        **_timing(block),
        "apiBlockIndex": index,
        "requestId": answer.request_id,
        "requestRef": answer.request_ref,
        "requestedModel": answer.model,
        "promptCacheRequested": "5m",
        **attribution,
        "type": "assistant",
        "uuid": None,
        "timestamp": None,
        "effort": "medium",
        "perTurnEffort": "medium",
        "madeBy": "model",
    }


def result_body(place: Place, call: Call, call_id: str, fragment: str) -> Row:
    """Write the result of a call that `fragment` made."""
    body = {
        "type": "user",
        "message": {"role": "user", "content": [_result_block(call, call_id)]},
        "uuid": None,
        "timestamp": None,
        "toolUseResult": tool_use_result_of(call, place.client),
    }
    # Agent transcripts keep what stands beside a result for failures alone.
    if place.agent_id and place.client.is_at_least("2.1.14") and not (call.error or call.denied):
        del body["toolUseResult"]
    if call.tool == "Bash" and not call.denied:
        body["sandboxed"] = False
    if call.denied:
        body["toolDenialKind"] = call.denial_kind
    body["sourceToolAssistantUUID"] = fragment
    accepted = {"decision": "accept", "source": "config", "reasonType": "mode"}
    decision = call.permission or (None if call.denied else accepted)
    if decision is not None:
        body["permissionDecision"] = decision
    return body


def failure_body(place: Place, message_id: str, words: str, error: str, status: int) -> Row:
    """Write the answer that the client invents when the model gave none."""
    message = {
        "diagnostics": None,
        "id": message_id,
        "container": None,
        "model": "<synthetic>",
        "role": "assistant",
        "stop_details": None,
        "stop_reason": "stop_sequence",
        "stop_sequence": "",
        "type": "message",
        "usage": no_usage_json(place.client),
        "content": [{"type": "text", "text": words}],
        "context_management": None,
    }
    reason = place.client.keep({"error": error}, "failure")
    return {
        "type": "assistant",
        "uuid": None,
        "timestamp": None,
        "message": place.client.keep(message, "failure"),
        **reason,
        "isApiErrorMessage": True,
        "apiErrorStatus": status,
        "apiErrorType": f"{error}_error",
        "perTurnEffort": "medium",
        "failedResponseHadNoToolCall": True,
        "madeBy": "model",
    }


def _timing(block: Block) -> Row:
    match block["type"]:
        case "thinking":
            return {"thinkingDurationMs": 900, "thinkingDisplay": "updates"}
        case "tool_use":
            return {"toolInputStreamMs": 40}
        case _:
            return {}


def _result_block(call: Call, call_id: str) -> Block:
    content: Any = DENIED if call.denied and call.result is None else call.result
    if call.error or call.denied:
        return {
            "type": "tool_result",
            "content": content,
            "is_error": True,
            "tool_use_id": call_id,
        }
    outcome = {"is_error": False} if call.tool == "Bash" else {}
    return {"tool_use_id": call_id, "type": "tool_result", "content": content, **outcome}
