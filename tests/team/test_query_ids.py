"""Names of what one may not see in queries and bodies: the answer is that for names of nothing.

Every place that takes the name of a session, a message, an agent run, a file or a project is asked
with one that is hidden, alone and beside one that is not, and with one that nobody has.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

import httpx
import pytest

from clew.protocol import Tier
from tests.team.matrix_team import CALLERS, MatrixTeam, SentSession, folder_of

pytestmark = pytest.mark.slow

FAILED: Final = 500
LISTS: Final = (
    "/api/sessions?limit=1000",
    "/api/tool-calls?limit=1000",
    "/api/agent-runs?limit=1000",
    "/api/files?limit=1000",
    "/api/file-uses?path=/srv&limit=1000",
    "/api/projects?limit=1000",
    "/api/lessons?min_sessions=1",
    "/api/permissions?tz=UTC",
    "/api/usage?by=session",
    "/api/usage?by=project",
    "/api/usage/cache?tz=UTC",
    "/api/search?q=common&limit=1000",
    "/sessions?limit=1000",
    "/search?q=common",
    "/usage?by=session",
    "/files?limit=1000",
    "/permissions?tz=UTC",
    "/lessons?tz=UTC",
)
FILTERS: Final = (
    "session={hidden}",
    "session={seen}&session={hidden}",
    "project={word}",
    "project={folder}",
    "branch={word}-fix",
)
TEXTS: Final = (
    "{word}",
    "{hidden}",
    "prompt {word}",
    '"answer {word}"',
    "session:{hidden}",
    "session:{hidden} common",
    "project:{word} common",
    "branch:{word}-fix common",
    "file:{word} common",
    "common OR {word}",
    "in:titles {word}",
    "in:all {word}",
    "in:files {word}",
    "/{word}/",
)
PLACES: Final = (
    *(f"{place}&{one}" for place in LISTS for one in FILTERS),
    *(f"{place}{text}" for place in ("/search?q=", "/api/search?q=") for text in TEXTS),
    *(f"/api/sessions?text={text}" for text in TEXTS),
    *(f"/sessions?text={text}" for text in TEXTS),
    *(f"/api/palette?with_texts=true&q={text}" for text in TEXTS),
    *(f"/api/suggest?text={text}" for text in TEXTS),
    *(f"/api/suggest?name={name}&text={{word}}" for name in ("project", "branch", "agent", "tag")),
    "/api/suggest?text=session:{hidden}",
    *(
        f"{place}?{names}"
        for place in ("/compare", "/api/compare")
        for names in ("a={seen}&b={hidden}", "a={hidden}&b={seen}", "a={seen}&b={key}")
    ),
    *(
        f"{place}form=markdown&{names}"
        for place in ("/export?", "/export/report?", "/export/file?", "/api/export?")
        for names in (
            "session={hidden}",
            "session={seen}&session={key}",
            "q={word}",
            "q=session:{hidden}",
            "q=common&session={hidden}",
            "q=common&project={word}",
        )
    ),
    "/api/file-versions?path={file}",
    "/files/history?path={file}",
    "/api/file-at?path={file}",
    "/api/file-at?path={file}&time=2100-01-01",
    "/api/file-at?path={file}&session={hidden}",
    "/api/file-at?path={file}&session={seen}",
    "/api/file-at?path={file}&message={message}",
    "/api/file-at?path={file}&session={hidden}&message={message}",
    "/api/file-at?path={file}&session={seen}&message={message}",
    "/api/file-uses?path={file}",
    "/api/file-uses?path={folder}",
    "/api/sessions/{seen}/changes?run={run}",
    "/sessions/{seen}/changes?run={run}",
    "/sessions/{seen}/changes.patch?run={run}",
    "/sessions/{seen}/runs/{run}",
    "/sessions/{seen}/find?anchor=m-{message}",
    "/sessions/{seen}/lines?anchor=m-{message}",
    "/sessions/{seen}/next?session={hidden}",
    "/sessions/{seen}/next?project={word}",
    "/sessions/{seen}/previous?q={word}",
    "/api/sessions/{seen}/messages/{message}",
    "/api/sessions/{seen}/messages/{message}/lines",
    "/api/sessions/{seen}/context?request={message}",
    "/shared/{token}/runs/{run}",
    "/shared/{token}/find?anchor=m-{message}",
    "/shared/{token}/lines?anchor=m-{message}",
)
BODIES: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("/api/notes", {"session_ids": ["{hidden}"], "star": True}),
    ("/api/notes", {"session_ids": ["{key}"], "star": True}),
    ("/api/notes", {"session_ids": ["{seen}", "{hidden}"], "add_tags": ["x"]}),
    ("/api/sessions/{seen}/bookmarks", {"message_id": "{message}", "comment": "why"}),
)


def names_of(hidden: SentSession, seen: SentSession) -> dict[str, str]:
    """Return what a hidden session and all of it are called."""
    return {
        "hidden": hidden.id,
        "key": hidden.key,
        "message": hidden.message,
        "run": hidden.run,
        **_names_with(hidden.word, seen),
    }


def names_of_nothing(seen: SentSession) -> dict[str, str]:
    """Return names of the same form that nobody has."""
    return {
        "hidden": "00000000-0000-4000-8000-000000000000",
        "key": "s9999",
        "message": "msg_of_nobody",
        "run": "of-nobody",
        **_names_with("zznobodyprivatezz", seen),
    }


def _names_with(word: str, seen: SentSession) -> dict[str, str]:
    folder = folder_of(word)
    return {
        "word": word,
        "folder": folder,
        "file": f"{folder}/{word}.py",
        "seen": seen.key,
        "token": seen.token,
    }


def plain(response: httpx.Response, names: dict[str, str]) -> tuple[int, str]:
    """Return a response without the names that were asked for."""
    text = response.text
    own = [value for name, value in names.items() if name not in ("seen", "token")]
    for value in sorted(own, key=len, reverse=True):
        for written in (value, value.replace("/", "%2F")):
            text = text.replace(written, "NAME")
    # Checksums of pages and times of answers say nothing.
    text = re.sub(r"NAME…|\b[0-9a-f]{16,64}\b|nonce=\"[^\"]*\"", "", text)
    text = re.sub(r"\d+(?:\.\d+)? (?:µs|ms)|\d{4}-\d\d-\d\dT[\d:.]+Z", "", text)
    return response.status_code, text


@pytest.mark.parametrize("name", ["outsider", "other-auditor"])
def test_names_of_what_is_hidden_are_like_names_of_nothing(matrix: MatrixTeam, name: str) -> None:
    seen, hidden = sessions_of(matrix)
    there, absent = names_of(hidden, seen), names_of_nothing(seen)
    wrong = []
    with matrix.client(CALLERS[name]) as client:
        for one, other in zip(answers(client, there), answers(client, absent), strict=True):
            if plain(one, there) != plain(other, absent) or one.status_code >= FAILED:
                wrong.append((one.request.url, one.status_code, other.status_code, one.text[:200]))
    assert wrong == [], "\n".join(map(str, wrong))


def test_to_whom_may_see_it_most_of_them_say_something(matrix: MatrixTeam) -> None:
    seen, hidden = sessions_of(matrix)
    there, absent = names_of(hidden, seen), names_of_nothing(seen)
    with matrix.client(CALLERS["owner"]) as client:
        pairs = zip(answers(client, there), answers(client, absent), strict=True)
        telling = [one for one, other in pairs if plain(one, there) != plain(other, absent)]
    assert len(telling) > len(PLACES) * 3 / 4


def sessions_of(matrix: MatrixTeam) -> tuple[SentSession, SentSession]:
    """Return a session that all of the organisation see, and one that its owner sees alone."""
    found = {(one.tier, one.shown): one for one in matrix.sessions}
    return found[Tier.EVERYTHING, "organisation"], found[Tier.EVERYTHING, "private"]


def answers(client: httpx.Client, names: dict[str, str]) -> Iterator[httpx.Response]:
    """Make each request with these names in it."""
    for place in PLACES:
        yield client.get(place.format(**names))
    for place, body in BODIES:
        yield client.post(place.format(**names), json=_filled(body, names))


def _filled(value: Any, names: dict[str, str]) -> Any:
    match value:
        case str():
            return value.format(**names)
        case list():
            return [_filled(one, names) for one in value]
        case dict():
            return {name: _filled(one, names) for name, one in value.items()}
        case _:
            return value
