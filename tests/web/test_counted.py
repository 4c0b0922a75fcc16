"""Numbers of the usage lead to the sessions that they count, all of them and no other."""

import datetime as dt
import html
import re
import time
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlencode, urlsplit
from zoneinfo import ZoneInfo

import httpx
import pytest

HTML = {"accept": "text/html"}
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ZONES = ("UTC", "America/Los_Angeles", "Asia/Kolkata")
PERIODS: tuple[dict[str, str], ...] = (
    {},
    {"since": "2026-10-20", "until": "2026-11-10"},
    {"model": "opus"},
    {"agent": "E*"},
    {"project": "tessera", "since": "2026-11-01"},
)


def show(client: httpx.Client, **asked: str) -> str:
    found = client.get("/usage", params=asked, headers=HTML)
    assert found.status_code == 200
    return html.unescape(found.text)


def links(page: str) -> Iterator[tuple[str, str]]:
    """Give the addresses of lists that a page leads to, each with its markup."""
    for attributes, markup in re.findall(r"<a ([^>]+)>(.*?)</a>", page):
        address = re.search(r'href="(/sessions\?[^"]+)"', attributes)
        label = re.search(r'aria-label="([^"]+)"', attributes)
        if address is not None:
            yield address[1], label[1] if label else re.sub("<[^>]+>", "", markup)


def asked_in(address: str) -> list[tuple[str, str]]:
    return parse_qsl(urlsplit(address).query)


def without_breaks(page: str) -> str:
    """Leave out the costs of cache breaks, which lead to all sessions of a project or a week."""
    section = r'<section aria-labelledby="cache-breaks".*?</section>'
    return re.sub(section, "", page, flags=re.DOTALL)


def counted(address: str, by: str) -> str | None:
    """Give which group of a kind an address asks for, and no other with it."""
    groups = [value for name, value in asked_in(address) if name == "counted"]
    return groups[0][len(by) + 1 :] if len(groups) == 1 and groups[0].startswith(by) else None


def listed(client: httpx.Client, address: str) -> set[str]:
    found = client.get("/api/sessions", params=[*asked_in(address), ("limit", "1000")])
    assert found.status_code == 200, found.text
    ids = [session["id"] for session in found.json()["sessions"]]
    assert found.json()["total"] == len(ids)
    return set(ids)


def hours_of(client: httpx.Client, zone: str) -> dict[str, list[str]]:
    """Give the sessions of all model calls by their hour of the week, from the facts."""
    found: dict[str, list[str]] = {}
    sessions = client.get("/api/sessions", params={"with_hidden": True}).json()["sessions"]
    for session in sessions:
        for call in client.get(f"/api/sessions/{session['id']}/facts").json()["model_calls"]:
            at = dt.datetime.fromisoformat(call["at"]).astimezone(ZoneInfo(zone))
            if call["usage"]["quality"] != "inherited":
                found.setdefault(f"{DAYS[at.weekday()]} {at:%H}:00", []).append(session["id"])
    return found


def require_hours(client: httpx.Client, page: str, expected: dict[str, list[str]]) -> None:
    """Make sure that the hours of a page, drawn and as a table, lead to what is expected."""
    found = [(label, address) for address, label in links(page) if counted(address, "hour")]

    assert len(found) == 2 * len(expected)
    for label, address in found:
        hour, calls, sessions = re.findall(r"^(\w+ \d\d:00), (\d+) .* in (\d+) ", label)[0]
        assert listed(client, address) == set(expected[hour])
        assert (int(calls), int(sessions)) == (len(expected[hour]), len(set(expected[hour])))


@pytest.mark.parametrize("zone", ZONES)
def test_an_hour_leads_to_the_sessions_with_calls_in_it(client: httpx.Client, zone: str) -> None:
    expected = hours_of(client, zone)

    page = show(client, tz=zone)

    require_hours(client, page, expected)


@pytest.mark.parametrize(
    ("zone", "since"), [("America/New_York", "2020-01-01"), ("Asia/Kathmandu", "2020-01-02")]
)
def test_hours_are_those_of_the_machine(
    client: httpx.Client, zone: str, since: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = hours_of(client, zone)
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        # Nobody asked since this day before, when the machine stood elsewhere.
        page = show(client, since=since)

        require_hours(client, page, expected)
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("asked", PERIODS)
@pytest.mark.parametrize("by", ["project", "model", "agent", "block"])
def test_a_row_leads_to_the_sessions_it_counts(
    client: httpx.Client, asked: dict[str, str], by: str
) -> None:
    rows = client.get("/api/usage", params={**asked, "by": by}).json()["rows"]
    sessions = {row["key"]: row["sessions"] for row in rows}

    page = show(client, **asked)

    found = {counted(address, by): address for address, _ in links(without_breaks(page))}
    found.pop(None)
    assert {key: len(listed(client, address)) for key, address in found.items()} == {
        key: sessions[str(key)] for key in found
    }
    assert 0 < len(found) == min(15, len(rows))


@pytest.mark.parametrize("asked", PERIODS)
def test_totals_and_days_lead_to_the_sessions_they_count(
    client: httpx.Client, asked: dict[str, str]
) -> None:
    total = client.get("/api/usage", params=asked).json()["totals"]["sessions"]

    page = show(client, **asked)

    shown = links(without_breaks(page))
    groups = {address: dict(asked_in(address))["counted"] for address, _ in shown}
    sizes = {address: len(listed(client, address)) for address in groups}
    assert {sizes[address] for address, group in groups.items() if group == "any"} == {total}
    assert total
    assert all(sizes.values())


@pytest.mark.parametrize("asked", PERIODS)
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
def test_a_day_leads_to_the_usage_of_that_day(
    client: httpx.Client, zone: str, asked: dict[str, str]
) -> None:
    rows = client.get("/api/usage", params={**asked, "tz": zone}).json()["rows"]
    expected = {row["key"]: row for row in rows}

    page = show(client, **asked, tz=zone)

    days = dict(re.findall(r'href="(/usage\?[^"]+)">(\d{4}-\d\d-\d\d)<', page))
    assert set(days.values()) == expected.keys()
    for address, day in days.items():
        totals = client.get(f"/api{address}").json()["totals"]
        assert totals | {"key": day} == expected[day]
        found = html.unescape(client.get(address, headers=HTML).text)
        sessions = re.findall(r'<tr data-session="[^"]+">', found)
        assert len(sessions) == expected[day]["sessions"] <= 15


def test_what_a_session_cost_on_other_days_is_told_apart(client: httpx.Client) -> None:
    day = client.get("/api/usage").json()["rows"][0]["key"]
    asked = {"since": day, "until": day}
    counted = client.get("/api/usage", params={**asked, "by": "session"}).json()["rows"]
    whole = client.get("/api/usage", params={"by": "session"}).json()["rows"]
    tokens = {row["key"]: row["total_tokens"] for row in whole}
    longer = {row["key"] for row in counted if row["total_tokens"] < tokens[row["key"]]}

    rows = re.findall(r'<tr data-session="([^"]+)">(.*?)</tr>', show(client, **asked), re.DOTALL)

    assert {name for name, markup in rows if " in all" in markup} == longer


@pytest.mark.parametrize("asked", PERIODS)
def test_a_tool_leads_to_the_sessions_that_called_it(
    client: httpx.Client, asked: dict[str, str]
) -> None:
    table = show(client, **asked).partition('id="by-tool"')[2]

    rows = re.findall("<tr><td>.*?</tr>", table)

    assert rows
    for row in rows:
        sessions = int(re.findall(r'<td class="figure">([\d,]+)</td></tr>', row)[0])
        assert len(listed(client, next(links(row))[0])) == sessions


@pytest.mark.parametrize("status", ["failed", "denied"])
def test_calls_that_went_wrong_lead_to_their_sessions(client: httpx.Client, status: str) -> None:
    calls = client.get("/api/tool-calls", params={"limit": 1000}).json()["tool_calls"]
    expected = {call["session_id"] for call in calls if call["status"] == status}

    tools = {call["tool"] for call in calls if call["status"] == status}
    found = [listed(client, f"/sessions?counted={status}:{tool}") for tool in tools]

    assert expected
    assert expected <= set().union(*found)


def test_what_is_counted_is_a_chip_that_can_be_taken_away(client: httpx.Client) -> None:
    asked = [("counted", "hour:mon-14"), ("counted", "model:claude-opus-5-5"), ("tz", "UTC")]
    page = html.unescape(client.get(f"/sessions?{urlencode(asked)}", headers=HTML).text)

    chips = re.findall(r'<a class="chip-set" href="([^"]+)"[^>]+>(.*?)</a>', page)

    told = [re.sub("<[^>]+>", "", markup)[:-2] for _, markup in chips]
    assert told == ["Hour Mon 14:00", "Model Opus 5.5"]
    assert asked_in(chips[0][0]) == [asked[1], asked[2]]
    assert asked_in(chips[1][0]) == [asked[0], asked[2]]


def test_what_is_counted_stays_when_the_list_is_narrowed(client: httpx.Client) -> None:
    page = client.get(
        "/sessions", params={"counted": "any", "until": "2026-11-01"}, headers=HTML
    ).text

    assert '<input type="hidden" name="counted" value="any">' in page
    assert '<input type="hidden" name="until" value="2026-11-01">' in page


@pytest.mark.parametrize("asked", [{"counted": "colour:red"}, {"counted": "any", "tz": "Nowhere"}])
def test_what_cannot_be_counted_is_refused(client: httpx.Client, asked: dict[str, str]) -> None:
    assert client.get("/api/sessions", params=asked).status_code == 400
