"""Whole pages, compared with golden files."""

import datetime as dt
from pathlib import Path

import pytest

from clew.render import Detail, Options, render_terminal
from tests.conftest import Golden
from tests.unit.render.cases import CASES, built

PAGES = [
    ("repair", "tools", Options()),
    ("repair", "everything", Options(detail=Detail.EVERYTHING)),
    ("repair", "talk", Options(detail=Detail.TALK)),
    ("repair", "narrow", Options(width=60)),
    ("rewind", "tools", Options()),
    ("rewind", "outline", Options(detail=Detail.OUTLINE)),
    ("rewind", "prompts", Options(detail=Detail.PROMPTS)),
    ("rewind", "branches", Options(branches=True)),
    ("rewind", "turn-2", Options(turn=2)),
    ("agents", "tools", Options()),
    ("agents", "everything", Options(detail=Detail.EVERYTHING)),
    ("asides", "tools", Options()),
    ("asides", "everything", Options(detail=Detail.EVERYTHING)),
    ("hostile", "everything", Options(detail=Detail.EVERYTHING, width=60)),
]


@pytest.mark.parametrize(("case", "name", "options"), PAGES, ids=lambda each: str(each)[:20])
def test_a_page_is_as_it_was_looked_at(
    case: str, name: str, options: Options, tmp_path: Path, golden: Golden
) -> None:
    conversation = built(CASES[case](), tmp_path)
    fixed = Options(
        detail=options.detail,
        turn=options.turn,
        branches=options.branches,
        width=options.width,
        zone=dt.UTC,
    )

    text = "".join(render_terminal(conversation, fixed))

    golden(f"show/{case}/{name}.txt", text)
