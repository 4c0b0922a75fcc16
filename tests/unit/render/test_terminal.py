"""Pages: what holds for all of them, and what golden files do not show."""

import datetime as dt
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from clew.conversation import AgentRun, Conversation, Message, Session, ToolCall
from clew.errors import NotFoundError
from clew.parts import Code, Diff, DiffHunk, Output, Table, Words
from clew.render import ColourMode, Detail, TerminalOptions, render_terminal
from clew.render.terminal import render_page
from clew.sessions import load
from clew.view import Header, Parallel, UsageView
from tests.build import Call, SessionBuilder, bash
from tests.recordings import HERE, Recording, parameters
from tests.unit.render.cases import CASES, agents, built, hostile, repair, rewind
from tests.unit.render.shapes import EDIT, FAILED, RUN, TURN, call, message, page_of

SGR = r"\x1b\[[\d;]*m"
KINDS = ("prompt", "command", "teammate", "notification", "api_error", "hook", "interrupt")
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def page(
    conversation: Conversation,
    options: TerminalOptions | None = None,
    ink: ColourMode = ColourMode.PLAIN,
) -> str:
    """Draw a whole page."""
    return "".join(render_terminal(conversation, options or TerminalOptions(), ink))


@pytest.mark.parametrize("width", [40, 60, 100, 140])
@pytest.mark.parametrize("recording", parameters(HERE))
def test_no_line_of_a_recorded_session_is_wider_than_the_terminal(
    recording: Recording, width: int
) -> None:
    options = TerminalOptions(detail=Detail.EVERYTHING, branches=True, width=width)

    for path in recording.transcripts():
        lines = page(load(path), options).split("\n")

        assert [line for line in lines if cell_len(line) > width] == []


@pytest.mark.parametrize("detail", Detail)
@pytest.mark.parametrize("case", CASES)
def test_no_control_character_reaches_the_terminal(
    case: str, detail: Detail, tmp_path: Path
) -> None:
    text = page(built(CASES[case](), tmp_path), TerminalOptions(detail=detail))

    assert CONTROL.search(text) is None


def test_colours_are_the_only_difference_between_inks(tmp_path: Path) -> None:
    conversation = built(hostile(), tmp_path)

    plain = page(conversation)
    coloured = page(conversation, ink=ColourMode.COLOUR)
    faint = page(conversation, ink=ColourMode.MONO)

    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain
    assert re.sub(r"\x1b\[[\d;]*m", "", faint) == plain
    assert "\x1b[36m" in coloured
    assert re.search(r"\x1b\[[\d;]*3\dm", faint) is None


@pytest.mark.parametrize("recording", parameters(HERE))
def test_each_detail_shows_at_least_as_much_as_the_one_before(recording: Recording) -> None:
    for path in recording.transcripts():
        conversation = load(path)

        lengths = [
            page(conversation, TerminalOptions(detail=detail)).count("\n") for detail in Detail
        ]

        assert lengths == sorted(lengths)


@pytest.mark.parametrize("detail", [Detail.TOOLS, Detail.EVERYTHING])
@given(text=st.text(st.characters(codec=None), max_size=40))
def test_no_text_in_any_field_of_a_page_steers_the_terminal(detail: Detail, text: str) -> None:
    bad = call(text, text, Output(text, text), Table((text,), ((text,),)), state=text, reply=text)
    told = {"who": text, "title": text, "state": text, "retries": (text,)}
    items = [message(kind, Words(text), Code(text, first_line=1), **told) for kind in KINDS]
    header = Header(id=text, title=text, cwd=text, models=(text,), git_branch=text)
    shown = page_of(*items, message("answer", bad, **told), header=header)

    drawn = "".join(render_page(shown, TerminalOptions(detail=detail, width=50), ColourMode.COLOUR))

    assert CONTROL.search(re.sub(r"\x1b\[[\d;]*m", "", drawn)) is None
    assert [line for line in drawn.split("\n") if cell_len(re.sub(SGR, "", line)) > 50] == []


def test_calls_made_at_once_stand_under_one_bracket() -> None:
    shown = page_of(message("answer", Parallel((EDIT, FAILED, EDIT)), who="Opus"))

    lines = "".join(render_page(shown, TerminalOptions(zone=dt.UTC))).split("\n")

    assert [line[:8] for line in lines if line[:1] in "┌│└"][-4:-1] == [
        "┌ Edit  ",
        "│ Bash  ",
        "└ Edit  ",
    ]


def test_every_prompt_is_on_the_page_whole(tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(500)]

    text = page(built(SessionBuilder().user(" ".join(words)).assistant("ok"), tmp_path))

    assert [word for word in words if word not in text] == []


def test_a_turn_alone_leaves_the_others_out(tmp_path: Path) -> None:
    text = page(built(rewind(), tmp_path), TerminalOptions(turn=3))

    assert "So be it." in text
    assert "It is there." not in text


@pytest.mark.parametrize("turn", [0, 4, -1])
def test_a_turn_that_is_not_there_is_an_error_that_says_which_are(
    turn: int, tmp_path: Path
) -> None:
    conversation = built(rewind(), tmp_path)

    with pytest.raises(NotFoundError, match="turns 1 to 3"):
        render_terminal(conversation, TerminalOptions(turn=turn))


def test_branches_are_counted_until_they_are_asked_for(tmp_path: Path) -> None:
    conversation = built(rewind(), tmp_path)

    assert "It is at v2." not in page(conversation)
    assert "It is at v2." in page(conversation, TerminalOptions(branches=True))


def test_threads_that_never_met_are_both_shown(tmp_path: Path) -> None:
    session = SessionBuilder().remember("start").user("first").assistant("The one.")
    session.rewind_to("start").user("second").assistant("The other.")

    text = page(built(session, tmp_path))

    # The description above them quotes the last one.
    places = [text.rindex(words) for words in ("The one.", "starts again here", "The other.")]
    assert places == sorted(places)


def test_a_denied_call_shows_what_the_person_said_to_it(tmp_path: Path) -> None:
    said = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\nuse the other file"
    )
    call = Call("Bash", {"command": "rm a"}, said, denied=True)

    text = page(built(SessionBuilder().user("go").tools(call), tmp_path))

    assert re.search(r"Bash +rm a +✗ denied", text)
    assert "▌ use the other file" in text


def test_a_pending_call_says_so(tmp_path: Path) -> None:
    text = page(
        built(SessionBuilder().user("go").tools(Call("Read", {"file_path": "/a"})), tmp_path)
    )

    assert re.search(r"Read +/a +… pending", text)


def test_of_a_run_with_very_many_calls_the_middle_is_counted(tmp_path: Path) -> None:
    def busy(run: SessionBuilder) -> None:
        for number in range(50):
            run.tools(bash(f"step {number}", "ok"))
        run.assistant("Done.")

    text = page(built(SessionBuilder().user("go").agent("Work", "Work.", busy), tmp_path))

    assert "… 10 calls …" in text
    assert text.count("step ") == 40


def test_runs_that_claim_each_other_are_drawn_once() -> None:
    first = Message(id="m1", kind="answer", role="assistant", agent_run_id="r1")
    calls = [
        ToolCall(id="c1", tool="Agent", message_id="m1", agent_run_id="r1"),
        ToolCall(id="c2", tool="Agent", message_id="m1", agent_run_id="r1"),
    ]
    runs = [AgentRun(id="r1", agent="One", tool_call_id="c1")]

    text = page(
        Conversation(
            session=Session(id="s"),
            messages=(first,),
            tool_calls=tuple(calls),
            agent_runs=tuple(runs),
        )
    )

    assert text.count("One") == 1


def test_where_only_an_agent_run_is_left_its_talk_is_the_page(tmp_path: Path) -> None:
    session = SessionBuilder().user("go")
    session.agent("Look", "Look around.", lambda run: run.tools(bash("ls", "a")).assistant("Seen."))
    session.write(tmp_path / "s.jsonl").unlink()
    [left] = tmp_path.rglob("agent-*.jsonl")

    text = page(load(left))

    assert [words in text for words in ("Look around.", "Bash", "Seen.")] == [True] * 3


def test_an_empty_conversation_is_a_page_too() -> None:
    assert page(Conversation(session=Session(id="s"))).startswith("Untitled session\n")


def test_a_price_that_is_not_known_is_said(tmp_path: Path) -> None:
    session = SessionBuilder().model("somebody-else-9").user("hi").assistant("hello")

    assert "unpriced: somebody-else-9" in page(built(session, tmp_path))


def test_paths_are_told_from_the_working_directory(tmp_path: Path) -> None:
    text = page(built(repair(), tmp_path))

    assert re.search(r"Read +src/upload.py", text)


def test_the_outline_has_one_line_for_each_turn(tmp_path: Path) -> None:
    text = page(built(agents(), tmp_path), TerminalOptions(detail=Detail.OUTLINE))

    assert re.findall(r"^ +(\d+)  .{5}  (\w+)", text, re.MULTILINE) == [("1", "Delegate")]


def test_what_a_turn_and_a_run_cost_at_least_is_told_as_that() -> None:
    spent = UsageView(given_tokens=9, cost_nano_usd=310_000_000, quality="lower_bound")
    run = msgspec.structs.replace(RUN, spent=spent)
    drawn = page_of(message("answer", call("Agent", "Look", runs=(run,))))
    turn = msgspec.structs.replace(TURN, spent=spent, id="answer")
    frame = msgspec.structs.replace(drawn.frame, turns=(turn,))

    text = "".join(render_page(msgspec.structs.replace(drawn, frame=frame), TerminalOptions()))

    assert text.count("≥ $0.31") == 2


def test_of_long_lines_of_code_as_many_are_counted_as_the_file_has() -> None:
    code = Code("\n".join(["x" * 150] * 100), first_line=1)
    drawn = page_of(message("answer", call("Read", "a.py", code)))

    text = "".join(render_page(drawn, TerminalOptions(detail=Detail.EVERYTHING, width=100)))

    (counted,) = re.findall(r"… (\d+) lines …", text)
    shown = [int(number) for number in re.findall(r"^ +(\d+)  x", text, re.MULTILINE)]
    assert len(shown) + int(counted) == 100
    assert (shown[0], shown[-1]) == (1, 100)


def test_of_a_line_of_code_without_end_only_the_start_is_drawn() -> None:
    drawn = page_of(message("answer", call("Read", "a.json", Code("x" * 100_000))))

    text = "".join(render_page(drawn, TerminalOptions(detail=Detail.EVERYTHING, width=100)))

    assert text.count("\n") < 30
    shown = text.count("x")
    assert f"… {100_000 - shown:,} more characters" in text


def test_lines_that_are_a_lower_bound_are_marked() -> None:
    least = msgspec.structs.replace(EDIT, is_lower_bound=True)

    shown = "".join(render_page(page_of(message("answer", least)), TerminalOptions()))

    assert "≥ +2 -1" in shown


def test_a_line_of_a_diff_that_holds_another_stays_on_its_own() -> None:
    diff = Diff("a.txt", (DiffHunk(1, 1, ("+one\rtwo", "-three\nfour")),), 1, 1)

    page = page_of(message("answer", call("Edit", "a", diff)))

    shown = "".join(render_page(page, TerminalOptions(detail=Detail.EVERYTHING)))

    assert "+one\\ntwo" in shown
    assert "-three\\nfour" in shown


@pytest.mark.parametrize("width", [40, 50, 60, 70, 100])
def test_an_outline_has_room_for_words_on_any_terminal(tmp_path: Path, width: int) -> None:
    session = SessionBuilder().user("Mend the uploader and its tests").tools(bash("ls", "a"))
    session.assistant("Done.")

    shown = page(built(session, tmp_path), TerminalOptions(detail=Detail.OUTLINE, width=width))

    assert "  Mend the uploader" in shown.splitlines()[-1]
