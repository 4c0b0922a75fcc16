"""What somebody finds at nine in the morning: sample sessions, yesterday's, and one that waits."""

import datetime as dt
import json
from pathlib import Path
from typing import Any, Final

import msgspec

import clew
from clew.archive import open_archive
from clew.samples import samples_root
from clew.store import Home
from clew.web import Settings
from tests.build import SessionBuilder, Usage, bash, edit, read
from tests.build.calls import Call

DEAR: Final = "Load the tide tables"
FILE: Final = "/home/dev/code/harbour/src/harbour/moorings.py"
TOUCHED: Final = "Count free moorings"
RUN: Final = "Rename the signals"
RUN_FILE: Final = "/home/dev/code/harbour/src/harbour/signals.py"
TEST: Final = "test_tides_wrap_at_midnight"
REASON: Final = "AssertionError: assert 25 == 1"
TABLES: Final = "/home/dev/code/harbour/data/tides.csv"
ATTEMPTS: Final = (
    "Speed up the berth search with a heap",
    "Speed up the berth search with an index",
)
DECIDED: Final = "We store every departure in UTC and convert it on the board"
WAITING: Final = "Drop the old berths table"
SECRET: Final = "ghp_" + "n4Vq8Rk2Zt6Wb1Yx9Lm3Pc7Hd5Js0Fg2aTeU"
SHARED: Final = "Publish the harbour board"
PROMISE: Final = "The board is published."
_CWD: Final = "/home/dev/code/harbour"
_YESTERDAY: Final = ((DEAR, 400_000, 2_000), ("Water the plants", 9_000, 300))


class Workplace(msgspec.Struct, frozen=True):
    """An archive, and what is true about it."""

    home: Path
    root: Path
    yesterday: dt.date
    ids: dict[str, str]
    dear_usd: float
    """What the expensive session of yesterday cost, by its rows and the price table."""

    def settings(self) -> Settings:
        """Give settings for an app on it."""
        return Settings(port=0, location=Home(self.home), roots=(self.root,), is_followed=False)


def make_workplace(folder: Path) -> Workplace:
    """Write sessions around now, and archive them after the samples."""
    now = dt.datetime.now().astimezone()
    sessions = [*_of_last_week(now), *_of_yesterday(now), _waiting(now)]
    root = folder / "root"
    for _, built in sessions:
        built.write(root)
    with open_archive(folder / "home") as archive:
        archive.sync([samples_root(), root])
    ids = {title: built.session_id for title, built in sessions}
    dear = next(built for title, built in sessions if title == DEAR)
    yesterday = (now - dt.timedelta(days=1)).date()
    return Workplace(folder / "home", root, yesterday, ids, _cost(dear))


def _cost(built: SessionBuilder) -> float:
    table = json.loads((Path(clew.__path__[0]) / "analytics/prices.json").read_bytes())
    rates = {row["model"]: row["rates"] for row in table["rows"]}
    answers = [row["message"] for row in built.rows if row["type"] == "assistant"]
    spent = {answer["id"]: (rates[answer["model"]], answer["usage"]) for answer in answers}
    return sum(_nano_dollars(*pair) for pair in spent.values()) / 10**9


def _nano_dollars(rates: dict[str, int], usage: dict[str, Any]) -> int:
    written = usage["cache_creation"]
    return int(
        usage["input_tokens"] * rates["input"]
        + usage["output_tokens"] * rates["output"]
        + usage["cache_read_input_tokens"] * rates["cache_read"]
        + written["ephemeral_5m_input_tokens"] * rates["cache_write_5m"]
        + written["ephemeral_1h_input_tokens"] * rates["cache_write_1h"]
    )


def _session(title: str, at: dt.datetime) -> SessionBuilder:
    return SessionBuilder(title, cwd=_CWD).at(at.isoformat()).ai_title(title).user(title)


def _of_last_week(now: dt.datetime) -> list[tuple[str, SessionBuilder]]:
    at = now - dt.timedelta(days=5)
    counting = _session(TOUCHED, at)
    counting.tools(edit(FILE, "free = 3\n", "3", "4")).assistant("There are four.")
    naming = _session(RUN, at + dt.timedelta(hours=1))
    naming.agent("Rename the constants", "Rename them.", _rename).assistant("All are renamed.")
    deciding = _session("Which clock the board shows", at + dt.timedelta(hours=2))
    deciding.assistant(f"{DECIDED}.")
    publishing = _session(SHARED, at + dt.timedelta(hours=3))
    publishing.tools(bash("env | grep TOKEN", f"GITHUB_TOKEN={SECRET}")).assistant(PROMISE)
    attempts = [_attempt(title, at + dt.timedelta(hours=4 + n)) for n, title in enumerate(ATTEMPTS)]
    return [
        (TOUCHED, counting),
        (RUN, naming),
        ("decided", deciding),
        (SHARED, publishing),
        *zip(ATTEMPTS, attempts, strict=True),
    ]


def _rename(run: SessionBuilder) -> None:
    run.tools(read(RUN_FILE, "RED = 1\n"))
    run.tools(edit(RUN_FILE, "RED = 1\n", "RED", "SIGNAL_RED")).assistant("Renamed.")


def _attempt(title: str, at: dt.datetime) -> SessionBuilder:
    way = title.rpartition(" ")[2]
    built = _session(title, at)
    path = f"{_CWD}/src/harbour/berths.py"
    built.tools(edit(path, "find = scan\n", "scan", way)).tools(bash("just bench", f"{way}: 4 ms"))
    return built.assistant(f"The {way} does it.")


def _of_yesterday(now: dt.datetime) -> list[tuple[str, SessionBuilder]]:
    """Write one session that reads a large file and fails a test, and a cheap one."""
    noon = (now - dt.timedelta(days=1)).replace(hour=12, minute=0)
    dear, cheap = (
        _session(title, noon + dt.timedelta(hours=n)) for n, (title, *_) in enumerate(_YESTERDAY)
    )
    dear.tools(read(TABLES, "\n".join(f"{n},{n * 7 % 24}:00,3.1" for n in range(12_000))))
    dear.tools(_failing())
    for built, (_, taken, given) in zip((dear, cheap), _YESTERDAY, strict=True):
        built.assistant("Done.", usage=Usage(input=taken, output=given))
    return [(DEAR, dear), (_YESTERDAY[1][0], cheap)]


def _failing() -> Call:
    output = f"FAILED tests/test_tides.py::{TEST} - {REASON}\n1 failed in 0.31s"
    return Call("Bash", {"command": "uv run pytest -q"}, f"Exit code 1\n{output}", error=True)


def _waiting(now: dt.datetime) -> tuple[str, SessionBuilder]:
    built = _session(WAITING, now - dt.timedelta(minutes=3))
    question = {
        "question": "Drop the table berths_2019 now?",
        "header": "Drop",
        "multiSelect": False,
        "options": [{"label": "Yes", "description": ""}, {"label": "No", "description": ""}],
    }
    built.tools(Call("AskUserQuestion", {"questions": [question]}))
    return WAITING, built
