"""Pictures in a real browser: seen small in the talk, opened at full size."""

import struct
import zlib

import pytest
from playwright.sync_api import Browser, Page, expect

from clew.render.html import render_html
from clew.sessions import load
from clew.view import ViewOptions, make_page
from tests.build import SessionBuilder, image

WIDTH, HEIGHT = 1800, 1500


def png(width: int, height: int) -> bytes:
    """Return a grey picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + checksum

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = (b"\0" + b"\x80" * width) * height
    data = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + data


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("pictures")
    built = SessionBuilder("pictures").user("Look at this", image(png(WIDTH, HEIGHT)))
    transcript = built.assistant("A grey wall.").write(folder / "pictures.jsonl")
    file = folder / "pictures.html"
    file.write_text("".join(render_html(make_page(load(transcript), ViewOptions()))), "utf-8")
    return file.as_uri()


def test_a_click_shows_a_picture_at_full_size(page: Page, address: str) -> None:
    page.goto(address)
    picture, viewer = page.locator("main .image img"), page.get_by_role("dialog")
    box = picture.bounding_box()
    assert box is not None
    assert box["height"] < HEIGHT
    picture.click()

    whole = viewer.get_by_role("img")
    expect(whole).to_be_visible()
    assert whole.evaluate("img => [img.width, img.height]") == [WIDTH, HEIGHT]
    page.keyboard.press("Escape")
    expect(viewer).to_be_hidden()
    picture.click()
    whole.click()
    expect(viewer).to_be_hidden()


def test_keys_show_a_picture_too(page: Page, address: str) -> None:
    page.goto(address)
    picture = page.get_by_role("button", name="enlarge")
    picture.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")

    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(picture).to_be_focused()


def test_without_scripts_the_picture_is_only_shown(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)

    expect(page.locator("main .image img")).to_be_visible()
    expect(page.get_by_role("button", name="enlarge")).to_have_count(0)
    context.close()
