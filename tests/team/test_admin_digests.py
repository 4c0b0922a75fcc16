"""`clew admin digests`, the page of administrators, and what members are told about digests."""

import json
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

from clew.cli.app import main
from clew.server.accounts import create_member, create_organisation
from clew.server.audit import list_audit
from clew.server.devices import issue_token, register_device
from clew.server.principal import Role
from clew.server.settings import TeamSettings
from clew.server.tokens import TokenKind
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.digest.model_server import say
from tests.postgres_dump import dump_postgres
from tests.team.digesting import KEY, MODEL, DigestedTeam, digested_team
from tests.team.pushed import PushedTeam
from tests.team.team_server import serving_team, team_browser, team_client

Admin = Callable[..., tuple[int, str, str]]


@pytest.fixture
def digested(
    pushed: PushedTeam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DigestedTeam]:
    with digested_team(pushed, tmp_path / "claude", monkeypatch) as team:
        yield team


@pytest.fixture
def admin(
    pushed: PushedTeam, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Admin:
    """Give a function that runs `clew admin`, and returns its exit code and output."""
    monkeypatch.setenv("CLEW_ARCHIVE", pushed.location.database_url)
    monkeypatch.setenv("CLEW_BLOBS", pushed.location.blobs)

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["admin", *words])
        out, error = capsys.readouterr()
        return code, out, error

    return run


def show(admin: Admin) -> Any:
    code, out, _ = admin("digests", "show", "--json")
    assert code == 0
    return json.loads(out)


def test_digests_are_switched_on_and_off(digested: DigestedTeam, admin: Admin) -> None:
    ada = digested.team.add_member("ada")
    digested.push(ada)
    digested.wait()
    digested.team.work()
    assert admin("digests", "show")[1].startswith("acme: digests are off\n0 summarised, 0 waiting")

    code, out, _ = admin("digests", "on", "--model", MODEL, "--budget", "2.5")
    assert (code, out) == (0, f"{MODEL} writes digests for acme, for at most $2.50 in 24 hours\n")
    assert show(admin)["waiting"] == 1
    digested.team.work()

    found = show(admin)
    assert found["schema"] == "clew.digest_settings/1"
    settings = (found["has_digests"], found["model"], found["budget_usd_per_day"])
    assert settings == (True, MODEL, 2.5)
    assert (found["summarised"], found["waiting"], found["failed"]) == (1, 0, 0)
    assert found["spent_usd"] == pytest.approx(0.002)
    assert "$0.00 of $2.50 spent" in admin("digests", "show")[1]
    assert "1 summarised" in admin("status")[1]
    assert admin("digests", "off")[:2] == (0, "No model writes digests for acme\n")
    assert show(admin)["has_digests"] is False
    assert len(digested.titles()) == 1
    with open_team(digested.team.location) as team:
        log = list_audit(team, digested.team.organisation)
    assert [(one.action, one.detail) for one in log] == [
        ("organisation.digests", "off"),
        ("organisation.digests", f"{MODEL}, $2.50 per day"),
    ]


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("--model", "two words"), "use one such as claude-haiku-4-5"),
        (("--model", ""), "is not the name of a model"),
        (("--model", "claude-code"), "a server cannot use claude-code"),
        (("--model", "claude-code:haiku"), "use a model of the API"),
        (("--model", MODEL, "--budget", "0"), "above 0"),
        (("--model", MODEL, "--budget", "-1"), "above 0"),
        (("--model", MODEL, "--budget", "nan"), "not a budget"),
        (("--model", MODEL, "--budget", "1e9"), "up to 100,000"),
        (("--model", MODEL, "--org", "nobody"), "no organisation"),
        ((), "--model"),
    ],
)
def test_what_cannot_be_used_is_refused(
    pushed: PushedTeam, admin: Admin, words: tuple[str, ...], advice: str
) -> None:
    code, out, error = admin("digests", "on", *words)

    assert (code, out) == (3 if "nobody" in words else 2, "")
    assert advice in error
    assert pushed.value("SELECT has_digests FROM organisation") == 0


def test_reasons_are_shown_and_failures_retried(digested: DigestedTeam, admin: Admin) -> None:
    digested.switch_on()
    digested.answer(say("no"))
    ada = digested.team.add_member("ada")
    session = digested.push(ada)
    digested.wait()
    digested.team.work()
    for _ in range(4):
        digested.team.rows("UPDATE session_state SET digest_due_at = now()")
        digested.team.work()

    _, out, _ = admin("status", "--json")
    (listed,) = json.loads(out)["listed"]
    assert (listed["session_id"], listed["state"], listed["attempts"]) == (
        session,
        "digest failed",
        5,
    )
    assert listed["reason"]
    assert "digest failed" in admin("status")[1]
    assert show(admin)["failed"] == 1
    assert admin("retry", session)[:2] == (0, f"{session} will be tried again\n")
    digested.team.rows("UPDATE session_state SET digest_due_at = now()")
    assert show(admin)["waiting"] == 1


def test_the_key_is_nowhere(digested: DigestedTeam, admin: Admin, tmp_path: Path) -> None:
    digested.switch_on()
    digested.push(digested.team.add_member("ada"))
    digested.wait()
    digested.team.work()

    assert digested.model.headers[0]["authorization"] == f"Bearer {KEY}"
    said = "".join(admin(*words)[1] for words in (("digests", "show"), ("status",), ("audit",)))
    assert KEY not in said
    assert KEY not in str(dump_postgres(digested.team.location.database_url))
    everything = digested.team.value(
        "SELECT string_agg(t::text, '') FROM (SELECT * FROM organisation) AS t"
    )
    assert KEY not in everything
    assert all(KEY.encode() not in one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())


@pytest.fixture
def people(team_location: PostgresLocation) -> Iterator[tuple[str, httpx.Client, httpx.Client]]:
    """Give a server, and the browsers of an administrator and of a member."""
    with open_team(team_location) as team:
        acme = create_organisation(team, "acme").id
        members = [
            create_member(team, acme, "root", Role.ADMIN),
            create_member(team, acme, "ada", Role.MEMBER),
        ]
        tokens = [issue_token(team, TokenKind.BROWSER, one.id, hours=1) for one in members]
        token = register_device(team, acme, members[1].id, "laptop").token
    with (
        serving_team(TeamSettings(location=team_location)) as address,
        team_browser(address, tokens[0]) as root,
        team_browser(address, tokens[1]) as ada,
    ):
        ada.headers["x-test-device"] = token
        yield address, root, ada


def test_members_are_told_which_model_reads_them(
    people: tuple[str, httpx.Client, httpx.Client],
) -> None:
    address, root, ada = people
    form = {"has_digests": "yes", "model": MODEL, "budget": "2.50"}
    before = unescape(ada.get("/account").text)
    assert ada.post("/admin/digests", data=form).status_code == 403

    assert root.post("/admin/digests", data=form).status_code == 303

    assert "a model reads your sessions to write digests: no" in before
    told = f"a model reads your sessions to write digests: yes, {MODEL}"
    assert told in unescape(ada.get("/account").text)
    with team_client(address, ada.headers["x-test-device"]) as device:
        assert told in device.get("/push/whoami").text
    page = unescape(root.get("/admin").text)
    assert f'value="{MODEL}"' in page
    assert "$0.00 of $2.50 spent in the last 24 hours" in page
    assert "changed who writes digests" in unescape(root.get("/admin/audit").text)


@pytest.mark.parametrize(
    "change",
    [
        {"model": "<script>alert(1)</script> x"},
        {"model": ""},
        {"model": "claude-code"},
        {"budget": "much"},
        {"budget": "0"},
        {"budget": "inf"},
    ],
)
def test_the_page_refuses_what_cannot_be_used(
    people: tuple[str, httpx.Client, httpx.Client], change: dict[str, str]
) -> None:
    _, root, _ = people
    form = {"has_digests": "yes", "model": MODEL, "budget": "1", **change}

    found = root.post("/admin/digests", data=form, headers={"accept": "text/html"})

    assert found.status_code == 400
    assert "<script>alert" not in found.text
    assert "Digests:" not in root.get("/admin").text
