"""Rows without characters that a database refuses."""

from collections.abc import Iterator
from typing import Any

from clew.conversation import build
from clew.store.clean_rows import clean_rows
from clew.store.inline_limits import InlineLimits
from clew.store.rows import SessionRows, material_rows, to_rows
from tests.build import Call, SessionBuilder
from tests.unit.conversation.built import material_of

ODD = "a\0b"
CLEAN = "a b"


def rows_of(builder: SessionBuilder, limits: InlineLimits) -> SessionRows:
    """Derive the rows of a session."""
    material = material_of(builder)
    return to_rows(material_rows(material), build(material), limits)


def odd_session() -> SessionBuilder:
    """Return a session with a NUL in whatever may contain text."""
    call = Call("Read", {"file_path": f"/x/{ODD}", ODD: [ODD]}, f"result {ODD}")
    return (
        SessionBuilder("one")
        .cwd(f"/x/{ODD}")
        .branch(ODD)
        .model(ODD)
        .slug(ODD)
        .summary(ODD)
        .user(f"prompt {ODD}")
        .assistant(f"answer {ODD}")
        .tools(call, Call(ODD, {"x": ODD}, ODD, error=True), think=f"thought {ODD}")
        .attachment(ODD, rendered=ODD)
        .system(ODD, content=ODD)
        .custom_title(ODD)
    )


def texts(value: Any) -> Iterator[str]:
    """Return all text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts([*value, *value.values()])
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)


def test_no_row_has_a_character_that_a_database_refuses() -> None:
    rows = rows_of(odd_session(), InlineLimits(5_000, 5_000))

    found = list(texts([rows.session, rows.project, rows.session_id, rows.tables, rows.texts]))

    assert not [text for text in found if "\0" in text or "\\u0000" in text]
    assert sum(CLEAN in text for text in found) > 20


def test_each_table_with_text_is_clean() -> None:
    rows = rows_of(odd_session(), InlineLimits())

    odd = {name for name, found in rows.tables.items() if any(CLEAN in t for t in texts(found))}
    assert odd == {
        "block",
        "entry",
        "file_change",
        "message",
        "model_call",
        "old_title",
        "problem",
        "tool_call",
    }


def test_a_clean_text_is_as_long_as_before() -> None:
    rows = rows_of(SessionBuilder("one").user("\0" * 10 + "x" * 20), InlineLimits(text=15))

    [(text, is_cut, size)] = [row[4:7] for row in rows.tables["block"]]
    assert (text, is_cut, size) == (" " * 10 + "x" * 5, 1, 30)


def test_clean_rows_are_not_copied() -> None:
    rows = [(1, "a", b"\0", None), (2, "\\u0000 in words", b"", None)]
    odd = [(1, "\ud800", b"\0", None)]

    assert clean_rows(rows[:1]) == rows[:1]
    assert clean_rows(rows) == rows
    assert clean_rows(odd) == [(1, "\ufffd", b"\0", None)]
