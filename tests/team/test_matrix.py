"""Every route as everybody, for sessions of every visibility and tier: who gets what."""

import re
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import httpx
import pytest

from clew.protocol import Tier
from tests.team.matrix_team import (
    CALLERS,
    PROJECT,
    SECRET,
    SHOWN,
    TIERS,
    Caller,
    MatrixTeam,
    SentSession,
)
from tests.team.routes import RULES, find_routes, is_of_session, place_of, reads

pytestmark = pytest.mark.slow

# What differs between two responses that say the same.
VARYING: Final = (
    "date",
    "x-request-id",
    "content-security-policy",
    "content-length",
    "retry-after",
)
REFUSED: Final = (401, 403, 404, 410)


def test_every_route_has_a_rule(matrix: MatrixTeam) -> None:
    assert find_routes(matrix.location) == sorted(RULES)


def test_there_is_a_session_for_each_cell(matrix: MatrixTeam) -> None:
    cells = sorted((one.tier, one.shown) for one in matrix.sessions)
    assert cells == sorted(product(TIERS, SHOWN))


def ask(
    matrix: MatrixTeam, client: httpx.Client, caller: Caller, route: str, session: SentSession
) -> httpx.Response:
    """Make the request of a route; of a stream, only its head is read."""
    rule = RULES[route]
    values = {"project_id": matrix.project_id, **rule.values(matrix, caller, session)}
    method, place = route.partition(" ")[0], place_of(route, session, **values)
    if rule.is_stream:
        with client.stream(method, place) as response:
            if not response.is_success:
                response.read()
            return response
    return client.request(method, place, **rule.sends(matrix, caller, session))


def sessions_for(matrix: MatrixTeam, number: int, route: str, caller: Caller) -> list[SentSession]:
    """Return the sessions to ask for: one of each tier and visibility, where that matters."""
    found = {(one.tier, one.shown): one for one in matrix.sessions}
    if not is_of_session(route) or not caller.is_let_in:
        return [found[TIERS[number % len(TIERS)], "organisation"]]
    shown = SHOWN if caller.organisation == "acme" else ("organisation",)
    chosen = [found[cell] for cell in product(TIERS, shown)]
    left_out = RULES[route].left_out
    return [one for one in chosen if left_out is None or not left_out(caller, one)]


def text_of(response: httpx.Response) -> str:
    """Return all that a response says, except for the names of a stream that goes on."""
    body = response.text if response.is_closed and response.is_stream_consumed else ""
    return f"{dict(response.headers)}{body}"


def words_in(matrix: MatrixTeam, text: str) -> set[str]:
    return {one.word for one in matrix.sessions if one.word in text}


@pytest.mark.parametrize("name", CALLERS)
def test_everybody_gets_what_they_may(matrix: MatrixTeam, name: str) -> None:
    caller, start = CALLERS[name], list(CALLERS).index(name)
    wrong: list[tuple[Any, ...]] = []
    client = matrix.client(caller)
    for number, (route, rule) in enumerate(RULES.items(), start):
        for session in sessions_for(matrix, number, route, caller):
            got = ask(matrix, client, caller, route, session)
            expected = rule.expected(caller, session)
            cell = (route, str(session.tier), session.shown)
            if got.status_code not in expected:
                wrong.append((*cell, got.status_code, sorted(expected), got.text[:200]))
            wrong += [(*cell, *found) for found in leaks(matrix, caller, route, session, got)]
        if rule.ends:
            client.close()
            matrix.renew(caller)
            client = matrix.client(caller)
    client.close()
    assert wrong == [], "\n".join(map(str, wrong))


def leaks(
    matrix: MatrixTeam, caller: Caller, route: str, session: SentSession, got: httpx.Response
) -> Iterator[tuple[object, ...]]:
    """Return what a response says that it must not say."""
    said = text_of(got)
    seen = {one.word for one in matrix.sessions if reads(caller, one)}
    if " /shared/" in route and got.is_success:
        seen = {session.word}
    # The path of a file is the caller's own word.
    asked = {session.word} if "{file}" in RULES[route].query else set()
    if got.status_code in REFUSED:
        seen = asked
        if PROJECT in said:
            yield ("names the project",)
    # Of the structure of a session, nobody gets a word.
    seen -= {one.word for one in matrix.sessions if one.tier is Tier.STRUCTURE} - asked
    if others := words_in(matrix, said) - seen:
        yield "has words of", sorted(others)
    if SECRET in said and session.tier is not Tier.EVERYTHING and is_of_session(route):
        yield ("has a secret",)


@pytest.mark.parametrize(
    "name", ["device of owner", "colleague", "outsider", "auditor", "stranger"]
)
def test_lists_have_all_that_one_may_read(matrix: MatrixTeam, name: str) -> None:
    caller = CALLERS[name]
    words = {
        one.word for one in matrix.sessions if reads(caller, one) and one.tier != Tier.STRUCTURE
    }
    with matrix.client(caller) as client:
        listed = {
            route: words_in(matrix, ask(matrix, client, caller, route, matrix.sessions[0]).text)
            for route, rule in RULES.items()
            if rule.lists
        }
    assert listed == dict.fromkeys(listed, words)
    assert len(listed) > 10


@pytest.mark.parametrize("name", ["outsider", "device of stranger", "other-admin"])
def test_what_one_may_not_see_is_like_what_is_not_there(matrix: MatrixTeam, name: str) -> None:
    caller, compared = CALLERS[name], 0
    hidden = [one for one in matrix.sessions if one.shown == "project"]
    with matrix.client(caller) as client:
        for number, route in enumerate(named_routes()):
            session = hidden[number % len(hidden)]
            there = ask(matrix, client, caller, route, session)
            for other in ("s999999", "00000000-0000-4000-8000-000000000000"):
                values = {"session_id": other, "session": other, "link_id": 999_999}
                sent = RULES[route].sends(matrix, caller, session)
                method, place = route.partition(" ")[0], place_of(route, session, **values)
                absent = client.request(method, place, **sent)
                names = (session.id, session.key)
                assert plain(there, *names) == plain(absent, other), route
                compared += 1
    assert compared > 60


def named_routes() -> list[str]:
    """Return the routes whose path names a session or a link."""
    return [
        route
        for route, rule in RULES.items()
        if re.search(r"\{(session|session_id|link_id)\}", route) and not rule.is_open
    ]


def plain(response: httpx.Response, *names: str) -> tuple[int, str, dict[str, str]]:
    """Return a response without what was asked for, and what differs every time."""
    text = re.sub("|".join(map(re.escape, names)), "NAME", response.text)
    headers = {name: value for name, value in response.headers.items() if name not in VARYING}
    return response.status_code, text, headers
