"""Forks, branches and other beginnings."""

from clew.view import ForkView, MessageView
from tests.build import SessionBuilder
from tests.unit.conversation.built import conversation_of
from tests.unit.view.viewed import check, items_of, messages_of, only, view, walk


def forked() -> SessionBuilder:
    """Go back once, and take another way."""
    return (
        SessionBuilder()
        .user("Make a file")
        .assistant("It is there.")
        .remember("made")
        .user("Change it")
        .assistant("It is at v2.")
        .rewind_to("made")
        .user("Leave it as it is")
        .assistant("So be it.")
    )


def forked_twice() -> SessionBuilder:
    """Go back, then back behind that."""
    return (
        SessionBuilder()
        .user("Start")
        .assistant("Started.")
        .remember("start")
        .user("Left")
        .assistant("Gone left.")
        .remember("left")
        .user("Left, then left")
        .assistant("Gone left twice.")
        .rewind_to("left")
        .user("Left, then right")
        .assistant("Gone left and right.")
        .rewind_to("start")
        .user("Right")
        .assistant("Gone right.")
    )


def test_a_fork_stands_where_the_ways_part() -> None:
    items = items_of(view(forked()))

    place = next(n for n, item in enumerate(items) if isinstance(item, ForkView))

    before, after = items[place - 1], items[place + 1]
    assert isinstance(before, MessageView)
    assert isinstance(after, MessageView)
    assert before.kind == "answer"
    assert "Leave it" in str(after.body)


def test_the_main_way_comes_first_and_has_no_items() -> None:
    fork = only(view(forked()), ForkView)

    main, other = fork.branches

    assert (main.is_main, main.title, main.items) == (True, "Leave it as it is", ())
    assert (other.is_main, other.title) == (False, "Change it")
    assert [item.kind for item in other.items if isinstance(item, MessageView)] == [
        "prompt",
        "answer",
    ]


def test_branches_may_be_named_alone() -> None:
    fork = only(view(forked(), with_branches=False), ForkView)

    assert [branch.title for branch in fork.branches] == ["Leave it as it is", "Change it"]
    assert all(branch.items == () for branch in fork.branches)


def test_a_branch_may_fork_again() -> None:
    page = view(forked_twice())

    outer, inner = (item for item in walk(items_of(page)) if isinstance(item, ForkView))

    assert [branch.title for branch in outer.branches] == ["Right", "Left"]
    assert [branch.title for branch in inner.branches] == ["Left, then right", "Left, then left"]
    assert inner in outer.branches[1].items
    check(conversation_of(forked_twice()))


def test_turns_of_branches_are_in_the_outline_and_say_so() -> None:
    page = view(forked_twice())

    outline = [(turn.title, bool(turn.branch_id)) for turn in page.frame.turns]

    assert outline == [
        ("Start", False),
        ("Left", True),
        ("Left, then left", True),
        ("Left, then right", True),
        ("Right", False),
    ]


def test_a_turn_of_a_branch_is_shown_on_its_own() -> None:
    page = view(forked(), turn=2)

    assert [message.kind for message in messages_of(page)] == ["prompt", "answer"]
    assert [turn.title for turn in page.frame.turns] == ["Change it"]
    assert not any(isinstance(item, ForkView) for item in items_of(page))


def test_talk_that_never_met_the_main_thread_is_another_beginning() -> None:
    session = (
        SessionBuilder()
        .remember("nothing")
        .user("One")
        .assistant("First.")
        .rewind_to("nothing")
        .wait(3600)
        .user("Two")
        .assistant("Second.")
    )

    assert only(view(session), ForkView).kind == "beginning"
