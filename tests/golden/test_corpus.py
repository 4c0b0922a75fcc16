"""Invariants on every session at hand: the recordings, and real transcripts where there are any."""

from pathlib import Path
from typing import Final

import msgspec
import pytest

from clew.conversation import build
from clew.sessions import gather, group_sessions, link_neighbours
from clew.source import discover
from tests.invariants import check, encode
from tests.recordings import HERE

pytestmark = pytest.mark.slow

# Real transcripts are nobody's to copy; they stand beside the checkout on some machines only.
CORPUS: Final = Path(__file__).parents[2].parent / "shared" / "corpus"


def test_every_session_at_hand_makes_a_sound_conversation() -> None:
    roots = [*HERE.glob("*/*/root"), *([CORPUS] if CORPUS.exists() else [])]

    for root in roots:
        files = discover(root).files
        for session in group_sessions(files):
            material = link_neighbours(gather(session), session, files)
            conversation = build(material)
            check(material, conversation)
            backwards = tuple(reversed(material.transcripts))
            other = build(msgspec.structs.replace(material, transcripts=backwards))
            assert encode(other) == encode(conversation)
