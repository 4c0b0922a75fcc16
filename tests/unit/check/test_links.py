"""Loose ends, and what ties them."""

from clew.check.links import LooseEnd, digest, digests, unresolved
from clew.problems import Problem


def test_an_end_is_tied_when_any_file_knows_its_id() -> None:
    here, gone = Problem("missing_parent", line=1), Problem("missing_parent", line=2)
    loose = [LooseEnd(digest("a"), here), LooseEnd(digest("b"), gone)]

    assert unresolved(loose, [digests(["x"]), digests(["y", "a"])]) == [gone]


def test_without_files_all_ends_are_loose() -> None:
    gone = Problem("missing_parent")

    assert unresolved([LooseEnd(digest("a"), gone)], []) == [gone]


def test_an_id_that_is_no_text_has_a_digest_too() -> None:
    assert digest("\ud800") != digest("\ud801")
