"""The rates of blame, on a repository whose truth is known."""

from pathlib import Path

from tests.insight.workshop import Workshop, lines
from tools.rates import RateSource
from tools.rates.blame import measure


def test_rates_count_what_is_explained_and_claim_nothing(tmp_path: Path) -> None:
    shop = Workshop(tmp_path)
    shop.hand("a.py", lines("older_than_all = 0"))
    shop.commit("Begin")
    shop.edit("one", "a.py", "older_than_all = 0\n", "older_than_all = 0\nby_session = 1\n")
    shop.hand("a.py", shop.path("a.py").read_text() + "by_a_person = 2\n")
    shop.commit("Both", "one")
    shop.hand("a.py", shop.path("a.py").read_text() + "by_a_bot = 3\n")
    shop.commit("Bump", author="dependabot[bot]")
    for builder in shop.sessions.values():
        builder.write(shop.root)

    found = {
        rate.name: (rate.part, rate.whole) for rate in measure(RateSource(shop.root, shop.repo))
    }

    assert found == {
        "commits that sessions report and the repository has": (1, 1),
        "lines explained, commits of sessions, files they touched": (1, 2),
        "random committed lines explained": (1, 3),
        "lines of bots not claimed": (1, 1),
        "lines older than any session not claimed": (1, 1),
    }


def test_without_a_repository_there_are_no_rates(tmp_path: Path) -> None:
    assert list(measure(RateSource(tmp_path))) == []
