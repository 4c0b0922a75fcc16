"""Contestants with one long session: how much memory they need, whoever shows it."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from msgspec.structs import replace

from bench.archives import forget_new_archive, in_archive, in_new_archive, make_archive
from bench.child import Page
from bench.contestant import Contestant, Limit
from bench.first_run import CLEW
from bench.own_folders import one_session
from bench.pages import EXPORT, forget_output

LONG_MB: Final = 50
LONGER_MB: Final = 150
_MOST_MB: Final = 400
_TIMES: Final = 3
# A reader who opens the page, goes on, and jumps about.
_AFTERWARDS: Final = tuple(f"/sessions/{{session}}/sections/{n}" for n in (2, 3, 20, 90, 10, 60))


def _weigh(megabytes: int) -> Iterator[Contestant]:
    """Sync, show, export and serve a session of so many megabytes."""
    most = _MOST_MB if megabytes <= LONG_MB else _TIMES * megabytes
    place = partial(one_session, megabytes * 1_000_000)
    limits = (Limit("peak MB", most),)

    def own(verb: str, does: str, *arguments: str) -> Contestant:
        return Contestant(
            f"{verb} {megabytes} MB",
            "memory",
            does,
            command=(*CLEW, *arguments),
            place=place,
            environ=in_archive,
            setup=make_archive,
            limits=limits,
        )

    sync = own("sync", "first sync of one session", "sync", "--json")
    yield replace(sync, environ=in_new_archive, setup=None, before=forget_new_archive)
    yield own("show", "all of it as text", "show", "{session}")
    export = own("export", "all of it as HTML", *EXPORT[len(CLEW) :], "--no-sync")
    yield replace(export, before=forget_output)
    app = own("app", "its page, and a few sections more", "serve", "--no-sync", "--port", "0")
    yield replace(app, page=Page("/sessions/{session}", afterwards=_AFTERWARDS))


MEMORY: Final = (*_weigh(LONG_MB), *_weigh(LONGER_MB))
