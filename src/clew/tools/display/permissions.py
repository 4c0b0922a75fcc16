"""Who or what allowed or denied a call.

The client's kind of denial is `user-rejected` even without a user, so its record of the decision
counts first, then the kind, then the text of the error.
"""

import re
from collections.abc import Iterator
from typing import Final

from clew.conversation import Permission, ToolCall
from clew.parts import Note, Part

_ACCEPTED: Final = "accept"
_USER: Final = " by the user"
_HOOK: Final = " by a hook"
_RULE: Final = " by a rule"
_MODE: Final = "mode:"
_GRANTS: Final = {"once": ", once", "session": ", for this session"}
_NO_CHECK: Final = ": the safety check of auto mode is unavailable"
_MODES: Final = {"dontAsk": "don't-ask"}
_KINDS: Final = {
    "user-rejected": _USER,
    "permission-rule": _RULE,
    "automode-unavailable": _NO_CHECK,
}
_BY_PERSON: Final = re.compile(
    r"The user doesn't want to|User rejected"
    r"|The agent proposed a plan that was rejected by the user|Exit plan mode\?|Answer questions\?"
)
_BY_RULE: Final = re.compile(
    r"Permission (?:to|for) |Claude requested permissions? |This command requires approval"
)
_BY_HOOK: Final = re.compile(r"PreToolUse:|\S{1,200} operation blocked by hook")


def denied(call: ToolCall, cause: str) -> str:
    """Describe who or what denied a call; `cause` is the error that the model saw."""
    if call.permission is not None and call.permission.decision != _ACCEPTED:
        return f"Denied{_refuser(call.permission)}"
    return f"Denied{_KINDS.get(call.denial_kind or '') or _refuser_in_words(cause)}"


def allowed(call: ToolCall) -> Iterator[Part]:
    """Note who or what allowed a call, where the client recorded it.

    A call that settings allowed is shown only at the highest detail.
    """
    permission = call.permission
    if permission is None or permission.decision != _ACCEPTED:
        return
    if permission.source.startswith("user_"):
        yield Note(f"Allowed{_grant(permission)}")
    elif permission.source == "hook":
        yield Note(f"Allowed{_HOOK}")
    else:
        yield Note(f"Allowed{_setting(permission)}", is_meta=True)


def is_by_person(cause: str) -> bool:
    """Whether the text of an error says no more than that a person refused."""
    return _BY_PERSON.match(cause) is not None


def _grant(permission: Permission) -> str:
    scope = _GRANTS.get(permission.scope or "", "")
    always = ", from now on" if permission.source == "user_permanent" else ""
    requested = ", requested by a hook" if _is_hook(permission) else ""
    return f"{_USER}{scope or always}{requested}"


def _refuser(permission: Permission) -> str:
    if permission.source.startswith("user_"):
        return _USER
    if permission.source == "hook":
        return _HOOK
    if _is_hook(permission):
        return ": a hook asked for permission and no user was present"
    if (permission.reason_code or "").startswith("classifier:"):
        is_missing = (permission.reason_code or "").endswith(":unavailable")
        return _NO_CHECK if is_missing else " by the safety check of auto mode"
    return _setting(permission)


def _setting(permission: Permission) -> str:
    code = permission.reason_code or ""
    if permission.rule_source or permission.reason_type == "rule":
        where = f" ({permission.rule_source})" if permission.rule_source else ""
        return f"{_RULE}{where}"
    if code.startswith(_MODE):
        mode = code.removeprefix(_MODE)
        return f" by {_MODES.get(mode, mode)} mode"
    return " by the permission mode" if permission.reason_type == "mode" else " by configuration"


def _is_hook(permission: Permission) -> bool:
    return (permission.reason_code or "").startswith("hook:")


def _refuser_in_words(cause: str) -> str:
    if is_by_person(cause):
        return _USER
    if _BY_HOOK.match(cause):
        return _HOOK
    return _RULE if _BY_RULE.match(cause) else ""
