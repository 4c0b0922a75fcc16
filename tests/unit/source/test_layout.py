"""Tests of what a path tells."""

import pytest

from clew.source.kinds import AGENT_KINDS, TRANSCRIPT_KINDS, FileKind
from clew.source.layout import ClassifiedPath, classify, is_private

SID = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
OTHER_ID = "99999999-4e5f-6071-8293-a4b5c6d7e8f9"
HEX = "0123456789abcdef"

IN_PROJECT = [
    (f"{SID}.jsonl", ClassifiedPath(FileKind.SESSION, SID)),
    (f"{SID.upper()}.jsonl", ClassifiedPath(FileKind.SESSION, SID.upper())),
    ("notes.jsonl", ClassifiedPath(FileKind.SESSION, "notes")),
    (f"{SID}.orphaned-1700000000.jsonl", ClassifiedPath(FileKind.SESSION, SID)),
    (f"{SID}.jsonl.superseded-20260101", ClassifiedPath(FileKind.SESSION, SID)),
    ("agent-3be551df.jsonl", ClassifiedPath(FileKind.AGENT, None, "3be551df")),
    ("agent-a6e6174.jsonl", ClassifiedPath(FileKind.AGENT, None, "a6e6174")),
    ("agent-a6e6174.meta.json", ClassifiedPath(FileKind.META, None, "a6e6174")),
    ("sessions-index.json", ClassifiedPath(FileKind.INDEX)),
    ("memory/MEMORY.md", ClassifiedPath(FileKind.MEMORY)),
    ("memory/deep/er/notes.jsonl", ClassifiedPath(FileKind.MEMORY)),
    ("notes.txt", ClassifiedPath(FileKind.OTHER)),
    ("agent-notes.txt", ClassifiedPath(FileKind.OTHER)),
    (f"{SID}/subagents/agent-a6e6174.jsonl", ClassifiedPath(FileKind.AGENT, SID, "a6e6174")),
    (f"{SID}/subagents/agent-a{HEX}.jsonl", ClassifiedPath(FileKind.AGENT, SID, f"a{HEX}")),
    (f"{SID}/subagents/agent-a{HEX}.meta.json", ClassifiedPath(FileKind.META, SID, f"a{HEX}")),
    (
        f"{SID}/subagents/agent-aworker-one-{HEX}.jsonl",
        ClassifiedPath(FileKind.AGENT, SID, f"aworker-one-{HEX}"),
    ),
    (
        f"{SID}/subagents/agent-acompact-e1f845.jsonl",
        ClassifiedPath(FileKind.COMPACTION_AGENT, SID, "acompact-e1f845"),
    ),
    (
        f"{SID}/subagents/agent-acompact-helper-{HEX}.jsonl",
        ClassifiedPath(FileKind.AGENT, SID, f"acompact-helper-{HEX}"),
    ),
    (
        f"{SID}/subagents/agent-aprompt_suggestion-e1f845.jsonl",
        ClassifiedPath(FileKind.SUGGESTION_AGENT, SID, "aprompt_suggestion-e1f845"),
    ),
    (
        f"{SID}/subagents/agent-aside_question-e1f845.jsonl",
        ClassifiedPath(FileKind.SIDE_QUESTION_AGENT, SID, "aside_question-e1f845"),
    ),
    (f"{SID}/subagents/notes.txt", ClassifiedPath(FileKind.OTHER, SID)),
    (
        f"{SID}/subagents/workflows/wf_1e3-997/agent-a{HEX}.jsonl",
        ClassifiedPath(FileKind.WORKFLOW_AGENT, SID, f"a{HEX}", "wf_1e3-997"),
    ),
    (
        f"{SID}/subagents/workflows/wf_1e3-997/agent-a{HEX}.meta.json",
        ClassifiedPath(FileKind.META, SID, f"a{HEX}", "wf_1e3-997"),
    ),
    (
        f"{SID}/subagents/workflows/wf_1e3-997/journal.jsonl",
        ClassifiedPath(FileKind.JOURNAL, SID, None, "wf_1e3-997"),
    ),
    (
        f"{SID}/workflows/wf_1e3-997.json",
        ClassifiedPath(FileKind.WORKFLOW, SID, None, "wf_1e3-997"),
    ),
    (
        f"{SID}/workflows/scripts/demo-flow-wf_1e3-997.js",
        ClassifiedPath(FileKind.WORKFLOW_SCRIPT, SID, None, "wf_1e3-997"),
    ),
    (f"{SID}/workflows/scripts/demo.js", ClassifiedPath(FileKind.WORKFLOW_SCRIPT, SID)),
    (f"{SID}/tool-results/b4mktedm8.txt", ClassifiedPath(FileKind.TOOL_RESULT, SID)),
    (f"{SID}/tool-results/deep/er.png", ClassifiedPath(FileKind.TOOL_RESULT, SID)),
    (f"{SID}/custom-title.json", ClassifiedPath(FileKind.TITLE, SID)),
    (f"{SID}/archived.json", ClassifiedPath(FileKind.ARCHIVED, SID)),
    (f"{SID}/resume-head.jsonl", ClassifiedPath(FileKind.RESUME_CACHE, SID)),
    (f"{SID}/unheard-of/new.jsonl", ClassifiedPath(FileKind.OTHER, SID)),
    (f"{SID}/new.jsonl", ClassifiedPath(FileKind.OTHER, SID)),
    ("notes/subagents/agent-a6e6174.jsonl", ClassifiedPath(FileKind.AGENT, "notes", "a6e6174")),
]

BESIDE_PROJECTS = [
    ("history.jsonl", ClassifiedPath(FileKind.HISTORY)),
    ("stats-cache.json", ClassifiedPath(FileKind.STATS)),
    ("plans/lazy-singing-melody.md", ClassifiedPath(FileKind.PLAN)),
    (f"todos/{SID}-agent-{SID}.json", ClassifiedPath(FileKind.TODO, SID)),
    (f"todos/{SID}-agent-{OTHER_ID}.json", ClassifiedPath(FileKind.TODO, SID, OTHER_ID)),
    ("todos/odd.json", ClassifiedPath(FileKind.TODO)),
    (f"tasks/{SID}/1.json", ClassifiedPath(FileKind.TASK, SID)),
    ("tasks/my-team/1.json", ClassifiedPath(FileKind.TASK)),
    (f"file-history/{SID}/{HEX}@v2", ClassifiedPath(FileKind.FILE_HISTORY, SID)),
    ("teams/my-team/inboxes/lead.json", ClassifiedPath(FileKind.TEAM)),
    ("jobs/pins.json", ClassifiedPath(FileKind.JOB)),
    ("jobs/2718b6ac/timeline.jsonl", ClassifiedPath(FileKind.JOB)),
    (f"image-cache/{SID}/1.png", ClassifiedPath(FileKind.IMAGE, SID)),
    ("paste-cache/0a1b.txt", ClassifiedPath(FileKind.PASTE)),
    (f"debug/{SID}.txt", ClassifiedPath(FileKind.DEBUG, SID)),
    ("debug/other.txt", ClassifiedPath(FileKind.DEBUG)),
    (f"uploads/{SID}/a.pdf", ClassifiedPath(FileKind.UPLOAD, SID)),
    ("agent-memory/reviewer/MEMORY.md", ClassifiedPath(FileKind.MEMORY)),
    ("shell-snapshots/snapshot.sh", ClassifiedPath(FileKind.OTHER)),
]


def inside(place: ClassifiedPath, folder: str | None) -> ClassifiedPath:
    return ClassifiedPath(place.kind, place.session_id, place.agent_id, place.workflow_id, folder)


@pytest.mark.parametrize(("tail", "place"), IN_PROJECT)
@pytest.mark.parametrize(
    "folder", ["-home-dev-code", "C--Users-me", "c--work", "sample-project", "проект", "\udcff-x"]
)
def test_a_file_below_a_project_is_known_by_its_path(
    folder: str, tail: str, place: ClassifiedPath
) -> None:
    assert classify(f"projects/{folder}/{tail}") == inside(place, folder)


@pytest.mark.parametrize(("tail", "place"), IN_PROJECT)
def test_a_projects_folder_is_recognised_wherever_it_stands(
    tail: str, place: ClassifiedPath
) -> None:
    path = f"/home/me/projects/clew/backup/.claude/projects/-p/{tail}"

    assert classify(path).kind is place.kind


@pytest.mark.parametrize(("tail", "place"), IN_PROJECT)
def test_a_path_may_begin_in_the_project_folder(tail: str, place: ClassifiedPath) -> None:
    found = classify(tail)

    assert (found.kind, found.session_id) == (place.kind, place.session_id)


def test_the_first_projects_folder_that_makes_sense_counts() -> None:
    path = "projects/-p/memory/projects/x/y.jsonl"

    assert classify(path) == ClassifiedPath(FileKind.MEMORY, project_folder="-p")


@pytest.mark.parametrize(("path", "place"), BESIDE_PROJECTS)
def test_a_file_beside_the_projects_is_known_by_its_path(path: str, place: ClassifiedPath) -> None:
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
