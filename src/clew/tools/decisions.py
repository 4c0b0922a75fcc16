"""Who decided about a call, and what: the one place that says it, for pages, rows and counts.

The client's kind of denial is `user-rejected` even where nobody was present, so its record of the
decision counts first, then the kind, then the text of the error. Older clients record nothing of
calls that were allowed.
"""

import re
from typing import Final, Literal, TypeAlias

import msgspec

from clew.conversation import Permission, ToolCall

Decider: TypeAlias = Literal[
    "person", "rule", "hook", "mode", "classifier", "nobody", "settings", "unknown"
]
Answer: TypeAlias = Literal[
    "accepted",
    "accepted_once",
    "accepted_session",
    "accepted_always",
    "refused",
    "refused_with_remark",
]

_ACCEPTED: Final = "accept"
_DENIED: Final = "denied"
_NOBODY_ASKED: Final = re.compile(
    r"Claude requested permissions? |This command requires approval"
    r"|This \w{1,40} command contains multiple operations\."
    r"|\S{1,200} in '[^\n]{1,4000}?' needs approval\."
)
_BY_PERSON: Final = re.compile(
    r"The user doesn't want to|(?:The user|User) rejected "
    r"|The agent proposed a plan that was rejected by the user|Exit plan mode\?|Answer questions\?"
)
_BY_RULE: Final = re.compile(r"Permission (?:to|for) |\S{1,200} in '[^\n]{1,4000}?' was blocked\.")
_BY_HOOK: Final = re.compile(r"PreToolUse:|\S{1,200} operation blocked by hook")
_REMARK: Final = re.compile(
    r"the user said:\s*\S|The user provided the following reason for the rejection:\s*\S"
)
_KINDS: Final[dict[str, Decider]] = {
    "user-rejected": "person",
    "permission-rule": "rule",
    "automode-unavailable": "classifier",
}


class Decision(msgspec.Struct, frozen=True, gc=False):
    """Who or what let a call run or refused it, and how.

    A person who refuses without a remark chose No or pressed Escape: transcripts do not
    distinguish the two. `nobody` means that a person was needed and none was present; `unknown`
    that the transcript does not say who refused.
    """

    by: Decider
    answer: Answer

    @property
    def is_accepted(self) -> bool:
        """Whether the call was let through."""
        return self.answer.startswith("accepted")

    @property
    def by_person(self) -> bool:
        """Whether a person was asked and answered."""
        return self.by == "person"


def read_decision(call: ToolCall) -> Decision | None:
    """Return who decided about a call; None where nothing is recorded."""
    cause = _bare_error(call.result_text) if call.status == _DENIED else ""
    return decide(call.permission, call.denial_kind or "", call.status, cause)


def decide(
    permission: Permission | None, denial_kind: str, status: str, cause: str
) -> Decision | None:
    """Return who decided; `cause` is the error that the model saw."""
    if permission is not None and permission.decision == _ACCEPTED:
        return _accepted(permission)
    if status != _DENIED:
        return None
    if permission is not None:
        by = _refuser(permission)
    else:
        by = _KINDS.get(denial_kind) or _refuser_in_words(cause)
    has_remark = by == "person" and _REMARK.search(cause) is not None
    return Decision(by, "refused_with_remark" if has_remark else "refused")


def is_by_person(cause: str) -> bool:
    """Whether the text of an error says no more than that a person refused."""
    return _BY_PERSON.match(cause) is not None


def _bare_error(text: str) -> str:
    """Return an error without the marks around it."""
    untagged = text.strip().removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
    return untagged.removeprefix("Error: ")


def _accepted(permission: Permission) -> Decision:
    if not permission.source.startswith("user_"):
        return Decision(_setting(permission), "accepted")
    if permission.source == "user_permanent":
        return Decision("person", "accepted_always")
    is_session = permission.scope == "session"
    return Decision("person", "accepted_session" if is_session else "accepted_once")


def _refuser(permission: Permission) -> Decider:
    if permission.source.startswith("user_"):
        return "person"
    if permission.source != "hook" and (permission.reason_code or "").startswith("hook:"):
        return "nobody"
    return _setting(permission)


def _setting(permission: Permission) -> Decider:
    code = permission.reason_code or ""
    if permission.source == "hook":
        return "hook"
    if code.startswith("classifier:") or permission.reason_type == "classifier":
        return "classifier"
    if permission.rule_source or permission.reason_type == "rule":
        return "rule"
    is_mode = code.startswith("mode:") or permission.reason_type == "mode"
    return "mode" if is_mode else "settings"


def _refuser_in_words(cause: str) -> Decider:
    if is_by_person(cause):
        return "person"
    if _BY_HOOK.match(cause):
        return "hook"
    if _NOBODY_ASKED.match(cause):
        return "nobody"
    return "rule" if _BY_RULE.match(cause) else "unknown"
