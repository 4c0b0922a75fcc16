"""Who allowed or refused a call is said as the client recorded it."""

from typing import Any

import pytest

from clew.conversation import Permission
from clew.parts import Note
from tests.unit.tools.opened import opened

REJECTED = "The user doesn't want to proceed with this tool use."


def reject(source: str, code: str | None = None, **fields: Any) -> Permission:
    return Permission(decision="reject", source=source, reason_code=code, **fields)


def accept(source: str, scope: str | None = None, **fields: Any) -> Permission:
    return Permission(decision="accept", source=source, scope=scope, **fields)


@pytest.mark.parametrize(
    ("permission", "kind", "text", "words"),
    [
        (None, "user-rejected", REJECTED, "Denied by the user"),
        (reject("user_reject", "unknown"), "user-rejected", REJECTED, "Denied by the user"),
        (
            reject("config", "rule:userSettings", rule_source="userSettings"),
            "permission-rule",
            "Permission to use Bash has been denied.",
            "Denied by a rule (userSettings)",
        ),
        (reject("hook", "hook:PreToolUse"), "permission-rule", "no", "Denied by a hook"),
        (
            reject("config", "hook:PreToolUse"),
            "user-rejected",
            "the hook says ask",
            "Denied: a hook asked for permission and no user was present",
        ),
        (reject("config", "mode:plan"), "user-rejected", "no", "Denied by plan mode"),
        (reject("config", "mode:dontAsk"), "permission-rule", "no", "Denied by don't-ask mode"),
        (
            reject("config", "classifier:auto-mode:unavailable"),
            "automode-unavailable",
            "no",
            "Denied: the safety check of auto mode is unavailable",
        ),
        (
            reject("config", "classifier:auto-mode:risky"),
            None,
            "no",
            "Denied by the safety check of auto mode",
        ),
        (reject("config", "unknown"), "user-rejected", "no", "Denied by configuration"),
        (
            None,
            "automode-unavailable",
            "no",
            "Denied: the safety check of auto mode is unavailable",
        ),
        (None, None, "PreToolUse:Bash hook error: no", "Denied by a hook"),
        (
            None,
            None,
            "Claude requested permissions to use Write, but you haven't granted it yet.",
            "Denied: permission was needed and no user was present",
        ),
        (None, None, "no", "Denied"),
    ],
)
def test_a_denied_call_says_who_refused_it(
    permission: Permission | None, kind: str | None, text: str, words: str
) -> None:
    denied = {"status": "denied", "permission": permission, "denial_kind": kind}

    shown = opened("MadeUp", {}, text=text, **denied)

    assert shown[0] == Note(words, "warn")


@pytest.mark.parametrize(
    ("permission", "note"),
    [
        (accept("user_temporary", "once"), Note("Allowed by the user, once")),
        (accept("user_temporary", "session"), Note("Allowed by the user, for this session")),
        (accept("user_permanent"), Note("Allowed by the user, from now on")),
        (
            accept("user_temporary", "once", reason_code="hook:PreToolUse"),
            Note("Allowed by the user, once, requested by a hook"),
        ),
        (accept("hook", reason_type="hook"), Note("Allowed by a hook")),
        (
            accept("config", reason_type="rule", rule_source="cliArg"),
            Note("Allowed by a rule (cliArg)", is_meta=True),
        ),
        (
            accept("config", reason_type="mode"),
            Note("Allowed by the permission mode", is_meta=True),
        ),
        (accept("config"), Note("Allowed by configuration", is_meta=True)),
    ],
)
def test_an_allowed_call_says_quietly_who_allowed_it(permission: Permission, note: Note) -> None:
    assert opened("MadeUp", {}, text="fine", permission=permission)[-1] == note


def test_a_call_without_a_record_says_nothing() -> None:
    shown = opened("MadeUp", {}, text="fine")

    assert not any(isinstance(part, Note) for part in shown)
