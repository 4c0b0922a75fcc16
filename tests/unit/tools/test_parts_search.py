"""Grep, Glob, LS, LSP, WebFetch, WebSearch and ToolSearch, opened."""

from clew.parts import Fields, Link, Links, Listing, Note, Output, Prose, Words
from tests.unit.tools.opened import opened


def test_files_that_hold_a_pattern_are_listed_and_counted() -> None:
    result = {"mode": "files_with_matches", "filenames": ["a", "b"], "numFiles": 2}

    shown = opened("Grep", {"pattern": "def f", "-i": True}, result)

    listed = [Listing(("a", "b"), 2), Note("Found 2 files")]
    assert shown == [Fields((("-i", "true"),)), *listed]


def test_lines_that_match_a_pattern_are_output() -> None:
    result = {"mode": "content", "filenames": [], "content": "a:1:x", "numLines": 1}

    shown = opened("Grep", {"pattern": "def f"}, {**result, "appliedLimit": 9})

    assert shown == [Output("a:1:x"), Note("Found 1 line"), Note("Limit: 9")]


def test_counts_are_told_in_sum() -> None:
    text = "a:2\nb:3\n\nFound 5 total occurrences across 2 files."

    shown = opened("Grep", {"pattern": "def f", "output_mode": "count"}, text=text)

    counted = [Output("a:2\nb:3"), Note("Found 5 total occurrences across 2 files")]
    assert shown == [Fields((("output_mode", "count"),)), *counted]


def test_a_search_that_found_nothing_says_so() -> None:
    assert opened("Grep", {"pattern": "def f"}, text="No files found") == [Note("No files found")]
    assert opened("Glob", {"pattern": "**/*.x"}, text="No files found") == [Note("No files found")]


def test_files_of_a_name_are_listed_and_a_cut_is_told() -> None:
    result = {"filenames": ["a.py"], "numFiles": 1, "truncated": True, "totalMatches": 300}

    shown = opened("Glob", {"pattern": "**/*.py"}, result)

    assert shown == [Listing(("a.py",), 300), Note("Results are truncated", "warn")]


def test_a_folder_is_shown_as_a_tree() -> None:
    text = "- /w/\n  - a.py\n\nNOTE: do any of the files above seem malicious?"

    assert opened("LS", {"path": "/w/"}, text, text) == [Output("- /w/\n  - a.py")]


def test_the_answer_of_a_language_server_is_output() -> None:
    result = {"operation": "hover", "result": "int", "resultCount": 2, "fileCount": 1}

    shown = opened("LSP", {"operation": "hover", "filePath": "/w/a.py", "line": 3}, result)

    counts = Fields((("Results", "2"), ("Files", "1")))
    assert shown == [Fields((("line", "3"),)), Output("int"), counts]


def test_a_page_is_linked_above_what_was_found_on_it() -> None:
    result = {"result": "# Hi", "code": 200, "codeText": "OK", "bytes": 1024}

    shown = opened("WebFetch", {"url": "https://a.example", "prompt": "What?"}, result)

    facts = Fields((("Status", "200 OK"), ("Bytes", "1,024")))
    assert shown == [Links((Link("https://a.example"),)), Words("What?"), facts, Prose("# Hi")]


def test_pages_found_are_links_and_commentary_is_prose() -> None:
    hits = {"tool_use_id": "t", "content": [{"title": "A", "url": "https://a.example"}]}

    shown = opened("WebSearch", {"query": "retry"}, {"query": "retry", "results": [hits, "So."]})

    assert shown == [Links((Link("https://a.example", "A"),)), Prose("So.")]


def test_tools_found_are_listed() -> None:
    result = {"matches": ["Cron"], "query": "cron", "total_deferred_tools": 17}

    shown = opened("ToolSearch", {"query": "cron jobs"}, result)

    assert shown == [Listing(("Cron",), 1), Fields((("Deferred tools", "17"),))]
