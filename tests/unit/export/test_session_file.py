"""One session as JSON: what is searched for secrets, and what is written."""

import msgspec
import pytest

from clew.export import mask_json, session_file
from clew.redact import find_tree_secrets
from clew.render import render_json
from tests.build import SessionBuilder, bash
from tests.unit.conversation.built import conversation_of

GITHUB = "ghp_" + "a1B2" * 9
PASSWORD = "k9Lm2" + "pQz7"


def leaky() -> SessionBuilder:
    """Build a session with secrets in a title, a prompt, a call's input and its result."""
    builder = SessionBuilder().user(f"Use {GITHUB}").ai_title(f"DB_PASSWORD={PASSWORD}")
    return builder.tools(bash(f"login {GITHUB}", f"DB_PASSWORD={PASSWORD}")).assistant("Done.")


@pytest.mark.parametrize("batch_bytes", [1, 1 << 20])
def test_all_of_a_conversation_is_searched(
    monkeypatch: pytest.MonkeyPatch, batch_bytes: int
) -> None:
    monkeypatch.setattr(session_file, "_BATCH_BYTES", batch_bytes)
    conversation = conversation_of(leaky())
    whole = b"".join(render_json(conversation))

    masked = mask_json(conversation, is_wanted=False)

    expected = session_file.count_rules(find_tree_secrets(msgspec.json.decode(whole)))
    assert masked.secrets == expected
    assert set(expected) == {"github-token", "password"}
    assert b"".join(masked.pieces) == whole


def test_a_redacted_conversation_is_json_without_them() -> None:
    masked = mask_json(conversation_of(leaky()), is_wanted=True)

    whole = b"".join(masked.pieces)
    assert GITHUB.encode() not in whole
    assert PASSWORD.encode() not in whole
    assert msgspec.json.decode(whole)["schema"]
