"""How a tool call ended: the one place that decides it, for every surface and every count.

A call is `pending` without a result, else `done`, `failed`, `denied` or `interrupted`. Only a
failed call is an error. A denied one never ran: a person, a hook, a rule or a mode refused it. An
interrupted one was stopped, or called off because a call beside it failed.
"""

import re
from typing import Final

import msgspec

from clew.conversation.model import Permission
from clew.entries import NO_LINKS, NULL, PermissionDecision, ResultLinks

_REJECTED: Final = "reject"
_ACCEPTED: Final = "accept"
_INTERRUPTED_KIND: Final = "interrupted"
_INTERRUPT: Final = "[Request interrupted by user for tool use]"

# Words of the client, each at the very start of an error.
_DENIED: Final = re.compile(
    r"The user doesn't want to (?:proceed with this tool use|take this action)"
    r"|(?:The user|User) rejected "
    r"|The agent proposed a plan that was rejected by the user"
    r"|Permission to use "
    r"|Permission (?:to|for) [^\n]{1,2000}? (?:has been|was) (?:auto-)?denied"
    r"|Claude requested permissions? to "
    r"|This command requires approval"
    r"|This \w{1,40} command contains multiple operations\."
    r"|\S{1,200} in '[^\n]{1,4000}?' (?:was blocked\. For security|needs approval\.)"
    r"|PreToolUse:[^\n]{1,200}? hook error"
    r"|\S{1,200} operation blocked by hook"
    r"|(?:Exit plan mode|Answer questions)\?$"
)
_STOPPED: Final = re.compile(
    r"(?:Exit code -?\d{1,9}\s+)?\[Request interrupted by user"
    r"|\[Tool call interrupted"
    r"|Interrupted by user"
    r"|Sibling tool call errored"
    r"|Cancelled: parallel tool call"
)
_EXIT_CODE: Final = re.compile(r"Exit code -?\d{1,9}(?:\r?\n|$)")
# A note that a long output went to a file begins like an error, and is none.
_ERROR: Final = re.compile(
    r"Error:(?! result \([^)\n]{1,40}\) exceeds maximum allowed tokens\.)"
    r"|InputValidationError|User rejected tool use"
)


class Evidence(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What a result row says about how its call ended.

    `text` is what the model was shown. `record` is the client's own, an object for most results
    and a string for most errors.
    """

    text: str = ""
    record: msgspec.Raw = NULL
    links: ResultLinks = NO_LINKS
    is_error: bool | None = None
    is_aborted: bool = False
    permission: Permission | None = None
    denial_kind: str = ""


def outcome(evidence: Evidence) -> str:
    """Decide how a call with a result ended."""
    said = _said(evidence)
    is_error = _is_error(evidence, said)
    words = [_bare(text) for text in said] if is_error else []
    if _is_interrupted(evidence, words):
        return "interrupted"
    if _is_denied(evidence, words):
        return "denied"
    return "failed" if is_error or _says_failure(evidence.links) else "done"


def unanswered(*, is_aborted: bool) -> str:
    """Return the outcome of a call without a result."""
    return "interrupted" if is_aborted else "pending"


def to_permission(decision: PermissionDecision | None) -> Permission | None:
    """Return what the client recorded about the permission to run, in our own words."""
    if decision is None:
        return None
    return Permission(
        decision=decision.decision,
        source=decision.source,
        scope=decision.grant_scope,
        reason_type=decision.reason_type,
        reason_code=decision.reason_code,
        rule_source=decision.rule_source,
    )


def _said(evidence: Evidence) -> tuple[str, str]:
    """Return the result in words: what the model was shown, and what the client recorded."""
    if evidence.is_error is False or bytes(memoryview(evidence.record)[:1]) != b'"':
        return evidence.text, ""
    try:
        return evidence.text, msgspec.json.decode(evidence.record, type=str)
    except ValueError:
        return evidence.text, ""


def _is_error(evidence: Evidence, said: tuple[str, str]) -> bool:
    """Trust what the result says of itself; without a word on it, only unmistakable words."""
    if evidence.is_error is not None:
        return evidence.is_error
    if bytes(memoryview(evidence.record)[:1]) in (b"{", b"["):
        return False
    return _ERROR.match(said[1]) is not None or any(map(_can_only_be_error, said))


def _can_only_be_error(text: str) -> bool:
    head = text.lstrip()
    return (
        head.startswith(("<tool_use_error>", "The user doesn't want to "))
        or _EXIT_CODE.match(head) is not None
        or _is_stop(head)
    )


def _is_interrupted(evidence: Evidence, words: list[str]) -> bool:
    return (
        evidence.is_aborted
        or bool(evidence.links.interrupted or evidence.links.was_interrupted)
        or evidence.denial_kind == _INTERRUPTED_KIND
        or any(map(_is_stop, words))
    )


def _is_stop(text: str) -> bool:
    return _STOPPED.match(text) is not None or text.rstrip().endswith("\n" + _INTERRUPT)


def _is_denied(evidence: Evidence, words: list[str]) -> bool:
    """Prefer the client's decision to words: a call that was allowed may print any of them."""
    decision = evidence.permission.decision if evidence.permission else ""
    if decision == _REJECTED or evidence.denial_kind:
        return True
    return decision != _ACCEPTED and any(map(_DENIED.match, words))


def _says_failure(links: ResultLinks) -> bool:
    """Return whether a record that is no error says that the tool did not do it."""
    is_timed_out = links.timed_out_after_ms is not None and not links.background_task_id
    return links.success is False or bool(links.is_error or links.error) or is_timed_out


def _bare(text: str) -> str:
    untagged = text.strip().removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
    return untagged.removeprefix("Error: ")
