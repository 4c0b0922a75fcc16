"""A kept digest on every surface: lists, pages, exports and the API."""

import csv
import html
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from clew.archive import Archive, open_archive
from clew.cli import main
from clew.digest import Digest, Outcome, QuotedClaim, ReportedCommit, TestRun, TouchedFile
from clew.store import Home, KeptDigest, find_receipts, keep_digest
from clew.store.location import open_index_for_writing
from clew.web import Settings
from tests.build import SessionBuilder, bash, write
from tests.web.serving import client_for, serving

PROMPT: Final = "Please fix the slow parser today."
ANSWER: Final = "The parser is quick again now."
HOSTILE: Final = "<img src=x onerror=alert(1)> [link](http://e.org) **bold** `code` \x1b[31mred"
TOKEN: Final = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"


class Kept:
    """An archive with a session that has a digest, and one that has none."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home")
        self.root = folder / "claude"
        self.fixed = session().session_id
        other = SessionBuilder("other").at("2026-11-12T09:00:00Z").user("Mend the old fence.")
        self.other = other.session_id
        session().write(self.root)
        other.assistant("I have read all of it.").write(self.root)
        with self.archive() as archive:
            archive.sync([self.root])
            answers = [m for m in archive.conversation(self.fixed).messages if m.kind == "answer"]
        self.answer_id = answers[-1].id

    def archive(self) -> Archive:
        return open_archive(self.home)

    def keep(self, *more: QuotedClaim) -> None:
        """Keep a digest of the session as it is archived."""
        quoted = QuotedClaim("It is fast.", (self.answer_id,), ANSWER, "assistant")
        digest = Digest(
            session_id=self.fixed,
            title="Quick parser",
            outcome=Outcome.PARTLY,
            summary=(quoted, *more),
            decisions=(QuotedClaim("A cache was chosen.", (self.answer_id,), PROMPT, "user"),),
            open_items=(QuotedClaim("Docs are missing.", (self.answer_id,), ANSWER, "assistant"),),
            files=(TouchedFile("/home/dev/app/a.py", 2, 0),),
            commits=(ReportedCommit("1a2b3c4", "Fix the parser", "main", self.answer_id),),
            tests=(TestRun("pytest -q", has_passed=True, result="3 passed in 0.1s"),),
            claims_quoted=3,
            claims_dropped=1,
            model="claude-haiku-4-5",
            cost_usd=0.0125,
        )
        database = open_index_for_writing(self.home).database
        kept = KeptDigest(
            session_id=self.fixed,
            receipt=find_receipts(database)[self.fixed],
            model=digest.model,
            prompt_version=1,
            made_at="2026-11-16T12:00:00.000Z",
            digest=digest,
        )
        keep_digest(database, self.home, kept)
        database.close()


def session() -> SessionBuilder:
    return (
        SessionBuilder("fixed", cwd="/home/dev/app")
        .at("2026-11-10T09:00:00Z")
        .user(PROMPT)
        .tools(write("/home/dev/app/a.py", "one\ntwo\n"))
        .tools(bash("pytest -q", "3 passed in 0.1s"))
        .assistant(ANSWER)
    )


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    made = Kept(tmp_path)
    made.keep()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(made.root))
    monkeypatch.setenv("CLEW_HOME", str(made.home.folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    return made


@pytest.fixture
def client(kept: Kept) -> Iterator[httpx.Client]:
    settings = Settings(port=0, location=kept.home, roots=(), is_followed=False)
    with serving(settings) as address, client_for(address) as asking:
        yield asking


def run(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0
    return capfd.readouterr().out


def test_lists_as_json_and_csv(kept: Kept, capfd: pytest.CaptureFixture[str]) -> None:
    listed = json.loads(run(capfd, "list", "--json"))["sessions"]
    rows = list(csv.DictReader(io.StringIO(run(capfd, "list", "--csv"))))

    found = {session["id"]: session for session in listed}
    fixed, other = found[kept.fixed], found[kept.other]
    assert (fixed["title"], fixed["title_source"]) == ("Quick parser", "digest")
    assert fixed["description"] == "1 file changed · 1 commit · tests passed · It is fast."
    assert (fixed["outcome"], fixed["digest_model"]) == ("partly", "claude-haiku-4-5")
    assert fixed["is_digest_stale"] is False
    assert (other["description"], other["digest_model"]) == ("I have read all of it.", None)
    assert {row["id"]: row["description"] for row in rows} == {
        name: session["description"] for name, session in found.items()
    }
    assert "It is fast." in run(capfd, "list")
    chosen = json.loads(run(capfd, "list", "--outcome", "partly", "--json"))["sessions"]
    assert [session["id"] for session in chosen] == [kept.fixed]


@pytest.mark.parametrize("form", ["terminal", "markdown", "html"])
def test_pages_show_claims_with_quotes(
    kept: Kept, capfd: pytest.CaptureFixture[str], form: str
) -> None:
    text = run(capfd, "show", kept.fixed, "--format", form, "--no-sync")
    words = " ".join(re.sub(r"<[^>]*>", " ", text).split())

    for claim in ("It is fast.", "A cache was chosen.", "Docs are missing."):
        assert claim in words
    assert "quoted, the assistant" in words
    assert "quoted, You" in words
    assert ANSWER in words
    assert "Haiku 4.5" in words
    assert "$0.0125" in words
    assert "partly" in words
    assert "verified" not in words.lower()
    assert "Stale" not in words
    assert words.index("It is fast.") < words.index(PROMPT, words.index("It is fast."))


@pytest.mark.parametrize("form", ["terminal", "markdown", "html"])
def test_a_claim_that_turns_its_quote_round_has_it_beside_it(
    kept: Kept, capfd: pytest.CaptureFixture[str], form: str
) -> None:
    turned = f'It is not so that "{ANSWER}"'
    kept.keep(QuotedClaim(turned, (kept.answer_id,), ANSWER, "assistant"))

    text = run(capfd, "show", kept.fixed, "--format", form, "--no-sync")

    words = html.unescape(" ".join(re.sub(r"<[^>]*>", " ", text).split()))
    after = words.partition(turned)[2]
    assert re.match(r"\s*quoted, the assistant\s?: “?\s?" + re.escape(ANSWER), after)


def test_a_digest_in_html_is_folded_and_links_to_messages(
    kept: Kept, capfd: pytest.CaptureFixture[str]
) -> None:
    text = run(capfd, "show", kept.fixed, "--format", "html", "--no-sync")

    digest = text[text.index('<details class="digest"') :].partition("</details>")[0]
    assert "open" not in digest[: digest.index(">")].replace("digest", "")
    anchors = set(re.findall(r'href="#([^"]+)"', digest))
    assert anchors == {f"m-{kept.answer_id}"}
    assert f'id="m-{kept.answer_id}"' in text
    assert "1 claim without a quote was dropped" in digest
    assert "1a2b3c4" in digest
    assert "pytest -q" in digest


def test_a_session_without_a_digest_shows_its_extract(
    kept: Kept, capfd: pytest.CaptureFixture[str]
) -> None:
    page = run(capfd, "show", kept.other, "--format", "html", "--no-sync")
    assert "Extract of facts; no model was asked." in page
    assert "I have read all of it." in run(capfd, "show", kept.other, "--no-sync").split("\n\n")[0]
    found = json.loads(run(capfd, "show", kept.other, "--json", "--no-sync"))["digest"]
    assert (found["model"], found["made_at"], found["is_stale"]) == ("extract", None, False)
    assert found["description"] == "I have read all of it."


def test_the_json_of_a_session_has_its_digest(
    kept: Kept, capfd: pytest.CaptureFixture[str]
) -> None:
    found = json.loads(run(capfd, "show", kept.fixed, "--json", "--no-sync"))

    assert found["session"]["title"] == "Quick parser"
    assert found["session"]["title_source"] == "digest"
    digest = found["digest"]
    assert digest["summary"][0] == {
        "text": "It is fast.",
        "message_ids": [kept.answer_id],
        "quote": ANSWER,
        "speaker": "assistant",
    }
    assert (digest["made_at"], digest["is_stale"]) == ("2026-11-16T12:00:00.000Z", False)


def test_what_was_written_since_makes_a_digest_stale_everywhere(
    kept: Kept, capfd: pytest.CaptureFixture[str]
) -> None:
    session().user("And the docs?").assistant("They are as they should be.").write(kept.root)

    shown = run(capfd, "show", kept.fixed, "--no-sync")
    assert "Stale: the session has changed since this digest was made." in shown
    (listed,) = [
        each
        for each in json.loads(run(capfd, "list", "--json"))["sessions"]
        if each["id"] == kept.fixed
    ]
    assert listed["is_digest_stale"] is True
    assert listed["outcome"] == "unclear"
    assert "stale digest" in run(capfd, "show", kept.fixed, "--format", "html", "--no-sync")
    assert json.loads(run(capfd, "show", kept.fixed, "--json", "--no-sync"))["digest"]["is_stale"]


def test_the_api_gives_digests(kept: Kept, client: httpx.Client) -> None:
    found = client.get(f"/api/sessions/{kept.fixed}/digest").json()
    assert found["schema"] == "clew.digest/1"
    assert found["digest"]["title"] == "Quick parser"
    assert found["digest"]["open_items"][0]["quote"] == ANSWER
    extract = client.get(f"/api/sessions/{kept.other}/digest").json()["digest"]
    assert (extract["model"], extract["outcome"]) == ("extract", "unclear")
    assert client.get("/api/sessions/nope/digest").status_code == httpx.codes.NOT_FOUND
    one = client.get(f"/api/sessions/{kept.fixed}").json()
    assert (one["outcome"], one["title_source"]) == ("partly", "digest")
    whole = client.get(f"/api/sessions/{kept.fixed}/conversation").json()
    assert whole["digest"] == found["digest"]
    assert (
        "/api/sessions/{session_id}/digest"
        in client.get("/api/schema/openapi.json").json()["paths"]
    )
    hits = client.get("/api/search", params={"q": "in:digest cache"}).json()["hits"]
    assert [(hit["session_id"], hit["field"]) for hit in hits] == [(kept.fixed, "digest")]


def test_the_web_app_shows_digests(kept: Kept, client: httpx.Client) -> None:
    listed = client.get("/sessions").text
    assert "It is fast." in listed
    assert '<span class="outcome warn">partly</span>' in listed
    assert "Quick parser" not in client.get("/sessions", params={"outcome": "done"}).text
    assert "A cache was chosen." in client.get(f"/sessions/{kept.fixed}").text
    assert "A cache was chosen." in client.get(f"/sessions/{kept.fixed}/export/md").text
    assert "Digest" in client.get("/search", params={"q": "in:digest cache"}).text


def test_a_new_digest_changes_an_open_page(kept: Kept, client: httpx.Client) -> None:
    before = client.get(f"/sessions/{kept.other}").text
    assert "Extract of facts" in before
    first = client.get(f"/api/sessions/{kept.fixed}/digest")

    kept.keep(QuotedClaim("Something was added.", (kept.answer_id,), ANSWER, "assistant"))
    # The same time in the row would be the same version.
    database = open_index_for_writing(kept.home).database
    with database.transaction():
        database.connection.execute(  # type: ignore[attr-defined]  # of SQLite
            "UPDATE digest SET made_at = '2026-11-17T12:00:00.000Z'"
        )
    database.close()

    again = client.get(
        f"/api/sessions/{kept.fixed}/digest", headers={"if-none-match": first.headers["etag"]}
    )
    assert again.status_code == httpx.codes.OK
    assert "Something was added." in again.text


@pytest.mark.parametrize("form", ["html", "markdown", "json"])
def test_exports_have_digests(
    kept: Kept, capfd: pytest.CaptureFixture[str], tmp_path: Path, form: str
) -> None:
    run(capfd, "export", form, "-o", str(tmp_path / "out"), "--no-sync")

    assert kept.home.digests.is_dir()
    texts = [
        path.read_text()
        for path in sorted((tmp_path / "out").rglob("*"))
        if path.is_file() and path.suffix in (".html", ".md", ".json")
    ]
    assert any("A cache was chosen." in text for text in texts)
    if form == "html":
        index = (tmp_path / "out" / "index.html").read_text()
        assert "1 file changed · 1 commit · tests passed · It is fast." in index


def test_a_digest_that_is_made_later_is_exported_again(
    kept: Kept, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("export", "markdown", "-o", str(tmp_path / "out"), "--no-sync", "--json")
    run(capfd, *words)
    assert json.loads(run(capfd, *words))["written"] == 0
    database = open_index_for_writing(kept.home).database
    with database.transaction():
        database.connection.execute(  # type: ignore[attr-defined]  # of SQLite
            "UPDATE digest SET made_at = '2026-11-17T12:00:00.000Z'"
        )
    database.close()

    assert json.loads(run(capfd, *words))["written"] == 1


@pytest.mark.parametrize("form", ["terminal", "markdown", "html", "json"])
def test_secrets_in_a_digest_are_masked(
    kept: Kept, capfd: pytest.CaptureFixture[str], form: str
) -> None:
    kept.keep(QuotedClaim(f"The token is {TOKEN} here.", (kept.answer_id,), ANSWER, "assistant"))

    plain = run(capfd, "show", kept.fixed, "--format", form, "--no-sync")
    masked = run(capfd, "show", kept.fixed, "--format", form, "--no-sync", "--redact")

    assert TOKEN in plain.replace("\n", "").replace("  ", "") or form == "terminal"
    assert TOKEN not in masked
    assert TOKEN[:12] not in masked


def test_hostile_words_in_a_digest_are_words(kept: Kept, capfd: pytest.CaptureFixture[str]) -> None:
    kept.keep(QuotedClaim(HOSTILE, (kept.answer_id,), HOSTILE, "assistant"))

    page = run(capfd, "show", kept.fixed, "--format", "html", "--no-sync")
    markdown = run(capfd, "show", kept.fixed, "--format", "markdown", "--no-sync")
    terminal = run(capfd, "show", kept.fixed, "--no-sync")

    assert "<img src=x" not in page
    assert "&lt;img src=x onerror" in page
    assert 'href="http://e.org"' not in page
    assert "\x1b" not in page + markdown + terminal
    assert "[link](http" not in markdown
    assert r"\[link\]" in markdown
    assert "\n<img" not in markdown
    assert r"\<img src=x" in markdown


def test_rows_of_digests_are_exported_as_parquet(
    kept: Kept, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    run(capfd, "export", "parquet", "-o", str(tmp_path / "out"), "--no-sync")

    (row,) = parquet.read_table(tmp_path / "out" / "digest.parquet").to_pylist()
    assert (row["session_id"], row["title"], row["is_stale"]) == (kept.fixed, "Quick parser", False)
    sessions = parquet.read_table(tmp_path / "out" / "session.parquet").to_pylist()
    assert {each["outcome"] for each in sessions} == {"done", "unclear"}
