"""Every contestant of ours runs: a short version of the benchmark, in which no time is judged."""

from pathlib import Path

import msgspec
import pytest

from bench.__main__ import main
from bench.contest import Result
from bench.contestants import CONTESTANTS
from bench.memory import LONGER_MB
from bench.standings import NOT_INSTALLED

pytestmark = pytest.mark.slow

# Those with a longer session do the same again.
ONCE = tuple(who for who in CONTESTANTS if not who.name.endswith(f"{LONGER_MB} MB"))
GROUPS = sorted({contestant.group for contestant in CONTESTANTS})


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_runs(group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_BENCH_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("CLEW_BENCH_SCALE", "1")
    monkeypatch.setattr("bench.__main__.CONTESTANTS", ONCE)
    out = tmp_path / "result.json"

    code = main(["--smoke", "--only", group, "--json", str(out)])

    result = msgspec.json.decode(out.read_bytes(), type=Result)
    failed = {who.name: who.problem for who in result.standings if who.problem}
    assert code == 0
    assert {name: said for name, said in failed.items() if said != NOT_INSTALLED} == {}
    assert all(who.seconds for who in result.standings if who.name not in failed)
