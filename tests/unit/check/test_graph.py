"""Circles among parent links."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from clew.check.graph import find_cycles


def test_a_chain_has_no_circle() -> None:
    assert find_cycles({"a": None, "b": "a", "c": "b"}) == []


def test_a_parent_elsewhere_ends_the_walk() -> None:
    assert find_cycles({"a": "elsewhere", "b": "a"}) == []


def test_an_entry_may_be_its_own_parent() -> None:
    assert find_cycles({"a": "a"}) == [["a"]]


def test_only_members_of_the_circle_are_listed() -> None:
    parents = {"tail": "a", "a": "b", "b": "c", "c": "a"}

    assert find_cycles(parents) == [["a", "b", "c"]]


def test_each_circle_is_found_once() -> None:
    parents = {"a": "b", "b": "a", "c": "d", "d": "c", "e": "a", "f": "e"}

    assert find_cycles(parents) == [["a", "b"], ["c", "d"]]


def test_a_circle_of_200_000_needs_no_recursion() -> None:
    names = [str(number) for number in range(200_000)]
    parents: dict[str, str | None] = dict(pairwise([*names, names[0]]))

    assert find_cycles(parents) == [names]


@given(st.dictionaries(st.integers(0, 12), st.none() | st.integers(0, 12)))
def test_a_circle_is_exactly_what_leads_back_to_itself(links: dict[int, int | None]) -> None:
    parents = {str(k): None if v is None else str(v) for k, v in links.items()}

    found = [uuid for cycle in find_cycles(parents) for uuid in cycle]

    assert sorted(found) == sorted(uuid for uuid in parents if _leads_back(uuid, parents))


def _leads_back(uuid: str, parents: dict[str, str | None]) -> bool:
    node = parents[uuid]
    for _ in parents:
        if node is None or node == uuid:
            break
        node = parents.get(node)
    return node == uuid
