"""Dossiers and costs of commits: what git reported, what lines say, and never times alone."""

import datetime as dt
from pathlib import Path

import msgspec
import pytest

from clew.archive import Archive
from clew.errors import NotFoundError
from clew.insight import find_repository, make_dossier, redact_dossier
from clew.render.markdown import render_dossier_markdown
from clew.render.site import render_dossier
from clew.view import Dossier
from tests.build import bash
from tests.build.calls import Call
from tests.insight.workshop import Workshop, lines

PULL = "https://github.com/acme/demo/pull/12"


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    made = Workshop(tmp_path)
    made.hand("a.py", lines("alpha_one = 1", "alpha_two = 2"))
    made.commit("Begin")
    return made


def dossier(shop: Workshop, name: str) -> Dossier:
    with shop.archive() as archive:
        return make_dossier(archive, find_repository(shop.repo), name)


def total(archive: Archive) -> float:
    return archive.usage().totals.cost_usd or 0


def test_a_commit_has_its_session_prompt_tests_and_cost(shop: Workshop) -> None:
    shop.edit("one", "a.py", "alpha_two = 2\n", "alpha_two = 2\nalpha_three = 3\n")
    shop.call("one", bash("pytest -q", "..\n2 passed in 0.01s"))
    commit = shop.commit("Add three", "one")

    found = dossier(shop, "HEAD")

    session = found.sessions[0]
    turn = session.turns[0]
    assert (found.kind, [each.hash for each in found.commits]) == ("commit", [commit])
    assert (session.id, session.evidence) == (shop.id_of("one"), ("commit", "lines"))
    assert turn.prompt == "Work on one, please"
    assert [(test.command, test.has_passed) for test in turn.tests] == [("pytest -q", True)]
    assert [(file.path, file.added) for file in turn.files] == [("a.py", 1)]
    assert turn.commits == (commit,)
    assert found.cost_usd == session.cost_usd
    assert found.cost_usd


def test_each_answer_of_a_range_counts_once(shop: Workshop) -> None:
    shop.edit("one", "a.py", "alpha_two = 2\n", "alpha_two = 2\nalpha_three = 3\n")
    shop.commit("Three", "one")
    shop.edit("one", "a.py", "alpha_three = 3\n", "alpha_three = 3\nalpha_four = 4\n")
    shop.commit("Four", "one")
    with shop.archive() as archive:
        repository = find_repository(shop.repo)
        both = make_dossier(archive, repository, "HEAD~2..HEAD")
        single = [make_dossier(archive, repository, name) for name in ("HEAD~1", "HEAD")]
        rows = archive.usage(by="commit").rows

        assert both.cost_usd == pytest.approx(total(archive))

    costs = sorted(each.cost_usd or 0 for each in single)
    assert sum(costs) == pytest.approx(both.cost_usd)
    assert costs == pytest.approx(sorted(row.cost_usd or 0 for row in rows))


def test_a_commit_by_a_bot_while_a_session_runs_has_no_session(shop: Workshop) -> None:
    shop.edit("one", "a.py", "alpha_two = 2\n", "alpha_two = 2\nalpha_three = 3\n")
    shop.git("stash", "-q")
    shop.hand("deps.txt", lines("library==2.0"))
    shop.commit("Bump library", author="bot[bot]")
    shop.session("one").assistant("Still working.")

    found = dossier(shop, "HEAD")

    assert found.sessions == ()
    assert found.cost_usd is None
    assert "No archived session" in found.notes[0]


def test_a_quiet_commit_is_found_by_its_subject(shop: Workshop) -> None:
    shop.edit("one", "a.py", "alpha_two = 2\n", "alpha_two = 2\nalpha_three = 3\n")
    shop.call("one", bash('git commit -qam "A quiet subject"'))
    shop.git("commit", "-qam", "A quiet subject")

    assert dossier(shop, "HEAD").sessions[0].evidence == ("commit", "lines")


def test_a_subject_alone_in_another_project_proves_nothing(shop: Workshop, tmp_path: Path) -> None:
    shop.call("other", bash('git commit -qam "Fix typo"'), cwd=tmp_path / "elsewhere")
    shop.hand("a.py", lines("alpha_one = 1", "alpha_two = 'typo'"))
    shop.commit("Fix typo")

    assert dossier(shop, "HEAD").sessions == ()


def test_a_squashed_pull_request_has_the_sessions_that_wrote_it(shop: Workshop) -> None:
    shop.git("checkout", "-q", "-b", "feature")
    shop.edit("one", "a.py", "alpha_two = 2\n", "alpha_two = 2\nalpha_three = 3\n")
    shop.commit("Three", "one")
    shop.call("one", bash("gh pr create --fill", PULL))
    shop.edit("two", "a.py", "alpha_three = 3\n", "alpha_three = 3\nalpha_four = 4\n")
    shop.commit("Four", "two")
    shop.git("checkout", "-q", "main")
    shop.git("merge", "-q", "--squash", "feature")
    shop.commit("Feature (#12)")

    by_number, by_url = dossier(shop, "#12"), dossier(shop, PULL)

    evidence = {session.id: session.evidence for session in by_number.sessions}
    assert evidence == {
        shop.id_of("one"): ("lines", "pull_request"),
        shop.id_of("two"): ("lines",),
    }
    assert (by_number.kind, by_number.url) == ("pull_request", PULL)
    assert by_url.sessions == by_number.sessions


def test_a_merge_names_the_range_of_what_it_brought(shop: Workshop) -> None:
    shop.git("checkout", "-q", "-b", "side")
    shop.write("one", "b.py", lines("beta_one = 1"))
    shop.commit("On the side", "one")
    shop.git("checkout", "-q", "main")
    shop.hand("c.py", lines("gamma_one = 1"))
    shop.commit("Meanwhile")
    shop.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")

    found = dossier(shop, "HEAD")
    brought = dossier(shop, "HEAD^1..HEAD")

    assert found.commits[0].files == ("b.py",)
    assert "This commit is a merge; HEAD^1..HEAD has the commits that it brought." in found.notes
    assert [each.id for each in brought.sessions] == [shop.id_of("one")]


def test_a_linked_pull_request_needs_no_repository(shop: Workshop) -> None:
    session = shop.session("one")
    session.assistant("Working.").marker(
        "pr-link",
        prNumber=12,
        prUrl=PULL,
        prRepository="acme/demo",
        timestamp=shop.now.isoformat(),
    )
    with shop.archive() as archive:
        found = make_dossier(archive, None, "#12")

    assert [session.evidence for session in found.sessions] == [("pull_request",)]


def test_a_linked_pull_request_is_found_in_a_repository_without_commits(tmp_path: Path) -> None:
    shop = Workshop(tmp_path)
    url = "https://github.com/acme/demo/pull/3"
    shop.call("one", bash("gh pr create --fill", f"{url}\n"))

    found = dossier(shop, "#3")

    assert (found.url, [each.id for each in found.sessions]) == (url, [shop.id_of("one")])


def test_what_nobody_mentions_is_not_found(shop: Workshop) -> None:
    with pytest.raises(NotFoundError, match="#99"):
        dossier(shop, "#99")
    with pytest.raises(NotFoundError, match="needs a git repository"), shop.archive() as archive:
        make_dossier(archive, None, "HEAD")


def test_decisions_of_people_are_part_of_it(shop: Workshop) -> None:
    asked = {"question": "Which colour?", "header": "Colour", "options": [], "multiSelect": False}
    answers = {"questions": [asked], "answers": {"Which colour?": "Green"}}
    text = 'User has answered your questions: "Which colour?"="Green".'
    shop.call("one", Call("AskUserQuestion", {"questions": [asked]}, text, answers))
    shop.edit("one", "a.py", "alpha_two = 2\n", "alpha_two = 2\ncolour = 'green'\n")
    shop.commit("Colour", "one")

    decisions = dossier(shop, "HEAD").sessions[0].turns[0].decisions

    assert [(each.text, each.answer) for each in decisions] == [("Which colour?", "Green")]


def test_secrets_are_masked_on_request(shop: Workshop) -> None:
    secret = "ghp_" + "a1B2" * 9
    shop.session("one").user(f"Use the token {secret} please")
    shop.edit("one", "a.py", "alpha_two = 2\n", "alpha_two = 2\nalpha_three = 3\n")
    shop.commit("Three", "one")
    found = dossier(shop, "HEAD")

    masked = redact_dossier(found)

    assert secret in render_dossier_markdown(found)
    for text in (
        render_dossier_markdown(masked),
        render_dossier(masked),
        msgspec.json.encode(masked).decode(),
    ):
        assert secret not in text
        assert "Tester" not in text


def test_hostile_texts_stay_in_their_place(shop: Workshop) -> None:
    shop.session("one").user("# Not a heading\n<script>alert(1)</script>\n```\nopen fence")
    shop.edit("one", "a.py", "alpha_two = 2\n", "alpha_two = 2\nalpha_three = 3\n")
    shop.commit("<img src=x onerror=alert(1)> | `x`", "one")
    found = dossier(shop, "HEAD")

    page, text = render_dossier(found), render_dossier_markdown(found)

    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "<script>" not in text
    assert text.count("\n# ") == 0
    assert "Costs are API-equivalent" in text.rpartition("\n\n")[2] + text


def test_usage_by_commit_leaves_nothing_out(shop: Workshop) -> None:
    shop.edit("one", "a.py", "alpha_two = 2\n", "alpha_two = 2\nalpha_three = 3\n")
    commit = shop.commit("Three", "one")
    shop.session("one").assistant("And something after it.")
    shop.session("two").assistant("No commit at all.")
    with shop.archive() as archive:
        report = archive.usage(by="commit")
        everything = total(archive)

    keys = [row.key for row in report.rows]
    assert {commit[:7], "(no commit)"} == set(keys)
    assert report.rows[keys.index(commit[:7])].label == "Three"
    assert sum(row.cost_usd or 0 for row in report.rows) == pytest.approx(everything)
    assert sum(row.model_calls for row in report.rows) == report.totals.model_calls


def test_usage_by_branch_follows_a_session_from_branch_to_branch(shop: Workshop) -> None:
    session = shop.session("one").assistant("On main.")
    session.branch("feature").user("More").assistant("On the branch.").assistant("Still there.")
    with shop.archive() as archive:
        rows = archive.usage(by="branch").rows

    assert {row.key: row.model_calls for row in rows} == {"main": 1, "feature": 2}


def test_usage_by_pull_request_takes_all_sessions_of_its_branch(shop: Workshop) -> None:
    shop.session("one").branch("feature").assistant("Working.")
    shop.call("one", bash("gh pr create --fill", f"Creating…\n{PULL}\n"))
    shop.session("two").branch("feature").assistant("Working on it, too.")
    shop.session("three").assistant("Something else on main.")
    with shop.archive() as archive:
        report = archive.usage(by="pr", zone=dt.UTC)
        same = make_dossier(archive, None, PULL)

    costs = {row.key: row.cost_usd for row in report.rows}
    assert same.cost_usd == pytest.approx(costs[PULL])
    assert len(same.sessions) == 2
    counted = {row.key: (row.sessions, row.model_calls) for row in report.rows}
    assert counted == {PULL: (2, 3), "(no pr)": (1, 1)}
