"""`clew blame` and `clew dossier`: output, formats and exit codes."""

import json
import subprocess
from pathlib import Path

import pytest

from clew.cli import main
from tests.insight.workshop import Workshop, lines


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    made = Workshop(tmp_path)
    made.hand("a.py", lines("typed_by_hand = 0"))
    made.commit("Begin")
    made.edit("one", "a.py", "typed_by_hand = 0\n", "typed_by_hand = 0\nby_session = '\x1b[31m'\n")
    made.commit("Add a line", "one")
    for builder in made.sessions.values():
        builder.write(made.root)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(made.root))
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(made.repo)
    return made


def run(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    assert main(list(words)) == code
    printed = capfd.readouterr()
    return printed.out, printed.err


def test_each_line_has_its_origin(shop: Workshop, capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capfd, "blame", "a.py")

    first, second = out.splitlines()
    assert "external" in first
    assert first.endswith("1  typed_by_hand = 0")
    assert shop.id_of("one")[:8] in second
    assert "exact" in second
    assert "\x1b" not in out


def test_json_has_the_documented_keys(shop: Workshop, capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capfd, "blame", "a.py", "--json")

    answer = json.loads(out)
    line = answer["lines"][1]
    assert answer["schema"] == "clew.blame/1"
    assert (line["line"], line["evidence"], line["turn"]) == (2, "exact", 1)
    assert line["session_id"] == shop.id_of("one")
    assert line["prompt"] == "Work on one, please"
    assert {"message_id", "model", "commit"} <= line.keys()
    assert answer["lines"][0]["session_id"] is None


def test_one_line_shows_its_prompt(shop: Workshop, capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capfd, "blame", "a.py:2")

    assert "> Work on one, please" in out
    assert shop.id_of("one") in out


def test_porcelain_reads_like_gits(shop: Workshop, capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capfd, "blame", "a.py", "--porcelain", "--rev", "HEAD")

    theirs = shop.git("blame", "--porcelain", "HEAD", "--", "a.py")
    keys = ("author ", "author-mail ", "author-time ", "summary ", "filename ", "\t")
    own = [line for line in out.splitlines() if line.startswith(keys) or line[:7].isalnum()]
    known = [line for line in theirs.splitlines() if line.startswith(keys)]
    assert [line for line in own if line.startswith(keys)] == known
    assert [line for line in out.splitlines() if line[:40] == theirs[:40]] == [
        line for line in theirs.splitlines() if line[:40] == theirs[:40]
    ]
    assert f"clew-session {shop.id_of('one')}" in out


def test_agent_trace_has_ranges_of_lines(shop: Workshop, capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capfd, "blame", "a.py", "--format", "agent-trace")

    record = json.loads(out)
    conversation = record["files"][0]["conversations"][0]
    assert (record["version"], record["vcs"]["type"]) == ("0.1.0", "git")
    assert conversation["contributor"]["type"] == "ai"
    assert conversation["ranges"] == [{"start_line": 2, "end_line": 2}]
    assert shop.id_of("one") in conversation["url"]
    assert record["metadata"]["dev.clew"]["lines"][0]["evidence"] == "exact"


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["nope.py"], 3, "is not a file"),
        (["a.py:9"], 3, "has 2 lines"),
        (["a.py", "--rev", "nope"], 3, "no commit is called"),
        (["a.py", "--rev=-x"], 2, "not a revision"),
        (["."], 2, "directory"),
        (["../outside.py"], 3, "not in a git repository"),
        (["a.py", "--json", "--porcelain"], 2, "cannot be combined"),
    ],
)
@pytest.mark.usefixtures("shop")
def test_bad_requests_have_one_clear_sentence(
    capfd: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
    told: str,
) -> None:
    out, err = run(capfd, "blame", *words, code=code)

    assert out == ""
    assert told in err
    assert len(err.strip().splitlines()) <= 3


def test_notes_of_other_tools_are_shown(shop: Workshop, capfd: pytest.CaptureFixture[str]) -> None:
    log = 'a.py\n  abc123 1-1\n---\n{"prompts":{"abc123":{"agent_id":{"tool":"t","id":"s"}}}}'
    shop.git("notes", "--ref=refs/notes/ai", "add", "-m", log, "HEAD~1")
    shop.git("commit", "-q", "--allow-empty", "-m", "x\n\nEntire-Checkpoint: 1f2e3d")

    out, _ = run(capfd, "blame", "a.py", "--json")

    note = json.loads(out)["lines"][0]["note"]
    assert (note["source"], note["tool"], note["session_id"]) == ("refs/notes/ai", "t", "s")
    assert json.loads(out)["lines"][1]["note"] is None


@pytest.mark.usefixtures("shop")
def test_a_dossier_goes_to_a_file(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, _ = run(capfd, "dossier", "HEAD", "--format", "html", "-o", str(tmp_path / "d.html"))

    page = (tmp_path / "d.html").read_text()
    assert out == ""
    assert "Work on one, please" in page
    assert "Content-Security-Policy" in page


def test_a_dossier_as_json(shop: Workshop, capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capfd, "dossier", "HEAD~1..HEAD", "--json")

    answer = json.loads(out)
    assert (answer["schema"], answer["kind"]) == ("clew.dossier/1", "range")
    assert [session["id"] for session in answer["sessions"]] == [shop.id_of("one")]


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["nope"], 3, "no commit is called"),
        (["HEAD~7..HEAD"], 3, "no commit is called"),
        (["#77"], 3, "pull request #77"),
        (["HEAD", "--json", "--format", "html"], 2, "cannot be combined"),
        (["HEAD", "--repo", "/"], 3, "not in a git repository"),
    ],
)
@pytest.mark.usefixtures("shop")
def test_bad_requests_for_dossiers(
    capfd: pytest.CaptureFixture[str], words: list[str], code: int, told: str
) -> None:
    _, err = run(capfd, "dossier", *words, code=code)

    assert told in err


def test_usage_by_commit_is_json_like_all_groups(
    shop: Workshop, capfd: pytest.CaptureFixture[str]
) -> None:
    out, _ = run(capfd, "usage", "--by", "commit", "--json")
    _, err = run(capfd, "usage", str(shop.root), "--by", "commit", code=2)

    answer = json.loads(out)
    assert (answer["schema"], answer["by"]) == ("clew.usage/1", "commit")
    assert answer["rows"][0]["label"] == "Add a line"
    assert answer["rows"][0]["cost_usd"] == answer["totals"]["cost_usd"]
    assert "needs the archive" in err


def test_git_programs_do_not_see_ours(shop: Workshop) -> None:
    words = ["git", "status", "--porcelain"]
    before = subprocess.run(words, capture_output=True, check=True, cwd=shop.repo)  # noqa: S603

    assert main(["blame", "a.py", "--json"]) == 0

    after = subprocess.run(words, capture_output=True, check=True, cwd=shop.repo)  # noqa: S603
    assert after.stdout == before.stdout
