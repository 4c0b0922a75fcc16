"""Names under which files are sent say what they are of, and nothing else."""

import pytest

from clew.push.names import KeyedNames, wire_file
from clew.push.projected import PushedSource
from clew.source import FileKind, classify

SESSION = "11111111-2222-4333-8444-555555555555"
FOLDER = "projects/-home-mira-secret"
PATHS = (
    f"{FOLDER}/{SESSION}.jsonl",
    f"{FOLDER}/{SESSION}.jsonl.orphaned-1",
    f"{FOLDER}/agent-a1b2c3d.jsonl",
    f"{FOLDER}/{SESSION}/subagents/agent-a1b2c3d.jsonl",
    f"{FOLDER}/{SESSION}/subagents/agent-a1b2c3d.meta.json",
    f"{FOLDER}/{SESSION}/subagents/agent-acompact-12ab34.jsonl",
    f"{FOLDER}/{SESSION}/subagents/agent-aprompt_suggestion-12ab34.jsonl",
    f"{FOLDER}/{SESSION}/subagents/agent-aside_question-12ab34.jsonl",
    f"{FOLDER}/{SESSION}/subagents/workflows/wf_secret-1/agent-a1b2c3d.jsonl",
    f"{FOLDER}/{SESSION}/subagents/workflows/wf_secret-1/journal.jsonl",
    f"{FOLDER}/{SESSION}/workflows/wf_secret-1.json",
    f"{FOLDER}/{SESSION}/workflows/scripts/secret-wf_secret-1.js",
    f"{FOLDER}/{SESSION}/tool-results/toolu_01AbC.txt",
    f"{FOLDER}/{SESSION}/tool-results/mcp-secret-1.txt",
    f"{FOLDER}/{SESSION}/custom-title.json",
    f"todos/{SESSION}-agent-{SESSION}.json",
)


def source_at(path: str, session_id: str = SESSION) -> PushedSource:
    """Make a source as an archive lists it."""
    place = classify(path)
    return PushedSource(
        path=path,
        kind=place.kind,
        session_id=place.session_id or session_id,
        agent_id=place.agent_id,
        workflow_id=place.workflow_id,
        read=list,
    )


@pytest.mark.parametrize("path", PATHS)
def test_kind_and_owners_are_read_from_the_new_name(path: str) -> None:
    names, source = KeyedNames(b"k" * 32), source_at(path)
    file = wire_file(source, names)
    place = classify(file)

    assert not [word for word in ("mira", "secret", "a1b2c3d", SESSION[:8]) if word in file]
    assert (place.kind, place.session_id) == (source.kind, names.hash_session(SESSION))
    assert place.workflow_id == (names.hash_id(source.workflow_id) if source.workflow_id else None)
    if source.kind is not FileKind.TODO:
        assert place.agent_id == (names.hash_id(source.agent_id) if source.agent_id else None)


def test_no_two_files_have_one_name() -> None:
    names = KeyedNames(b"k" * 32)
    moved = [path.replace("secret/", "other/") for path in PATHS if path.startswith(FOLDER)]

    files = {wire_file(source_at(path), names) for path in (*PATHS, *moved)}

    assert len(files) == len(PATHS) + len(moved)


def test_names_depend_on_the_key() -> None:
    one, two = KeyedNames(b"k" * 32), KeyedNames(b"l" * 32)

    assert one.hash_session(SESSION) != two.hash_session(SESSION)
    assert one.hash_session(SESSION) == one.hash_session(SESSION.upper())
    assert one.hash_id(SESSION) == one.hash_session(SESSION)
    assert one.hash_id("lead@team").count("@") == 1
    assert one.hash_id("") == ""
    assert one.hash_id("flat:") == "flat:"
    assert one.hash_id(f"flat:{SESSION}") == f"flat:{one.hash_id(SESSION)}"
