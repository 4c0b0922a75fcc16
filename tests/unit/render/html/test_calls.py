"""Tool calls and agent runs as markup."""

import re

import msgspec

from clew.parts import Words
from clew.render.html import HtmlOptions
from clew.render.html.calls import draw_call, draw_run
from clew.render.html.parts import draw_part
from clew.view import RunView
from tests.unit.render.html.parsing import find, parse_piece, text_of
from tests.unit.render.shapes import DENIED, EDIT, RUN


class Runs:
    """Draws runs as nothing, for a page with these options."""

    def __init__(self, options: HtmlOptions) -> None:
        self.options = options

    def __call__(self, _run: RunView) -> str:
        return ""


NO_RUNS = Runs(HtmlOptions())
LOST = msgspec.structs.replace(RUN, has_transcript=False)


def test_a_run_without_a_transcript_shows_what_is_known_of_it() -> None:
    tree = parse_piece(draw_run(LOST, "<p>what it was heard to say</p>", HtmlOptions()))

    assert "what it was heard to say" in text_of(tree)
    assert "transcript missing" in text_of(next(find(tree, "summary")))


def test_a_run_of_which_nothing_is_known_is_one_line() -> None:
    unknown = msgspec.structs.replace(LOST, messages=0, items=())

    tree = parse_piece(draw_run(unknown, "", HtmlOptions()))

    assert list(find(tree, "details")) == []
    assert "transcript missing" in text_of(tree)


def test_words_of_a_hook_keep_their_colours_and_lose_their_codes() -> None:
    drawn = draw_part(Words("\x1b[1mloud\x1b[0m words"))

    assert '<span class="bold">loud</span> words' in drawn


def test_what_a_person_said_to_a_call_is_seen_before_the_call_is_opened() -> None:
    tree = parse_piece(draw_call(DENIED, NO_RUNS))

    assert "Use the other file" in text_of(tree)
    assert "Use the other file" not in text_of(next(find(tree, "details")))


def test_lines_that_are_a_lower_bound_are_marked() -> None:
    least = msgspec.structs.replace(EDIT, removed=0, is_lower_bound=True)

    exact = parse_piece(draw_call(EDIT, NO_RUNS))
    tree = parse_piece(draw_call(least, NO_RUNS))

    assert "+2 \u22121" in text_of(next(find(exact, "summary")))
    assert "≥ +2 \u22120" in text_of(next(find(tree, "summary")))


def test_a_run_that_nothing_tells_the_end_of_says_nothing_of_it() -> None:
    unknown = msgspec.structs.replace(RUN, status="unknown")

    assert "unknown" not in draw_run(unknown, "", HtmlOptions())
    assert "failed" in draw_run(msgspec.structs.replace(RUN, status="failed"), "", HtmlOptions())


def test_a_run_with_a_page_of_its_own_links_to_it() -> None:
    tree = parse_piece(draw_run(RUN, "", HtmlOptions(run_prefix="/sessions/s/runs/")))

    (link,) = find(tree, "a")
    assert link.attrib["href"] == f"/sessions/s/runs/{RUN.id}"
    assert list(find(next(find(tree, "summary")), "a")) == []


def test_in_a_file_a_run_has_no_other_page_to_link_to() -> None:
    assert list(find(parse_piece(draw_run(RUN, "", HtmlOptions())), "a")) == []


def test_figures_are_words_of_their_own_without_a_style() -> None:
    line = text_of(next(find(parse_piece(draw_run(RUN, "", HtmlOptions())), "summary")))

    assert re.search(r"\d (call|message)s?\d", line) is None
    assert re.search(r"calls? +\S", line) is not None


def test_a_call_that_started_a_run_leads_to_the_page_of_the_run() -> None:
    call = msgspec.structs.replace(EDIT, runs=(RUN,))

    there = draw_call(call, Runs(HtmlOptions(run_prefix="/sessions/s/runs/")))
    alone = draw_call(call, NO_RUNS)

    summary = there.partition("</summary>")[0]
    assert f'href="/sessions/s/runs/{RUN.id}"' in summary
    assert "Open this run" not in alone
