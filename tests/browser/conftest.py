import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from clew.samples import samples_root
from clew.store import Home
from clew.web import Settings
from tests.browser.chromium import find_chromium, launch, watch
from tests.browser.many import write_many
from tests.browser.story import write_story
from tests.web.serving import PATIENCE, client_for, serving, settings_for

HERE = Path(__file__).parent
MANY = 2_000

# Tests wait for what a page shows; the limit only ends a test whose page never shows it.
expect.set_options(timeout=PATIENCE * 1000)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave these tests out on a machine without a browser; CI must have one."""
    if find_chromium() is not None or os.environ.get("CI"):
        return
    own = [item for item in items if HERE in item.path.parents]
    config.hook.pytest_deselected(items=own)
    items[:] = [item for item in items if item not in own]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = launch(playwright)
        yield started
        started.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    made.set_default_timeout(PATIENCE * 1000)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of an app with the sample sessions."""
    with serving(settings_for(tmp_path_factory.mktemp("samples"), samples_root())) as address:
        yield address


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of an app with thousands of sessions."""
    home = _shared(tmp_path_factory, "many", _make_many)
    with serving(Settings(port=0, location=Home(home / "archive"), is_followed=False)) as address:
        yield address


def _make_many(folder: Path) -> None:
    folder.mkdir()
    write_many(folder / "root", MANY)
    settings_for(folder / "archive", folder / "root")


def _shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Give a folder that one process of a run fills for all of them."""
    is_alone = "PYTEST_XDIST_WORKER" not in os.environ
    base = factory.getbasetemp() if is_alone else factory.getbasetemp().parent
    folder = base / name
    lock = sqlite3.connect(base / f"{name}.lock", timeout=PATIENCE, isolation_level=None)
    with closing(lock):
        # The others wait here until the first one is done.
        lock.execute("BEGIN EXCLUSIVE")
        if not folder.exists():
            make(folder)
    return folder


@pytest.fixture
def client(app: str) -> Iterator[httpx.Client]:
    with client_for(app) as asking:
        yield asking


@pytest.fixture
def longest(client: httpx.Client) -> str:
    """Give the id of the sample session with the most messages."""
    found = client.get("/api/sessions", params={"sort": "messages", "limit": 1}).json()
    return str(found["sessions"][0]["id"])


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Give the address of a session's page in a file."""
    return write_story(tmp_path_factory.mktemp("story"))


@pytest.fixture
def story(page: Page, address: str) -> Iterator[Page]:
    """Open that page; no script may fail on it."""
    watched = watch(page)
    page.goto(address)
    yield page
    assert watched.errors == []
