"""The documented way to set up a team's archive works, and gives the documented rights."""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.cli import main
from tests.build import SessionBuilder
from tests.postgres_server import PostgresServer

PAGE = Path(__file__).parents[2] / "docs" / "team-archive.md"
USERS = ("clew", "team_writer", "team_reader")
TITLE = "Find the retry bug"


def _statements() -> list[str]:
    """Return what sets an archive up, in its order; other statements need its tables."""
    sections = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
    text = "".join(each for each in sections if each.startswith(("Set it up", "Users and rights")))
    blocks = re.findall(r"^ *```sql\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    lines = "\n".join(textwrap.dedent(block) for block in blocks)
    found = re.sub(r"^--.*\n", "", lines, flags=re.MULTILINE).split(";")
    return [each.strip() for each in found if each.strip()]


@pytest.fixture
def addresses(postgres_server: PostgresServer) -> Iterator[dict[str, str]]:
    """Do what the page says; give the address of each user."""
    admin = postgres_server.url()
    urls = {user: postgres_server.url("clew", user) for user in USERS}
    for statement in _statements():
        is_own = not statement.startswith("CREATE")
        postgres_server.execute(urls["clew"] if is_own else admin, statement)
    yield urls
    postgres_server.drop_database(urls["clew"])
    postgres_server.execute(admin, *(f"DROP ROLE {user}" for user in USERS))


def test_each_user_has_the_rights_that_the_page_says(
    addresses: dict[str, str],
    machine: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("CLEW_BLOBS", str(tmp_path / "blobs"))
    SessionBuilder("one").user(TITLE).assistant("Found it.").write(machine)

    assert main(["sync", "--archive", addresses["team_reader"]]) == 1
    assert main(["sync", "--archive", addresses["team_writer"]]) == 1
    assert main(["sync", "--archive", addresses["clew"]]) == 0
    for number, user in enumerate(("clew", "team_writer")):
        SessionBuilder(f"later{number}").user(f"Written by {user}").write(machine)
        assert main(["sync", "--archive", addresses[user]]) == 0
        assert main(["sync", "--rebuild", "--archive", addresses[user]]) == 0
    SessionBuilder("last").user("Never archived").write(machine)
    assert main(["sync", "--archive", addresses["team_reader"]]) == 1
    capsys.readouterr()
    reader = ["--archive", addresses["team_reader"]]
    assert main(["list", *reader]) == 0
    listed = capsys.readouterr()
    assert main(["list", "--no-sync", *reader]) == 0
    quiet = capsys.readouterr()
    assert main(["search", "retry", "--no-sync", *reader]) == 0
    assert main(["archive", "verify", *reader]) == 0

    assert "not synced, showing the archive as it is" in listed.err
    assert (quiet.err, quiet.out) == ("", listed.out)
    for title in (TITLE, "Written by clew", "Written by team_writer"):
        assert title in quiet.out
    assert "Never archived" not in quiet.out
