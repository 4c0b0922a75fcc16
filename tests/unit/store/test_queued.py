"""Words in the queue: who claims what, and what a past and a tail may not share."""

import pytest

from clew.conversation import build
from clew.entries import Entry
from clew.store.queued import follow_queue, lone_words, past_words, queue_operations, tail_words
from tests.build import SessionBuilder
from tests.unit.conversation.built import material_of

Operations = list[tuple[str, str | None]]


def session(operations: Operations, *prompts: str) -> SessionBuilder:
    built = SessionBuilder().user("Begin").assistant("Yes?")
    for operation, words in operations:
        built.queue(operation, words)
    for prompt in prompts:
        built.user(prompt).assistant("Done.")
    return built


def entries(built: SessionBuilder) -> list[Entry]:
    return list(material_of(built).transcripts[0].entries)


@pytest.mark.parametrize(
    ("operations", "claims", "waiting"),
    [
        ([("enqueue", "a"), ("dequeue", None)], {"a": 1}, ()),
        ([("enqueue", "a"), ("enqueue", "b"), ("dequeue", None)], {"a": 1, "b": 1}, ("b",)),
        ([("enqueue", "a"), ("enqueue", "b"), ("remove", "b")], {"a": 1, "b": 1}, ("a",)),
        ([("enqueue", "a"), ("remove", "c")], {"a": 1, "c": 1}, ("a",)),
        ([("enqueue", "a"), ("popAll", "a")], {"a": 1}, ()),
        ([("popAll", "a")], {"a": 1}, ()),
        ([("dequeue", None)], {}, ()),
    ],
)
def test_each_enqueue_is_a_claim_until_its_words_are_taken(
    operations: Operations, claims: dict[str, int], waiting: tuple[str, ...]
) -> None:
    found = follow_queue(queue_operations(entries(session(operations))))

    assert (dict(found[0]), found[1]) == (claims, waiting)


def test_words_that_no_row_repeats_stand_alone() -> None:
    built = session([("enqueue", "Lint too"), ("enqueue", "Hi"), ("dequeue", None)], "Hi")

    assert lone_words(queue_operations(entries(built)), build(material_of(built)).messages) == [
        "Lint too"
    ]


@pytest.mark.parametrize(
    ("past", "tail", "is_apart"),
    [
        (session([("enqueue", "go")], "go"), session([("enqueue", "go")], "go"), True),
        (session([("enqueue", "go")]), session([], "go"), False),
        (session([("enqueue", "go")], "go"), session([("enqueue", "go")]), False),
        (session([], "go"), session([("enqueue", "go")]), False),
        (session([], "go"), session([("enqueue", "go")], "go"), True),
        (session([], "go"), session([], "go"), True),
    ],
)
def test_a_tail_claims_nothing_of_its_past_nor_the_past_of_it(
    past: SessionBuilder,
    tail: SessionBuilder,
    is_apart: bool,  # noqa: FBT001 (a parameter of the test)
) -> None:
    names = [
        set(name_all(queue_operations(entries(built)), build(material_of(built)).messages))
        for built, name_all in ((past, past_words), (tail, tail_words))
    ]

    # All sessions of this test begin alike.
    assert (names[0] & names[1] <= {"says: Begin"}) == is_apart
