"""The system's Chromium, driven by Playwright, and what a page did in it."""

import os
import shutil
from typing import Final

import msgspec
from playwright.sync_api import Browser, Dialog, Page, Playwright, Request, Response

ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_FAILED: Final = 400
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Watched(msgspec.Struct):
    """What a page asked the network for, said in its console, and opened."""

    requests: list[str] = []
    errors: list[str] = []
    dialogs: list[str] = []


def find_chromium() -> str | None:
    """Give the path of a browser, if the machine has one."""
    named = os.environ.get("CLEW_CHROMIUM")
    found = [named] if named else [shutil.which(name) for name in _NAMES]
    return next((path for path in found if path), None)


def launch(playwright: Playwright) -> Browser:
    """Start the browser."""
    return playwright.chromium.launch(executable_path=find_chromium(), args=list(ARGUMENTS))


def launch_with_scrollbars(browser: Browser) -> Browser:
    """Start another one, which shows scrollbars as on a desktop."""
    return browser.browser_type.launch(
        executable_path=find_chromium(),
        args=list(ARGUMENTS),
        ignore_default_args=["--hide-scrollbars"],
    )


def watch(page: Page) -> Watched:
    """Note what a page does from here on."""
    watched = Watched(requests=[], errors=[], dialogs=[])

    def on_dialog(dialog: Dialog) -> None:
        watched.dialogs.append(dialog.message)
        dialog.dismiss()

    def on_request(request: Request) -> None:
        watched.requests.append(request.url)

    def on_response(response: Response) -> None:
        if response.status >= _FAILED:
            watched.errors.append(f"{response.status} {response.url}")

    page.on("dialog", on_dialog)
    page.on("request", on_request)
    page.on("response", on_response)
    page.on("pageerror", lambda error: watched.errors.append(str(error)))
    page.on(
        "console",
        lambda said: watched.errors.append(said.text) if said.type == "error" else None,
    )
    return watched
