from pathlib import Path

import pytest

from bench.peers import for_agentsview, for_ccusage


@pytest.mark.parametrize("environ", [for_agentsview, for_ccusage])
def test_a_peer_has_a_home_of_its_own_and_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environ: object
) -> None:
    monkeypatch.setenv("CLEW_BENCH_DIR", str(tmp_path / "cache"))
    assert callable(environ)

    found: dict[str, str] = environ(tmp_path / "root")

    assert Path(found["HOME"]).parent == tmp_path / "cache"
    assert found["CLAUDE_CONFIG_DIR"] == str(tmp_path / "root")
    assert found["HTTPS_PROXY"].endswith(":9")
