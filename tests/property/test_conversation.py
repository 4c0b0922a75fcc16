"""What must hold for the conversation of any rows, however wild."""

import random
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.conversation import Material, Transcript, TranscriptKind, build
from clew.entries import AgentMeta, decode_all
from clew.source import split_lines
from tests.build import Agent, SessionBuilder, bash
from tests.invariants import check, encode

Record = dict[str, Any]

# Few ids, so that rows name one another, again and again, and in circles. Some answers claim the
# id of a row, or one that rows without a uuid are given.
uuids = st.sampled_from([f"u{number}" for number in range(12)])
answer_ids = st.sampled_from(["m0", "m1", "m2", "u3", "s:0", ""])
call_ids = st.sampled_from(["c0", "c1", "c2", ""])
agents = st.sampled_from(["a0", "a1", "a2"])
words = st.sampled_from(["one", "two", "", "Warmup", "/help", "explain it all again"])
seconds = st.integers(0, 59).map(lambda second: f"2026-11-01T09:01:{second:02}.000Z")
times = seconds | st.sampled_from(["2026-11-01T10:00:00+01:00", "soon"])


def user(content: Any, **fields: Any) -> Record:
    return {"type": "user", "message": {"role": "user", "content": content}, **fields}


def fragment(name: str, block: Record, output: int, stop: str | None, **fields: Any) -> Record:
    message = {
        "id": name,
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": [block],
        "stop_reason": stop,
        "usage": {"input_tokens": 3, "output_tokens": output},
    }
    return {"type": "assistant", "message": message, **fields}


def tool_use(call_id: str, text: str) -> Record:
    asked = {"prompt": text, "description": text, "task_id": call_id}
    return {"type": "tool_use", "id": call_id, "name": "Agent", "input": asked}


def result(call_id: str, text: str, agent: str, task: str) -> Record:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text}
    return user([block], toolUseResult={"agentId": agent, "backgroundTaskId": task})


def notification(task: str, call_id: str) -> Record:
    ids = f"<task-id>{task}</task-id><tool-use-id>{call_id}</tool-use-id>"
    return user(f"<task-notification>{ids}<status>completed</status></task-notification>")


def boundary(parent: str) -> Record:
    metadata = {"trigger": "auto", "preservedSegment": {"tailUuid": parent}}
    place = {"logicalParentUuid": parent, "compactMetadata": metadata}
    return {"type": "system", "subtype": "compact_boundary", **place}


def progress(kind: str, call_id: str, **data: Any) -> Record:
    return {"type": "progress", "data": {"type": kind, **data}, "parentToolUseID": call_id}


def told(agent: str, call_id: str, inner: Record, uuid: str) -> Record:
    return progress("agent_progress", call_id, agentId=agent, message=inner | {"uuid": uuid})


def queue(operation: str, text: str) -> Record:
    return {"type": "queue-operation", "operation": operation, "content": text}


def attachment(text: str) -> Record:
    return {"type": "attachment", "attachment": {"type": "queued_command", "prompt": text}}


prompts = st.builds(user, words)
fragments = st.builds(
    fragment,
    answer_ids,
    st.one_of(
        st.builds(lambda text: {"type": "text", "text": text}, words),
        st.builds(lambda text: {"type": "thinking", "thinking": text, "signature": "s"}, words),
        st.builds(tool_use, call_ids, words),
    ),
    st.integers(0, 9),
    st.sampled_from([None, "end_turn"]),
    apiBlockIndex=st.sampled_from([None, 0, 1]),
    isApiErrorMessage=st.booleans(),
)
flat_bodies = st.one_of(
    st.builds(lambda text: {"type": "user", "message": text}, words),
    st.builds(
        lambda subtype, text: {"type": "assistant", "subtype": subtype, "message": text},
        st.sampled_from([None, "thinking", "command", "error"]),
        words,
    ),
    st.builds(
        lambda aborted: {"type": "assistant", "toolName": "Bash", "isAborted": aborted},
        st.booleans(),
    ),
    st.builds(
        lambda subtype, text, error: {
            "type": "system",
            "subtype": subtype,
            "message": text,
            "isError": error,
        },
        st.sampled_from([None, "tool_result", "error", "meta"]),
        words,
        st.booleans(),
    ),
    st.builds(
        lambda operation: {"type": "compact_system", "message": f"conversation_{operation}"},
        st.sampled_from(["compacting", "compacted", "restored"]),
    ),
)
bodies = st.one_of(
    flat_bodies,
    prompts,
    fragments,
    fragments,
    st.builds(user, words, isMeta=st.booleans(), isCompactSummary=st.booleans()),
    st.builds(user, st.just("<command-name>/x</command-name>")),
    st.builds(user, st.just("<local-command-stdout>x</local-command-stdout>")),
    st.builds(user, st.just("[Request interrupted by user]")),
    st.builds(notification, agents, call_ids),
    st.builds(result, call_ids, words, agents, call_ids),
    st.builds(boundary, uuids),
    st.just({"type": "system", "subtype": "api_error"}),
    st.just({"type": "system", "subtype": "turn_duration", "durationMs": 5}),
    st.builds(attachment, words),
    st.builds(queue, st.sampled_from(["enqueue", "enqueue", "dequeue", "remove", "popAll"]), words),
    st.builds(lambda call_id: progress("bash_progress", call_id, output="x"), call_ids),
    st.builds(told, agents, call_ids, prompts | fragments, uuids),
    st.builds(lambda uuid: {"type": "summary", "summary": "A title", "leafUuid": uuid}, uuids),
    st.just({"type": "never-seen", "content": "x"}),
)
places = st.fixed_dictionaries(
    {},
    optional={
        "uuid": uuids,
        "parentUuid": st.none() | uuids,
        "timestamp": times,
        "isSidechain": st.booleans(),
        "agentId": agents,
        "sessionId": st.sampled_from(["s", "t"]),
    },
)
rows = st.builds(lambda body, place: msgspec.json.encode(body | place), bodies, places)
contents = st.lists(
    rows | st.sampled_from([b'{"type":"user","uuid":"u3', b"\x00\x00", b""]), max_size=14
).map(b"\n".join)


def transcript(name: str, kind: TranscriptKind, content: bytes, agent: str = "") -> Transcript:
    entries = tuple(decode_all(split_lines([content], f"{name}.jsonl")))
    return Transcript(name, kind, entries, agent)


session_transcripts = st.builds(
    transcript,
    st.sampled_from(["s", "s.superseded"]),
    st.just(TranscriptKind.SESSION),
    contents,
)
agent_transcripts = st.builds(
    lambda agent, kind, content: transcript(f"agent-{agent}", kind, content, agent),
    agents,
    st.sampled_from([TranscriptKind.AGENT, TranscriptKind.WORKFLOW, TranscriptKind.COMPACTION]),
    contents,
)
materials = st.builds(
    lambda sessions, runs, metas: Material("s", (*sessions, *runs), metas),
    st.lists(session_transcripts, max_size=2),
    st.lists(agent_transcripts, max_size=3),
    st.dictionaries(agents, st.builds(AgentMeta, tool_use_id=call_ids, description=words)),
)

STEPS = {
    "user": lambda builder: builder.user("next"),
    "assistant": lambda builder: builder.assistant("well", "yes"),
    "tools": lambda builder: builder.tools(bash("ls", "a"), bash("pwd", "/"), say="Looking."),
    "pending": lambda builder: builder.tool("Bash", {"command": "sleep 9"}),
    "agent": lambda builder: builder.tools(
        Agent("Look", "Look around", lambda run: run.tools(bash("ls", "a")).assistant("seen"))
    ),
    "compact": lambda builder: builder.compact("auto"),
    "steer": lambda builder: builder.steer("hurry"),
    "retry": lambda builder: builder.api_error().assistant("at last"),
    "interrupt": lambda builder: builder.interrupt(),
    "hook": lambda builder: builder.stop_hook("lint"),
    "command": lambda builder: builder.command("/cost", stdout="$1"),
}


def built(names: list[str]) -> SessionBuilder:
    builder = SessionBuilder().user("start")
    for name in names:
        STEPS[name](builder)
    return builder


FLAT_STEPS: dict[str, list[Record]] = {
    "user": [{"type": "user", "message": "next"}],
    "assistant": [
        {"type": "assistant", "subtype": "thinking", "message": "well"},
        {"type": "assistant", "message": "yes"},
    ],
    "tool": [
        {"type": "assistant", "toolName": "Bash", "toolArguments": {"command": "ls"}},
        {"type": "assistant", "subtype": "thinking", "message": "wait"},
        {"type": "system", "subtype": "tool_result", "message": "a"},
    ],
    "two": [
        {"type": "assistant", "toolName": "Read"},
        {"type": "assistant", "toolName": "Grep"},
        {"type": "system", "message": "read"},
        {"type": "system", "subtype": "error", "message": "not found", "isError": True},
    ],
    "aborted": [{"type": "assistant", "toolName": "Bash", "isAborted": True}],
    "side": [
        {"type": "user", "message": "look", "isSidechain": True},
        {"type": "assistant", "message": "seen", "isSidechain": True},
    ],
    "compact": [{"type": "compact_system", "message": "conversation_compacted"}],
}


def flat_lines(names: list[str]) -> list[bytes]:
    """Write a session of the flat dialect that goes on row after row."""
    steps = [{"type": "user", "message": "start"}]
    steps += [row for name in names for row in FLAT_STEPS[name]]
    return [
        msgspec.json.encode(
            row
            | {"uuid": f"f{number}", "parentUuid": f"f{number - 1}" if number else None}
            | {"timestamp": f"2026-11-01T09:{number // 60:02}:{number % 60:02}.000Z"}
        )
        for number, row in enumerate(steps)
    ]


def flat_material(lines: list[bytes]) -> Material:
    return Material("s", (transcript("s", TranscriptKind.SESSION, b"\n".join(lines)),))


def material_of(builder: SessionBuilder, lines: list[bytes]) -> Material:
    runs = [
        transcript(f"agent-{run.id}", TranscriptKind.AGENT, run.content, run.id)
        for run in builder.runs
    ]
    own = transcript(builder.session_id, TranscriptKind.SESSION, b"\n".join(lines))
    return Material(builder.session_id, (own, *runs))


def harm(lines: list[bytes], harms: list[str], chance: random.Random) -> list[bytes]:
    """Do to a file what crashes, copies and races do."""
    for name in harms:
        at = chance.randrange(len(lines)) if lines else 0
        match name:
            case "drop":
                lines = lines[:at] + lines[at + 1 :]
            case "repeat":
                lines = lines + lines[at : at + 3]
            case "shuffle":
                lines = chance.sample(lines, len(lines))
            case "cut" if lines:
                lines = [*lines[:at], lines[at][: len(lines[at]) // 2]]
    return lines


@settings(max_examples=200, deadline=None)
@given(materials)
def test_any_rows_make_a_sound_conversation(material: Material) -> None:
    check(material, build(material))


@settings(max_examples=100, deadline=None)
@given(materials, st.randoms(use_true_random=False))
def test_the_order_of_files_does_not_matter(material: Material, chance: random.Random) -> None:
    shuffled = chance.sample(material.transcripts, len(material.transcripts))

    other = msgspec.structs.replace(material, transcripts=tuple(shuffled))

    assert encode(build(other)) == encode(build(material))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(list(STEPS)), max_size=12))
def test_a_session_that_never_goes_back_is_one_thread_without_problems(names: list[str]) -> None:
    builder = built(names)
    material = material_of(builder, builder.lines())

    conversation = build(material)

    check(material, conversation)
    assert len(conversation.threads) == 1
    assert len(conversation.epochs) == 1 + names.count("compact")
    assert conversation.totals.prompts == 1 + names.count("user") + names.count("steer")
    assert len(conversation.agent_runs) == names.count("agent")
    assert {problem.kind for problem in conversation.problems} <= {"call_without_result"}


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(list(STEPS)), max_size=10),
    st.lists(st.sampled_from(["drop", "repeat", "shuffle", "cut"]), max_size=4),
    st.randoms(use_true_random=False),
)
def test_a_session_that_took_harm_is_still_sound(
    names: list[str], harms: list[str], chance: random.Random
) -> None:
    builder = built(names)
    material = material_of(builder, harm(builder.lines(), harms, chance))

    check(material, build(material))


# The order of rows alone tells to which answer a failed try belongs.
@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.sampled_from([name for name in STEPS if name != "retry"]), max_size=10),
    st.randoms(use_true_random=False),
)
def test_rows_in_any_order_say_the_same(names: list[str], chance: random.Random) -> None:
    builder = built(names)
    lines = [line for line in builder.lines() if b'"uuid"' in line]

    shuffled = build(material_of(builder, chance.sample(lines, len(lines))))

    wanted = build(material_of(builder, lines))
    assert [m.id for m in shuffled.messages] == [m.id for m in wanted.messages]
    assert [m.blocks for m in shuffled.messages] == [m.blocks for m in wanted.messages]
    assert shuffled.totals == wanted.totals


flat_names = st.lists(st.sampled_from(list(FLAT_STEPS)), max_size=12)


@settings(max_examples=100, deadline=None)
@given(flat_names, st.booleans())
def test_every_call_of_a_flat_session_has_the_result_behind_it(
    names: list[str],
    has_ids: bool,  # noqa: FBT001 (a fact)
) -> None:
    lines = flat_lines(names)
    if not has_ids:
        keys = ("uuid", "parentUuid")
        rows = [msgspec.json.decode(line) for line in lines]
        lines = [msgspec.json.encode({k: row[k] for k in row if k not in keys}) for row in rows]
    material = flat_material(lines)

    conversation = build(material)

    check(material, conversation)
    wanted = {
        "tool": [("Bash", "done", "a")],
        "two": [("Read", "done", "read"), ("Grep", "failed", "not found")],
        "aborted": [("Bash", "interrupted", "")],
    }
    calls = [(call.tool, call.status, call.result_text) for call in conversation.tool_calls]
    assert calls == [call for name in names for call in wanted.get(name, [])]
    assert len(conversation.threads) == 1
    assert conversation.problems == ()
    assert conversation.totals.errors == names.count("two")
    assert conversation.totals.prompts == 1 + names.count("user")


@settings(max_examples=100, deadline=None)
@given(
    flat_names,
    st.lists(st.sampled_from(["drop", "repeat", "shuffle", "cut"]), max_size=4),
    st.randoms(use_true_random=False),
)
def test_a_flat_session_that_took_harm_is_still_sound(
    names: list[str], harms: list[str], chance: random.Random
) -> None:
    material = flat_material(harm(flat_lines(names), harms, chance))

    check(material, build(material))


@settings(max_examples=50, deadline=None)
@given(flat_names, st.randoms(use_true_random=False))
def test_flat_rows_in_any_order_or_twice_say_the_same(
    names: list[str], chance: random.Random
) -> None:
    lines = flat_lines(names)

    shuffled = build(
        flat_material(chance.sample([*lines, *lines[:3]], len(lines) + len(lines[:3])))
    )

    wanted = build(flat_material(lines))
    assert [m.id for m in shuffled.messages] == [m.id for m in wanted.messages]
    assert [m.blocks for m in shuffled.messages] == [m.blocks for m in wanted.messages]
    paired = [(call.id, call.status, call.result_text) for call in wanted.tool_calls]
    found = [(call.id, call.status, call.result_text) for call in shuffled.tool_calls]
    assert sorted(found) == sorted(paired)
    assert shuffled.totals == wanted.totals


def test_a_chain_of_parents_may_be_as_long_as_it_likes() -> None:
    count = 200_000
    place = '"uuid":"%d","parentUuid":"%d","timestamp":"2026-11-01T09:00:00.000Z"'
    said = '{"type":"user","message":{"role":"user","content":"on"},' + place + "}"
    silent = '{"type":"progress","data":{"type":"hook_progress"},' + place + "}"
    lines = [(silent if number % 20 else said) % (number, number - 1) for number in range(count)]

    chain = transcript("s", TranscriptKind.SESSION, "\n".join(reversed(lines)).encode())
    conversation = build(Material("s", (chain,)))

    (thread,) = conversation.threads
    assert thread.message_ids == tuple(str(number) for number in range(0, count, 20))
    assert conversation.messages[-1].parent_id == str(count - 40)
