"""Which model a name stands for."""

from pathlib import Path

import msgspec
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
faulty = "clew_echo:Faulty"
"""
SOURCE = """
import sys
from asyncio import CancelledError
from clew.digest import ModelReply
from clew.digest_models import ModelError

class Mute(Exception):
    def __str__(self):
        raise RuntimeError

class Unpriced(ModelError):
    def __init__(self):
        pass

def throw(error):
    raise error

class Echo:
    def __init__(self, name):
        self.name = f"echo:{name}"

    def highest_cost(self, request):
        return 0

    def ask(self, request):
        return ModelReply(text=request.text, model=self.name, cost_nano_usd=0)

make = Echo

class Faulty(Echo):
    def highest_cost(self, request):
        return -(10 ** 12)

    def ask(self, request):
        replies = {
            "raises": lambda: 1 // 0,
            "nothing": lambda: None,
            "number": lambda: ModelReply(text=5, model="m"),
            "exits": lambda: sys.exit("a\\x1b[2Jb"),
            "is cancelled": lambda: throw(CancelledError()),
            "is closed": lambda: throw(GeneratorExit()),
            "cannot say": lambda: throw(Mute()),
            "has no cost": lambda: throw(Unpriced()),
            "has a word as cost": lambda: throw(ModelError("busy", "much")),
            "is busy": lambda: throw(ModelError("busy", 7)),
            "gift": lambda: ModelReply(text="hello", model="m", cost_nano_usd=-5),
        }
        return replies[request.text]()
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


def test_a_model_of_a_missing_package_is_not_asked_for_at_the_api(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no installed package offers 'local' models"):
        choose_model("local:qwen", DigestSettings(), KEY, tmp_path)

    elsewhere = DigestSettings(base_url="http://localhost:11434")
    assert choose_model("qwen3:8b", elsewhere, KEY, tmp_path).name == "qwen3:8b"
    environ = {**KEY, "ANTHROPIC_BASE_URL": "http://localhost:11434"}
    assert choose_model("qwen3:8b", DigestSettings(), environ, tmp_path).name == "qwen3:8b"


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


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("raises", "ZeroDivisionError"),
        ("nothing", "TypeError"),
        ("number", "ValidationError"),
        ("exits", r"SystemExit: a \[2Jb"),
        ("is cancelled", "CancelledError"),
        ("is closed", "GeneratorExit"),
        ("cannot say", "Mute"),
        ("has no cost", "Unpriced"),
        ("has a word as cost", "ModelError: busy"),
    ],
)
def test_a_fault_of_a_package_is_that_of_a_model(tmp_path: Path, fault: str, reason: str) -> None:
    model = choose_model("faulty:x", DigestSettings(), {}, tmp_path)

    with pytest.raises(
        ModelError, match=f"the plug-in clew_echo:Faulty failed: {reason}"
    ) as raised:
        model.ask(msgspec.structs.replace(REQUEST, text=fault))

    assert raised.value.cost_nano_usd is None


@pytest.mark.usefixtures("plugin")
def test_a_package_says_itself_why_there_is_no_answer(tmp_path: Path) -> None:
    model = choose_model("faulty:x", DigestSettings(), {}, tmp_path)

    with pytest.raises(ModelError, match=r"^busy$") as raised:
        model.ask(msgspec.structs.replace(REQUEST, text="is busy"))

    assert raised.value.cost_nano_usd == 7


@pytest.mark.usefixtures("plugin")
def test_the_name_of_a_package_can_be_printed_and_kept(tmp_path: Path) -> None:
    model = choose_model("echo:a\x1b[2J\ud800" + "b" * 999, DigestSettings(), {}, tmp_path)

    assert model.name == "echo:a [2J " + "b" * 89


@pytest.mark.usefixtures("plugin")
def test_a_package_cannot_raise_a_budget(tmp_path: Path) -> None:
    model = choose_model("faulty:x", DigestSettings(), {}, tmp_path)

    assert model.highest_cost(REQUEST) == 0
