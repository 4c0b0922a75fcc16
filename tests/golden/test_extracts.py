"""The extract of every session at hand is well-formed, and names only what happened."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
import pytest

from clew.conversation import Conversation
from clew.digest import Digest, Outcome, describe, gather_facts, make_extract
from clew.digest.plain import is_plain
from clew.sessions import find, group_sessions, list_files, load_files
from tests.recordings import HERE

CASES: Final = Path(__file__).parents[1] / "cases"
# Real transcripts are nobody's to copy; they stand beside the checkout on some machines only.
CORPUS: Final = Path(__file__).parents[2].parent / "shared" / "corpus"

_LINK_TARGET: Final = re.compile(r"\]\([^)\s]*\)")
_STYLE: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def conversations(root: Path) -> Iterator[Conversation]:
    """Build all sessions of a transcript, or below a folder laid out like that of a client."""
    if root.is_file():
        yield load_files(*find(root))
        return
    files = list_files([root])
    for session in group_sessions(files):
        yield load_files(session, files)


def roots() -> list[Path]:
    """List the folders with sessions."""
    real = [path for path in CORPUS.glob("*") if path.is_dir()] if CORPUS.exists() else []
    return [
        *sorted(HERE.glob("*/*/root")),
        CASES / "flat",
        CASES / "odd-results.jsonl",
        *sorted(real),
    ]


def letters(text: str) -> str:
    """Return the letters and digits of a text, which Markdown and wrapping leave alone."""
    return "".join(filter(str.isalnum, text)).casefold()


def check_shape(digest: Digest) -> None:
    claims = (*digest.summary, *digest.open_items)
    assert len(digest.title) <= 60
    assert digest.outcome in Outcome
    assert 3 <= len(digest.summary) <= 6
    assert all(claim.text and is_plain(claim.text) and is_plain(claim.quote) for claim in claims)
    assert is_plain(digest.title)
    assert digest.claims_quoted == sum(bool(claim.quote) for claim in claims)
    assert len(describe(digest)) <= 160
    assert is_plain(describe(digest))


def check_quotes(digest: Digest, conversation: Conversation) -> None:
    said = {message.id: message for message in conversation.messages}
    for claim in digest.summary:
        assert all(name in said for name in claim.message_ids)
        if claim.quote:
            (name,) = claim.message_ids
            message = said[name]
            assert message.agent_run_id is None
            assert claim.speaker == ("user" if message.role == "user" else "assistant")
            assert letters(claim.quote) in letters(_LINK_TARGET.sub("", message.text))


def check_facts(digest: Digest, conversation: Conversation) -> None:
    calls = {call.id: call for call in conversation.tool_calls}
    done = [call for call in calls.values() if call.status == "done"]
    written = "\n".join(
        json.dumps(msgspec.json.decode(raw), ensure_ascii=False)
        for call in done
        for raw in (call.input, call.result)
        if bytes(raw)
    )
    for file in digest.files:
        assert json.dumps(file.path, ensure_ascii=False)[1:-1] in written
    for commit in digest.commits:
        # What was committed before a call failed, as by a push, is committed.
        printed = [call.result_text for call in calls.values() if call.status in ("done", "failed")]
        assert any(f"{commit.hash}] " in text for text in printed)
        assert letters(commit.subject) in letters("".join(printed))
    for test in digest.tests:
        call = calls[test.tool_call_id]
        assert letters(test.command) in letters(msgspec.json.decode(call.input)["command"])
        assert letters(test.result) in letters(_STYLE.sub("", call.result_text))


@pytest.mark.parametrize("root", roots(), ids=lambda root: "/".join(root.parts[-3:]))
def test_an_extract_names_only_what_happened(root: Path) -> None:
    found = list(conversations(root))

    assert found
    for conversation in found:
        facts = gather_facts(conversation)
        digest = make_extract(facts)
        check_shape(digest)
        check_quotes(digest, conversation)
        check_facts(digest, conversation)
        assert gather_facts(conversation) == facts
