"""The table of contestants: limits that nobody can pass, libraries, programs, and clew."""

from typing import Final

from bench.append import APPEND, FIRST
from bench.contexts import CONTEXTS
from bench.digests import DIGESTS
from bench.first_run import FIRST_RUN
from bench.memory import MEMORY
from bench.pages import LOG, PAGES
from bench.postgres import POSTGRES
from bench.reading import READING
from bench.replays import REPLAYS
from bench.scrolling import SCROLLING
from bench.synced import SYNCED
from bench.syncs import SYNCS
from bench.team_push import PUSH
from bench.team_search import TEAM_SEARCH

CONTESTANTS: Final = (
    *READING,
    *FIRST_RUN,
    *SYNCS,
    *APPEND,
    *SYNCED,
    *PAGES,
    *SCROLLING,
    *POSTGRES,
    *MEMORY,
    *TEAM_SEARCH,
    *PUSH,
    *DIGESTS,
    *CONTEXTS,
    *REPLAYS,
)
# The contestant of each group that ratios are taken to.
REFERENCES: Final = {
    "decode": "orjson",
    "build": "orjson",
    "growth": "10,000 messages",
    "first": "ccusage",
    "usage": "ccusage",
    "sync": "agentsview",
    "workers": "1 worker",
    "files": "10,000 files",
    "append": FIRST,
    "search": "bytes",
    "html": LOG,
    "postgres": "1 sync",
}
