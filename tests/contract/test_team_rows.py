"""The page on rows for teams names tables and columns that both engines have."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from clew.archive import Archive
from clew.store import Home
from clew.store.postgres_location import PostgresLocation
from clew.store.table_rows import TableRows, open_rows
from tests.build import SessionBuilder, bash
from tests.contract.answers import NOW

PAGE: Final = (Path(__file__).parents[2] / "docs" / "team-rows.md").read_text("utf-8")
_ROW: Final = re.compile(r"^\| (.+?) \| (.+) \|$", re.MULTILINE)
_NAME: Final = re.compile(r"`([a-z0-9_]+)(?:\.([a-z0-9_]+))?`")
_EXAMPLE: Final = re.compile(r"^```sql\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Values, and a name of a whole view in a sentence.
_VALUES: Final = frozenset({"api_error", "tool_use", "tool_result"})
# The columns of the published design, without those of raw lines.
_PUBLISHED: Final = {
    "transcript_messages": (
        "id session_id line_number ordinal message_type role model tokens_in tokens_out cache_read "
        "cache_write cost_usd compact_sequence is_compacted timestamp raw_message metadata "
        "has_text has_thinking has_tool_use has_tool_result"
    ),
    "content_blocks": (
        "id message_id session_id block_order block_type content_text thinking_text tool_name "
        "tool_use_id tool_input tool_result_id is_error result_text result_s3_key metadata"
    ),
    "Session statistics": (
        "total_messages user_messages assistant_messages tool_use_count thinking_blocks "
        "subagent_count tokens_in tokens_out cache_read_tokens cache_write_tokens "
        "cost_estimate_usd duration_ms initial_prompt"
    ),
}


@pytest.fixture(params=["local", "team"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Archive]:
    """Give an archive of each kind with the session that the page asks for."""
    session = SessionBuilder("one").user("Look").tools(bash("ls", "a\nb")).assistant("Done.")
    session.write(tmp_path / "root")
    location = (
        Home(tmp_path / "archive")
        if request.param == "local"
        else PostgresLocation(request.getfixturevalue("postgres_url"), str(tmp_path / "blobs"))
    )
    with Archive(location) as archive:
        archive.sync([tmp_path / "root"], now=NOW, workers=1)
        yield archive


def named() -> Iterator[tuple[str, str]]:
    """Return all tables and columns in the right columns of the page's tables."""
    for _, ours in _ROW.findall(PAGE):
        for table, column in _NAME.findall(ours):
            if table not in _VALUES:
                yield table, column


def test_every_name_exists(archive: Archive) -> None:
    rows: TableRows = open_rows(archive.location)
    known = {table: {name for name, _ in rows.columns(table)} for table, _ in set(named())}
    rows.close()

    missing = [f"{table}.{name}" for table, name in named() if name and name not in known[table]]

    assert missing == []
    assert not [table for table, columns in known.items() if not columns]
    assert len(set(named())) > 80


@pytest.mark.parametrize("title", _PUBLISHED)
def test_every_published_column_is_on_the_page(title: str) -> None:
    section = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    found = [theirs.strip("`") for theirs, _ in _ROW.findall(section)]

    assert [name for name in found if name not in ("published", "---")] == _PUBLISHED[title].split()


def test_the_example_runs(archive: Archive) -> None:
    [example] = _EXAMPLE.findall(PAGE)
    [session] = archive.sessions()
    query = re.sub(r"session_id = '.*?'", f"session_id = '{session.id}'", example)

    found = list(archive.query(query).rows)

    assert found == [
        (0, "text", None, "Look", None),
        (1, "tool_use", "Bash", None, None),
        (2, "tool_result", "Bash", None, "a\nb"),
        (3, "text", None, "Done.", None),
    ]
