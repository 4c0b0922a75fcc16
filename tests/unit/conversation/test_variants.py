"""Rows that share a uuid and say different things."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.check import check_files, find_files
from clew.conversation import Conversation, build
from clew.render import TerminalOptions, render_json, render_terminal
from clew.render.html import render_html
from clew.render.markdown import MarkdownOptions, render_markdown
from clew.view import Detail, ViewOptions, make_page
from tests.build import SessionBuilder, tool_use
from tests.golden.readback import read_words
from tests.invariants import check
from tests.unit.conversation.built import conversation_of, material_of


def told_twice(words: str = "Secondly, blue.", **message: Any) -> SessionBuilder:
    """Give a session whose answer is followed by a row with its uuid."""
    builder = SessionBuilder().user("Which colour?").assistant("Firstly, red.")
    first = builder.rows[-1]
    content = [{"type": "text", "text": words}]
    changed = {**first["message"], "id": "msg_other", "content": content, **message}
    return builder.row({**first, "message": changed})


def test_a_row_with_the_uuid_of_another_and_other_words_is_a_variant() -> None:
    conversation = conversation_of(told_twice())

    answer = conversation.messages[-1]
    (variant,) = answer.variants
    assert (answer.text, variant.text) == ("Firstly, red.", "Secondly, blue.")
    assert (variant.type, variant.message_id) == ("assistant", "msg_other")
    assert variant.line.line == answer.lines[0].line + 1
    assert conversation.duplicates == ()
    assert [p.kind for p in conversation.problems] == ["duplicate_uuid"]


def test_a_row_that_says_the_same_again_is_a_duplicate() -> None:
    conversation = conversation_of(told_twice("Firstly, red."))

    assert conversation.messages[-1].variants == ()
    assert len(conversation.duplicates) == 1


def test_a_call_in_a_variant_keeps_its_input() -> None:
    builder = told_twice(content=[tool_use("Bash", {"command": "make blue"}, "call_other")])

    (variant,) = conversation_of(builder).messages[-1].variants

    assert "make blue" in (variant.blocks[0].data or "")


def test_a_prompt_and_a_result_may_have_variants_too() -> None:
    builder = SessionBuilder().user("Paint it").tool("Bash", {"command": "ls"}, "one")
    for row in [row for row in builder.rows if row["type"] == "user"]:
        content = json.loads(json.dumps(row["message"]["content"]).replace("one", "two"))
        other = "Paint it blue" if isinstance(content, str) else content
        builder.row({**row, "message": {**row["message"], "content": other}})

    conversation = conversation_of(builder)

    found = [v for m in conversation.messages for v in m.variants]
    assert [v.text or v.blocks[0].text for v in found] == ["Paint it blue", "two"]
    page = "".join(render_markdown(make_page(conversation, ViewOptions()), MarkdownOptions()))
    assert "Paint it blue" in page


def test_every_entry_is_in_one_place() -> None:
    material = material_of(told_twice())

    check(material, conversation_of(told_twice()))


def test_copies_in_two_roots_have_lines_at_the_same_place() -> None:
    other, same = material_of(told_twice()), material_of(told_twice("Firstly, red."))
    both = msgspec.structs.replace(other, transcripts=(*other.transcripts, *same.transcripts))

    conversation = build(both)

    assert len(conversation.messages[-1].variants) == 1
    check(both, conversation)


@pytest.mark.parametrize("form", ["json", "terminal", "markdown", "html"])
def test_every_format_shows_both(form: str) -> None:
    shown = drawn(conversation_of(told_twice()), form)

    assert read_words(shown).holds("Firstly, red.")
    assert read_words(shown).holds("Secondly, blue.")
    assert form == "json" or "Other version of this entry" in shown


def drawn(conversation: Conversation, form: str) -> str:
    page = make_page(conversation, ViewOptions())
    match form:
        case "json":
            return b"".join(render_json(conversation)).decode()
        case "terminal":
            return "\n".join(
                render_terminal(conversation, TerminalOptions(detail=Detail.EVERYTHING))
            )
        case "markdown":
            return "".join(render_markdown(page, MarkdownOptions()))
        case _:
            return "".join(render_html(page))


def test_check_says_that_the_content_differs(tmp_path: Path) -> None:
    told_twice().write(tmp_path / "s.jsonl")

    report = check_files(find_files([tmp_path]))

    (found,) = [group for group in report.problems if group.kind == "duplicate_uuid"]
    assert found.examples[0].text.endswith("with different content")
