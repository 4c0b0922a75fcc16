"""Both engines find the same: for many queries, made of what an archive contains."""

import datetime as dt
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from bench.generate import generate
from clew.conversation import build
from clew.samples import samples_root
from clew.search import Hit, parse_query, search
from clew.sessions import gather, group_sessions
from clew.source import discover
from clew.store import SearchIndex
from clew.store.inline_limits import SERVER_LIMITS
from clew.store.rows import SessionRows, material_rows, to_rows
from tests.build import SessionBuilder, bash, edit
from tests.contract.backends import LocalBackend, TeamBackend, reading, write_sessions, writing
from tests.postgres_server import PostgresServer
from tests.recordings import HERE, recordings

pytestmark = pytest.mark.slow

NOW: Final = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
EACH: Final = 24
# A page may be cut short when time is up; many of them come to the end nonetheless.
PAGE: Final = 400
MOST_PAGES: Final = 200
# Of a word with more hits, those of the latest sessions are found first.
COMMON: Final = 600

Hits: TypeAlias = Counter[tuple[object, ...]]
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_RUN: Final = re.compile(r"\w+(?:[ _./-]\w+){1,4}")
_IDENTIFIER: Final = re.compile(r"\b(?:[a-z]+[A-Z]\w+|[a-z]+_\w+|[A-Z]{2,}[a-z]\w+)\b")
_PATH: Final = re.compile(r"[\w.-]*(?:/[\w.-]+){1,}\.\w+|\b\w+\.(?:py|ts|md|json|toml)\b")
_CJK: Final = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7ff]{1,9}")
_ACCENTED: Final = re.compile(r"\b\w*[à-öø-ÿÀ-ÖØ-Þ]\w*\b")
_SYMBOLS: Final = re.compile(r"\b\w+(?:[#+:<>=@&!-]{1,2})\w*")


def odd() -> SessionBuilder:
    """Give a session of what is rare in others: other scripts, marks, signs, very long texts."""
    session = SessionBuilder("odd", cwd="/home/dev/código").at("2026-11-03T09:00:00Z")
    session.user("日本語のファイルを読む 🎉 naïve café, Straße und Äpfel; Ωμέγα λόγος")
    session.assistant(
        "한국어 테스트 fooBar FOOBar foo_bar foo-bar foobar HTMLParser x_y_z C# c++ a->b"
    )
    session.user(
        "crème brûlée e\u0301te\u0301 Ünïcödé 东京 東京都 ﬁne ⅷ x² don't --no-cache @types/node"
    )
    session.tools(bash("grep -rn 'naïve' src/ünï/data.json", "zebra\t日本\nC:\\Users\\dev\\a.py"))
    session.tools(edit("/home/dev/código/日本/naïve.py", "x", "x", "crème"))
    numbers = " ".join(f"item{number} value" for number in range(20_000))
    session.tools(bash("seq", f"{numbers} needle at the very end"))
    return session.assistant("x" * 4_000 + " done").custom_title("Äpfel und 日本")


def session_rows(root: Path) -> Iterator[SessionRows]:
    """Derive all sessions of a root, with their whole texts."""
    for files in group_sessions(discover(root).files):
        material = gather(files)
        yield to_rows(material_rows(material), build(material), SERVER_LIMITS)


def roots(folder: Path) -> Iterator[Path]:
    """Give the roots that the archives are made of."""
    generate(folder / "generated", 1_500_000, seed=3)
    odd().write(folder / "odd")
    yield from (folder / "generated", folder / "odd", samples_root())
    yield from (recording.root for recording in recordings(HERE))


@pytest.fixture(scope="module")
def indexes(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer
) -> Iterator[tuple[SearchIndex, SearchIndex]]:
    """Give the indexes of two archives of the same sessions."""
    folder, url = tmp_path_factory.mktemp("same"), postgres_server.make_database()
    sessions = [rows for root in roots(folder) for rows in session_rows(root)]
    local, team = LocalBackend(folder / "local"), TeamBackend(url, str(folder / "blobs"))
    for backend in (local, team):
        with writing(backend) as index:
            write_sessions(index, sessions)
    with reading(local) as first, reading(team) as second:
        yield first.index, second.index
    postgres_server.drop_database(url)


@pytest.fixture(scope="module")
def texts(indexes: tuple[SearchIndex, SearchIndex]) -> list[str]:
    """Give the texts that queries are made of: of each length, some."""
    ids = [number for (number,) in indexes[0].database.rows("search_newer", {"bound": 0})]
    rows = indexes[0].database.rows("search_texts", {"ids": ids})
    return sorted(text for _, text, _ in rows if text)


class Asker:
    """Makes queries of texts, the same every time."""

    def __init__(self, texts: list[str], kind: str) -> None:
        self.texts = texts
        self.kind = kind
        self.dice = random.Random(kind)  # noqa: S311 (a test's dice)

    def ask(self) -> list[str]:
        """Make as many different queries of a kind as are asked."""
        queries: dict[str, None] = {}
        while len(queries) < EACH:
            queries[KINDS[self.kind](self)] = None
        return list(queries)

    def some(self, pattern: re.Pattern[str]) -> str:
        """Give anything in any text that is as a pattern says."""
        while True:
            text = self.dice.choice(self.texts)
            start = self.dice.randrange(len(text))
            if found := pattern.search(text, max(0, start - 40), start + 2_000):
                return found.group()

    def rare(self, pattern: re.Pattern[str]) -> str:
        """Give something that only few texts have."""
        found = {str(one) for text in self.texts for one in pattern.findall(text)}
        return self.dice.choice(sorted(found))

    def word(self) -> str:
        return self.some(_WORD)

    def cut(self, text: str) -> str:
        """Give a part of a text."""
        start = self.dice.randrange(len(text))
        return text[start : self.dice.randint(start + 1, len(text))]

    def regex(self) -> str:
        word = re.escape(self.word())
        shapes = (
            f"/{word[:-1]}./",
            f"/{word[1:]}/",
            f"/{word}s?\\b/i",
            f"/{word}\\s+\\w+/",
            f"/({word}|{re.escape(self.word())})/",
            f"/^{word}/",
            f"{self.word()} /{word}/",
            f"/[{word[0]}x]{word[1:]}/",
            f"/{re.escape(self.rare(_CJK))}/",
            f"in:all /{word}.{{0,9}}{word[-2:]}/",
        )
        return self.dice.choice(shapes)

    def filtered(self) -> str:
        filters = (
            "in:prompts",
            "in:answers",
            "in:thinking",
            "in:inputs",
            "in:results",
            "in:all",
            "in:titles",
            "in:files",
            "tool:Bash",
            "-tool:Bash",
            "tool:E*",
            "is:error",
            "model:opus",
            "-model:haiku",
            "agent:Explore",
            "branch:main",
            "after:2026-06-01",
            "before:2026-10-01",
            "file:*.py",
            "project:código",
        )
        return f"{self.dice.choice(filters)} {self.dice.choice((self.word(), ''))}".strip()


KINDS: Final[dict[str, Callable[[Asker], str]]] = {
    "words": lambda ask: ask.word(),
    "several words": lambda ask: f"{ask.word()} {ask.word()}",
    "phrases": lambda ask: f'"{ask.some(_RUN)}"',
    "prefixes": lambda ask: f"{ask.word()[: ask.dice.randint(2, 5)]}*",
    "not": lambda ask: f"{ask.word()} -{ask.word()}",
    "or": lambda ask: f'{ask.word()} OR "{ask.some(_RUN)}"',
    "identifiers": lambda ask: ask.dice.choice((ask.some(_IDENTIFIER), ask.rare(_IDENTIFIER))),
    "paths": lambda ask: ask.some(_PATH),
    "cjk": lambda ask: ask.cut(ask.rare(_CJK)),
    "accents": lambda ask: ask.dice.choice((ask.rare(_ACCENTED), accented(ask.word()))),
    "symbols": lambda ask: ask.some(_SYMBOLS),
    "regexes": lambda ask: ask.regex(),
    "filters": lambda ask: ask.filtered(),
}


def accented(word: str) -> str:
    """Give a word with marks on its letters, which mean nothing to search."""
    return word.translate(str.maketrans("aeiouAEIOUnc", "áèïôűÄÊÍÒÜñç"))


def all_hits(index: SearchIndex, text: str, page: int = PAGE) -> Hits:
    """Turn pages until there are no more; a copied message counts once, wherever it stands."""
    query = parse_query(text, now=NOW)
    found: Hits = Counter()
    offset: int | None = 0
    for _ in range(MOST_PAGES):
        if offset is None:
            return found
        results = search(index, query, now=NOW, limit=page, offset=offset)
        found.update(map(identity, results.hits))
        offset = results.next_offset
    raise AssertionError(f"no end of pages: {text}")


def identity(hit: Hit) -> tuple[object, ...]:
    """Give what a hit is; which of several copies of a message is shown depends on the page."""
    if hit.field in ("title", "file"):
        return (hit.session_id, hit.title, hit.field, hit.message_id, hit.block_ordinal)
    return (hit.field, hit.kind, hit.message_id, hit.block_ordinal, hit.at)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_hits_are_found(
    indexes: tuple[SearchIndex, SearchIndex], texts: list[str], kind: str
) -> None:
    queries = Asker(texts, kind).ask()

    found = {text: [all_hits(index, text) for index in indexes] for text in queries}

    differences = {text: (own - other, other - own) for text, (own, other) in found.items()}
    assert {text: both for text, both in differences.items() if any(both)} == {}
    assert sum(bool(own) for own, _ in found.values()) > EACH // 3


@pytest.mark.parametrize("text", ["the in:all", "a OR the in:all", "th* in:all -needle"])
def test_every_hit_is_on_one_page(indexes: tuple[SearchIndex, SearchIndex], text: str) -> None:
    for index in indexes:
        whole = all_hits(index, text)
        assert all_hits(index, text, page=150) == whole
        assert set(whole.values()) == {1}
        assert whole.total() > COMMON
