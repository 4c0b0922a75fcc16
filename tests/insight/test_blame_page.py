"""The blame page and its API: links to messages, nothing but known files, and none on a server."""

from html import unescape
from pathlib import Path

import httpx
import pytest
from litestar import Litestar

from clew.server.app import make_team_app
from clew.server.settings import TeamSettings
from clew.store import Home
from clew.store.postgres_location import PostgresLocation
from clew.web import Settings
from tests.insight.workshop import Workshop, lines
from tests.web.serving import serving


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    made = Workshop(tmp_path)
    made.hand("a.py", lines("typed_by_hand = '<b>'"))
    made.hand("secret.txt", lines("nobody_touched_this = 1"))
    made.commit("Begin")
    made.edit("one", "a.py", "<b>'\n", "<b>'\nby_session = '<script>'\n")
    made.commit("Add <i>", "one")
    made.archive().close()
    return made


def ask(shop: Workshop, *paths: str) -> list[httpx.Response]:
    settings = Settings(port=0, location=Home(shop.home), is_followed=False)
    with serving(settings) as address, httpx.Client(base_url=address) as client:
        return [client.get(path) for path in paths]


def test_the_page_has_lines_and_links_to_messages(shop: Workshop) -> None:
    path = shop.repo / "a.py"

    page, history = ask(shop, f"/files/blame?path={path}", f"/files/history?path={path}")

    assert page.status_code == 200
    assert f'href="/sessions/{shop.id_of("one")}#m-' in unescape(page.text)
    assert "by_session = &#x27;&lt;script&gt;&#x27;" in page.text
    assert "<script>'" not in page.text
    assert "/files/blame?path=" in unescape(history.text)


def test_what_is_not_on_this_disk_has_no_link_to_its_blame(shop: Workshop) -> None:
    (shop.repo / "a.py").unlink()

    (history,) = ask(shop, f"/files/history?path={shop.repo / 'a.py'}")

    assert history.status_code == 200
    assert "/files/blame" not in unescape(history.text)


def test_the_api_gives_the_same(shop: Workshop) -> None:
    (answer,) = ask(shop, f"/api/blame?path={shop.repo / 'a.py'}")

    found = answer.json()
    assert found["schema"] == "clew.blame/1"
    assert [line["evidence"] for line in found["lines"]] == ["external", "exact"]


def test_a_file_that_no_session_changed_is_not_read(shop: Workshop) -> None:
    path = shop.repo / "secret.txt"

    page, answer, option = ask(
        shop,
        f"/files/blame?path={path}",
        f"/api/blame?path={path}",
        f"/api/blame?path={shop.repo / 'a.py'}&rev=--output=x",
    )

    assert "nobody_touched_this" not in page.text
    assert (answer.status_code, option.status_code) == (404, 400)


def test_a_server_has_no_blame() -> None:
    location = PostgresLocation("postgresql://nowhere.invalid/clew", "/nowhere")

    app = make_team_app(TeamSettings(location=location)).app

    assert isinstance(app, Litestar)
    paths = {route.path for route in app.routes}
    assert "/api/files" in paths
    assert not [path for path in paths if "blame" in path]
