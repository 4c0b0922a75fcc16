"""Which model a name stands for."""

from pathlib import Path

import pytest

from clew.digest import ModelRequest
from clew.digest_models import AnthropicModel, ClientModel, ModelError, choose_model
from clew.settings import DigestSettings
from tests.plugins import build, install

PYPROJECT = """
[project]
name = "clew-echo"
version = "1.0"
[project.entry-points."clew.digest_models"]
echo = "clew_echo:make"
broken = "clew_echo:nothing"
"""
SOURCE = """
from clew.digest import ModelReply

class Echo:
    def __init__(self, name):
        self.name = f"echo:{name}"

    def highest_cost(self, request):
        return 0

    def ask(self, request):
        return ModelReply(text=request.text, model=self.name, cost_nano_usd=0)

make = Echo
"""
REQUEST = ModelRequest(instructions="", text="hello", schema={}, max_output_tokens=10)
MODEL = "claude-haiku-4-5"
KEY = {"ANTHROPIC_API_KEY": "key"}


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package with models."""
    install(build(tmp_path, PYPROJECT, SOURCE), tmp_path / "site")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))


def test_a_name_is_a_model_of_the_api(tmp_path: Path) -> None:
    model = choose_model("claude-haiku-4-5", DigestSettings(), KEY, tmp_path)

    assert isinstance(model, AnthropicModel)
    assert model.name == "claude-haiku-4-5"


def test_the_api_needs_a_key(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no key for the API is set"):
        choose_model("claude-haiku-4-5", DigestSettings(), {}, tmp_path)

    given = DigestSettings(api_key="k")
    assert choose_model(MODEL, given, {}, tmp_path).name == MODEL


def test_the_client_needs_none(tmp_path: Path) -> None:
    model = choose_model("claude-code:haiku", DigestSettings(), {}, tmp_path)

    assert isinstance(model, ClientModel)
    assert model.name == "claude-code:haiku"


@pytest.mark.usefixtures("plugin")
def test_another_package_offers_models(tmp_path: Path) -> None:
    model = choose_model("echo:small", DigestSettings(), {}, tmp_path)

    assert model.name == "echo:small"
    assert model.ask(REQUEST).text == "hello"


@pytest.mark.usefixtures("plugin")
def test_a_package_that_fails_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="the plug-in clew_echo:nothing cannot make a model"):
        choose_model("broken:x", DigestSettings(), {}, tmp_path)
