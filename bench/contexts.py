"""Contestants that find out what filled the context of a long session."""

from functools import partial
from typing import Final

from bench.archives import in_archive, make_archive
from bench.contestant import Contestant, Limit
from bench.first_run import CLEW
from bench.own_folders import one_conversation

MESSAGES: Final = 5_000

CONTEXTS: Final = (
    Contestant(
        "clew context",
        "context",
        f"{MESSAGES:,} messages, the whole program",
        command=(*CLEW, "context", "latest", "--root", "{folder}"),
        place=partial(one_conversation, MESSAGES),
        environ=in_archive,
        setup=make_archive,
        limits=(Limit("seconds", 1),),
    ),
)
