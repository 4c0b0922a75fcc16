"""Who decided about a call, and what: by the client's record, and without one by the error."""

from typing import Any

import pytest

from clew.conversation import Permission
from clew.tools.decisions import Decision, read_decision
from tests.unit.tools.opened import call_of

STOP = "The user doesn't want to proceed with this tool use. The tool use was rejected."
REMARK = f"{STOP} To tell you how to proceed, the user said:\nplease use another name"


def record(decision: str, source: str, **fields: Any) -> Permission:
    return Permission(decision=decision, source=source, **fields)


# What was pressed or configured, as a real client recorded it.
ACCEPTED = [
    (record("accept", "user_temporary", scope="once"), Decision("person", "accepted_once")),
    (record("accept", "user_temporary", scope="session"), Decision("person", "accepted_session")),
    (record("accept", "user_permanent"), Decision("person", "accepted_always")),
    (
        record("accept", "user_temporary", scope="once", reason_code="hook:PreToolUse"),
        Decision("person", "accepted_once"),
    ),
    (record("accept", "hook", reason_type="hook"), Decision("hook", "accepted")),
    (
        record("accept", "config", reason_type="rule", rule_source="localSettings"),
        Decision("rule", "accepted"),
    ),
    (record("accept", "config", reason_type="mode"), Decision("mode", "accepted")),
    (record("accept", "config"), Decision("settings", "accepted")),
]
REFUSED = [
    (None, "user-rejected", STOP, Decision("person", "refused")),
    (
        record("reject", "user_reject", reason_code="unknown"),
        "user-rejected",
        REMARK,
        Decision("person", "refused_with_remark"),
    ),
    (
        record("reject", "config", rule_source="userSettings", reason_code="rule:userSettings"),
        "permission-rule",
        "Permission to use Bash has been denied.",
        Decision("rule", "refused"),
    ),
    (
        record("reject", "hook", reason_code="hook:PreToolUse"),
        "permission-rule",
        "PreToolUse:Bash hook error: no",
        Decision("hook", "refused"),
    ),
    (
        record("reject", "config", reason_code="hook:PreToolUse"),
        "user-rejected",
        "the hook says ask",
        Decision("nobody", "refused"),
    ),
    (
        record("reject", "config", reason_code="mode:dontAsk", reason_type="mode"),
        "permission-rule",
        "no",
        Decision("mode", "refused"),
    ),
    (
        record("reject", "config", reason_code="mode:plan"),
        "user-rejected",
        "Cannot write while in plan mode.",
        Decision("mode", "refused"),
    ),
    (
        record("reject", "config", reason_type="classifier", reason_code="classifier:auto-mode"),
        "automode-unavailable",
        "no",
        Decision("classifier", "refused"),
    ),
]
OLDER = [
    (STOP, Decision("person", "refused")),
    (f"<tool_use_error>{STOP}</tool_use_error>", Decision("person", "refused")),
    (REMARK, Decision("person", "refused_with_remark")),
    ("Permission to use Bash with command rm has been denied.", Decision("rule", "refused")),
    ("PreToolUse:Bash hook error: no", Decision("hook", "refused")),
    ("Claude requested permissions to use Bash, but …", Decision("nobody", "refused")),
    ("This command requires approval", Decision("nobody", "refused")),
    ("something else", Decision("unknown", "refused")),
]


@pytest.mark.parametrize(("permission", "expected"), ACCEPTED)
def test_an_accepted_call_says_who_accepted_it(permission: Permission, expected: Decision) -> None:
    call = call_of("Bash", {"command": "ls"}, text="fine", permission=permission)

    found = read_decision(call)

    assert found == expected
    assert found.is_accepted


@pytest.mark.parametrize(("permission", "kind", "text", "expected"), REFUSED)
def test_a_refused_call_says_who_refused_it(
    permission: Permission | None, kind: str, text: str, expected: Decision
) -> None:
    refused = {"status": "denied", "permission": permission, "denial_kind": kind}

    assert read_decision(call_of("Bash", {}, text=text, **refused)) == expected


@pytest.mark.parametrize(("text", "expected"), OLDER)
def test_of_an_older_client_the_error_says_who_refused(text: str, expected: Decision) -> None:
    assert read_decision(call_of("Bash", {}, text=text, status="denied")) == expected


@pytest.mark.parametrize("status", ["done", "failed", "interrupted", "pending"])
def test_without_a_record_nobody_is_said_to_have_let_a_call_run(status: str) -> None:
    assert read_decision(call_of("Bash", {}, text=STOP, status=status)) is None
