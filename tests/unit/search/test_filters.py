"""What filters let through, in a real archive and of single names."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.store import SearchIndex
from tests.build import Agent, Call, SessionBuilder, bash, read
from tests.unit.search.archives import archive, find, found


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchIndex]:
    """Three sessions that differ in everything a filter can ask for."""
    alpha = (
        SessionBuilder("alpha", cwd="/home/dev/alpha", branch="main")
        .model("claude-opus-4-5")
        .at("2026-09-01T09:00:00Z")
        .user("alpha prompt needle")
        .assistant("alpha answer needle")
        .tools(bash("alpha-command needle", "ok"))
        .tools(Call("Bash", {"command": "alpha-failure needle"}, "exit 1", error=True))
        .custom_title("-")
    )
    beta = (
        SessionBuilder("beta", cwd="/home/dev/beta two", branch="fix/needle")
        .model("claude-haiku-4-5")
        .at("2026-11-01T09:00:00Z")
        .user("beta prompt needle")
        .assistant("beta answer needle")
        .tools(read("/home/dev/beta two/src/retry.py", "x = 1"))
        .custom_title("-")
    )
    gamma = (
        SessionBuilder("gamma", cwd="/home/dev/gamma", branch="main")
        .model("claude-haiku-4-5")
        .at("2026-11-13T09:00:00Z")
        .user("gamma prompt needle")
        .tools(
            Agent("look", "gamma run prompt needle", _look, "Explore"),
        )
        .custom_title("-")
    )
    index = archive(tmp_path_factory.mktemp("work"), alpha, beta, gamma)
    yield index
    index.database.close()


def _look(run: SessionBuilder) -> object:
    return run.assistant("gamma run answer needle")


def texts(index: SearchIndex, query: str) -> set[str]:
    """Give the short name of each hit: all its words but the last."""
    return {text.split(" needle")[0] for _, text in found(index, query)}


ALPHA = {"alpha prompt", "alpha answer", "alpha-command", "alpha-failure"}
BETA = {"beta prompt", "beta answer"}
RUN = {"gamma run prompt", "gamma run answer"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("needle project:alpha", ALPHA),
        ("needle project:/home/dev/alpha", ALPHA),
        ('needle project:"beta two"', BETA),
        ("needle project:alpha project:beta", ALPHA | BETA),
        ("needle project:/home -project:gamma", ALPHA | BETA),
        ("needle branch:fix/*", BETA),
        ("needle branch:FIX/needle", BETA),
        ("needle project:alpha branch:main", ALPHA),
        ("needle model:opus", ALPHA),
        ('needle model:"opus 4.5"', ALPHA),
        ("needle -model:haiku", ALPHA),
        ("needle tool:Bash", {"alpha-command", "alpha-failure"}),
        ("needle tool:ba*", {"alpha-command", "alpha-failure"}),
        ("needle project:alpha -tool:Bash", {"alpha prompt", "alpha answer"}),
        ("needle is:error", {"alpha-failure"}),
        ("needle project:alpha -is:error", ALPHA - {"alpha-failure"}),
        ("needle agent:Explore in:prompts,answers", RUN),
        ("needle agent:* in:prompts,answers", RUN),
        ("needle project:gamma -agent:* in:prompts,answers", {"gamma prompt"}),
        ("needle file:retry.py", BETA),
        ("needle file:src/retry.py", BETA),
        ("needle file:*.py", BETA),
        ("needle -file:retry.py project:beta", set()),
        ("needle after:2026-10-01 before:2026-11-05", BETA),
        ("needle before:30d", ALPHA),
        ("needle -after:2026-10-01", ALPHA),
        ("needle in:prompts -project:gamma", {"alpha prompt", "beta prompt"}),
        ("needle in:prompts in:answers project:beta", BETA),
        ("project:beta in:prompts", {"beta prompt"}),
        ("tool:Bash is:error", {"exit 1"}),
        ("agent:Explore in:answers", {"gamma run answer"}),
        ("/n.edle/ project:beta in:answers", {"beta answer"}),
    ],
)
def test_a_filter_leaves_what_it_says(work: SearchIndex, query: str, expected: set[str]) -> None:
    assert texts(work, query) == expected


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("is:error", ["result"]),
        ('"exit 1" is:error', ["result"]),
        ("is:error -in:results", ["input"]),
        ("is:error in:all", ["result"]),
        ("is:error in:inputs,results tool:Bash", ["result"]),
        ("is:error in:inputs", ["input"]),
        ("is:error in:all /exit 1|alpha-failure/", ["input", "result"]),
    ],
)
def test_a_failed_call_is_one_hit_unless_words_are_in_both(
    work: SearchIndex, query: str, fields: list[str]
) -> None:
    hits = find(work, query)

    assert sorted(hit.field for hit in hits.hits) == fields
    assert hits.total == len(fields)


def test_filters_alone_give_the_newest_first(work: SearchIndex) -> None:
    hits = find(work, "project:/home/dev in:prompts -agent:*").hits

    assert [hit.snippet.text.split()[0] for hit in hits] == ["gamma", "beta", "alpha"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [("needle after:2026-11-05", "late needle"), ("needle before:2026-11-05", "early needle")],
)
def test_of_a_long_session_only_what_was_said_in_time_is_found(
    tmp_path: Path, query: str, expected: str
) -> None:
    session = SessionBuilder("long").custom_title("Days").at("2026-11-01T09:00:00Z")
    session.user("early needle").at("2026-11-10T09:00:00Z").user("late needle")
    index = archive(tmp_path, session)

    assert found(index, query) == [("prompt", expected)]
    index.database.close()
