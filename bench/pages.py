"""Contestants that show: all sessions as HTML, and the first page of a long one."""

import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.archives import forget_new_archive, in_archive, in_new_archive, make_archive
from bench.contest import Budget, Contestant, Limit, Run, copy_of, output_of
from bench.peers import isolated, private_home

# Imported inside, so that the memory of one contestant does not count for another.
# ruff: noqa: PLC0415

MESSAGES: Final = 5_000
SECTIONS: Final = 2
EXPORT: Final = (sys.executable, "-m", "clew", "export", "html", "--output", "{output}")
LOG: Final = "claude-code-log"
TRANSCRIPTS: Final = "claude-code-transcripts"


def first_page() -> Run:
    """Decode and build a session of thousands of messages, and draw what is seen of it first."""
    from bench.long_session import long_lines
    from clew.conversation import Material, Transcript, TranscriptKind, build
    from clew.entries import decode_all
    from clew.render.html import HtmlOptions, render_frame, render_section
    from clew.source import split_lines
    from clew.view import ViewOptions, make_frame, make_index, make_layout, section_of

    lines = list(long_lines(MESSAGES))
    options, look = ViewOptions(), HtmlOptions()

    def draw() -> None:
        entries = tuple(decode_all(split_lines(lines, "long.jsonl")))
        material = Material("long", (Transcript("long", TranscriptKind.SESSION, entries),))
        index = make_index(build(material))
        layout = make_layout(index, options)
        render_frame(make_frame(index, options, layout), look)
        for number in range(SECTIONS):
            render_section(section_of(layout, number), look)

    # A server has done so before: what is loaded once does not count.
    draw()

    def run(_: Sequence[Path]) -> dict[str, float]:
        started = time.perf_counter()
        draw()
        return {"ms": (time.perf_counter() - started) * 1000, "messages": MESSAGES}

    return run


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
        budget=Budget(50, LOG),
        also=(Budget(15, TRANSCRIPTS),),
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
        f"{MESSAGES:,} messages: decode, build, draw",
        first_page,
        limits=(Limit("ms", 300),),
    ),
)
