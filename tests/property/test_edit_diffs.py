"""Whatever is edited: the diff leads from the file before to the file after."""

from typing import Any

import msgspec
from hypothesis import assume, given
from hypothesis import strategies as st

from clew.parts import Diff
from clew.tools import decode_result, file_diff
from clew.tools.diffs.compare import diff_of_files
from clew.tools.diffs.line_counts import count_fragments
from tools.replay_edits import edited, patched, replay_line

# Few words, so that lines recur; with tabs, returns and other separators of lines.
words = st.sampled_from(["a", "b", "\t", "  ", "\r", "\u2028", "\x0b", "é", "x = 1", "", "}"])
lines = st.lists(words, max_size=3).map("".join)
texts = st.builds(
    lambda own, end: "\n".join(own) + end, st.lists(lines, max_size=14), st.sampled_from(["", "\n"])
)


@st.composite
def edits(draw: st.DrawFn, original: str) -> dict[str, Any]:
    """Take a stretch of a text and put another in its place."""
    start = draw(st.integers(0, len(original)))
    end = draw(st.integers(start, len(original)))
    return {
        "filePath": "/a",
        "originalFile": original,
        "oldString": original[start:end] if end > start else original,
        "newString": draw(texts),
        "replaceAll": draw(st.booleans()),
    }


@given(texts.flatmap(edits))
def test_the_diff_of_an_edit_leads_to_the_new_text(told: dict[str, Any]) -> None:
    replayed = replay_line(msgspec.json.encode({"toolUseResult": told}))

    assert replayed is not None
    assert not replayed.problem


@given(texts, texts, texts)
def test_the_diff_of_many_edits_leads_to_the_new_text(old: str, before: str, after: str) -> None:
    steps = [{"old_string": old, "new_string": before}, {"old_string": before, "new_string": after}]
    told = {"filePath": "/a", "originalFileContents": f"x\n{old}y", "edits": steps}
    assume(old and before)

    replayed = replay_line(msgspec.json.encode({"toolUseResult": told}))

    assert replayed is not None
    assert not replayed.problem


@given(texts, texts)
def test_the_diff_of_a_write_leads_to_the_new_text_and_back(before: str, after: str) -> None:
    there, back = diff_of_files("a", before, after), diff_of_files("a", after, before)

    assert patched(before, there.hunks) == after
    assert patched(after, back.hunks) == before
    assert (there.added, there.removed) == (back.removed, back.added)


@st.composite
def line_edits(draw: st.DrawFn) -> dict[str, Any]:
    """Replace a stretch of a text that occurs once, and begins or ends with a whole line.

    A stretch that begins and ends inside of lines may meet any of them by chance.
    """
    head, tail = draw(texts), draw(texts)
    if draw(st.booleans()):
        head = f"{head}\n" if head else ""
    else:
        tail = f"\n{tail}"
    old = f"{draw(texts)}once{draw(texts)}"
    return {
        "filePath": "/a",
        "originalFile": f"{head}{old}{tail}",
        "oldString": old,
        "newString": draw(texts | texts.map(lambda more: old + more)),
        "replaceAll": False,
    }


@given(line_edits())
def test_counts_without_the_file_are_those_with_it_or_less(told: dict[str, Any]) -> None:
    original, old, new = told["originalFile"], told["oldString"], told["newString"]
    assume(old != original)

    counts, diff = count_fragments(old, new), _diff(told)

    assert counts.added <= diff.added
    assert counts.removed <= diff.removed
    assert counts.is_lower_bound or (counts.added, counts.removed) == (diff.added, diff.removed)


def _diff(told: dict[str, Any]) -> Diff:
    assert edited(told["originalFile"], told) is not None
    diff = file_diff(None, decode_result("Edit", msgspec.json.encode(told), "", None))
    assert diff is not None
    return diff
