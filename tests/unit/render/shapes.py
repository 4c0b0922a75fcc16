"""One part of each kind and one message of each kind, built by hand."""

import base64
from typing import Final

from clew.parts import (
    CheckItem,
    Checklist,
    Code,
    Diff,
    DiffHunk,
    Document,
    Fields,
    Fold,
    Image,
    Link,
    Links,
    Listing,
    Note,
    Output,
    Part,
    Prose,
    Table,
    Words,
)
from clew.view import (
    BodyPart,
    BranchView,
    CallView,
    CompactionView,
    ForkView,
    FrameView,
    GapView,
    Header,
    Item,
    MessageView,
    Parallel,
    RunView,
    SectionInfo,
    SectionView,
    SessionPage,
    SourceLine,
    Thinking,
    TurnView,
    UsageView,
)

PIXEL: Final = base64.b64encode(b"\x89PNG a dot").decode("ascii")
AT: Final = "2026-11-01T09:0{}:00.000Z"
SPENT: Final = UsageView(given_tokens=12_000, written_tokens=340, cost_nano_usd=70_000_000)

PARTS: Final[dict[str, tuple[Part, ...]]] = {
    "prose": (Prose("# Found\n\n- `a` is **b**\n\n```python\nx = 1\n```"),),
    "words": (Words("one *line*"), Words("two\n  lines")),
    "code": (Code("x = 1\n\ny = 2", "python", "a.py", 41), Code("ls -l\npwd", is_command=True)),
    "output": (
        Output("\x1b[31mred\x1b[0m, \x1b]0;title\x07plain\nand a second line"),
        Output("warning", "stderr", is_error=True),
    ),
    "diff": (
        Diff("src/a.py", (DiffHunk(9, 9, (" same", "-old", "+new", "+more")),), 2, 1),
        Diff("b.md", (DiffHunk(None, None, ("-```", "+````", "\\ No newline at end")),), 1, 1),
    ),
    "table": (Table(("name", "a | b"), (("x", "1"), ("y\nz",), ("*", "3"))),),
    "fields": (Fields((("timeout", "120"), ("why", "first line\nsecond line"))),),
    "listing": (Listing(("src/a.py", "src/b.py"), 240),),
    "links": (
        Links(
            (
                Link("https://example.org/a(b)", "A [title]", "a note"),
                Link("javascript:alert(1)", "Not followed"),
            )
        ),
    ),
    "checklist": (
        Checklist(
            (
                CheckItem("Look", "done"),
                CheckItem("Mend", "doing", "src/a.py", "was open"),
                CheckItem("Test"),
                CheckItem("Leave", "dropped"),
            )
        ),
    ),
    "image": (Image("image/png", PIXEL, text="a dot", width=1, height=1, size_bytes=70),),
    "document": (Document("application/pdf", "paper.pdf", size_bytes=120_000),),
    "note": (Note("exit 1", "bad"), Note("nothing was printed")),
    "fold": (Fold("3 lines more", (Words("inside"), Fold("deeper", (Note("deep"),)))),),
}


def message(kind: str, *body: BodyPart, **fields: object) -> MessageView:
    """Make a message at nine o'clock."""
    given = {"id": kind, "classes": (kind,), "level": 2, "started_at": AT.format(0), **fields}
    return MessageView(kind=kind, body=body, **given)  # type: ignore[arg-type] # as the tests need


def call(verb: str, label: str, *parts: Part, **fields: object) -> CallView:
    """Make a tool call that went well."""
    given = {"id": f"{verb}-{label}", "status": "done", **fields}
    return CallView(tool=verb, verb=verb, label=label, parts=parts, **given)  # type: ignore[arg-type] # as the tests need


EDIT: Final = call(
    "Edit", "src/a.py", *PARTS["diff"][:1], added=2, removed=1, duration_ms=1200, size_bytes=4096
)
FAILED: Final = call(
    "Bash",
    "make | tee log",
    Code("make | tee log", "bash", is_command=True),
    Output("no rule"),
    status="failed",
    state="exit 2",
    tone="bad",
    is_error=True,
    duration_ms=12_400,
)
DENIED: Final = call(
    "Write", "b.txt", status="denied", state="denied", tone="warn", reply="Use the other file"
)
RUN: Final = RunView(
    id="run",
    agent="Explore",
    title="Find callers",
    kind="agent",
    calls=1,
    messages=2,
    duration_ms=130_000,
    spent=UsageView(given_tokens=100, written_tokens=9, cost_nano_usd=310_000_000),
    items=(
        message("prompt", Prose("Find all callers."), id="p2", who="Prompt"),
        message("answer", EDIT, Prose("Found."), id="a2", who="Haiku 5.5"),
    ),
)
ANSWER: Final = message(
    "answer",
    Thinking("Where may it be?"),
    Prose("I will look.\n\n## Then\n\nI mend."),
    Parallel((EDIT, FAILED)),
    DENIED,
    who="Opus 5.5",
    spent=SPENT,
    retries=("529 Overloaded",),
    state="cut short: max_tokens",
)

ITEMS: Final[dict[str, Item]] = {
    "prompt": message("prompt", Prose("Mend it:\n\n# now"), who="You", id="turn-1"),
    "unsent": message(
        "unsent",
        Words("Mind the color", is_typed=True),
        who="You, not sent",
        state="withdrawn, sent below",
        tone="warn",
        sent_id="next",
    ),
    "steering": message("steering", Prose("Mind the colour"), who="You, mid-turn"),
    "memory": message("memory", Prose("Always use uv"), who="You, to memory"),
    "undelivered": message("prompt", Prose("Wait"), who="You", state="not delivered", tone="warn"),
    "picture": message("prompt", Prose("See [Image #1]"), *PARTS["image"], who="You"),
    "answer": ANSWER,
    "silent_thinking": message("answer", Thinking(), Prose("Yes."), who="Opus 5.5"),
    "agent_run": message(
        "answer",
        call("Agent", "Explore: Find callers", Prose("Found."), runs=(RUN,)),
        who="Opus 5.5",
    ),
    "linked_run": RunView(
        id="far", agent="Deep", title="Dig", kind="agent", is_linked=True, calls=4
    ),
    "command": message(
        "command",
        Prose("opus"),
        who="You",
        title="/model",
        outcome=(message("command_output", Output("Set model to Opus"), title="output"),),
    ),
    "bash_input": message(
        "bash_input",
        Code("git status", "bash", is_command=True),
        who="You",
        title="shell",
        outcome=(message("bash_output", Output("clean"), PARTS["output"][1], title="output"),),
    ),
    "interrupt": message(
        "interrupt",
        Note("[Request interrupted]", "warn"),
        who="You",
        title="interrupted",
        tone="warn",
    ),
    "notification": message(
        "notification",
        Fields((("status", "completed"),)),
        who="Notification",
        title='Agent "Count" finished',
        state="completed",
    ),
    "teammate": message("teammate", Prose("Done with *it*."), who="tester", color="green"),
    "api_error": message(
        "api_error", Words("API Error: 429 Too many"), who="API error", tone="bad"
    ),
    "hook": message("hook", Words("checked"), who="Hook", title="stop hook", level=4),
    "attachment": message("attachment", who="Attachment", title="date", level=4),
    "system": message(
        "system", Words("Low on disk"), who="Claude Code", title="warning", tone="warn", level=3
    ),
    "unknown": message(
        "unknown",
        Code('{"type":"new"}', "json"),
        who="Claude Code",
        title="new",
        level=4,
        sources=(SourceLine("s.jsonl", 7, 900),),
    ),
    "compaction": CompactionView(
        id="c",
        epoch=1,
        trigger="auto",
        tokens_before=168_000,
        tokens_after=21_000,
        summary=(Prose("The work so far."),),
    ),
    "gap": GapView(id="g", text="Unreadable line", source=SourceLine("s.jsonl", 24, 9000)),
    "fork": ForkView(
        id="f",
        branches=(
            BranchView(id="main", title="Leave it", is_main=True, messages=2),
            BranchView(
                id="left",
                title="Change it",
                started_at=AT.format(2),
                messages=1,
                items=(message("prompt", Prose("Change it"), who="You", id="left-1"),),
            ),
        ),
    ),
    "beginning": ForkView(id="b", kind="beginning"),
}

HEADER: Final = Header(
    id="s-1",
    title="Mend the *uploader*",
    project="/home/dev/demo",
    cwd="/home/dev/demo",
    git_branch="main",
    models=("Opus 5.5",),
    started_at=AT.format(0),
    ended_at=AT.format(5),
    duration_ms=300_000,
    calls=3,
    spent=SPENT,
    tools=(("Bash", 2), ("Edit", 1)),
)
TURN: Final = TurnView(
    index=1, id="turn-1", title="Mend it:", started_at=AT.format(0), calls=3, spent=SPENT
)


def page_of(*items: Item, detail: str = "everything", header: Header = HEADER) -> SessionPage:
    """Make a page of items that all stand in the first turn."""
    section = SectionView(place=SectionInfo(0, 1, is_first=True, messages=len(items)), items=items)
    frame = FrameView(header=header, detail=detail, turns=(TURN,), sections=(section.place,))
    return SessionPage(frame=frame, sections=(section,))
