"""Read, Write, Edit, MultiEdit, NotebookEdit and NotebookRead."""

from typing import Any

import msgspec
import pytest

from clew.tools import (
    EditInput,
    MultiEditInput,
    NotebookEditInput,
    NotebookEditResult,
    ReadInput,
    WriteInput,
    WriteResult,
    decode_input,
    decode_result,
)
from clew.tools.builtin.edits import EditResult, EditStep, MultiEditResult
from clew.tools.builtin.notebook import NotebookCell, NotebookReadInput, NotebookReadResult
from clew.tools.builtin.read import ImageSize, ReadFile, ReadResult
from clew.tools.diffs.recorded import Hunk
from clew.tools.result_text.numbered_lines import NumberedText

PATCH = {"oldStart": 3, "oldLines": 1, "newStart": 3, "newLines": 1, "lines": ["-beta", "+BETA"]}
HUNK = Hunk(3, 1, 3, 1, ("-beta", "+BETA"))
STEP = {"old_string": "beta", "new_string": "BETA"}

INPUTS = [
    ("Read", {"file_path": "/w/a.md", "offset": 3, "limit": 2}, ReadInput("/w/a.md", 3, 2)),
    ("Read", {"file_path": "/w/a.md", "offset": "30"}, ReadInput("/w/a.md", 30)),
    ("Read", {"file_path": "/w/a.pdf", "pages": "1-5"}, ReadInput("/w/a.pdf", pages="1-5")),
    ("Write", {"file_path": "/w/a.md", "content": "hi\n"}, WriteInput("/w/a.md", "hi\n")),
    (
        "Edit",
        {"file_path": "/w/a.md", **STEP, "replace_all": "true"},
        EditInput("/w/a.md", "beta", "BETA", replace_all=True),
    ),
    (
        "MultiEdit",
        {"file_path": "/w/a.md", "edits": [STEP]},
        MultiEditInput("/w/a.md", (EditStep("beta", "BETA"),)),
    ),
    (
        "NotebookEdit",
        {"notebook_path": "/w/n.ipynb", "new_source": "print(2)", "cell_number": 1},
        NotebookEditInput("/w/n.ipynb", "print(2)", cell_number=1),
    ),
    ("NotebookRead", {"notebook_path": "/w/n.ipynb"}, NotebookReadInput("/w/n.ipynb")),
]

RESULTS = [
    (
        "Read",
        {
            "type": "text",
            "file": {
                "filePath": "/w/a.md",
                "content": "beta",
                "numLines": 1,
                "startLine": 3,
                "totalLines": 9,
            },
        },
        ReadResult("text", ReadFile("/w/a.md", "beta", 1, 3, 9)),
    ),
    (
        "Read",
        {
            "type": "image",
            "file": {
                "base64": "iVBO",
                "type": "image/png",
                "originalSize": 70,
                "dimensions": {"originalWidth": 8, "originalHeight": 4, "displayWidth": 8},
            },
        },
        ReadResult(
            "image",
            ReadFile(
                base64="iVBO",
                media_type="image/png",
                original_size_bytes=70,
                dimensions=ImageSize(8, 4, 8),
            ),
        ),
    ),
    (
        "Read",
        {
            "type": "notebook",
            "file": {
                "filePath": "/w/n.ipynb",
                "cells": [{"cellType": "code", "source": "1", "cell_id": "c1", "outputs": []}],
            },
        },
        ReadResult(
            "notebook",
            ReadFile("/w/n.ipynb", cells=(NotebookCell("code", "1", "c1", outputs=[]),)),
        ),
    ),
    (
        "Write",
        {"type": "create", "filePath": "/w/a.md", "content": "hi", "structuredPatch": []},
        WriteResult("create", "/w/a.md", "hi"),
    ),
    (
        "Write",
        {
            "type": "update",
            "filePath": "/w/a.md",
            "content": "hi",
            "structuredPatch": [PATCH],
            "originalFile": "ho",
        },
        WriteResult("update", "/w/a.md", "hi", (HUNK,), "ho"),
    ),
    (
        "Edit",
        {
            "filePath": "/w/a.md",
            "oldString": "beta",
            "newString": "BETA",
            "originalFile": None,
            "structuredPatch": [PATCH],
            "userModified": True,
            "replaceAll": False,
        },
        EditResult("/w/a.md", "beta", "BETA", None, (HUNK,), user_modified=True),
    ),
    (
        "MultiEdit",
        {
            "filePath": "/w/a.md",
            "edits": [{**STEP, "replace_all": True}],
            "originalFileContents": "beta",
            "structuredPatch": [PATCH],
        },
        MultiEditResult("/w/a.md", (EditStep("beta", "BETA", replace_all=True),), "beta", (HUNK,)),
    ),
    (
        "NotebookEdit",
        {"new_source": "2", "cell_number": 1.0, "cell_type": "code", "edit_mode": "replace"},
        NotebookEditResult("2", cell_number=1.0, cell_type="code", edit_mode="replace"),
    ),
    (
        "NotebookRead",
        [{"cellType": "markdown", "source": ["# A", "b"]}],
        NotebookReadResult((NotebookCell("markdown", ("# A", "b")),)),
    ),
]

EDITED = "The file /w/a.md has been updated"
TEXTS = [
    (
        "Read",
        {"file_path": "/w/a.md"},
        "     9→alpha\n    10→\n\n<system-reminder>\nBe good.\n</system-reminder>",
        ReadResult("text", ReadFile("/w/a.md", "alpha\n", 2, 9), reminders=("Be good.",)),
    ),
    (
        "Read",
        {"file_path": "/w/a.md"},
        "1\t# Notes\n2\t",
        ReadResult("text", ReadFile("/w/a.md", "# Notes\n", 2, 1)),
    ),
    (
        "Read",
        {"file_path": "/w/a.pdf"},
        "PDF file read: /w/a.pdf (1.5KB)",
        ReadResult("pdf", ReadFile("/w/a.pdf", original_size_bytes=1536)),
    ),
    (
        "Read",
        {"file_path": "/w/a.md"},
        "File unchanged since last read. Look above.",
        ReadResult("file_unchanged", ReadFile("/w/a.md")),
    ),
    (
        "Write",
        {"file_path": "/w/a.md", "content": "hi"},
        "File created successfully at: /w/a.md",
        WriteResult("create", "/w/a.md", "hi"),
    ),
    (
        "Write",
        {"file_path": "/w/a.md", "content": "hi"},
        "The file /w/a.md has been overwritten successfully.",
        WriteResult("update", "/w/a.md", "hi"),
    ),
    (
        "Edit",
        {"file_path": "/w/a.md", **STEP},
        f"{EDITED} successfully.",
        EditResult("/w/a.md", "beta", "BETA"),
    ),
    (
        "Edit",
        {"file_path": "/w/a.md", **STEP},
        (
            f"{EDITED}. Here's the result of running `cat -n` on a snippet of the edited file:\n"
            "     3→alpha\n     4→BETA"
        ),
        EditResult("/w/a.md", "beta", "BETA", snippet=NumberedText(3, "alpha\nBETA")),
    ),
    (
        "MultiEdit",
        {"file_path": "/w/a.md", "edits": [STEP]},
        'Applied 1 edit to /w/a.md:\n1. Replaced "beta" with "BETA"',
        MultiEditResult("/w/a.md", (EditStep("beta", "BETA"),)),
    ),
    (
        "NotebookEdit",
        {"notebook_path": "/w/n.ipynb", "new_source": "2", "cell_type": "code"},
        "Updated cell c1 with 2",
        NotebookEditResult("2", "", "c1", None, "code", "", "replace", "", "/w/n.ipynb"),
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


READ_RESULT = {"type": "text", "file": {"filePath": "/w/a.md", "content": "hi"}}


@pytest.mark.parametrize("result", [READ_RESULT, None])
def test_a_read_file_has_the_reminders_below_it(result: Any) -> None:
    text = (
        "     1→hi\n\n<system-reminder>\nMind the licence.\n</system-reminder>\n"
        "<system-reminder>Again.</system-reminder>\n"
    )

    read = decode_result("Read", msgspec.json.encode(result), text, ReadInput("/w/a.md"))

    assert isinstance(read, ReadResult)
    assert read.file.content == "hi"
    assert read.reminders == ("Mind the licence.", "Again.")
