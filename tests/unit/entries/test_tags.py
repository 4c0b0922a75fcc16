import msgspec
import pytest

from clew.entries import Command, CommandOutput, Hook, IdeNotice, Notification, Teammate
from clew.entries.tags import Tagged, parse_json_notification, parse_tagged, split_ide_notices

ASIDE = "This may or may not be related to the current task."
OPENED = f"<ide_opened_file>The user opened the file {{}} in the IDE. {ASIDE}</ide_opened_file>"
SELECTED = f"<ide_selection>The user selected the lines {{}}\n\n{ASIDE}</ide_selection>"
NULL = msgspec.Raw(b"null")


def tagged(text: str) -> Tagged:
    read = parse_tagged(text)
    assert read is not None
    return read


def notice_of(text: str) -> IdeNotice:
    (notice,), rest = split_ide_notices(text)
    assert rest == ""
    return notice


NAME, MESSAGE = "<command-name>/fix</command-name>", "<command-message>fix</command-message>"
ARGS = "<command-args>the bug</command-args>"


@pytest.mark.parametrize(
    "text",
    [
        f"{NAME}\n{MESSAGE}\n{ARGS}",
        f"{MESSAGE}\n{NAME}\n{ARGS}",
        f"{ARGS}{MESSAGE}{NAME}",
        f"{NAME}\n            {MESSAGE}\n            {ARGS}\n",
    ],
)
def test_a_command_is_read_in_any_order_of_its_tags(text: str) -> None:
    read = tagged(text)

    assert (read.kind, read.text) == ("command", "/fix the bug")
    assert read.content == Command("/fix", "the bug", "fix")


def test_a_command_may_be_nothing_but_a_name_or_a_message() -> None:
    assert tagged(NAME).content == Command("/fix")
    assert tagged(MESSAGE).content == Command("fix", message="fix")


def test_a_command_keeps_what_it_holds() -> None:
    read = tagged(f"{NAME}<command-contents>\nDo it.\n</command-contents>")

    assert read.content == Command("/fix", contents="\nDo it.\n")


def test_arguments_may_hold_any_text() -> None:
    args = 'why is <div class="a"> & "b" not\nclosed?'

    read = tagged(f"{NAME}<command-args>{args}</command-args>")

    assert isinstance(read.content, Command)
    assert read.content.args == args


@pytest.mark.parametrize(
    ("text", "stdout", "stderr"),
    [
        ("<local-command-stdout>done</local-command-stdout>", "done", ""),
        ("<local-command-stdout></local-command-stdout>", "", ""),
        ("<local-command-stderr>bad</local-command-stderr>", "", "bad"),
        (
            "<local-command-stdout>a</local-command-stdout>\n<local-command-stderr>b</local-command-stderr>\n",
            "a",
            "b",
        ),
        (
            "<local-command-stdout>see </local-command-stdout> x</local-command-stdout>",
            "see </local-command-stdout> x",
            "",
        ),
    ],
)
def test_the_output_of_a_command_is_read(text: str, stdout: str, stderr: str) -> None:
    read = tagged(text)

    assert (read.kind, read.content) == ("command_output", CommandOutput(stdout, stderr))


@pytest.mark.parametrize(
    ("text", "stdout", "stderr"),
    [
        ("<bash-stdout>a\nb</bash-stdout><bash-stderr></bash-stderr>", "a\nb", ""),
        ("<bash-stdout></bash-stdout><bash-stderr>no such file</bash-stderr>", "", "no such file"),
        ("<bash-stderr>no</bash-stderr>", "", "no"),
        (
            "<bash-stdout><bash-stdout></bash-stdout><bash-stderr>e</bash-stderr>",
            "<bash-stdout>",
            "e",
        ),
    ],
)
def test_the_output_of_a_shell_is_read(text: str, stdout: str, stderr: str) -> None:
    read = tagged(text)

    assert (read.kind, read.content) == ("bash_output", CommandOutput(stdout, stderr))
    assert read.text == "\n".join(stream for stream in (stdout, stderr) if stream)


@pytest.mark.parametrize(
    ("text", "kind", "subtype", "words"),
    [
        ("<bash-input>ls -la</bash-input>", "bash_input", "", "ls -la"),
        ("<bash-input>echo '</bash-input>'</bash-input>", "bash_input", "", "echo '</bash-input>'"),
        ("<user-memory-input>use tabs</user-memory-input>\n", "memory", "", "use tabs"),
        (
            "<local-command-caveat>Caveat: x</local-command-caveat>",
            "injection",
            "caveat",
            "Caveat: x",
        ),
    ],
)
def test_a_tag_around_everything_is_read(text: str, kind: str, subtype: str, words: str) -> None:
    read = tagged(text)

    assert (read.kind, read.subtype, read.text) == (kind, subtype, words)


@pytest.mark.parametrize("count", [1, 2, 40])
@pytest.mark.parametrize("between", ["", "\n", "\n\n  "])
def test_reminders_are_one_injection_however_many(count: int, between: str) -> None:
    read = tagged(between.join(["<system-reminder>be brief</system-reminder>"] * count))

    assert (read.kind, read.subtype) == ("injection", "reminder")


@pytest.mark.parametrize("tag", ["session-start", "user-prompt-submit", "post-tool-use", "stop"])
def test_a_hook_names_its_event(tag: str) -> None:
    read = tagged(f"<{tag}-hook>be careful</{tag}-hook>")

    assert (read.kind, read.subtype) == ("injection", "hook_feedback")
    assert read.content == Hook(tag, "be careful")


NEWS = """<task-notification>
<task-id>b57276d</task-id>
<tool-use-id>toolu_1</tool-use-id>
<output-file>/tmp/tasks/b57276d.output</output-file>
<status>failed</status>
<summary>Background command "make" failed with exit code 1</summary>
<result>It said </result> and <result> again</result>
<usage><subagent_tokens>1200</subagent_tokens><tool_uses>3</tool_uses><duration_ms>4500</duration_ms></usage>
</task-notification>"""


@pytest.mark.parametrize(
    "tail", ["", "\nRead the output file to retrieve the result: /tmp/x", "\n"]
)
def test_a_notification_of_a_task_is_read(tail: str) -> None:
    read = tagged(NEWS + tail)

    assert (read.kind, read.text) == (
        "notification",
        'Background command "make" failed with exit code 1',
    )
    assert read.content == Notification(
        source="task",
        task_id="b57276d",
        tool_use_id="toolu_1",
        output_file="/tmp/tasks/b57276d.output",  # noqa: S108 (a text, no file)
        status="failed",
        summary='Background command "make" failed with exit code 1',
        result="It said </result> and <result> again",
        total_tokens=1200,
        tool_uses=3,
        duration_ms=4500,
    )


@pytest.mark.parametrize(("source", "tag"), [("bash", "shell-id"), ("agent", "agent-id")])
def test_a_notification_of_a_shell_or_an_agent_is_read(source: str, tag: str) -> None:
    text = (
        f"<{source}-notification>\n<{tag}>bb6abe4</{tag}>\n<status>completed</status>\n"
        f"<summary>done</summary>\nRead the output file.\n</{source}-notification>"
    )

    assert tagged(text).content == Notification(
        source=source, task_id="bb6abe4", status="completed", summary="done"
    )


def test_a_notification_may_be_json() -> None:
    read = parse_json_notification(
        '{"task_id":"b1","task_type":"local_bash","tool_use_id":"toolu_1","description":"make",'
        '"status":"failed"}'
    )

    assert read is not None
    assert (read.kind, read.text) == ("notification", "make")
    assert read.content == Notification("task", "b1", "toolu_1", status="failed", summary="make")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"task_id":"b1"}',
        '{"task_id":7,"task_type":"x"}',
        '{"task_id":"b1","task_type":"x"} is what I see',
        '{"task_id":"b1","task_type":"x","status":"\ud800"}',
        '{"task_id":' + "[" * 100_000,
    ],
)
def test_other_json_is_no_notification(text: str) -> None:
    assert parse_json_notification(text) is None


@pytest.mark.parametrize("tokens", ["", "many", "-1", "1.5", "9" * 19, "9" * 5000, "٣"])
def test_a_count_that_is_none_is_left_out(tokens: str) -> None:
    read = tagged(f"<task-notification><total_tokens>{tokens}</total_tokens></task-notification>")

    assert isinstance(read.content, Notification)
    assert read.content.total_tokens is None


def test_the_first_generation_of_teammate_messages_is_read() -> None:
    read = tagged(
        '<teammate-message teammate_id="team-lead" color="blue" summary="Go">\n'
        "Do it.\n</teammate-message>"
    )

    assert (read.kind, read.text) == ("teammate", "Do it.")
    assert read.content == (Teammate("team-lead", "blue", "Go", "Do it."),)


def test_several_teammate_messages_are_all_read() -> None:
    read = tagged(
        '<teammate-message teammate_id="a">one</teammate-message>\n\n'
        '<teammate-message teammate_id="b" color="red">two</teammate-message>'
    )

    assert read.content == (Teammate("a", text="one"), Teammate("b", "red", text="two"))
    assert read.text == "one\ntwo"


@pytest.mark.parametrize(
    "message",
    [
        '<teammate-message teammate_id="w1" color="blue">\n{"type":"idle"}\n</teammate-message>',
        '<agent-message from="w1">\n{"type":"idle"}\n</agent-message>',
    ],
)
def test_the_second_generation_of_teammate_messages_is_read(message: str) -> None:
    text = f"Another Claude session sent a message:\n{message}\n\nThis was not typed by your user."

    read = tagged(text)

    assert (read.kind, read.text) == ("teammate", '{"type":"idle"}')
    assert isinstance(read.content, tuple)
    assert read.content[0].teammate_id == "w1"


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "<div>hello</div>",
        "<command-name>/fix</command-name> and then some",
        "<command-name>/fix",
        "<command-args>only</command-args>",
        "What does <command-name>/fix</command-name> do?",
        "<bash-input>ls</bash-input> what is this?",
        "<bash-input>ls",
        "<bash-stdout>a</bash-stdout> b",
        "<bash-stdout>a</bash-stderr>",
        "<local-command-stdout>a",
        "<system-reminder>a</system-reminder> fix the bug",
        "<system-reminder>a</system-reminder> fix it <system-reminder>b</system-reminder>",
        "<system-reminder>a",
        "<my-hook>a</my-hook> what is that?",
        "<my-hook>a",
        "<task-notification>",
        "<task-notification and so on",
        "<teammate-message>",
        "<teammate-message teammate_id='a'>b</teammate-message>",
        "Another Claude session sent a message: hi",
        "<user-memory-input>a</user-memory-input> b",
        "<COMMAND-NAME>/fix</COMMAND-NAME>",
        "<>",
        "<",
    ],
)
def test_what_merely_looks_like_a_tag_is_none(text: str) -> None:
    assert parse_tagged(text) is None


def test_a_file_opened_in_the_editor_is_named() -> None:
    notice = notice_of(OPENED.format("/src/my file.py"))

    assert (notice.kind, notice.path) == ("opened_file", "/src/my file.py")


@pytest.mark.parametrize(
    ("told", "path", "lines", "text"),
    [
        (
            "12 to 14 from /src/a.py:\n    x = 1\n    y = 2",
            "/src/a.py",
            (12, 14),
            "    x = 1\n    y = 2",
        ),
        ("5 to 5 from C:\\src\\a.py:\nx: int", "C:\\src\\a.py", (5, 5), "x: int"),
        ("1 to 2 from a.py: x = 1", "a.py", (1, 2), "x = 1"),
        ("1 to 2 from a.py", "a.py", (1, 2), ""),
    ],
)
def test_lines_selected_in_the_editor_are_read(
    told: str, path: str, lines: tuple[int, int], text: str
) -> None:
    notice = notice_of(SELECTED.format(told))

    assert (notice.kind, notice.path, notice.text) == ("selection", path, text)
    assert (notice.first_line, notice.last_line) == lines


@pytest.mark.parametrize("told", ["", "nothing", f"{'9' * 5000} to 2 from a.py:\nx"])
def test_a_selection_told_otherwise_is_kept_as_text(told: str) -> None:
    notice = notice_of(f"<ide_selection>the lines {told}</ide_selection>")

    assert (notice.kind, notice.path, notice.first_line) == ("selection", "", None)
    assert notice.text == f"the lines {told}"


@pytest.mark.parametrize(
    ("inner", "diagnostics"),
    [
        ('[{"message":"unused"}]', b'[{"message":"unused"}]'),
        ("  {} ", b"{}"),
        ("a.py:3 unused import", b"null"),
        ("[" * 5000, b"null"),
        ("\ud800", b"null"),
    ],
)
@pytest.mark.parametrize("wrap", ["{}", "<post-tool-use-hook>{}</post-tool-use-hook>"])
def test_diagnostics_are_json_or_text(wrap: str, inner: str, diagnostics: bytes) -> None:
    notice = notice_of(wrap.format(f"<ide_diagnostics>{inner}</ide_diagnostics>"))

    assert (notice.kind, notice.text) == ("diagnostics", inner.strip())
    assert bytes(notice.diagnostics) == diagnostics


def test_notices_are_taken_off_the_front() -> None:
    notices, rest = split_ide_notices(
        f"{OPENED.format('a.py')}\n{SELECTED.format('1 to 1 from a.py:x')}\nfix <b>this</b>"
    )

    assert [notice.kind for notice in notices] == ["opened_file", "selection"]
    assert rest == "fix <b>this</b>"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fix it",
        f"see {OPENED}",
        "<ide_opened_file>a",
        "<ide_selection>",
        "<post-tool-use-hook>tests failed</post-tool-use-hook>x",
        "<post-tool-use-hook>no <ide_diagnostics>[]</ide_diagnostics></post-tool-use-hook>x",
    ],
)
def test_a_text_without_a_notice_in_front_is_left_alone(text: str) -> None:
    assert split_ide_notices(text) == ([], text)


LONG = 1_000_000


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        "<teammate-message>" * (LONG // 18),
        "<teammate-message " + 'a="" ' * (LONG // 5),
        ("<teammate-message" + " " * 100) * (LONG // 117),
        "<system-reminder>a</system-reminder>" * (LONG // 36) + "x",
        "<system-reminder>" * (LONG // 17),
        "<command-name>" * (LONG // 14),
        "<command-name>a</command-name>" * (LONG // 30) + "x",
        "<a-hook>" + "</a-hook> " * (LONG // 10) + "x",
        "<" + "-hook" * (LONG // 5),
        "<task-notification>" + "<summary>" * (LONG // 9) + "</task-notification>",
        "<bash-stdout>" + "<bash-stderr>" * (LONG // 13) + "</bash-stderr>",
        "<command-name>a</command-name>" + " " * LONG + "x",
    ],
    ids=lambda text: text[:40],
)
def test_a_hostile_text_is_read_in_time_that_grows_with_its_length(text: str) -> None:
    read = parse_tagged(text)

    assert read is None or read.kind in ("notification", "bash_output")


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        "<ide_opened_file>x</ide_opened_file>" * (LONG // 36),
        "<ide_opened_file>" + "the file " * (LONG // 9) + "</ide_opened_file>",
        "<ide_selection>" + "the lines 1 to 2 from " * (LONG // 22) + "</ide_selection>",
        "<ide_selection>" + "the lines 1 to 2 from \n" * (LONG // 23) + "</ide_selection>",
    ],
    ids=lambda text: text[:40],
)
def test_hostile_notices_are_read_in_time_that_grows_with_their_length(text: str) -> None:
    notices, rest = split_ide_notices(text)

    assert notices != []
    assert rest == ""
