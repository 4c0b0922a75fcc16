"""Tests of what a path tells."""

import pytest

from clew.source.kinds import AGENT_KINDS, TRANSCRIPT_KINDS, FileKind
from clew.source.layout import Place, classify, is_private

SID = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
OTHER_ID = "99999999-4e5f-6071-8293-a4b5c6d7e8f9"
HEX = "0123456789abcdef"

IN_PROJECT = [
    (f"{SID}.jsonl", Place(FileKind.SESSION, SID)),
    (f"{SID.upper()}.jsonl", Place(FileKind.SESSION, SID.upper())),
    ("notes.jsonl", Place(FileKind.SESSION, "notes")),
    (f"{SID}.orphaned-1700000000.jsonl", Place(FileKind.SESSION, SID)),
    (f"{SID}.jsonl.superseded-20260101", Place(FileKind.SESSION, SID)),
    ("agent-3be551df.jsonl", Place(FileKind.AGENT, None, "3be551df")),
    ("agent-a6e6174.jsonl", Place(FileKind.AGENT, None, "a6e6174")),
    ("agent-a6e6174.meta.json", Place(FileKind.META, None, "a6e6174")),
    ("sessions-index.json", Place(FileKind.INDEX)),
    ("memory/MEMORY.md", Place(FileKind.MEMORY)),
    ("memory/deep/er/notes.jsonl", Place(FileKind.MEMORY)),
    ("notes.txt", Place(FileKind.OTHER)),
    ("agent-notes.txt", Place(FileKind.OTHER)),
    (f"{SID}/subagents/agent-a6e6174.jsonl", Place(FileKind.AGENT, SID, "a6e6174")),
    (f"{SID}/subagents/agent-a{HEX}.jsonl", Place(FileKind.AGENT, SID, f"a{HEX}")),
    (f"{SID}/subagents/agent-a{HEX}.meta.json", Place(FileKind.META, SID, f"a{HEX}")),
    (
        f"{SID}/subagents/agent-aworker-one-{HEX}.jsonl",
        Place(FileKind.AGENT, SID, f"aworker-one-{HEX}"),
    ),
    (
        f"{SID}/subagents/agent-acompact-e1f845.jsonl",
        Place(FileKind.COMPACTION_AGENT, SID, "acompact-e1f845"),
    ),
    (
        f"{SID}/subagents/agent-acompact-helper-{HEX}.jsonl",
        Place(FileKind.AGENT, SID, f"acompact-helper-{HEX}"),
    ),
    (
        f"{SID}/subagents/agent-aprompt_suggestion-e1f845.jsonl",
        Place(FileKind.SUGGESTION_AGENT, SID, "aprompt_suggestion-e1f845"),
    ),
    (
        f"{SID}/subagents/agent-aside_question-e1f845.jsonl",
        Place(FileKind.SIDE_QUESTION_AGENT, SID, "aside_question-e1f845"),
    ),
    (f"{SID}/subagents/notes.txt", Place(FileKind.OTHER, SID)),
    (
        f"{SID}/subagents/workflows/wf_1e3-997/agent-a{HEX}.jsonl",
        Place(FileKind.WORKFLOW_AGENT, SID, f"a{HEX}", "wf_1e3-997"),
    ),
    (
        f"{SID}/subagents/workflows/wf_1e3-997/agent-a{HEX}.meta.json",
        Place(FileKind.META, SID, f"a{HEX}", "wf_1e3-997"),
    ),
    (
        f"{SID}/subagents/workflows/wf_1e3-997/journal.jsonl",
        Place(FileKind.JOURNAL, SID, None, "wf_1e3-997"),
    ),
    (f"{SID}/workflows/wf_1e3-997.json", Place(FileKind.WORKFLOW, SID, None, "wf_1e3-997")),
    (
        f"{SID}/workflows/scripts/demo-flow-wf_1e3-997.js",
        Place(FileKind.WORKFLOW_SCRIPT, SID, None, "wf_1e3-997"),
    ),
    (f"{SID}/workflows/scripts/demo.js", Place(FileKind.WORKFLOW_SCRIPT, SID)),
    (f"{SID}/tool-results/b4mktedm8.txt", Place(FileKind.TOOL_RESULT, SID)),
    (f"{SID}/tool-results/deep/er.png", Place(FileKind.TOOL_RESULT, SID)),
    (f"{SID}/custom-title.json", Place(FileKind.TITLE, SID)),
    (f"{SID}/archived.json", Place(FileKind.ARCHIVED, SID)),
    (f"{SID}/resume-head.jsonl", Place(FileKind.RESUME_CACHE, SID)),
    (f"{SID}/unheard-of/new.jsonl", Place(FileKind.OTHER, SID)),
    (f"{SID}/new.jsonl", Place(FileKind.OTHER, SID)),
    ("notes/subagents/agent-a6e6174.jsonl", Place(FileKind.AGENT, "notes", "a6e6174")),
]

BESIDE_PROJECTS = [
    ("history.jsonl", Place(FileKind.HISTORY)),
    ("stats-cache.json", Place(FileKind.STATS)),
    ("plans/lazy-singing-melody.md", Place(FileKind.PLAN)),
    (f"todos/{SID}-agent-{SID}.json", Place(FileKind.TODO, SID)),
    (f"todos/{SID}-agent-{OTHER_ID}.json", Place(FileKind.TODO, SID, OTHER_ID)),
    ("todos/odd.json", Place(FileKind.TODO)),
    (f"tasks/{SID}/1.json", Place(FileKind.TASK, SID)),
    ("tasks/my-team/1.json", Place(FileKind.TASK)),
    (f"file-history/{SID}/{HEX}@v2", Place(FileKind.FILE_HISTORY, SID)),
    ("teams/my-team/inboxes/lead.json", Place(FileKind.TEAM)),
    ("jobs/pins.json", Place(FileKind.JOB)),
    ("jobs/2718b6ac/timeline.jsonl", Place(FileKind.JOB)),
    (f"image-cache/{SID}/1.png", Place(FileKind.IMAGE, SID)),
    ("paste-cache/0a1b.txt", Place(FileKind.PASTE)),
    (f"debug/{SID}.txt", Place(FileKind.DEBUG, SID)),
    ("debug/other.txt", Place(FileKind.DEBUG)),
    (f"uploads/{SID}/a.pdf", Place(FileKind.UPLOAD, SID)),
    ("agent-memory/reviewer/MEMORY.md", Place(FileKind.MEMORY)),
    ("shell-snapshots/snapshot.sh", Place(FileKind.OTHER)),
]


def inside(place: Place, folder: str | None) -> Place:
    return Place(place.kind, place.session_id, place.agent_id, place.workflow_id, folder)


@pytest.mark.parametrize(("tail", "place"), IN_PROJECT)
@pytest.mark.parametrize(
    "folder", ["-home-dev-code", "C--Users-me", "c--work", "sample-project", "проект", "\udcff-x"]
)
def test_a_file_below_a_project_is_known_by_its_path(folder: str, tail: str, place: Place) -> None:
    assert classify(f"projects/{folder}/{tail}") == inside(place, folder)


@pytest.mark.parametrize(("tail", "place"), IN_PROJECT)
def test_a_projects_folder_is_recognised_wherever_it_stands(tail: str, place: Place) -> None:
    path = f"/home/me/projects/clew/backup/.claude/projects/-p/{tail}"

    assert classify(path).kind is place.kind


@pytest.mark.parametrize(("tail", "place"), IN_PROJECT)
def test_a_path_may_begin_in_the_project_folder(tail: str, place: Place) -> None:
    found = classify(tail)

    assert (found.kind, found.session_id) == (place.kind, place.session_id)


def test_the_first_projects_folder_that_makes_sense_counts() -> None:
    path = "projects/-p/memory/projects/x/y.jsonl"

    assert classify(path) == Place(FileKind.MEMORY, project_folder="-p")


@pytest.mark.parametrize(("path", "place"), BESIDE_PROJECTS)
def test_a_file_beside_the_projects_is_known_by_its_path(path: str, place: Place) -> None:
    found = classify(path)

    assert inside(found, None) == place


@pytest.mark.parametrize("path", ["", "/", "projects", "projects/", "a/b/c", "//projects//x"])
def test_a_path_that_tells_nothing_is_other(path: str) -> None:
    assert classify(path).kind is FileKind.OTHER


@pytest.mark.parametrize(
    "name",
    [
        ".credentials.json",
        ".Credentials.json",
        "credentials.json",
        ".claude.json",
        ".claude.json.backup.1700000000",
        "settings.json",
        "settings.local.json",
        "settings.json.bak",
        "remote-settings.json",
        "managed-settings.json",
    ],
)
def test_credentials_and_settings_are_private(name: str) -> None:
    assert is_private(name)


@pytest.mark.parametrize(
    "name", ["history.jsonl", "settings.jsonl", "mcp-get-settings-1.json", "settings.md", "1.json"]
)
def test_other_names_are_not_private(name: str) -> None:
    assert not is_private(name)


def test_agents_are_transcripts_and_journals_are_not() -> None:
    assert AGENT_KINDS < TRANSCRIPT_KINDS
    assert FileKind.JOURNAL not in TRANSCRIPT_KINDS
