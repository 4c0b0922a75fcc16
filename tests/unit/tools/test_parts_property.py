"""Whatever stands in a transcript, a call can be opened, and shows all that it said."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect

from clew.conversation import Block, Conversation, ToolCall
from clew.conversation.outcome import Evidence, outcome
from clew.entries import result_links
from clew.parts import Part
from clew.samples import samples_root
from clew.sessions import load
from clew.tools import call_label, call_parts, call_state, count_changes, decode_call, find_tool
from clew.tools.builtin import TOOLS
from clew.tools.display.unshown_text import find_unshown_lines
from clew.tools.result_text.tags import split_reminders
from tests.recordings import HERE

NAMES = sorted(name for tool in TOOLS for name in tool.names)
KEYS = sorted(
    {
        field.encode_name
        for tool in TOOLS
        for struct in (tool.input, tool.result)
        for field in msgspec.structs.fields(struct)
    }
)
TAGS = ("<system-reminder>", "</system-reminder>", "<tool_use_error>", "</tool_use_error>")

names = st.sampled_from([*NAMES, "mcp__a__b"]) | st.text(max_size=5)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)
raws = (values.map(msgspec.json.encode) | st.binary()).map(msgspec.Raw)
texts = st.lists(st.sampled_from(TAGS) | st.text(), max_size=4).map("".join)
blocks = st.builds(
    Block,
    st.sampled_from(["text", "image", "document", "other"]),
    st.text(max_size=5),
    data=st.none()
    | st.text(max_size=5)
    | values.map(lambda value: msgspec.json.encode(value).decode()),
)
calls = st.builds(
    ToolCall,
    id=st.just("call"),
    tool=names,
    message_id=st.just("message"),
    status=st.sampled_from(["pending", "done", "failed", "denied", "interrupted"]),
    input=raws,
    result=raws,
    result_text=texts,
    result_blocks=st.lists(blocks, max_size=3).map(tuple),
    persisted_path=st.none() | st.text(max_size=5),
)


@given(calls)
def test_any_call_can_be_opened(call: ToolCall) -> None:
    arguments, result = decode_call(call)

    shown = call_parts(call, arguments, result, "/w")

    assert msgspec.convert(msgspec.to_builtins(shown), tuple[Part, ...]) == shown
    assert len(call_state(call, arguments, result)) == len(("word", "tone"))
    counts = count_changes(arguments, result)
    assert counts is None or min(counts.added, counts.removed) >= 0


def shaped(kind: inspect.Type) -> st.SearchStrategy[Any]:
    """Give JSON values of a type."""
    match kind:
        case inspect.StructType():
            fields = {field.encode_name: shaped(field.type) for field in kind.fields}
            return st.fixed_dictionaries({}, optional=fields) | st.fixed_dictionaries(fields)
        case inspect.UnionType():
            return st.one_of([shaped(inner) for inner in kind.types])
        case inspect.ListType() | inspect.VarTupleType():
            return st.lists(shaped(kind.item_type), max_size=2)
        case inspect.DictType():
            return st.dictionaries(st.text(max_size=3), shaped(kind.value_type), max_size=2)
        case inspect.StrType():
            return st.text(max_size=20)
        case inspect.BoolType():
            return st.booleans()
        case inspect.IntType() | inspect.FloatType():
            return st.integers(-9, 999_999_999_999)
        case _:
            return values


@st.composite
def fitting(draw: st.DrawFn) -> ToolCall:
    """Draw a call whose input and result have the shape that its tool knows."""
    tool = find_tool(draw(st.sampled_from(NAMES)))
    asked, result = (
        msgspec.Raw(msgspec.json.encode(draw(shaped(inspect.type_info(struct)))))
        for struct in (tool.input, tool.result)
    )
    return ToolCall(
        id="c", tool=tool.names[0], message_id="m", status="done", input=asked, result=result
    )


@given(fitting())
def test_any_call_of_a_known_shape_can_be_opened(call: ToolCall) -> None:
    arguments, result = decode_call(call)

    shown = call_parts(call, arguments, result)

    assert all(isinstance(part, msgspec.Struct) for part in shown)


@given(fitting())
def test_the_word_for_how_a_call_went_never_contradicts_its_status(call: ToolCall) -> None:
    links = result_links(call.result)
    call.status = outcome(Evidence(record=call.result, links=links))

    word, _ = call_state(call, *decode_call(call))

    if word in ("failed", "denied", "interrupted"):
        assert word == call.status


@pytest.mark.parametrize("folder", [HERE, samples_root()], ids=["recordings", "samples"])
def test_every_call_that_was_recorded_shows_all_that_was_said(folder: Path) -> None:
    seen = 0

    for conversation in _conversations(folder):
        for call in conversation.tool_calls:
            arguments, result = decode_call(call)
            shown = call_parts(call, arguments, result, conversation.session.cwd)
            seen += 1
            assert _unsaid(call, shown) == "", call_label(call.tool, arguments, result)

    assert seen > 100


def _unsaid(call: ToolCall, shown: tuple[Part, ...]) -> str:
    """Give the lines of a result's text that its parts do not show, tags aside."""
    body, reminders = split_reminders(call.result_text)
    for tag in (*TAGS, "<persisted-output>", "</persisted-output>"):
        body = body.replace(tag, "")
    said = "\n".join((body, *reminders))
    return "\n".join(
        line
        for line in find_unshown_lines(said, shown).split("\n")
        if not line.startswith("Preview (first")
    )


@cache
def _conversations(folder: Path) -> tuple[Conversation, ...]:
    return tuple(_load(folder))


def _load(folder: Path) -> Iterator[Conversation]:
    for path in sorted(folder.rglob("projects/*/*.jsonl")):
        yield load(path, ())
