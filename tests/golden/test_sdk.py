"""The main thread against the rows that the Agent SDK's own reader returns."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from clew.conversation import build
from clew.sessions import gather, group_sessions
from clew.source import discover
from tests.build import SessionBuilder, bash
from tests.recordings import HERE, recordings
from tools.compare_sdk import EXPLAINED, Compared, Kind, compare, find_differences

CORPUS: Final = Path(__file__).parents[2].parent / "shared" / "corpus"
PAGE: Final = Path(__file__).parents[2] / "docs" / "differences.md"


def roots() -> list[Any]:
    recorded = [(found.id, found.root) for found in recordings() if found.root.exists()]
    kept = [(folder.name, folder) for folder in sorted(CORPUS.glob("*/"))]
    return [pytest.param(root, id=name) for name, root in [*recorded, *kept]]


@pytest.fixture(scope="module")
def public() -> Compared:
    return compare(HERE)


@pytest.mark.parametrize("root", roots())
def test_sessions_differ_from_the_reader_in_explained_ways_only(root: Path) -> None:
    compared = compare(root)

    assert [found for found in compared.differences if found.kind not in EXPLAINED] == []


def test_the_page_counts_each_explained_kind_as_it_occurs(public: Compared) -> None:
    rows = re.findall(r"^\| \[(.+?)\]\(#.+?\) \| (\d+) \|$", PAGE.read_text("utf-8"), re.MULTILINE)

    assert {kind: int(count) for kind, count in rows} == {
        kind: public.count(kind) for kind in EXPLAINED
    }


def test_the_page_says_how_much_was_compared(public: Compared) -> None:
    text = PAGE.read_text("utf-8")

    assert f"the {public.sessions} sessions of `tests/recordings`" in text
    assert f"returns {public.rows} rows" in text


def test_the_page_speaks_of_each_explained_kind() -> None:
    text = PAGE.read_text("utf-8")

    assert [kind for kind in EXPLAINED if f"**{kind.capitalize()}.**" not in text] == []


def test_a_row_that_nobody_knows_is_a_fault(tmp_path: Path) -> None:
    builder = SessionBuilder().user("one").assistant("first")

    kinds = kinds_if_given(builder, [*talk_of(builder), "nobody"], tmp_path)

    assert kinds == {Kind.MISSING}


def test_a_row_of_another_branch_is_a_fault(tmp_path: Path) -> None:
    builder = SessionBuilder().user("one").assistant("first").remember("fork")
    builder.user("two").assistant("second").rewind_to("fork").user("other").assistant("third")

    kinds = kinds_if_given(builder, talk_of(builder), tmp_path)

    assert kinds == {Kind.OTHER_THREAD}


def test_a_row_that_the_reader_leaves_out_without_a_reason_is_a_fault(tmp_path: Path) -> None:
    builder = SessionBuilder().user("one").assistant("first").user("two").assistant("second")

    kinds = kinds_if_given(builder, talk_of(builder)[:-1], tmp_path)

    assert kinds == {Kind.LEFT_OUT}


def test_messages_in_another_order_are_a_fault(tmp_path: Path) -> None:
    builder = SessionBuilder().user("one").assistant("first").user("two").assistant("second")

    kinds = kinds_if_given(builder, talk_of(builder)[::-1], tmp_path)

    assert kinds == {Kind.OTHER_ORDER}


def test_results_of_one_answer_may_stand_in_another_order(tmp_path: Path) -> None:
    builder = SessionBuilder().user("go").tools(bash("ls"), bash("pwd")).assistant("done")
    *before, first, second, last = talk_of(builder)

    kinds = kinds_if_given(builder, [*before, second, first, last], tmp_path)

    assert kinds == {Kind.PARALLEL_ORDER}


def test_a_rewind_is_read_alike_even_if_a_notice_comes_late(tmp_path: Path) -> None:
    builder = SessionBuilder().user("one").assistant("first").remember("fork").user("two")
    builder.assistant("second").remember("left").rewind_to("fork").user("other").assistant("third")

    kinds = kinds_in(builder.rewind_to("left").away_summary("You were away."), tmp_path)

    assert kinds == set()


def test_the_row_after_a_missing_parent_ends_the_readers_path(tmp_path: Path) -> None:
    builder = SessionBuilder().user("one").assistant("first").user("two")

    kinds = kinds_in(builder.change(parentUuid="gone").assistant("second"), tmp_path)

    assert kinds == {Kind.BROKEN_CHAIN}


def test_a_later_beginning_ends_the_readers_path(tmp_path: Path) -> None:
    builder = SessionBuilder().user("one").assistant("first").informational("cleared")

    kinds = kinds_in(builder.change(parentUuid=None).user("two").assistant("second"), tmp_path)

    assert kinds == {Kind.OTHER_START, Kind.NO_TALK}


def test_glued_rows_are_lost_to_the_reader(tmp_path: Path) -> None:
    builder = SessionBuilder().user("one").assistant("first").glue()

    kinds = kinds_in(builder.user("two").assistant("second"), tmp_path)

    assert kinds == {Kind.UNREAD}


def test_rows_of_a_team_are_lost_to_the_reader(tmp_path: Path) -> None:
    builder = SessionBuilder().user("one").change(teamName="crew")

    kinds = kinds_in(builder.assistant("first").change(teamName="crew"), tmp_path)

    assert kinds == {Kind.TEAM}


def talk_of(builder: SessionBuilder) -> list[str]:
    return [row["uuid"] for row in builder.rows if row["type"] in ("user", "assistant")]


def kinds_in(builder: SessionBuilder, root: Path) -> set[Kind]:
    builder.write(root)
    return {found.kind for found in compare(root).differences}


def kinds_if_given(builder: SessionBuilder, given: Sequence[str], root: Path) -> set[Kind]:
    builder.write(root)
    [session] = group_sessions(discover(root).files)
    material = gather(session)
    found = find_differences(build(material), material, session.files[0], given)
    return {difference.kind for difference in found}
