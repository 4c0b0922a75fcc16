"""Random histories: no line is ever attributed to a session that did not write it."""

from pathlib import Path

import msgspec
import pytest

from clew.insight import BlameLine, RepositoryBlame, find_repository
from tests.insight.histories import History
from tests.insight.workshop import HAND


class Rates(msgspec.Struct):
    """How many lines of sessions there are, how many of them are explained, and what is wrong."""

    written: int = 0
    explained: int = 0
    external: int = 0
    wrong: list[str] = msgspec.field(default_factory=list)


def judge(history: History, rates: Rates) -> None:
    """Compare the blame of all files with who wrote their lines."""
    shop = history.run()
    names = {shop.id_of(name): name for name in shop.sessions}
    with shop.archive() as archive:
        blame = RepositoryBlame(archive, find_repository(shop.repo))
        for file in history.files:
            for line in blame.blame(file, "HEAD").lines:
                _judge_line(history, line, names.get(line.session_id or ""), rates)


def _judge_line(history: History, line: BlameLine, claimed: str | None, rates: Rates) -> None:
    key = "".join(line.text.split())
    if key in history.common or key in {"", "}", "else:", "returnNone", "importos", "pass"}:
        # Of a line that everybody writes, it must at least be one of its writers.
        if claimed is not None and claimed not in history.common.get(key, ()):
            rates.wrong.append(f"{line.path}:{line.line} {line.text!r}: {claimed}")
        return
    truth = history.shop.authors[key]
    if truth == HAND:
        rates.external += 1
    else:
        rates.written += 1
        rates.explained += claimed == truth
    if claimed is not None and claimed != truth:
        rates.wrong.append(f"{line.path}:{line.line} {line.text!r}: {claimed}, but {truth}")


@pytest.mark.parametrize("seed", range(8))
def test_no_line_goes_to_a_session_that_did_not_write_it(tmp_path: Path, seed: int) -> None:
    rates = Rates()

    judge(History(tmp_path, seed), rates)

    assert rates.wrong == []
    assert rates.written
    assert rates.external
    assert rates.explained >= 0.85 * rates.written
