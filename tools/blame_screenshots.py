"""Take the pictures of blame and dossier: a repository that is made for them, in Chromium.

uv run just screenshots
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, sync_playwright

from clew.insight import find_repository, make_dossier
from clew.render.site import render_dossier
from clew.store import Home
from clew.web import Settings
from tests.build import bash
from tests.insight.workshop import Workshop, lines
from tests.web.serving import serving

FOLDER: Final = Path(__file__).parents[1] / "docs" / "images"
_FILE: Final = "src/retry.py"
_BEGINNING: Final = lines(
    '"""Retry a call that may fail."""',
    "",
    "import time",
    "",
    "",
    "def retry(call, tries=3):",
    "    for attempt in range(tries):",
    "        try:",
    "            return call()",
    "        except OSError:",
    "            pass",
    '    raise RuntimeError("gave up")',
)
_BACKOFF: Final = """\
def backoff(attempt, base=0.1, most=30.0):
\t\"\"\"Return how long to wait before the next try.\"\"\"
\treturn min(most, base * 2 ** attempt)


def retry(call, tries=3, base=0.1):
"""
_LOGGED: Final = """\
        except OSError as error:
            log.warning("try %d failed: %s", attempt, error)
"""


def make_story(shop: Workshop) -> None:
    """Let two sessions, a person and a formatter write a file."""
    delay, log = "the delay between tries", "a log of failed tries"
    shop.hand(_FILE, _BEGINNING)
    shop.commit("Add retry")
    shop.edit(delay, _FILE, "def retry(call, tries=3):\n", _BACKOFF)
    shop.edit(
        delay, _FILE, "            pass\n", "            time.sleep(backoff(attempt, base))\n"
    )
    shop.call(delay, bash("uv run pytest -q tests/test_retry.py", ".....\n5 passed in 0.12s"))
    shop.format(_FILE)
    text = shop.path(_FILE).read_text()
    shop.hand(_FILE, text.replace('RuntimeError("gave up")', 'TimeoutError("gave up at last")'))
    shop.commit("Back off exponentially", delay)
    shop.edit(log, _FILE, "        except OSError:\n", _LOGGED)
    imports = "import logging\nimport time\n\nlog = logging.getLogger(__name__)\n"
    shop.edit(log, _FILE, "import time\n", imports)
    shop.call(log, bash("uv run pytest -q tests/test_retry.py", ".....\n5 passed in 0.14s"))
    shop.commit("Log failed tries", log)


def take(page: Page, address: str, name: str) -> Path:
    """Take one picture."""
    page.goto(address)
    page.wait_for_timeout(400)
    target = FOLDER / f"{name}.png"
    page.screenshot(path=target)
    return target


def main() -> int:
    """Take both pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("Chromium is not installed", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        shop = Workshop(Path(folder))
        make_story(shop)
        with shop.archive() as archive:
            dossier = make_dossier(archive, find_repository(shop.repo), "HEAD~2..HEAD")
        saved = Path(folder) / "dossier.html"
        saved.write_text(render_dossier(dossier), "utf-8")
        settings = Settings(port=0, location=Home(shop.home), is_followed=False)
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 700}, timezone_id="UTC")
        with serving(settings) as address:
            print(take(page, f"{address}/files/blame?path={shop.path(_FILE)}", "blame"))
        print(take(page, saved.as_uri(), "dossier"))
        browser.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
