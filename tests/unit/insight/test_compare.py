"""Two sessions compared: figures, turns, tools, and what they made of files."""

import difflib

from clew.insight import compare_sessions
from tests.build import SessionBuilder, Usage, bash, edit, write
from tests.unit.conversation.built import conversation_of

CWD = "/home/dev/code/demo"
BASE = "one\ntwo\nthree\n"


def session(name: str, cwd: str, word: str) -> SessionBuilder:
    """Give a session that changes a word of a file, in a folder."""
    built = SessionBuilder(name, cwd=cwd).user("Change it")
    built.tools(edit(f"{cwd}/a.txt", BASE, "two", word)).tools(bash("ls", "a.txt"))
    return built.assistant("Done.", usage=Usage(output=100))


def test_files_are_compared_as_each_session_left_them() -> None:
    first = session("a", CWD, "zwei").user("More").tools(write(f"{CWD}/b.txt", "b\n"))
    second = session("b", "/home/dev/code/copy", "deux")

    found = compare_sessions(conversation_of(first), conversation_of(second))

    assert {file.path: file.difference for file in found.files} == {
        "a.txt": "different",
        "b.txt": "only_a",
    }
    before, after = (BASE.replace("two", word).splitlines() for word in ("zwei", "deux"))
    expected = list(difflib.unified_diff(before, after, lineterm="", n=3))[3:]
    assert [*found.files[0].hunks[0].lines] == expected
    assert found.files[1].hunks[0].lines == ("+b",)


def test_the_same_result_is_said_to_be_the_same() -> None:
    one = conversation_of(session("a", CWD, "zwei"))

    found = compare_sessions(one, conversation_of(session("b", CWD, "zwei")))

    assert [(file.path, file.difference, file.hunks) for file in found.files] == [
        ("a.txt", "same", ())
    ]


def test_turns_tools_and_figures_stand_beside_each_other() -> None:
    longer = session("a", CWD, "zwei").user("More").tools(bash("ls")).assistant("Done.")

    found = compare_sessions(conversation_of(longer), conversation_of(session("b", CWD, "deux")))

    assert [(pair.tool, pair.a, pair.b) for pair in found.tools] == [("Bash", 2, 1), ("Edit", 1, 1)]
    assert [(pair.a and pair.a.prompt, pair.b and pair.b.prompt) for pair in found.turns] == [
        ("Change it", "Change it"),
        ("More", None),
    ]
    assert (found.a.turns, found.b.turns) == (2, 1)
    assert (found.a.cost_usd or 0) > (found.b.cost_usd or 0) > 0
    assert found.a.outcome in ("done", "partly", "abandoned", "unclear")


def test_the_last_answer_is_told_without_its_markup() -> None:
    said = "## All done\n━━━━\n- **Both** tests pass with `retry`\n|---|---|\n" + "word " * 200
    built = SessionBuilder("a", cwd=CWD).user("Go").assistant("First.").user("On").assistant(said)
    built.tools(bash("ls"))

    found = compare_sessions(conversation_of(built), conversation_of(session("b", CWD, "zwei")))

    assert found.a.last_answer.startswith("All done Both tests pass with retry word word")
    assert found.a.last_answer.endswith("word …")
    assert (found.b.last_answer, bool(found.b.last_answer_id)) == ("Done.", True)
