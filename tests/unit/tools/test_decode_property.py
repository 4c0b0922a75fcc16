"""Whatever stands in a transcript, decoding gives a value."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from clew.tools import decode_input, decode_result, find_tool, unnamed_fields
from clew.tools.builtin import TOOLS

NAMES = sorted(name for tool in TOOLS for name in tool.names)
FIELDS = sorted(
    {
        field.encode_name
        for tool in TOOLS
        for struct in (tool.input, tool.result)
        for field in msgspec.structs.fields(struct)
    }
)
STARTS = (
    "Found 3 files\n",
    "Command running in background with ID: ",
    "<persisted-output>\nOutput too large (",
    "<retrieval_status>success</retrieval_status><task_id>",
    "Task #1: a\nStatus: b\nDescription: ",
    "Async agent launched",
    "Web search results for query: ",
    "Links: [",
    "1→",
    "{",
    "agentId: ",
    "Exit code ",
)

names = st.sampled_from([*NAMES, "mcp__a__b"]) | st.text()
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
keys = st.sampled_from(FIELDS) | st.text(max_size=3)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)
raws = values.map(msgspec.json.encode) | st.binary()
texts = st.lists(st.sampled_from(STARTS) | st.text(), max_size=4).map("".join)


@given(names, raws)
def test_any_input_gives_the_tools_type_or_a_plain_one(name: str, raw: bytes) -> None:
    assert isinstance(decode_input(name, raw), msgspec.Struct)


@given(
    name=names, raw=raws, raw_result=raws, text=texts, status=st.sampled_from(["done", "failed"])
)
def test_any_result_gives_a_value(
    *, name: str, raw: bytes, raw_result: bytes, text: str, status: str
) -> None:
    arguments = decode_input(name, raw)

    result = decode_result(name, raw_result, text, arguments, status=status)

    assert isinstance(result, msgspec.Struct)


@given(st.sampled_from(NAMES), texts)
def test_any_text_gives_a_value(name: str, text: str) -> None:
    tool = find_tool(name)
    required = {
        field.encode_name: text for field in msgspec.structs.fields(tool.input) if field.required
    }
    arguments = decode_input(name, msgspec.json.encode(required))

    result = decode_result(name, b"", text, arguments)

    assert isinstance(result, msgspec.Struct)


@given(names, raws, st.sampled_from(["input", "result"]))
def test_any_json_has_unnamed_fields_or_none(name: str, raw: bytes, which: str) -> None:
    found = unnamed_fields(name, raw, "input" if which == "input" else "result")

    assert found == sorted(set(found))
