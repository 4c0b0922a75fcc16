from typing import Any

import msgspec
import pytest

from clew.entries import (
    AttachmentRow,
    OtherAttachment,
    OtherBlock,
    QueuedCommandAttachment,
    TextBlock,
    attachment_kind,
    unnamed,
)
from clew.entries.attachments import ATTACHMENTS as STRUCTS
from clew.entries.attachments import HookBlockingErrorAttachment, attachment_text
from tests.unit.entries.format_lists import ATTACHMENTS, fields_by_name
from tests.unit.entries.reading import blocks_of, body_of, entry_of, kinds, mended
from tests.unit.entries.samples import sample_record

LISTED = fields_by_name(ATTACHMENTS)


def attached(kind: str, /, **fields: Any) -> dict[str, Any]:
    return {"type": "attachment", "uuid": "u1", "attachment": {"type": kind, **fields}}


@pytest.mark.parametrize(("kind", "fields"), LISTED.items(), ids=LISTED)
def test_an_attachment_with_all_its_fields_is_read_by_its_own_struct(
    kind: str, fields: list[str]
) -> None:
    entry = entry_of(attached(kind, **sample_record(STRUCTS[kind], fields)))

    assert isinstance(entry.body, AttachmentRow)
    assert type(entry.body.attachment) is STRUCTS[kind]
    assert attachment_kind(entry.body.attachment) == kind
    assert entry.problems == ()
    assert unnamed(entry) == []


@pytest.mark.parametrize("kind", sorted(LISTED))
def test_an_attachment_whose_fields_are_all_of_another_type_is_kept(kind: str) -> None:
    entry = entry_of(attached(kind, **{name: [[]] for name in LISTED[kind]}))

    assert isinstance(entry.body, AttachmentRow)
    assert attachment_kind(entry.body.attachment) == kind
    assert set(kinds(entry)) <= {"wrong_shape", "unknown_type"}


def test_a_new_attachment_is_kept_whole_and_said() -> None:
    row, problems = mended(attached("hologram", depth=3), AttachmentRow)

    assert isinstance(row.attachment, OtherAttachment)
    assert attachment_kind(row.attachment) == "hologram"
    assert msgspec.json.decode(row.attachment.value) == {"type": "hologram", "depth": 3}
    assert problems == ["unknown_type: attachment of type 'hologram'"]


@pytest.mark.parametrize("value", [None, "text", 7, [], {}, {"type": 7}, [[{}]]])
def test_an_attachment_that_is_none_is_kept_as_it_is(value: Any) -> None:
    row, problems = mended({"type": "attachment", "attachment": value}, AttachmentRow)

    assert isinstance(row.attachment, OtherAttachment)
    assert msgspec.json.decode(row.attachment.value) == value
    assert [problem.partition(":")[0] for problem in problems] == ["wrong_shape"]


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        ("hook_success", {"content": "ok", "stdout": "x"}, "ok"),
        ("hook_success", {"content": "", "stdout": "out", "stderr": "err"}, "err"),
        ("hook_additional_context", {"content": ["a", "b"]}, "a\nb"),
        ("hook_blocking_error", {"blockingError": {"blockingError": "no"}}, "no"),
        ("hook_blocking_error", {}, ""),
        ("total_tokens_reminder", {"text": "9 left"}, "9 left"),
        ("edited_text_file", {"filename": "a.py", "snippet": "1 x"}, "1 x"),
        ("plan_file_reference", {"planContent": "first"}, "first"),
        ("queued_command", {"prompt": "use tabs"}, "use tabs"),
        ("file", {"filename": "a.py", "content": {"type": "text"}}, ""),
        ("ultrathink_effort", {}, ""),
    ],
)
def test_the_words_of_an_attachment_are_its_first_field_with_any(
    kind: str, fields: dict[str, Any], words: str
) -> None:
    row = body_of(attached(kind, **fields), AttachmentRow)

    assert attachment_text(row.attachment) == words


def test_what_the_model_was_shown_of_it_is_kept() -> None:
    row = body_of({**attached("date"), "rendered": "Today", "renderedRole": "user"}, AttachmentRow)

    assert (bytes(row.rendered), row.rendered_role) == (b'"Today"', "user")


def test_a_queued_prompt_is_text_or_blocks() -> None:
    typed = body_of(attached("queued_command", prompt="use tabs"), AttachmentRow)
    pasted = body_of(
        attached("queued_command", prompt=[{"type": "text", "text": "see"}]), AttachmentRow
    )

    assert isinstance(typed.attachment, QueuedCommandAttachment)
    assert isinstance(pasted.attachment, QueuedCommandAttachment)
    assert typed.attachment.prompt == "use tabs"
    assert pasted.attachment.prompt == [TextBlock(text="see")]


def test_an_unknown_block_in_a_queued_prompt_leaves_its_words() -> None:
    blocks = [{"type": "text", "text": "see"}, {"type": "hologram"}, "and this"]

    row, problems = mended(attached("queued_command", prompt=blocks), AttachmentRow)

    assert isinstance(row.attachment, QueuedCommandAttachment)
    said, unknown, more = blocks_of(row.attachment.prompt)
    assert (said, more) == (TextBlock(text="see"), TextBlock(text="and this"))
    assert isinstance(unknown, OtherBlock)
    assert unknown.kind == "hologram"
    assert problems[0] == "unknown_type: attachment.prompt.[] of type 'hologram'"


def test_a_queued_prompt_says_where_it_came_from() -> None:
    origin = {"kind": "task-notification", "subkind": "agent"}

    row = body_of(
        attached("queued_command", prompt="x", source_uuid="u0", origin=origin), AttachmentRow
    )

    assert isinstance(row.attachment, QueuedCommandAttachment)
    assert row.attachment.source_uuid == "u0"
    assert row.attachment.origin is not None
    assert row.attachment.origin.kind == "task-notification"


def test_a_hook_that_blocked_says_why() -> None:
    error = {"blockingError": "no tests", "command": "make check"}

    row = body_of(
        attached("hook_blocking_error", hookEvent="Stop", blockingError=error), AttachmentRow
    )

    assert isinstance(row.attachment, HookBlockingErrorAttachment)
    assert row.attachment.blocking_error is not None
    assert row.attachment.blocking_error.blocking_error == "no tests"
