"""Take the pictures of the docs: every page of the app on the sample sessions, in Chromium.

uv run just screenshots                              all of them
uv run python -m tools.screenshots home home-dark    some
"""

import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from playwright.sync_api import Browser, sync_playwright

from clew.archive import FilterSet, open_archive
from clew.render.site import APP
from clew.samples import samples_root
from clew.store import Home
from clew.web import Settings, make_server, open_socket, run

FOLDER: Final = Path(__file__).parents[1] / "docs" / "images"
_RETRY: Final = "b6aa330c"
_AGENTS: Final = "Split app.py"
_LONG: Final = "Incremental builds"
_FILE: Final = "/home/mira/code/almanac/src/almanac/app.py"

_SAY_OTHER_PATHS: Final = """(paths) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    for (const [here, there] of paths) {
      walker.currentNode.data = walker.currentNode.data.replaceAll(here, there);
    }
  }
}"""


class Shot(msgspec.Struct, frozen=True, kw_only=True):
    """A picture: of which page, how wide, in which colours, after a click on what."""

    name: str
    path: str
    width: int = 1280
    height: int = 800
    scheme: str = "light"
    click: tuple[str, ...] = ()


@contextmanager
def serving(home: Path) -> Iterator[str]:
    """Serve the samples."""
    with open_archive(home) as archive:
        archive.sync([samples_root()])
    settings = Settings(port=0, location=Home(home), roots=(samples_root(),), is_followed=False)
    ready = threading.Event()
    server = make_server(settings, ready.set)
    listener = open_socket(settings, any_port=False)
    thread = threading.Thread(target=run, args=(server, listener), daemon=True)
    thread.start()
    ready.wait(20)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)


def find_session(home: Path, begin: str) -> str:
    """Give the id of a sample by the beginning of its id or title."""
    with open_archive(home) as archive:
        return next(
            session.id
            for session in archive.sessions()
            if session.id.startswith(begin) or session.title.startswith(begin)
        )


def find_run(home: Path, session_id: str) -> str:
    """Give the id of an agent run of a session."""
    with open_archive(home) as archive:
        return next(run.id for run in archive.agent_runs(FilterSet(session=session_id)))


def shots(retry: str, agents: str, longest: str, run: str) -> list[Shot]:
    """List the pictures: of every page, and of some in dark and on a phone."""
    opened = ("#talk details:has(.diff) > summary",)
    return [
        Shot(name="home", path="/"),
        Shot(name="home-dark", path="/", scheme="dark"),
        _on_phone(Shot(name="home-phone", path="/")),
        Shot(name="session", path=f"/sessions/{retry}", click=opened),
        Shot(name="session-dark", path=f"/sessions/{retry}", scheme="dark", click=opened),
        _on_phone(Shot(name="session-phone", path=f"/sessions/{retry}")),
        Shot(name="sessions", path=APP.sessions),
        _on_phone(Shot(name="sessions-phone", path=APP.sessions)),
        Shot(name="search", path="/search?q=retry"),
        Shot(name="usage", path="/usage"),
        Shot(name="usage-dark", path="/usage", scheme="dark"),
        Shot(name="files", path="/files", height=600),
        Shot(name="lessons", path="/lessons", height=600),
        Shot(name="permissions", path="/permissions"),
        Shot(name="settings", path="/settings"),
        Shot(name="sign-in", path="/login", height=400),
        Shot(name="export", path=f"/export?session={retry}"),
        Shot(name="run", path=f"/sessions/{agents}/runs/{run}", height=600),
        Shot(name="archived-files", path=f"/sessions/{agents}/kept", height=400),
        Shot(name="agents", path=f"/sessions/{agents}/agents", height=400),
        Shot(name="context", path=f"/sessions/{longest}/context"),
        Shot(name="compare", path=f"/compare?a={retry}&b={agents}"),
        Shot(name="timeline", path=f"/sessions/{agents}/timeline", height=400),
        Shot(name="changes", path=f"/sessions/{agents}/changes#f-1"),
        Shot(name="file-versions", path=f"/files/history?path={_FILE}&version=3", height=600),
    ]


def other_paths(home: Path) -> list[tuple[str, str]]:
    """Say where the person in the samples would have what this machine has elsewhere."""
    return [
        (str(samples_root()), "/home/mira/.claude"),
        (str(home), "/home/mira/.local/share/clew"),
        (str(Path.home()), "/home/mira"),
    ]


def _on_phone(shot: Shot) -> Shot:
    return msgspec.structs.replace(shot, width=390, height=780)


def take(browser: Browser, address: str, shot: Shot, home: Path) -> Path:
    """Take one picture."""
    context = browser.new_context(
        viewport={"width": shot.width, "height": shot.height},
        color_scheme="dark" if shot.scheme == "dark" else "light",
        timezone_id="UTC",
        locale="en-GB",
        reduced_motion="reduce",
    )
    page = context.new_page()
    answer = page.goto(f"{address}{shot.path}")
    if answer is not None and not answer.ok:
        raise SystemExit(f"{shot.path}: {answer.status}")
    page.wait_for_timeout(600)
    for selector in shot.click:
        place = page.locator(selector).first
        if place.count():
            place.click()
            page.wait_for_timeout(200)
            page.evaluate("scrollTo(0, 0)")
    page.evaluate(_SAY_OTHER_PATHS, other_paths(home))
    target = FOLDER / f"{shot.name}.png"
    page.screenshot(path=target)
    context.close()
    return target


def main(names: list[str]) -> int:
    """Take all pictures, or some by their names."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("Chromium is not installed", file=sys.stderr)
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder)
        with serving(home) as address:
            retry, agents, longest = (
                find_session(home, begin) for begin in (_RETRY, _AGENTS, _LONG)
            )
            wanted = shots(retry, agents, longest, find_run(home, agents))
            browser = playwright.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
            )
            for shot in (one for one in wanted if not names or one.name in names):
                print(take(browser, address, shot, home))
            browser.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
