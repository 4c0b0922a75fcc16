"""Take the pictures of the docs: the app on the sample sessions, in the system's Chromium.

uv run just screenshots
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

from clew.archive import open_archive
from clew.samples import samples_root
from clew.store import Home
from clew.web import Settings, make_server, open_socket, run

FOLDER: Final = Path(__file__).parents[1] / "docs" / "images"
_RETRY: Final = "b6aa330c"
_AGENTS: Final = "Split app.py"


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
    settings = Settings(port=0, location=Home(home), is_followed=False)
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


def shots(retry: str, agents: str) -> list[Shot]:
    """List the pictures."""
    opened = ("#talk details:has(.diff) > summary",)
    return [
        Shot(name="session", path=f"/sessions/{retry}", click=opened),
        Shot(name="session-dark", path=f"/sessions/{retry}", scheme="dark", click=opened),
        Shot(name="session-phone", path=f"/sessions/{retry}", width=390, height=780),
        Shot(name="sessions", path="/"),
        Shot(name="search", path="/search?q=retry"),
        Shot(name="usage", path="/usage"),
        Shot(name="timeline", path=f"/sessions/{agents}/timeline", height=400),
    ]


def take(browser: Browser, address: str, shot: Shot) -> Path:
    """Take one picture."""
    context = browser.new_context(
        viewport={"width": shot.width, "height": shot.height},
        color_scheme="dark" if shot.scheme == "dark" else "light",
        timezone_id="UTC",
        locale="en-GB",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(f"{address}{shot.path}")
    page.wait_for_timeout(600)
    for selector in shot.click:
        place = page.locator(selector).first
        if place.count():
            place.click()
            page.wait_for_timeout(200)
            page.evaluate("scrollTo(0, 0)")
    target = FOLDER / f"{shot.name}.png"
    page.screenshot(path=target)
    context.close()
    return target


def main() -> int:
    """Take all pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("Chromium is not installed", file=sys.stderr)
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder)
        with serving(home) as address:
            wanted = shots(find_session(home, _RETRY), find_session(home, _AGENTS))
            browser = playwright.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
            )
            for shot in wanted:
                print(take(browser, address, shot))
            browser.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
