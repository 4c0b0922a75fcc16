"""Pages of every session at hand: valid, and with every word that was said.

By default these are the samples, and recordings of the newest and the oldest client that come with
the tests. With `CLEW_TEST_ALL=1` they are all recordings, and the real transcripts that stand
beside the checkout.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, get_args

import pytest

from clew.archive import open_archive
from clew.conversation import Conversation, build
from clew.export import ExportOptions, Form, export
from clew.render import TerminalOptions, render_terminal
from clew.render.html import render_html
from clew.render.markdown import MarkdownOptions, render_markdown
from clew.samples import samples_root
from clew.sessions import gather, group_sessions, link_neighbours
from clew.source import discover
from clew.view import Detail, SessionPage, ViewOptions, make_page
from tests.golden.readback import missing, read_html, read_words
from tests.recordings import HERE, WHOLE

DEEP: Final = 64
CORPUS: Final = WHOLE.parent / "corpus"
FEW: Final = ("1.0.30", "2.1.325")
IS_ALL: Final = bool(os.environ.get("CLEW_TEST_ALL"))


def roots() -> dict[str, Path]:
    """Give the roots to look in, by names for them."""
    patterns = [f"{version}/*/root" for version in (("*",) if IS_ALL else FEW)]
    folders = (WHOLE, HERE) if IS_ALL else (HERE,)
    chosen = [root for folder in folders for each in patterns for root in folder.glob(each)]
    named = {"/".join(root.parts[-3:-1]): root for root in sorted(chosen)}
    if IS_ALL and CORPUS.exists():
        named |= {path.name: path for path in sorted(CORPUS.iterdir()) if path.is_dir()}
    return {"samples": samples_root(), **named}


EVERY: Final = pytest.mark.parametrize("root", roots().values(), ids=roots().keys())


def conversations(root: Path) -> Iterator[Conversation]:
    """Build all sessions below a root."""
    files = discover(root).files
    for session in group_sessions(files):
        yield build(link_neighbours(gather(session), session, files))


def whole_page(conversation: Conversation) -> SessionPage:
    """Make a page with everything on it."""
    options = ViewOptions(detail=Detail.EVERYTHING, max_run_depth=DEEP, with_hidden_runs=True)
    return make_page(conversation, options)


@EVERY
def test_the_page_of_a_session_is_valid_and_holds_every_word(root: Path) -> None:
    for conversation in conversations(root):
        html = "".join(render_html(whole_page(conversation)))

        assert missing(conversation, read_html(html)) == []


@EVERY
def test_the_markdown_of_a_session_holds_every_word(root: Path) -> None:
    for conversation in conversations(root):
        page = whole_page(conversation)

        text = "".join(render_markdown(page, MarkdownOptions(images="none")))

        assert missing(conversation, read_words(text)) == []


@EVERY
def test_a_session_is_shown_in_a_terminal_without_control_characters(root: Path) -> None:
    for conversation in conversations(root):
        text = "".join(render_terminal(conversation, TerminalOptions(detail=Detail.EVERYTHING)))

        assert all(c in "\n\t" or ord(c) >= ord(" ") for c in text if not c.isprintable())


@pytest.mark.parametrize("form", get_args(Form))
def test_all_sessions_are_exported(form: Form, tmp_path: Path) -> None:
    with open_archive(tmp_path / "home") as archive:
        archive.sync(roots().values(), workers=1)
        sessions = list(archive.sessions())
        report = export(archive, sessions, tmp_path / "out", ExportOptions(form=form, workers=1))

    assert report.written == len(sessions) > 10
