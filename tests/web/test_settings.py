"""The page and the API about settings: facts that are true, what changes them, and no secrets."""

import html
import json
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from clew.analytics import price_table
from clew.archive import open_archive
from clew.push.push_files import PushFiles
from clew.store import PARSER_VERSION, Home
from clew.web import Settings
from tests.build import SessionBuilder
from tests.web.serving import client_for, serving

TOKEN = "clew_device_" + "a1B2c3D4" * 5
KEY = "sk-ant-" + "x9Y8z7W6" * 5
SERVERS = f"""\
default = "https://clew.example.com"
[servers."https://clew.example.com"]
member = "mira"
organisation = "acme"
token = "{TOKEN}"
"""
CONSENT = """\
[[project]]
path = "/home/mira/code/app"
server = "https://clew.example.com"
tier = "redacted"
visibility = "private"
"""
CONFIG = f"""\
[digest]
model = "claude-haiku-4-5"
api_key = "{KEY}"
max_cost_per_day = 7.5
redact = false
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set up a machine: a root, an archive, a login, a decision, a model and hooks."""
    root, home = tmp_path / "claude", tmp_path / "archive"
    SessionBuilder("alpha").user("Do it.").assistant("Done.").write(root)
    with open_archive(home) as archive:
        archive.sync([root])
    files = PushFiles(home)
    files.logins.write_text(SERVERS, "utf-8")
    files.consents.write_text(CONSENT, "utf-8")
    (tmp_path / "config.toml").write_text(CONFIG, "utf-8")
    for name, value in (
        ("CLAUDE_CONFIG_DIR", root),
        ("CLEW_CONFIG", tmp_path / "config.toml"),
        ("CLEW_HOME", home),
    ):
        monkeypatch.setenv(name, str(value))
    return tmp_path


@pytest.fixture
def client(place: Path) -> Iterator[httpx.Client]:
    settings = Settings(port=0, location=Home(place / "archive"), is_followed=False)
    with serving(settings) as address, client_for(address) as asking:
        yield asking


def facts(client: httpx.Client) -> dict[str, Any]:
    """Give the facts by group and key."""
    found = client.get("/api/settings").json()
    assert found["schema"] == "clew.settings/1"
    return {
        f"{group['key']}.{fact['key']}": fact
        for group in found["groups"]
        for fact in reversed(group["facts"])
    }


def test_the_facts_are_those_of_the_machine(client: httpx.Client, place: Path) -> None:
    found = facts(client)

    (transcript,) = (place / "claude").rglob("*.jsonl")
    assert found["roots.root"]["label"] == str(place / "claude")
    assert found["roots.root"]["value"] == "readable, 1 file"
    moment = datetime.fromtimestamp(transcript.stat().st_mtime, UTC)
    assert found["roots.root"]["at"][:16] == moment.isoformat()[:16]
    assert found["archive.location"]["value"] == str(place / "archive")
    assert found["archive.raw"]["number"] == transcript.stat().st_size
    sizes = [found[f"archive.{key}"]["number"] for key in ("size", "blobs", "database")]
    assert sizes[0] == sizes[1] + sizes[2]
    assert found["index.sessions"]["number"] == 1
    assert found["index.parser"]["number"] == PARSER_VERSION
    assert found["index.written"]["at"]
    assert found["prices.date"]["value"] == str(price_table().date)
    assert found["retention.cleanup_days"]["number"] == 30
    assert found["digests.model"]["value"] == "claude-haiku-4-5"
    assert found["digests.max_cost_per_day"]["value"] == "$7.50"
    assert found["digests.redact"]["is_problem"]
    assert found["team.server"]["value"] == "mira of acme"
    assert found["team.server"]["note"] == "Nothing pushed yet."
    assert found["team.consent"]["value"] == "redacted, private"
    assert found["hooks.installed"]["value"] == "not installed"


def test_nothing_secret_is_shown(client: httpx.Client) -> None:
    texts = client.get("/api/settings").text + client.get("/settings").text

    assert TOKEN not in texts
    assert KEY not in texts


def test_the_page_has_the_facts_of_the_api(client: httpx.Client) -> None:
    page = html.unescape(client.get("/settings").text)

    for fact in facts(client).values():
        assert fact["label"] in page
        assert fact["value"] in page
    assert "<code>clew consent set</code>" in page
    assert 'href="/settings"' in html.unescape(client.get("/usage").text)


def test_what_is_deleted_soon_is_listed(client: httpx.Client, place: Path) -> None:
    (transcript,) = (place / "claude").rglob("*.jsonl")
    assert client.get("/api/settings").json()["expiring"] == []
    old = time.time() - 26 * 86_400
    os.utime(transcript, (old, old))
    with open_archive(place / "archive") as archive:
        archive.sync([place / "claude"])

    (found,) = client.get("/api/settings").json()["expiring"]

    assert found["session_id"] == transcript.stem
    assert facts(client)["retention.expiring"]["number"] == 1
    page = html.unescape(client.get("/settings").text)
    assert f'href="/sessions/{transcript.stem}"' in page


def test_hooks_and_files_that_cannot_be_read_are_problems(
    client: httpx.Client, place: Path
) -> None:
    hook = {"hooks": [{"type": "command", "command": "clew hook Stop"}]}
    told = {"hooks": {"Stop": [hook]}, "disableAllHooks": True}
    (place / "claude" / "settings.json").write_text(json.dumps(told), "utf-8")
    assert facts(client)["hooks.installed"]["is_problem"]

    (place / "claude" / "settings.json").write_text("{", "utf-8")
    (place / "config.toml").write_text("[digest]\nmodle = 1", "utf-8")
    (place / "archive" / "consent.toml").write_text("[[project]]\nx = 1", "utf-8")
    found = facts(client)

    for group in ("hooks", "digests", "team"):
        assert found[f"{group}.problem"]["is_problem"]
    assert client.get("/settings").status_code == 200


def test_an_empty_machine_has_settings_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLAUDE_CONFIG_DIR", "CLEW_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    settings = Settings(port=0, location=Home(tmp_path / "none"), is_followed=False)
    with serving(settings) as address, client_for(address) as client:
        found = facts(client)
        page = client.get("/settings")

    assert found["roots.root"]["value"] in ("does not exist", "cannot be read, 0 files")
    assert found["archive.size"]["value"] == "no archive yet"
    assert found["digests.model"]["value"] == "off"
    assert found["team.server"]["value"] == "none"
    assert page.status_code == 200


def test_a_root_that_is_not_read_any_more_is_named(place: Path) -> None:
    settings = Settings(port=0, location=Home(place / "archive"), roots=(place,), is_followed=False)
    with serving(settings) as address, client_for(address) as client:
        roots = client.get("/api/settings").json()["groups"][0]["facts"]

    assert [root["label"] for root in roots] == [str(place), str(place / "claude")]
    assert roots[1]["value"] == "1 file archived earlier, not read now"
