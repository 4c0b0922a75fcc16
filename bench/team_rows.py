"""Texts → the rows of a team's archive on PostgreSQL, many more than could be synced in minutes.

One sample session is written as a sync writes it. All others have some of its rows, with numbers,
times and texts of their own. The index of words is made at the end, as after a restore.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from bench.team_texts import made_texts
from clew.conversation import build
from clew.samples import samples_root
from clew.sessions import gather, group_sessions
from clew.source import discover
from clew.store.fulltext import to_words
from clew.store.postgres import PostgresDatabase
from clew.store.postgres.write_session import ROWS_OF_SESSION
from clew.store.postgres.write_texts import SessionTexts, TextWriter
from clew.store.rows import material_rows, to_rows

BLOCKS_OF_SESSION: Final = 125
SCOPES: Final = 250
_SEED: Final = "team"
_SAMPLE: Final = 1
_AT_ONCE: Final = 50

# What rows have in place of the sample's, by table and column; all else is as it is there.
_TIME: Final = """to_char(timestamp '2025-11-15' + interval '1 hour' * made.session_key * 8760
  / made.sessions + interval '1 minute' * made.number, 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')"""
_NUMBER: Final = f"made.session_key * {ROWS_OF_SESSION} + made.number"
_OWN: Final[Mapping[str, Mapping[str, str]]] = {
    "session": {
        "key": "made.session_key",
        "id": "gen_random_uuid()::text",
        "title": "'Session ' || made.session_key",
        "claim": "made.session_key::text",
        "started_at": _TIME,
        "ended_at": _TIME,
    },
    "tool_call": {
        "call_id": "'c' || made.number",
        "ordinal": "made.number",
        "message_ordinal": "made.number",
        "tool": "(ARRAY['Bash', 'Read', 'Edit', 'Grep', 'Write'])[1 + made.number % 5]",
        "is_error": "CASE WHEN made.number % 20 = 0 THEN 1 ELSE 0 END",
        "started_at": _TIME,
    },
    "agent_run": {},
    "file_change": {"at": _TIME},
    "message": {
        "id": _NUMBER,
        "ordinal": "made.number",
        "message_id": f"'m' || ({_NUMBER})",
        "model": """CASE WHEN made.field IN ('answer', 'thinking', 'input') THEN
          (ARRAY['claude-opus-5-5', 'claude-sonnet-4-5'])[1 + made.session_key % 2] END""",
        "started_at": _TIME,
        "ended_at": _TIME,
    },
    "block": {
        "id": _NUMBER,
        "message_ordinal": "made.number",
        "ordinal": "0",
        "kind": "'text'",
        "field": "made.field",
        "text": "made.text",
        "is_cut": "0",
        "size_bytes": "length(made.text)",
        "tool_call_id": """CASE made.field WHEN 'input' THEN 'c' || made.number
          WHEN 'result' THEN 'c' || (made.number - 1) END""",
    },
}
# Which blocks have a row in a table; in all others there is one for a session.
_EACH: Final = {"message": "true", "block": "true", "tool_call": "made.field = 'input'"}
_COLUMNS: Final = """SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass
  AND attnum > 0 AND NOT attisdropped AND attgenerated = ''"""
_STAGING: Final = """CREATE TEMP TABLE made (
  session_key bigint, scope_id bigint, sessions bigint, number bigint, field text, text text)"""


def fill(database: PostgresDatabase, blocks: int) -> None:
    """Write as many blocks into an empty archive, and make the index."""
    connection = database.connection
    _write_sample(database)
    _run(database, _STAGING, "DROP INDEX search_text_words")
    writer = TextWriter(connection)
    count = max(1, blocks // BLOCKS_OF_SESSION)
    with database.transaction():
        for sessions in _batches(blocks):
            writer.write(_with_words(sessions))
            writer.known.remember()
            with connection.cursor() as cursor, cursor.copy("COPY made FROM STDIN") as copy:
                for key, scope, _, texts in sessions:
                    for number, field, text in texts:
                        copy.write_row((key, scope, count, number, field, text))
        for table, own in _OWN.items():
            _multiply(database, table, own)
    _run(
        database,
        "SET maintenance_work_mem = '512MB'",
        "CREATE INDEX search_text_words ON search_text USING gin (words)",
        "DROP TABLE made",
        "VACUUM ANALYZE",
    )


def _run(database: PostgresDatabase, *texts: str) -> None:
    for text in texts:
        database.connection.execute(text.encode())


def _batches(blocks: int) -> Iterator[list[SessionTexts]]:
    sessions = _sessions(blocks)
    while some := list(islice(sessions, _AT_ONCE)):
        yield some


def _sessions(blocks: int) -> Iterator[SessionTexts]:
    texts = made_texts(_SEED, blocks)
    key = _SAMPLE
    while some := list(islice(texts, BLOCKS_OF_SESSION)):
        key += 1
        own = [(number, field, text) for number, (field, text) in enumerate(some)]
        yield SessionTexts(key, key % SCOPES, key * ROWS_OF_SESSION, own)


def _with_words(sessions: list[SessionTexts]) -> Iterator[SessionTexts]:
    for session in sessions:
        texts = [(number, field, to_words(text)) for number, field, text in session.texts]
        yield session._replace(texts=texts)


def _write_sample(database: PostgresDatabase) -> None:
    files = max(group_sessions(discover(samples_root()).files), key=lambda found: found.session_id)
    material = gather(files)
    with database.transaction():
        database.write_session(to_rows(material_rows(material), build(material)))


def _multiply(database: PostgresDatabase, table: str, own: Mapping[str, str]) -> None:
    """Write a row of a table for each made block, or for each session."""
    key = "key" if table == "session" else "session_key"
    rows = database.connection.execute(_COLUMNS, [table]).fetchall()
    columns = [str(name) for (name,) in rows]
    values = {**own, key: "made.session_key", "scope_id": "made.scope_id"}
    listed = ", ".join(values.get(name, f"sample.{name}") for name in columns)
    each = _EACH.get(table, "made.number = 0")
    # All names are those of our own tables.
    text = (
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {listed} FROM made, "  # noqa: S608
        f"(SELECT * FROM {table} WHERE {key} = {_SAMPLE} LIMIT 1) AS sample WHERE {each}"
    )
    _run(database, text)
