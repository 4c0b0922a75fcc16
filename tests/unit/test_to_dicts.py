"""Rows as plain dicts."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clew
import clew.samples

SAMPLES = Path(clew.samples.__file__).parent


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[clew.Archive]:
    """Give an archive of the samples."""
    with clew.open_archive(tmp_path_factory.mktemp("home")) as archive:
        archive.sync([SAMPLES])
        yield archive


def keys(rows: list[dict[str, Any]]) -> list[str]:
    """Give the keys of all rows, which must have the same."""
    assert rows
    assert len({tuple(row) for row in rows}) == 1
    return list(rows[0])


def test_sessions_have_a_key_for_each_count(archive: clew.Archive) -> None:
    rows = clew.to_dicts(archive.sessions())

    first = next(archive.sessions())
    assert keys(rows)[:2] == ["id", "title"]
    assert rows[0]["models"] == list(first.models)
    assert rows[0]["path"] == first.path
    assert rows[0]["usage_output_tokens"] == first.usage.output_tokens


def test_usage_gives_its_groups_with_the_same_keys(archive: clew.Archive) -> None:
    report = archive.usage(by="model")

    rows = clew.to_dicts(report)

    assert [row["key"] for row in rows] == [group.key for group in report.rows]
    assert "unpriced_calls" in keys(rows)


def test_a_search_gives_its_hits(archive: clew.Archive) -> None:
    rows = clew.to_dicts(archive.search("retry"))

    assert {"session_id", "field", "snippet_text", "snippet_marks"} <= set(keys(rows))
    assert "retry" in rows[0]["snippet_text"].lower()
    assert rows[0]["snippet_marks"][0].keys() == {"start", "end"}


def test_a_query_gives_its_rows_by_column(archive: clew.Archive) -> None:
    answer = archive.query("SELECT 1 AS one, 'b' AS two")

    assert clew.to_dicts(answer) == [{"one": 1, "two": "b"}]


def test_any_list_of_the_archive_becomes_json(archive: clew.Archive) -> None:
    lists = [archive.projects(), archive.tool_calls(), archive.agent_runs(), archive.files()]

    for rows in map(clew.to_dicts, lists):
        assert json.loads(json.dumps(rows)) == rows
        assert keys(rows)


def test_nothing_gives_nothing() -> None:
    assert clew.to_dicts([]) == []
