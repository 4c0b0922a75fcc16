"""The team's tables: made once, read and written in transactions."""

from contextlib import suppress

from clew.store.postgres.team import open_team, prepare_team
from clew.store.postgres_location import PostgresLocation


def test_tables_are_made_once_and_transactions_undone(postgres_url: str) -> None:
    location = PostgresLocation(postgres_url, "")
    prepare_team(location)
    prepare_team(location)

    with open_team(location) as team:
        with suppress(RuntimeError), team.transaction():
            team.notify("anything")
            team.connection.execute(b"INSERT INTO organisation (name) VALUES ('acme')")
            raise RuntimeError
        assert team.connection.execute(b"SELECT count(*) FROM organisation").fetchone() == (0,)
        assert len(team.rows("server_now")) == 1
        assert team.record("server_now") is not None
