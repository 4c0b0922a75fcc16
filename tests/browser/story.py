"""A session with all that a page has means for, written as one HTML file."""

from pathlib import Path
from typing import Final

from clew.render.html import HtmlOptions, render_html
from clew.sessions import load
from clew.view import ViewOptions, make_page
from tests.build import SessionBuilder, bash, edit, read, thinking

LONG: Final = "\n".join(f"line {number}" for number in range(200))
_CWD: Final = "/home/dev/code/demo"
_FILLERS: Final = 12


def story() -> SessionBuilder:
    """Build it: thinking, errors, a fork, agent runs, a compaction, and much to scroll past."""
    built = SessionBuilder("story").at("2026-11-01T09:00:00Z").ai_title("Mend the uploader")
    _repair(built)
    _fork(built)
    _agents(built)
    built.compact(pre=168_000, post=21_000, summary="Summed up: the porpoise is mended.")
    for number in range(_FILLERS):
        built.user(f"Filler {number}").tools(bash(f"make part-{number}", "done"))
        built.assistant(f"Part {number} is made.\n\n" + "More words.\n\n" * 6)
    return built.user("Say goodbye").assistant("Goodbye, **all** of you.")


def write_story(folder: Path) -> str:
    """Write the page of the story, and give its address."""
    transcript = story().write(folder / "story.jsonl")
    shown = make_page(load(transcript), ViewOptions(max_run_depth=9))
    file = folder / "story.html"
    file.write_text("".join(render_html(shown, HtmlOptions())), "utf-8")
    return file.as_uri()


def _repair(built: SessionBuilder) -> None:
    source = "for _ in range(3):\n    send(chunk)\n"
    built.user("Fix the retry bug in the uploader")
    built.tools(
        read(f"{_CWD}/src/upload.py", source),
        bash("seq 200", LONG, seconds=75),
        say="I will look at the uploader first.",
        think="Perhaps an octopus hides here.",
    )
    built.tool("Bash", {"command": "uv run pytest -q"}, "Exit code 1\nwalrus failed", error=True)
    built.tools(edit(f"{_CWD}/src/upload.py", source, "range(3)", "range(retries)"))
    built.assistant(
        thinking("It is mended."), "Mended:\n\n- `upload.py`\n\n```python\nretry()\n```"
    )
    built.remember("mended")


def _fork(built: SessionBuilder) -> None:
    built.user("Change it to five tries").assistant("Now it tries five times, says the heron.")
    built.rewind_to("mended")
    built.user("Leave it at three").assistant("Three tries it is.")
    built.attachment("date_change", newDate="2026-11-02")


def _agents(built: SessionBuilder) -> None:
    def inner(run: SessionBuilder) -> None:
        run.tools(bash("ls | wc -l", "narwhal")).assistant("Five.")

    def outer(run: SessionBuilder) -> None:
        run.agent("Inner count", "Count the files.", inner).assistant("There are five.")

    built.user("Delegate").agent("Find callers", "Find all callers.", outer, agent="Explore")
    built.assistant("All is counted.")
