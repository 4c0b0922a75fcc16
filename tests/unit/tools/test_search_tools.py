"""Glob, Grep, LS, LSP, ToolSearch, WebFetch and WebSearch."""

from typing import Any

import msgspec
import pytest

from clew.tools import decode_input, decode_result
from clew.tools.builtin.file_search import (
    GlobInput,
    GlobResult,
    GrepInput,
    GrepResult,
    LsInput,
    LspInput,
    LspResult,
    LsResult,
)
from clew.tools.builtin.skills import ToolReference, ToolSearchInput, ToolSearchResult
from clew.tools.builtin.web import (
    WebFetchInput,
    WebFetchResult,
    WebLink,
    WebSearchHits,
    WebSearchInput,
    WebSearchResult,
)
from clew.tools.result_text.persisted_output import PersistedOutput

FILES = "files_with_matches"
LINKS = '[{"title":"Sea","url":"https://s.example"},{"url":"https://t.example"}]'
HITS = (WebLink("https://s.example", "Sea"), WebLink("https://t.example"))

INPUTS = [
    ("Glob", {"pattern": "*.md", "path": "/w"}, GlobInput("*.md", "/w")),
    (
        "Grep",
        {"pattern": "x", "-A": 2, "-n": True, "-i": True, "-o": True, "head_limit": 5},
        GrepInput(
            "x",
            head_limit=5,
            lines_after=2,
            line_numbers=True,
            ignore_case=True,
            only_matching=True,
        ),
    ),
    ("LS", {"path": "/w", "ignore": ["a"]}, LsInput("/w", ("a",))),
    (
        "LSP",
        {"operation": "hover", "filePath": "/w/a.py", "line": 3, "character": 1},
        LspInput("hover", "/w/a.py", 3, 1),
    ),
    ("ToolSearch", {"query": "select:Edit", "max_results": 5}, ToolSearchInput("select:Edit", 5)),
    ("WebFetch", {"url": "https://s.example", "prompt": "?"}, WebFetchInput(HITS[0].url, "?")),
    (
        "WebSearch",
        {"query": "sea", "allowed_domains": ["s.example"]},
        WebSearchInput("sea", ("s.example",)),
    ),
]

RESULTS = [
    (
        "Glob",
        {"filenames": ["a"], "numFiles": 1, "truncated": True, "durationMs": 4, "totalMatches": 9},
        GlobResult(("a",), 1, truncated=True, duration_ms=4, total_matches=9),
    ),
    (
        "Grep",
        {"mode": "count", "filenames": [], "numFiles": 2, "content": "a:3", "numMatches": 3},
        GrepResult((), 2, "count", "a:3", num_matches=3),
    ),
    (
        "LSP",
        {"operation": "hover", "result": "int", "filePath": "/w/a.py", "resultCount": 1},
        LspResult("hover", "int", "/w/a.py", 1),
    ),
    (
        "ToolSearch",
        {"matches": ["Edit"], "query": "select:Edit", "total_deferred_tools": 11},
        ToolSearchResult(("Edit",), "select:Edit", 11),
    ),
    (
        "ToolSearch",
        [{"type": "tool_reference", "tool_name": "Edit"}],
        ToolSearchResult((ToolReference("Edit"),)),
    ),
    (
        "WebFetch",
        {"bytes": 9, "code": 200, "codeText": "OK", "result": "r", "durationMs": 1.5, "url": "u"},
        WebFetchResult("r", "u", 200, "OK", 9, 1.5),
    ),
    (
        "WebSearch",
        {
            "query": "sea",
            "results": [{"tool_use_id": "s1", "content": msgspec.json.decode(LINKS)}, "Wide."],
            "durationSeconds": 2.5,
            "searchCount": 1,
        },
        WebSearchResult("sea", (WebSearchHits(HITS, "s1"), "Wide."), 2.5, 1),
    ),
]

TEXTS = [
    ("Glob", {"pattern": "*"}, "No files found", GlobResult((), 0)),
    ("Glob", {"pattern": "*"}, "/w/a\n/w/b", GlobResult(("/w/a", "/w/b"), 2)),
    (
        "Glob",
        {"pattern": "*"},
        "/w/a\n(Results are truncated. Be more specific.)",
        GlobResult(("/w/a",), 1, truncated=True),
    ),
    ("Grep", {"pattern": "x"}, "Found 2 files\na.py\nb.py", GrepResult(("a.py", "b.py"), 2, FILES)),
    ("Grep", {"pattern": "x"}, "No files found", GrepResult((), 0, FILES)),
    (
        "Grep",
        {"pattern": "x", "output_mode": "content"},
        "a.py:1:x\na.py:2:x\n\n[Showing results with pagination = limit: 2, offset: 0]",
        GrepResult((), None, "content", "a.py:1:x\na.py:2:x", 2),
    ),
    (
        "Grep",
        {"pattern": "x", "output_mode": "content"},
        "No matches found",
        GrepResult((), None, "content", "", 0),
    ),
    (
        "Grep",
        {"pattern": "x", "output_mode": "count"},
        "a.py:2\nb.py:1\n\nFound 3 total occurrences across 2 files.",
        GrepResult((), 2, "count", "a.py:2\nb.py:1", num_matches=3),
    ),
    (
        "Grep",
        {"pattern": "x", "output_mode": "content"},
        (
            "<persisted-output>\nOutput too large (1KB). Full output saved to: /t/g.txt\n\n"
            "Preview (first 2KB):\na.py:1:x\n</persisted-output>"
        ),
        GrepResult(
            (),
            mode="content",
            content="a.py:1:x",
            persisted=PersistedOutput("/t/g.txt", 1024, "a.py:1:x"),
        ),
    ),
    ("LS", {"path": "/w"}, "- /w/\n  - a\n\nNOTE: is it malicious?", LsResult("- /w/\n  - a")),
    (
        "LSP",
        {"operation": "hover", "filePath": "/w/a.py"},
        "int",
        LspResult("hover", "int", "/w/a.py"),
    ),
    ("WebFetch", {"url": "u", "prompt": "?"}, "It is 3.", WebFetchResult("It is 3.", "u")),
    (
        "WebSearch",
        {"query": "sea"},
        (
            f'Web search results for query: "sea"\n\nLinks: {LINKS}\n\nWide.\n\nDeep.\n\n\n'
            "REMINDER: name your sources."
        ),
        WebSearchResult("sea", (WebSearchHits(HITS), "Wide.\n\nDeep.")),
    ),
    (
        "WebSearch",
        {"query": "sea"},
        'Web search results for query: "sea"\n\nLinks: [broken',
        WebSearchResult("sea", ("Links: [broken",)),
    ),
]


@pytest.mark.parametrize(("name", "value", "expected"), INPUTS)
def test_input_is_typed(name: str, value: Any, expected: object) -> None:
    assert decode_input(name, msgspec.json.encode(value)) == expected


@pytest.mark.parametrize(("name", "value", "expected"), RESULTS)
def test_result_is_typed(name: str, value: Any, expected: object) -> None:
    assert decode_result(name, msgspec.json.encode(value), "", None) == expected


@pytest.mark.parametrize(("name", "value", "text", "expected"), TEXTS)
def test_result_is_read_from_text(name: str, value: Any, text: str, expected: object) -> None:
    arguments = decode_input(name, msgspec.json.encode(value))

    assert decode_result(name, b"", text, arguments) == expected


def test_a_listing_is_a_string_and_no_error() -> None:
    result = decode_result("LS", b'"- /w/\\n  - a"', "", LsInput("/w"))

    assert result == LsResult("- /w/\n  - a")


def test_found_tools_have_names_however_they_were_told() -> None:
    result = ToolSearchResult(("Edit", ToolReference("Grep")))

    assert result.tool_names == ("Edit", "Grep")
