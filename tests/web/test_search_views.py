"""The search page: what is set, hits by session or by time, and links on counts."""

import html
import re
from urllib.parse import parse_qsl, urlsplit

import httpx

HTML = {"accept": "text/html"}


def show(client: httpx.Client, **asked: str) -> str:
    found = client.get("/search", params=asked, headers=HTML)
    assert found.status_code == 200, found.text
    return html.unescape(found.text)


def test_filters_of_the_query_and_of_the_address_are_chips(client: httpx.Client) -> None:
    page = show(client, q="test tool:Bash -is:error", project="ferry", group="time")
    chips = re.findall(r'<a class="chip-set" href="([^"]+)"[^>]+>(.*?)</a>', page)

    words = [" ".join(re.sub("<[^>]+>", " ", chip).split()[:-1]) for _, chip in chips]
    asked = [dict(parse_qsl(urlsplit(url).query)) for url, _ in chips]
    assert words == ["Project ferry", "Tool Bash", "Not with errors"]
    assert asked == [
        {"q": "test tool:Bash -is:error", "group": "time"},
        {"q": "test -is:error", "project": "ferry", "group": "time"},
        {"q": "test tool:Bash", "project": "ferry", "group": "time"},
    ]


def test_hits_are_sorted_by_time_on_request(client: httpx.Client) -> None:
    usual = show(client, q="test", tz="UTC")
    timed = show(client, q="test", tz="UTC", group="time")
    times = re.findall(r'<time class="figure" datetime="([^"]+)"', timed)
    days = re.findall(r"<h2><bdi>(\w+, \d+ \w+ \d+)</bdi>", timed)

    assert times == sorted(times, reverse=True)
    assert len(times) > 30
    assert len(days) == len(set(days)) == len({at[:10] for at in times})
    assert '<b aria-current="true">Session</b>' in usual
    assert '<b aria-current="true">Time</b>' in timed
    assert 'href="/search?q=test&tz=UTC&group=time"' in usual
    assert '<input type="hidden" name="group" value="time">' in timed


def test_the_count_of_a_session_leads_to_its_hits(client: httpx.Client) -> None:
    page = show(client, q="upload")
    links = re.findall(r'<a href="([^"]+)" title="Search this session alone">(\d+) hits?<', page)

    assert links
    for url, count in links:
        own = client.get("/api/search", params=[*parse_qsl(urlsplit(url).query), ("limit", "100")])
        hits = own.json()["hits"]
        assert len(hits) >= int(count)
        assert len({hit["session_id"] for hit in hits}) == 1


def test_a_session_has_one_heading(client: httpx.Client) -> None:
    page = show(client, q="test")
    sessions = re.findall(r'<section class="found" data-found="([^"]+)"', page)

    assert len(sessions) > 1
    assert len(sessions) == len(set(sessions))


def test_words_that_are_nowhere_together_are_offered_one_by_one(client: httpx.Client) -> None:
    page = show(client, q="why was the upload of the zeppelin slow", project="ferry")
    place = page[page.index('<ul class="wider">') :]
    offers = re.findall(r'<a href="([^"]+)">([^<]+): (?:at least )?([\d,]+) hits?</a>', place)

    label, url, total = "Search for any of these words", offers[0][0], offers[0][2]
    asked = dict(parse_qsl(urlsplit(url).query))
    assert offers[0][1] == label
    assert asked == {"q": "upload OR zeppelin OR slow", "project": "ferry"}
    found = client.get("/api/search", params={**asked, "limit": "100"}).json()
    assert found["total"] == int(total) > 0


def test_what_only_a_tool_said_is_offered_in_plain_words(client: httpx.Client) -> None:
    page = show(client, q="upload in:all")
    chips = re.findall(r'<a class="chip-set"[^>]+>(.*?)</a>', page)
    assert [re.sub("<[^>]+>", "", chip).split()[0] for chip in chips] == ["Everywhere"]

    results = client.get("/api/search", params={"q": "se* in:results", "limit": "100"}).json()
    words = {
        word for hit in results["hits"] for word in re.findall(r"[a-z]{5,}", hit["snippet"]["text"])
    }
    word = next(word for word in sorted(words) if not total(client, word))
    page = show(client, q=word)
    assert "in:all" not in page[page.index("<div data-hits>") :].replace("in%3Aall", "")
    assert (
        f'<a href="/search?q={word}+in%3Aall">Search tool results and injected text, too: ' in page
    )


def total(client: httpx.Client, query: str) -> int:
    count: int = client.get("/api/search", params={"q": query}).json()["total"]
    return count


def test_more_hits_keep_their_view(client: httpx.Client) -> None:
    page = show(client, q="test", with_hidden="true")
    more = re.search(r'<a href="([^"]+)" data-more', page)

    assert more is not None
    assert (
        dict(parse_qsl(urlsplit(more[1]).query)).items()
        >= {
            "q": "test",
            "with_hidden": "true",
        }.items()
    )
