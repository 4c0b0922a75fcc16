"""Contestants that show: all sessions as HTML, and the first page of a long one."""

import shutil
from functools import partial
from pathlib import Path
from typing import Final

from bench.archives import forget_new_archive, in_archive, in_new_archive, make_archive
from bench.child import Page
from bench.contest import copy_of, output_of
from bench.contestant import Budget, Contestant, Limit
from bench.first_run import CLEW
from bench.own_folders import one_conversation
from bench.peers import isolated, private_home

MESSAGES: Final = 5_500
EXPORT: Final = (*CLEW, "export", "html", "--output", "{output}")
LOG: Final = "claude-code-log"
TRANSCRIPTS: Final = "claude-code-transcripts"


def forget_output(folder: Path) -> None:
    """Take away what the last export wrote."""
    shutil.rmtree(output_of(folder), ignore_errors=True)


def forget_all(folder: Path) -> None:
    """Take away what the last export wrote, and the archive it was made from."""
    forget_output(folder)
    forget_new_archive(folder)


def copy_for_log(folder: Path) -> None:
    """Copy the transcripts: claude-code-log keeps a cache beside them, which it is to make."""
    forget_output(folder)
    shutil.rmtree(copy_of(folder), ignore_errors=True)
    shutil.copytree(folder / "projects", copy_of(folder) / "projects")


def for_pages(folder: Path) -> dict[str, str]:
    """Let a program have a home of its own."""
    return isolated(private_home(folder, "pages"))


PAGES: Final = (
    Contestant(
        LOG,
        "html",
        "a page for each session",
        command=(
            LOG,
            "--all-projects",
            "--combined",
            "no",
            "--projects-dir",
            "{copy}/projects",
            "--output",
            "{output}",
        ),
        environ=for_pages,
        before=copy_for_log,
    ),
    Contestant(
        TRANSCRIPTS,
        "html",
        "a page for each session and agent run",
        command=(
            TRANSCRIPTS,
            "all",
            "--include-agents",
            "--quiet",
            "--source",
            "{folder}/projects",
            "--output",
            "{output}",
        ),
        environ=for_pages,
        before=forget_output,
    ),
    Contestant(
        "clew export html",
        "html",
        "the whole program, from the archive",
        command=(*EXPORT, "--no-sync"),
        environ=in_archive,
        setup=make_archive,
        before=forget_output,
        budgets=(Budget(10, LOG), Budget(3, TRANSCRIPTS)),
    ),
    Contestant(
        "clew first export",
        "html",
        "the whole program, first sync included",
        command=EXPORT,
        environ=in_new_archive,
        before=forget_all,
    ),
    Contestant(
        "clew first page",
        "page",
        f"{MESSAGES:,} messages, the first page of a server that has just started",
        command=(*CLEW, "serve", "--no-sync", "--port", "0"),
        place=partial(one_conversation, MESSAGES),
        environ=in_archive,
        setup=make_archive,
        page=Page("/sessions/{session}"),
        limits=(Limit("page ms", 300),),
    ),
)
