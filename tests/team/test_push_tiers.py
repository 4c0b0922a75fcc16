"""Pushes below the tier of everything: what a server has received, names and frames."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from clew.protocol import Tier
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder, bash, read
from tests.postgres_server import PostgresServer
from tests.team.laptop import Laptop, TeamOfTests, running_team

WORD = "zanzibar"
FOLDER = f"/home/{WORD}/code"
_numbers = count(1)


@pytest.fixture(scope="module")
def server(
    postgres_server: PostgresServer,
    prepared_database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[TeamOfTests]:
    url = postgres_server.make_database(like=prepared_database)
    location = PostgresLocation(url, str(tmp_path_factory.mktemp("blobs")))
    with running_team(location) as team:
        yield team


@pytest.fixture
def member(server: TeamOfTests) -> int:
    return server.join(f"member{next(_numbers)}")


@pytest.fixture
def laptop(server: TeamOfTests, member: int, tmp_path: Path) -> Laptop:
    return Laptop(tmp_path / "laptop", server.address, server.device(member))


def talk() -> SessionBuilder:
    """Return a session with a word in all places."""
    session = SessionBuilder(WORD, cwd=FOLDER, branch=f"fix-{WORD}").user(f"about {WORD}")
    session.tools(bash(f"cat {WORD}.txt", f"it is {WORD}")).custom_title(f"On {WORD}")
    session.tools(read(f"{FOLDER}/{WORD}.py", f"{WORD} = 1"))
    session.agent(f"{WORD}-agent", f"See {WORD}", lambda run: run.assistant(f"Saw {WORD}."))
    return session.assistant(f"{WORD} it is")


def all_texts(server: TeamOfTests, member: int) -> str:
    """Return all that a server knows of a member's files: names, ids and contents."""
    rows = server.rows("SELECT * FROM received_file WHERE member_id = %s", member)
    rows += server.rows("SELECT * FROM session_state WHERE owner = %s", member)
    rows += server.rows("SELECT * FROM consent WHERE member_id = %s", member)
    contents = server.received(member)
    return f"{rows}{[*contents]}{b''.join(contents.values()).decode()}"


def generations(server: TeamOfTests, member: int) -> set[int]:
    rows = server.rows("SELECT generation FROM received_file WHERE member_id = %s", member)
    return {row[0] for row in rows}


def test_structure_has_no_words_and_grows(laptop: Laptop, server: TeamOfTests, member: int) -> None:
    laptop.allow(Tier.STRUCTURE, FOLDER)
    session = talk()
    session.write(laptop.root)
    would = laptop.preview()

    report = laptop.push()

    assert report.problems == []
    assert report.files > 1
    assert (would.files, would.frames, would.bytes) == (report.files, report.frames, report.bytes)
    texts = all_texts(server, member)
    assert WORD not in texts.lower()
    assert session.session_id not in texts
    assert '"output_tokens"' in texts
    requests = server.proxy.requests
    assert laptop.push().files == 0
    assert server.proxy.requests == requests + 1

    session.user(f"more of {WORD}").assistant("yes").write(laptop.root)
    grown = laptop.push()
    assert (grown.files, grown.frames) == (1, 1)
    assert generations(server, member) == {1}
    assert WORD not in all_texts(server, member).lower()


def test_redacted_has_words_but_no_secrets_also_when_they_are_recognised_late(
    laptop: Laptop, server: TeamOfTests, member: int
) -> None:
    key = "sk-ant-" + "api03-" + "Ab1" * 30 + "-AA"
    laptop.allow(Tier.REDACTED, FOLDER)
    session = talk().user(f"a parser, and the key {key}").assistant("I see")
    session.user("try with xK93-vmQp-77tz first")
    session.write(laptop.root)
    laptop.push()
    texts = all_texts(server, member)
    assert "a parser, and the key" in texts
    assert key not in texts
    assert "xK93-vmQp-77tz" in texts
    assert laptop.push().files == 0

    session.tools(bash("cat .env", "DB_PASSWORD=xK93-vmQp-77tz\n")).write(laptop.root)
    report = laptop.push()

    assert report.problems == []
    texts = all_texts(server, member)
    assert "xK93-vmQp-77tz" not in texts
    assert "a parser, and the key" in texts
    assert max(generations(server, member)) == 2
    assert laptop.push().files == 0


def test_a_lower_tier_sends_other_names(laptop: Laptop, server: TeamOfTests, member: int) -> None:
    laptop.allow(Tier.EVERYTHING, FOLDER)
    session = talk()
    session.write(laptop.root)
    laptop.push()
    laptop.allow(Tier.STRUCTURE, FOLDER)

    report = laptop.push()

    assert report.problems == []
    rows = server.rows(
        "SELECT session_id, tier FROM session_state WHERE owner = %s ORDER BY tier", member
    )
    assert rows[0] == (session.session_id, "everything")
    assert rows[1][0] != session.session_id
    assert rows[1][1] == "structure"
    assert laptop.push().files == 0


def test_a_repository_lowers_what_is_allowed(
    laptop: Laptop, server: TeamOfTests, member: int, tmp_path: Path
) -> None:
    folder = tmp_path / WORD
    folder.mkdir()
    (folder / ".clew.toml").write_text('[team]\nmax_tier = "structure"\n')
    SessionBuilder(WORD, cwd=str(folder)).user(f"about {WORD}").assistant("yes").write(laptop.root)
    laptop.allow(Tier.EVERYTHING, str(folder))

    report = laptop.push()

    assert [item.tier for item in report.items] == ["structure"]
    assert WORD not in all_texts(server, member).lower()
