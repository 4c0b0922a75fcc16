"""The tier *structure*: the same numbers, and nothing that anybody wrote."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.analytics import price_table
from clew.conversation import Conversation
from clew.protocol import Tier
from clew.push.vocabulary import AGENTS, COMMANDS, MCP_TOOL, TOOLS, WORDS, model_word, tool_word
from clew.sessions import group_sessions
from clew.source import discover
from tests.build import SessionBuilder
from tests.recordings import HERE, parameters, recordings
from tests.team.projecting import conversations, project, project_root
from tests.team.wire import json_strings

SAMPLES = Path(__file__).parents[2] / "src" / "clew" / "samples"
CORPUS = Path(__file__).parents[3] / "shared" / "corpus"

HEX = r"[0-9a-f]{24}"
UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
PREFIX = (
    r"(?:(?:msg|toolu|srvtoolu|mcptoolu|req|wf)_"
    r"|acompact-|aprompt_suggestion-|aside_question-|flat:)"
)
ID = rf"(?:flat:|{PREFIX}?(?:{HEX}|{UUID})(?:@(?:{HEX}|{UUID}))*)"
FILLER = r"/?\(\d+ characters, [0-9a-f]{12}\)|Warmup"
TAG = r"</?[a-z]+(?:[-_][a-z]+)*>"
SAYING = (
    r"\[Request interrupted by user(?: for tool use)?\]|Permission to use |\[Image: source: |\]"
    r"|This session is being continued from a previous conversation"
    r"|Operation stopped by hook:|[A-Z][A-Za-z]+ hook feedback:|Base directory for this skill:"
    r"|agentId: |background with ID: "
    r'|<teammate-message teammate_id="|" summary="|">|/[a-z-]+'
    r'|\{"task_id":"|","task_type":"other","tool_use_id":"|","description":"|","status":"|"\}'
)
STATUS = "|".join(sorted(map(re.escape, WORDS), key=len, reverse=True))
GRAMMAR = re.compile(rf"(?:{ID}|{FILLER}|/[0-9a-f]{{16}}|/{ID}|{TAG}|{SAYING}|{STATUS}|\d+|[ \n])*")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.+Z-]+")
VERSION = re.compile(r"\d+(?:\.\d+)+")
MODELS = {model_word(price.model) for price in price_table().rows}
CLOSED = WORDS | TOOLS | AGENTS | MODELS | {MCP_TOOL, "<synthetic>", "other"}


def facts(conversation: Conversation) -> dict[str, object]:
    """Give all that must be the same with and without the words."""
    totals, session = conversation.totals, conversation.session
    calls, runs = conversation.tool_calls, conversation.agent_runs
    return {
        "totals": totals,
        "kinds": Counter(m.kind for m in conversation.messages),
        "tools": Counter((tool_word(call.tool), call.status) for call in calls),
        "call times": sorted(str(call.duration_ms) for call in calls),
        "background": Counter(call.background_status for call in calls),
        "runs": Counter((run.kind, run.status, run.link, run.depth) for run in runs),
        "turns": [(turn.duration_ms, turn.usage) for turn in conversation.turns],
        "epochs": [(epoch.trigger, epoch.tokens_before) for epoch in conversation.epochs],
        "threads": len(conversation.threads),
        "copies": len(conversation.duplicates),
        "times": (session.started_at, session.ended_at, session.active_ms),
        "models": Counter(model_word(m.model or "") for m in conversation.messages if m.usage),
        "usage": Counter(str(m.usage) for m in conversation.messages),
        "cost": conversation.cost_state and conversation.cost_state.total_cost_usd,
    }


def roots() -> list[Any]:
    """Give all recordings, the samples, and the smaller ones of the corpus where there is one."""
    corpora = sorted(path for path in CORPUS.glob("*/") if path.is_dir() and _size(path) < 8 << 20)
    others = [pytest.param(path, id=path.name) for path in (SAMPLES, *corpora)]
    return [pytest.param(p.values[0].root, id=p.id) for p in parameters(HERE)] + others


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.jsonl"))


@pytest.mark.parametrize("root", roots())
def test_numbers_are_those_of_the_original(root: Path, tmp_path: Path) -> None:
    ids = project_root(root, tmp_path, Tier.STRUCTURE)
    before, after = conversations(root), conversations(tmp_path)

    assert {ids[name]: facts(own) for name, own in before.items()} == {
        name: facts(own) for name, own in after.items()
    }


@pytest.mark.parametrize("root", roots())
def test_nothing_that_anybody_wrote_is_in_it(root: Path) -> None:
    for session in group_sessions(discover(root).files):
        files = [(file.file, data) for file, data in project(session, Tier.STRUCTURE)]
        written = {leaf for file in session.files for leaf in json_strings(file.path.read_bytes())}
        names = {part for file in session.files for part in file.relative.split("/")}
        sent = {leaf for _, data in files for leaf in json_strings(data)}

        assert [leaf for leaf in sent if not is_allowed(leaf)] == []
        whole = "\n".join((*(name for name, _ in files), *sent))
        told = [leaf for leaf in {*written, *names} if is_telling(leaf) and leaf in whole]
        assert told == []


CANARY = "zq9canary"


def canaries(node: Any, number: list[int], *, with_types: bool) -> Any:
    """Replace every string of a tree by one of its own, and add a field that nobody knows."""
    if isinstance(node, dict):
        kept = {"type": node["type"]} if "type" in node and not with_types else {}
        inner = {k: canaries(v, number, with_types=with_types) for k, v in node.items()}
        return {**inner, **kept, f"{CANARY}Key": {"text": CANARY, "type": CANARY}}
    if isinstance(node, list):
        return [canaries(item, number, with_types=with_types) for item in node]
    number[0] += 1
    return f"{CANARY}{number[0]}/{node[:20]}{CANARY}" if isinstance(node, str) else node


@pytest.mark.parametrize("with_types", [False, True])
def test_no_string_passes_whatever_field_it_is_in(with_types: bool, tmp_path: Path) -> None:  # noqa: FBT001
    rows = 0
    for recording in recordings(HERE):
        for path in recording.transcripts():
            lines = []
            for line in path.read_bytes().splitlines():
                tree = canaries(msgspec.json.decode(line), [0], with_types=with_types)
                lines.append(msgspec.json.encode(tree) + b"\n")
            rows += len(lines)
            target = tmp_path / "projects" / "-canary" / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(b"".join(lines))

    for session in group_sessions(discover(tmp_path).files):
        for file, data in project(session, Tier.STRUCTURE):
            assert CANARY.encode() not in data
            assert CANARY not in file.file
            assert [leaf for leaf in json_strings(data) if not is_allowed(leaf)] == []
            rows -= data.count(b"\n")
    assert rows <= 0


@pytest.mark.parametrize("depth", [200, 2000])
def test_rows_within_rows_are_no_trouble(depth: int, tmp_path: Path) -> None:
    line = b'{"type":"user","message":{"role":"user","content":"zq9canary"}}'
    for _ in range(depth):
        line = (
            b'{"type":"progress","data":{"type":"agent_progress","agentId":"a","message":%s}}'
            % line
        )
    path = SessionBuilder("alpha").user("Begin.").raw(line).assistant("Done.").write(tmp_path)
    (session,) = group_sessions(discover(path.parents[2]).files)

    ((_, data),) = project(session, Tier.STRUCTURE)

    assert CANARY.encode() not in data
    assert data.count(b'"type":"assistant"') == 1


def is_allowed(leaf: str) -> bool:
    """Say whether a string that is sent is made of what the tier allows."""
    if leaf in CLOSED or leaf in FIELDS or TIME.fullmatch(leaf) or VERSION.fullmatch(leaf):
        return True
    return GRAMMAR.fullmatch(leaf) is not None


def is_telling(leaf: str) -> bool:
    """Say whether a string of the original must not be in what is sent."""
    if len(leaf) < 4 or leaf in CLOSED or TIME.fullmatch(leaf) or VERSION.fullmatch(leaf):
        return False
    # Digits are in numbers and hashes; what is part of a fixed text is none of the original.
    return not re.fullmatch(r"[0-9a-f.:,-]{4,8}|[\d.-]+", leaf) and leaf.strip() not in FIXED


def _fields() -> set[str]:
    """Give the keys that the parser knows."""
    names = {"input", "toolUseResult", "message", "modelUsage"}
    kinds = list(msgspec.Struct.__subclasses__())
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if kind.__module__.startswith("clew.entries."):
            names.update(kind.__struct_encode_fields__)
    return names | {"type", "prompt", "description", "subagent_type", "name", "team_name"} | {
        "run_in_background", "bash_id", "shell_id", "task_id", "agentId"
    }  # fmt: skip


FIELDS = _fields()
# All that a filler or a name of a file has besides hashes and numbers.
SCAFFOLD = """
projects subagents workflows beside journal.jsonl .jsonl .meta.json characters Warmup 1.json
ide_opened_file ide_selection ide_diagnostics command-name command-args bash-input bash-stdout
bash-stderr user-memory-input local-command-caveat local-command-stderr system-reminder
<local-command-stdout></local-command-stdout> task-notification bash-notification
agent-notification task-id shell-id agent-id tool-use-id total_tokens tool_uses duration_ms
[Request interrupted by user for tool use] [Request interrupted by user]
"""
NAMES = (*FIELDS, *CLOSED, *(f"/{name}" for name in COMMANDS))
FIXED = "\n".join((*NAMES, SAYING.replace("\\", ""), SCAFFOLD))
