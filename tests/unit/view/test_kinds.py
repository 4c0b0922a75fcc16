"""How messages of each kind stand on a page."""

import msgspec
import pytest

from clew.parts import Code, Fields, Fold, Image, Listing, Note, Output, Prose, Table, Words
from clew.view import CallView, CompactionView, Detail, GapView, MessageView, RunView, Thinking
from tests.build import Call, SessionBuilder, bash, image, text, thinking
from tests.unit.view.viewed import items_of, messages_of, only, text_of, the, view

MARKDOWN = "## Context Usage\n\n| Category | Tokens |\n|----------|--------|\n| Skills | 2.1k |"


def test_a_prompt_is_the_persons_and_keeps_its_pictures_in_order() -> None:
    session = SessionBuilder().user(text("Look:"), image(), text("What is it?"))

    prompt = the(view(session), "prompt")

    assert (prompt.who, prompt.classes, prompt.level) == ("You", ("prompt",), Detail.PROMPTS)
    assert [type(part) for part in prompt.body] == [Words, Image, Words]


def test_what_a_model_wrote_for_an_agent_is_markdown_and_not_typed() -> None:
    session = SessionBuilder().user("Go").agent("Look", "*Look*", lambda run: run.assistant("Hi"))

    items = only(view(session), RunView).items
    (inside,) = [i for i in items if isinstance(i, MessageView) and i.kind == "prompt"]

    assert inside.body == (Prose("*Look*"),)


def test_what_the_editor_said_is_folded_beside_the_prompt() -> None:
    told = "<ide_opened_file>The user opened the file /w/a.py in the IDE.</ide_opened_file>"
    session = SessionBuilder().user(text(told), text("Fix it"))

    prompt = the(view(session), "prompt")

    assert [part for part in prompt.body if isinstance(part, Words)] == [
        Words("Fix it", is_typed=True)
    ]
    (fold,) = [part for part in prompt.body if isinstance(part, Fold)]
    assert fold.is_meta
    assert "/w/a.py" in fold.title


def test_a_selection_in_the_editor_keeps_its_line_numbers() -> None:
    told = "The user selected the lines 3 to 4 from /w/a.py:\nx = 1\ny = 2"
    session = SessionBuilder().user(f"<ide_selection>{told}</ide_selection>\nRename x")

    prompt = the(view(session), "prompt")

    (fold,) = [part for part in prompt.body if isinstance(part, Fold)]
    (code,) = [part for part in fold.parts if isinstance(part, Code)]
    assert (code.text, code.first_line) == ("x = 1\ny = 2", 3)


def test_what_the_client_put_into_a_prompt_shows_with_everything_alone() -> None:
    reminder = text("<system-reminder>Be brief.</system-reminder>")
    session = SessionBuilder().user(reminder, text("Hello"))

    assert "Be brief." in text_of(the(view(session), "prompt").body)
    assert "Be brief." not in text_of(view(session, detail=Detail.TOOLS).sections)


def test_a_prompt_says_what_is_new_about_it() -> None:
    session = SessionBuilder().user("One").cwd("/elsewhere").permission_mode("plan").user("Two")

    first, second = messages_of(view(session), "prompt")

    assert not any(isinstance(part, Note) for part in first.body)
    assert Note("Permission mode: plan") in second.body
    assert Note("Working directory: /elsewhere") in second.body


def test_words_typed_while_the_model_works_are_the_persons() -> None:
    session = SessionBuilder().user("Go").tools(bash("make", "done")).steer("Faster")

    assert the(view(session), "steering").who == "You, mid-turn"


def test_words_that_never_reached_the_model_say_so() -> None:
    session = SessionBuilder().user("Go").assistant("Well").queue("enqueue", "Are you there?")

    undelivered = messages_of(view(session), "prompt")[-1]

    assert (undelivered.state, undelivered.tone) == ("not delivered", "warn")


def test_an_answer_has_the_name_of_its_model_and_what_it_took() -> None:
    session = SessionBuilder().user("Hi").model("claude-opus-5-5").assistant("Hello")

    answer = the(view(session), "answer")

    assert (answer.who, answer.model) == ("Opus 5.5", "claude-opus-5-5")
    assert answer.spent is not None
    assert answer.spent.given_tokens > 0
    assert answer.spent.cost_nano_usd


def test_thinking_shows_with_everything_alone_even_without_words() -> None:
    session = SessionBuilder().user("Hi").assistant(thinking(), thinking("Hm."), "Hello")

    everything, tools = (
        the(view(session), "answer"),
        the(view(session, detail=Detail.TOOLS), "answer"),
    )

    assert everything.body == (Thinking(""), Thinking("Hm."), Prose("Hello"))
    assert tools.body == (Prose("Hello"),)


def test_an_answer_that_was_cut_short_says_so() -> None:
    session = SessionBuilder().user("Hi").assistant("Once upon", stop_reason="max_tokens")

    assert the(view(session), "answer").state == "cut short: max_tokens"


def test_a_command_has_its_output_with_it() -> None:
    page = view(SessionBuilder().command("/model", "opus", stdout="Set model to Opus"))

    command = the(page, "command")

    assert (command.title, command.body) == ("/model", (Words("opus", is_typed=True),))
    (outcome,) = command.outcome
    assert (outcome.kind, outcome.body) == ("command_output", (Output("Set model to Opus"),))
    assert messages_of(page, "command_output") == []


def test_a_shell_input_has_both_streams_with_it() -> None:
    session = SessionBuilder().bash("git status", stdout="clean", stderr="warning: slow")

    shell = the(view(session), "bash_input")

    assert shell.body == (Code("git status", "bash", is_command=True),)
    (outcome,) = shell.outcome
    assert outcome.body == (Output("clean"), Output("warning: slow", "stderr", is_error=True))


def test_an_interrupt_says_what_it_broke_into() -> None:
    session = SessionBuilder().user("Go").assistant("Well").interrupt(during_tool=True)

    interrupt = the(view(session), "interrupt")

    assert (interrupt.title, interrupt.tone) == ("interrupted during a tool call", "warn")


def test_news_of_a_background_run_bring_its_report() -> None:
    session = (
        SessionBuilder()
        .user("Count")
        .agent("Slow count", "Count.", lambda run: run.assistant("Five."), background=True)
        .notification("Slow count")
    )

    news = the(view(session, detail=Detail.TOOLS), "notification")

    assert (news.title, news.state) == ('Agent "Slow count" finished', "")
    assert news.body == (Fold("Result", (Prose("Five."),)),)


@pytest.mark.parametrize(
    ("status", "told"), [("failed", ("failed", "bad")), ("running", ("running", "quiet"))]
)
def test_news_that_are_not_of_a_good_end_say_so(status: str, told: tuple[str, str]) -> None:
    session = (
        SessionBuilder()
        .user("Count")
        .agent("Slow count", "Count.", lambda run: run.assistant("Five."), background=True)
        .notification("Slow count", status=status)
    )

    news = the(view(session), "notification")

    assert (news.state, news.tone) == told


def test_the_ids_in_news_are_for_those_who_want_everything() -> None:
    session = (
        SessionBuilder()
        .user("Count")
        .agent("Slow count", "Count.", lambda run: run.assistant("Five."), background=True)
        .notification("Slow count")
    )

    body = the(view(session, detail=Detail.EVERYTHING), "notification").body

    (task,) = [part for part in body if isinstance(part, Fold) and part.title == "Task"]
    assert task.is_meta
    assert "completed" in text_of(task.parts)


def test_a_teammate_has_a_name_and_a_colour() -> None:
    session = SessionBuilder().user("Go").teammate("alice", "Done.")

    teammate = the(view(session, detail=Detail.TALK), "teammate")

    assert (teammate.who, teammate.color) == ("alice", "blue")
    assert teammate.body == (Prose("Done."),)


def test_of_several_teammates_in_one_message_each_has_its_name_above_its_words() -> None:
    said = "".join(
        f'<teammate-message teammate_id="{name}" color="red">\nI am {name}.\n</teammate-message>\n'
        for name in ("alice", "bob")
    )

    body = the(view(SessionBuilder().user(said), detail=Detail.TALK), "teammate").body

    # A quiet note is one of the client's, which a page hides until everything is asked for.
    assert body == (
        Note("alice", ""),
        Prose("I am alice."),
        Note("bob", ""),
        Prose("I am bob."),
    )


def test_what_clients_tell_each_other_in_json_is_told_in_words() -> None:
    said = '{"type":"idle_notification","from":"alice","timestamp":"now","idleReason":"available"}'
    session = SessionBuilder().user("Go").teammate("alice", said)

    teammate = the(view(session, detail=Detail.TALK), "teammate")

    assert teammate.body == (Note("Idle notification", ""), Fields((("Idle reason", "available"),)))


def test_what_clients_tell_each_other_is_there_as_it_was() -> None:
    session = SessionBuilder().user("Go").teammate("alice", '{"type":"idle"}')

    body = the(view(session, detail=Detail.EVERYTHING), "teammate").body

    kept = Fold("Sent to the model", (Code('{\n  "type": "idle"\n}', "json"),), is_meta=True)
    assert kept in body


@pytest.mark.parametrize("said", ['{"type": "idle"', "{braces} in words", "[1]"])
def test_words_that_only_look_like_json_stay_words(said: str) -> None:
    session = SessionBuilder().user("Go").teammate("alice", said)

    teammate = the(view(session, detail=Detail.TALK), "teammate")

    assert teammate.body == (Prose(said),)


def test_an_api_error_is_bad_and_tells_of_its_tries() -> None:
    session = (
        SessionBuilder().user("Hi").api_error(529, "Overloaded").failure("API Error: Overloaded")
    )

    error = the(view(session), "api_error")

    assert (error.who, error.tone, error.classes) == ("API error", "bad", ("api_error", "error"))
    assert error.body == (Words("API Error: Overloaded"),)
    assert error.retries[0].startswith("529 ")


def test_a_remark_of_the_client_carries_its_level() -> None:
    session = SessionBuilder().user("Hi").informational("Mind the gap", level="warning")

    remark = the(view(session), "system")

    assert remark.classes == ("system", "system-warning")
    assert (remark.tone, remark.level) == ("warn", Detail.TOOLS)
    assert remark.title == "Warning: informational"
    assert Words("Mind the gap") in remark.body


def test_a_hook_shows_its_command_and_what_it_said() -> None:
    session = SessionBuilder().user("Hi").assistant("Hello").stop_hook("lint", error="2 faults")

    hook = the(view(session), "hook")

    assert hook.who == "Hook"
    assert "lint" in text_of(hook.body)
    assert "2 faults" in text_of(hook.body)


def test_an_attachment_shows_all_its_fields() -> None:
    session = SessionBuilder().user("Hi").attachment("date_change", newDate="2026-11-02")

    attachment = the(view(session), "attachment")

    assert (attachment.who, attachment.title) == ("Attachment", "date change")
    assert attachment.body == (Fields((("New date", "2026-11-02"),)),)


def test_a_hook_tells_once_what_came_of_it_and_what_it_printed() -> None:
    session = SessionBuilder().user("Hi")
    session.attachment(
        "hook_success", hookName="Stop", content="All is well", stdout="All is well\n"
    )

    hook = the(view(session), "hook")

    assert (hook.who, hook.title) == ("Hook", "success: Stop")
    assert text_of(hook.body).count("All is well") == 1


def test_an_attachment_of_tomorrow_shows_its_json() -> None:
    session = SessionBuilder().user("Hi").attachment("of_tomorrow", depth={"of": [1, 2]})

    attachment = the(view(session), "attachment")

    assert attachment.title == "of tomorrow"
    assert '"of"' in text_of(attachment.body)


def test_a_compaction_holds_its_summary_which_stands_nowhere_else() -> None:
    session = SessionBuilder().user("Hi").compact(pre=168_000, post=21_000, summary="All so far.")

    page = view(session)

    compaction = only(page, CompactionView)
    assert (compaction.tokens_before, compaction.tokens_after) == (168_000, 21_000)
    assert "All so far." in text_of(compaction.summary)
    assert messages_of(page, "compaction_summary") == []


def test_a_summary_is_left_out_of_talk_but_its_compaction_is_not() -> None:
    session = SessionBuilder().user("Hi").compact(summary="All so far.")

    compaction = only(view(session, detail=Detail.TALK), CompactionView)

    assert compaction.summary == ()


def test_a_line_that_cannot_be_read_is_a_gap() -> None:
    session = SessionBuilder().user("Hi").raw(b"{not json").assistant("Hello")

    gap = only(view(session), GapView)

    assert gap.text.startswith("Unreadable line: ")
    assert (gap.tone, gap.level) == ("bad", Detail.TOOLS)
    assert gap.source is not None
    assert gap.source.line == 2


def test_a_missing_parent_is_noted_with_everything() -> None:
    session = SessionBuilder().user("Hi").assistant("Hello").change(parentUuid="gone")

    assert "missing here" in only(view(session), GapView).text
    assert not any(
        isinstance(item, GapView) for item in items_of(view(session, detail=Detail.TOOLS))
    )


def test_a_row_of_tomorrow_shows_its_json() -> None:
    row = {"type": "of-tomorrow", "uuid": "u", "words": "Hello from the future"}
    session = SessionBuilder().user("Hi").row(row)

    unknown = the(view(session), "unknown")

    assert unknown.title == "of-tomorrow"
    assert "Hello from the future" in text_of(unknown.body)


def test_a_message_names_the_lines_it_comes_from() -> None:
    session = SessionBuilder().user("Hi").assistant(thinking("Hm."), "Hello")

    answer = the(view(session), "answer")

    assert [source.line for source in answer.sources] == [2, 3]


def test_why_the_cache_did_not_help_stands_beside_the_tokens_where_everything_is_shown() -> None:
    session = SessionBuilder().user("Go").assistant("Done.")
    miss = {"type": "tools_changed", "cache_missed_input_tokens": 23300}
    session.rows[-1]["message"]["diagnostics"] = {"cache_miss_reason": miss}

    assert the(view(session, detail=Detail.TOOLS), "answer").cache_miss == ""
    whole = view(session, detail=Detail.EVERYTHING)
    assert the(whole, "answer").cache_miss == "cache miss: tools changed, 23,300 tokens"


@pytest.mark.parametrize(
    "stdout", [MARKDOWN, MARKDOWN.partition("\n\n")[2], "# Help\n\nUse `/help`."]
)
def test_output_of_a_command_that_is_markdown_is_drawn_as_such(stdout: str) -> None:
    (outcome,) = the(view(SessionBuilder().command("/context", stdout=stdout)), "command").outcome

    assert outcome.body == (Prose(stdout),)


@pytest.mark.parametrize(
    "stdout",
    [
        "Set model to `Sonnet 4.5` and saved",
        f"\x1b[1m{MARKDOWN}\x1b[22m",
        "Total cost: $0.55\n#1 in a list",
        "a | b\n--- nothing ---",
    ],
)
def test_output_of_a_command_that_only_resembles_markdown_is_as_it_was_printed(stdout: str) -> None:
    (outcome,) = the(view(SessionBuilder().command("/model", stdout=stdout)), "command").outcome

    assert outcome.body == (Output(stdout),)


def test_what_a_shell_printed_is_never_markdown() -> None:
    (outcome,) = the(view(SessionBuilder().bash("cat x", stdout=MARKDOWN)), "bash_input").outcome

    assert outcome.body == (Output(MARKDOWN),)


def test_long_injected_text_is_folded_below_its_first_line_and_size() -> None:
    body = "\n".join(["# Rules for reviews", "", *(f"{n}. Be kind." for n in range(30))])

    (fold,) = the(view(SessionBuilder().meta(body)), "injection").body

    assert isinstance(fold, Fold)
    assert fold.title == f"Rules for reviews (32 lines, {len(body)} characters)"
    assert fold.parts == (Prose(body),)
    assert not fold.is_open


def test_short_injected_text_is_not_folded() -> None:
    assert the(view(SessionBuilder().meta("Be kind.")), "injection").body == (Prose("Be kind."),)


UNUSED = {
    "message": '"os" is not accessed',
    "severity": "Hint",
    "range": {"start": {"line": 2, "character": 7}, "end": {"line": 2, "character": 9}},
    "source": "Pylance",
    "code": "unused",
}
FLAT = {"filePath": "/w/a.py", "line": 3, "column": 8, "message": "unused", "severity": 2}
COLUMNS = ("Line", "Severity", "Message", "Source")


def test_diagnostics_of_the_editor_are_a_table() -> None:
    files = [{"uri": "file:///w/a%20b.py", "diagnostics": [UNUSED]}]
    session = SessionBuilder().user("Go").attachment("diagnostics", files=files, isNew=True)

    assert the(view(session), "attachment").body == (
        Note("/w/a b.py"),
        Table(COLUMNS, (("3:8", "hint", '"os" is not accessed', "Pylance unused"),)),
    )


def test_diagnostics_beside_a_prompt_are_a_table() -> None:
    told = f"<ide_diagnostics>{msgspec.json.encode([FLAT]).decode()}</ide_diagnostics>"

    prompt = the(view(SessionBuilder().user(text(told), text("Fix it"))), "prompt")

    (fold,) = [part for part in prompt.body if isinstance(part, Fold)]
    assert fold.parts == (
        Note("/w/a.py"),
        Table(COLUMNS, (("3:8", "warning", "unused", ""),)),
    )


@pytest.mark.parametrize("inner", ['{"files": 3}', "[1]", "[]", "a.py:3 unused import"])
def test_diagnostics_of_another_shape_are_shown_as_they_are(inner: str) -> None:
    told = f"<ide_diagnostics>{inner}</ide_diagnostics>"

    prompt = the(view(SessionBuilder().user(text(told), text("Fix it"))), "prompt")

    assert isinstance(prompt.body[0], Fold)
    assert isinstance(prompt.body[0].parts[0], Code)


def test_diagnostics_that_the_model_asked_for_are_a_table() -> None:
    asked = Call("mcp__ide__getDiagnostics", {}, msgspec.json.encode([FLAT]).decode())

    call = only(view(SessionBuilder().user("Go").tools(asked)), CallView)

    assert [part for part in call.parts if isinstance(part, Table)]
    assert not any(isinstance(part, Code) for part in call.parts)


def test_a_summary_of_stop_hooks_is_a_table_of_commands_and_times() -> None:
    infos = [{"command": "make lint", "durationMs": 15735}, {"command": "notify"}]
    row = system("stop_hook_summary", hookInfos=infos, hookErrors=["lint failed"], hookCount=2)

    summary = the(view(SessionBuilder().user("Go").row(row)), "hook")

    assert summary.body == (
        Table(("Hook", "Duration"), (("make lint", "15.7 s"), ("notify", ""))),
        Note("Errors", "warn"),
        Words("lint failed"),
    )


def test_stop_hooks_without_times_are_a_list() -> None:
    row = system("stop_hook_summary", hookInfos=[{"command": "notify"}], hasOutput=True)

    summary = the(view(SessionBuilder().user("Go").row(row)), "hook")

    assert summary.body == (Listing(("notify",)), Fields((("Output", "yes"),)))


def system(subtype: str, **fields: object) -> dict[str, object]:
    return {"type": "system", "subtype": subtype, "uuid": "y", "parentUuid": None, **fields}
