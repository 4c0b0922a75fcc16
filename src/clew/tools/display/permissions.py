"""Decisions about a call in words: who or what allowed or denied it."""

from collections.abc import Iterator
from typing import Final

from clew.conversation import Permission, ToolCall
from clew.parts import Note, Part
from clew.tools.decisions import Decision, decide, read_decision

_MODE: Final = "mode:"
_MODES: Final = {"dontAsk": "don't-ask"}
_GRANTS: Final = {
    "accepted_once": ", once",
    "accepted_session": ", for this session",
    "accepted_always": ", from now on",
}
_UNAVAILABLE: Final = ":unavailable"
_NO_CHECK: Final = ": the safety check of auto mode is unavailable"


def denied(call: ToolCall, cause: str) -> str:
    """Describe who or what denied a call; `cause` is the error that the model saw."""
    decision = decide(call.permission, call.denial_kind or "", "denied", cause)
    return f"Denied{_by(decision, call) if decision else ''}"


def allowed(call: ToolCall) -> Iterator[Part]:
    """Note who or what allowed a call, where the client recorded it.

    A call that settings allowed is shown only at the highest detail.
    """
    decision = read_decision(call)
    if decision is None or not decision.is_accepted:
        return
    is_quiet = decision.by not in ("person", "hook")
    yield Note(f"Allowed{_by(decision, call)}", is_meta=is_quiet)


def _by(decision: Decision, call: ToolCall) -> str:
    permission = call.permission or Permission()
    match decision.by:
        case "person":
            requested = ", requested by a hook" if _is_hook(permission) else ""
            grant = _GRANTS.get(decision.answer, "") if permission.scope or _is_always(call) else ""
            return f" by the user{grant}{requested}"
        case "hook":
            return " by a hook"
        case "nobody":
            why = "a hook asked for permission" if _is_hook(permission) else "permission was needed"
            return f": {why} and no user was present"
        case "rule":
            where = f" ({permission.rule_source})" if permission.rule_source else ""
            return f" by a rule{where}"
        case "classifier":
            code = permission.reason_code or _UNAVAILABLE
            return _NO_CHECK if code.endswith(_UNAVAILABLE) else " by the safety check of auto mode"
        case "mode":
            code = permission.reason_code or ""
            mode = code.removeprefix(_MODE) if code.startswith(_MODE) else ""
            return f" by {_MODES.get(mode, mode)} mode" if mode else " by the permission mode"
        case "settings":
            return " by configuration"
        case _:
            return ""


def _is_always(call: ToolCall) -> bool:
    return call.permission is not None and call.permission.source == "user_permanent"


def _is_hook(permission: Permission) -> bool:
    return (permission.reason_code or "").startswith("hook:")
