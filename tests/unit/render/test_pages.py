"""Whole pages, compared with golden files."""

import datetime as dt
from pathlib import Path

import pytest

from clew.render import Detail, TerminalOptions, render_terminal
from tests.conftest import Golden
from tests.unit.render.cases import CASES, built

PAGES = [
    ("repair", "tools", TerminalOptions()),
    ("repair", "everything", TerminalOptions(detail=Detail.EVERYTHING)),
    ("repair", "talk", TerminalOptions(detail=Detail.TALK)),
    ("repair", "narrow", TerminalOptions(width=60)),
    ("rewind", "tools", TerminalOptions()),
    ("rewind", "outline", TerminalOptions(detail=Detail.OUTLINE)),
    ("rewind", "prompts", TerminalOptions(detail=Detail.PROMPTS)),
    ("rewind", "branches", TerminalOptions(branches=True)),
    ("rewind", "turn-2", TerminalOptions(turn=2)),
    ("agents", "tools", TerminalOptions()),
    ("agents", "everything", TerminalOptions(detail=Detail.EVERYTHING)),
    ("asides", "tools", TerminalOptions()),
    ("asides", "everything", TerminalOptions(detail=Detail.EVERYTHING)),
    ("hostile", "everything", TerminalOptions(detail=Detail.EVERYTHING, width=60)),
]


@pytest.mark.parametrize(("case", "name", "options"), PAGES, ids=lambda each: str(each)[:20])
def test_a_page_is_as_it_was_looked_at(
    case: str, name: str, options: TerminalOptions, tmp_path: Path, golden: Golden
) -> None:
    conversation = built(CASES[case](), tmp_path)
    fixed = TerminalOptions(
        detail=options.detail,
        turn=options.turn,
        branches=options.branches,
        width=options.width,
        zone=dt.UTC,
    )

    text = "".join(render_terminal(conversation, fixed))

    golden(f"show/{case}/{name}.txt", text)
