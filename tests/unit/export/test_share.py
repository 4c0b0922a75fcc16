"""Sessions, or a search, as one file: none of the secrets that its report names is in it."""

import html
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from clew.archive import Archive, open_archive
from clew.errors import NotFoundError, UsageError
from clew.export import (
    SHARE_FORMS,
    Share,
    SharedHits,
    ShareForm,
    ShareOptions,
    ShareReport,
    TurnRange,
    read_turns,
    require_shareable,
    share_hits,
    share_options,
)
from clew.export.share_hits import mask_snippet
from clew.redact import Redactor
from clew.store import SessionOverview
from clew.view import Detail, PageIndex, make_index
from tests.build import Call, SessionBuilder, bash, edit, read, thinking
from tests.team.planted_secrets import planted

T = TypeVar("T")
TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
PASSWORD = "k9Lm2" + "pQz7x"

PLACES: dict[str, Callable[[SessionBuilder, str], object]] = {
    "prompt": lambda builder, text: builder.user(f"Look:\n{text}\nor so"),
    "answer": lambda builder, text: builder.assistant(f"I see\n{text}\nhere"),
    "thinking": lambda builder, text: builder.assistant(thinking(f"Well\n{text}\n"), "So."),
    "result": lambda builder, text: builder.tools(bash("cat it", f"{text}\n")),
    "file": lambda builder, text: builder.tools(read("/etc/it", f"# it\n{text}\n")),
    "file name": lambda builder, text: builder.tools(read(f"/etc/{text}", "it")),
    "edit": lambda builder, text: builder.tools(edit("/a", f"x\n{text}\n", "x", "y")),
    "input": lambda builder, text: builder.tools(Call("mcp__box__put", {"line": text}, "ok")),
    "agent": lambda builder, text: builder.agent(
        f"so\n{text}\n", f"so\n{text}\n", lambda run: run.assistant(f"so\n{text}\n")
    ),
    "title": lambda builder, text: builder.custom_title(f"it is\n{text}\n"),
}


class Sharing:
    """An archive, and files made of its sessions."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive

    def load(self, session_id: str, make: Callable[[PageIndex], T]) -> T:
        """Load a session."""
        return make(make_index(self.archive.conversation(session_id)))

    def sessions(self) -> list[SessionOverview]:
        """List all sessions, the first one first."""
        return list(self.archive.sessions())[::-1]

    def share(self, **options: Any) -> tuple[str, ShareReport]:
        """Make a file of all sessions; give its text and its report."""
        return self.share_some(self.sessions(), **options)

    def share_some(
        self, sessions: list[SessionOverview], hits: SharedHits | None = None, **options: Any
    ) -> tuple[str, ShareReport]:
        """Make a file of some sessions."""
        chosen = ShareOptions(**options)
        require_shareable(sessions, chosen)
        reported = Share(sessions, chosen, self.load, hits=hits, is_reporting=True)
        first = b"".join(reported.write())
        saved = Share(sessions, chosen, self.load, hits=hits)
        second = b"".join(saved.write())
        # What was reported on is what is saved.
        assert first == second
        assert reported.report().size_bytes == len(second)
        assert (reported.done, reported.name) == (reported.total, saved.name)
        return second.decode("utf-8", "replace"), reported.report()


@pytest.fixture
def sharing(tmp_path: Path) -> Iterator[Callable[..., Sharing]]:
    opened = []

    def make(*builders: SessionBuilder) -> Sharing:
        for builder in builders:
            builder.write(tmp_path / "root")
        archive = open_archive(tmp_path / "home")
        opened.append(archive)
        archive.sync([tmp_path / "root"])
        return Sharing(archive)

    yield make
    for archive in opened:
        archive.close()


def readable(text: str) -> str:
    """Give a file's text as it is, as a browser shows it, and as JSON means it."""
    return "\n".join((text, html.unescape(text), text.replace('\\"', '"').replace("\\\\", "\\")))


@pytest.mark.parametrize("form", SHARE_FORMS)
@pytest.mark.parametrize("place", PLACES)
def test_no_planted_secret_is_in_the_file(
    sharing: Callable[..., Sharing], place: str, form: ShareForm
) -> None:
    texts = planted()[:: 1 if (place, form) == ("result", "html") else 12]
    builder = SessionBuilder("alpha").user("Begin.")
    for text, _ in texts:
        PLACES[place](builder, text)
    builder.assistant("Done.")

    file, report = sharing(builder).share(form=form)

    found = readable(file)
    assert [secret for _, secrets in texts for secret in secrets if secret in found] == []
    assert report.masked >= len({secret for _, secrets in texts for secret in secrets}) // 3 or (
        place == "title"
    )
    assert not any(secret in repr(report) for _, secrets in texts for secret in secrets)


@pytest.mark.parametrize("form", SHARE_FORMS)
def test_a_secret_of_one_session_is_masked_in_the_others(
    sharing: Callable[..., Sharing], form: ShareForm
) -> None:
    bare = SessionBuilder("alpha").at("2026-10-01T09:00:00Z").user(f"Is it {PASSWORD} or not?")
    named = SessionBuilder("beta").at("2026-10-02T09:00:00Z").user("Connect.")
    named.tools(bash("env", f"DB_PASSWORD={PASSWORD}")).assistant("Connected.")
    made = sharing(bare.assistant("It is."), named)

    file, report = made.share(form=form)
    lone, _ = made.share_some(made.sessions()[:1], form=form)

    assert PASSWORD not in readable(file)
    assert "Is it [redacted: password 1] or not?" in readable(file).replace("\\[", "[").replace(
        "\\]", "]"
    )
    # By itself, nothing in the first session says that it is one.
    assert PASSWORD in lone
    assert report.name == f"clew-2-sessions.{'md' if form == 'markdown' else form}"


@pytest.mark.parametrize("detail", list(Detail))
def test_what_the_file_leaves_out_still_tells_what_is_a_secret(
    sharing: Callable[..., Sharing], detail: Detail
) -> None:
    builder = SessionBuilder("alpha").user(f"Try {PASSWORD} there.")
    builder.tools(Call("mcp__db__open", {"password": PASSWORD}, "ok")).assistant("Done.")

    file, _ = sharing(builder).share(detail=detail)

    assert PASSWORD not in readable(file)
    assert ('class="tool-call' in file) is (detail >= Detail.TOOLS)


def test_the_report_says_where_each_secret_is(sharing: Callable[..., Sharing]) -> None:
    builder = SessionBuilder("alpha", cwd="/home/mira/code/app").user(f"Use {TOKEN} now.")
    builder.tools(bash("env", f"DB_PASSWORD={PASSWORD}")).assistant("Done.")

    file, report = sharing(builder).share()

    kinds = {kind.rule: kind for kind in report.kinds}
    (place, *_) = kinds["github-token"].places
    assert place.turn == 1
    assert place.where == "prompt"
    assert "Use [redacted: github-token 1] now." in place.text
    assert f'id="{place.anchor}"' in file
    calls = [one for one in kinds["password"].places if one.where == "call of Bash"]
    assert calls
    assert f'id="{calls[0].anchor}"' in file
    assert kinds["password"].distinct == 1
    assert {"home", "github-token", "password"} <= set(kinds)
    assert report.masked == sum(kind.count for kind in report.kinds)


def test_without_redaction_the_report_says_what_is_in_the_file(
    sharing: Callable[..., Sharing],
) -> None:
    made = sharing(SessionBuilder("alpha").user(f"Use {TOKEN} now.").assistant("Done."))

    for form in SHARE_FORMS:
        file, report = made.share(form=form, is_redacted=False)

        assert TOKEN in file
        assert not report.is_redacted
        assert "github-token" in {kind.rule for kind in report.kinds}


def test_a_quoted_mark_is_not_a_place(sharing: Callable[..., Sharing]) -> None:
    quoting = SessionBuilder("alpha").user("It said [redacted: github-token 1], why?")

    file, report = sharing(quoting.assistant("No idea.")).share()

    assert "[redacted: github-token 1]" in file
    assert "github-token" not in {kind.rule for kind in report.kinds}


def test_some_turns_are_shared_without_the_others(sharing: Callable[..., Sharing]) -> None:
    builder = SessionBuilder("alpha")
    for number in range(1, 6):
        builder.user(f"Question {number}").assistant(f"Answer {number}")
    made = sharing(builder)

    for form in ("html", "markdown"):
        file, report = made.share(form=form, turns=TurnRange(2, 3))

        body = file.partition("<main")[2] or file.partition("## 2")[2]
        assert all(f"Answer {n}" in body for n in (2, 3))
        assert not any(f"Answer {n}" in body for n in (1, 4, 5))
        assert report.turns == "2-3"
        assert "turns-2-3" in report.name
    with pytest.raises(NotFoundError, match="no turn 9"):
        made.share(turns=TurnRange(2, 9))


def test_several_pages_share_no_id(sharing: Callable[..., Sharing]) -> None:
    builder = SessionBuilder("alpha").user("Begin.").tools(bash("ls", "a")).assistant("Done.")
    made = sharing(builder)
    twice = [*made.sessions(), *made.sessions()]

    file, _ = made.share_some(twice)

    ids = [piece.partition('"')[0] for piece in file.split(' id="')[1:]]
    assert len(ids) == len(set(ids))
    links = {piece.partition('"')[0] for piece in file.split('href="#')[1:]}
    assert links <= set(ids)
    assert "Begin." in file
    assert file.count("<h1>") == 1


def test_many_sessions_become_pages_in_a_zip(
    sharing: Callable[..., Sharing], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(share_options, "ONE_PAGE_BYTES", 1)
    names = ("alpha", "beta")
    made = sharing(
        *(SessionBuilder(n).user(f"Use {TOKEN} in {n}.").assistant("Done.") for n in names)
    )
    share = Share(made.sessions(), ShareOptions(), made.load, is_reporting=True)

    packed = zipfile.ZipFile(io.BytesIO(b"".join(share.write())))

    pages = {name: packed.read(name).decode() for name in packed.namelist()}
    assert packed.testzip() is None
    assert len(pages) == 3
    assert share.name == "clew-2-sessions.zip"
    assert not any(TOKEN in page for page in pages.values())
    listed = html.unescape(pages["index.html"])
    assert all(name in listed for name in pages if name != "index.html")
    assert sum(
        "http" in page.replace("http-equiv", "") and "://" in page for page in pages.values()
    )


@pytest.mark.parametrize("form", SHARE_FORMS)
def test_hits_are_a_document_of_their_own(sharing: Callable[..., Sharing], form: ShareForm) -> None:
    long = f"{'so ' * 100} the needle is {TOKEN} {'and ' * 100}"
    made = sharing(
        SessionBuilder("alpha").user(long).tools(bash("env", f"A_PASSWORD={PASSWORD}")),
        SessionBuilder("beta").user(f"needle {PASSWORD}").assistant("<needle> & *that*"),
    )
    found = made.archive.search("needle", limit=50)
    hits = share_hits("needle", found.hits, found.total, is_exact=found.is_exact)

    file, report = made.share_some(made.sessions(), hits, form=form)

    assert not any(secret in file for secret in (TOKEN, TOKEN[:20], PASSWORD))
    assert file.count("needle") >= 3
    assert report.hits == len(found.hits)
    assert report.name.startswith("clew-search.")
    assert "password" in {kind.rule for kind in report.kinds}
    assert form == "json" or "<needle>" not in file.replace("\\<needle>", "")


def test_words_at_a_cut_go_with_it() -> None:
    redactor = Redactor()

    assert mask_snippet("…half of it here and hal…", redactor) == "… of it here and …"
    assert mask_snippet("whole words stay", redactor) == "whole words stay"
    run = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"
    assert mask_snippet(f"key {run} end", redactor) == "key … end"
    assert mask_snippet("/srv/app/tests/unit/export/test_share_hits.py", redactor).count("…") == 0


def test_json_of_several_sessions_is_one_list(sharing: Callable[..., Sharing]) -> None:
    names = ("alpha", "beta", "gamma")
    made = sharing(*(SessionBuilder(n).user(f"Do {n}.").assistant("Done.") for n in names))

    several = json.loads(made.share(form="json")[0])
    lone = json.loads(made.share_some(made.sessions()[:1], form="json")[0])

    assert several["schema"] == "clew.conversations/1"
    assert {one["schema"] for one in several["sessions"]} == {"clew.conversation/1"}
    assert len(several["sessions"]) == 3
    assert lone == several["sessions"][0]


def test_limits_are_said_clearly(
    sharing: Callable[..., Sharing], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = sharing(SessionBuilder("alpha").user("Do it.").assistant("Done."))
    (session,) = made.sessions()

    with pytest.raises(UsageError, match="151 sessions are too many"):
        require_shareable([session] * 151, ShareOptions())
    with pytest.raises(UsageError, match="one session"):
        require_shareable([session] * 2, ShareOptions(turns=TurnRange(1, 1)))
    with pytest.raises(UsageError, match="has all turns"):
        require_shareable([session], ShareOptions(form="json", turns=TurnRange(1, 1)))
    monkeypatch.setattr(share_options, "MAX_BYTES", 10)
    with pytest.raises(UsageError, match="too large for one file"):
        require_shareable([session], ShareOptions())


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", None), (" ", None), ("3", TurnRange(3, 3)), ("3-7", TurnRange(3, 7))],
)
def test_turns_are_read(text: str, expected: TurnRange | None) -> None:
    assert read_turns(text) == expected


@pytest.mark.parametrize("text", ["x", "0", "7-3", "1-", "-1", "1,2"])
def test_other_turns_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="invalid turns"):
        read_turns(text)
