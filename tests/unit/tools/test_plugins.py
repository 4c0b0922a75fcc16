"""Tools from other packages: what can be wrong with them, and that reading goes on."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZipFile

import msgspec
import pytest

from clew.conversation import ToolCall
from clew.parts import Fields, Note, Part, Words
from clew.tools import call_label, call_parts, call_state, decode_call, find_tool, load_plugins
from clew.tools.builtin.shell import BASH
from clew.tools.fallback import FALLBACK as FALLBACK_TOOL
from clew.tools.fallback import UntypedInput
from clew.tools.plugins import _offers, _report, find_plugin
from tests.plugins import build

Offer = Callable[..., None]

PROJECT = """
[project]
name = "{package}"
version = "1"
[project.entry-points."clew.tools"]
{name} = "{module}:{value}"
"""
MODULE = """
import msgspec
from clew.parts import Words
from clew.tools import Tool

class Input(msgspec.Struct, frozen=True):
    path: str
    {body}

class Result(msgspec.Struct, frozen=True):
    text: str = ""

def fail(*_):
    raise LookupError("secret")

TOOL = Tool(("Deploy",), Input, Result, {fields})
"""
PARTS = "parts=lambda start, result, call: [Words(start.path)]"


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Offer]:
    """Put a package on the path: its module, the name it offers and the value behind it."""

    def offer(source: str, package: str = "one", name: str = "Deploy", value: str = "TOOL") -> None:
        project = PROJECT.format(package=package, module=package, name=name, value=value)
        with ZipFile(build(tmp_path, project, source)) as wheel:
            wheel.extractall(tmp_path / package)
        monkeypatch.syspath_prepend(tmp_path / package)
        monkeypatch.delitem(sys.modules, package, raising=False)
        _forget()

    yield offer
    _forget()
    sys.modules.pop("one", None)


def _forget() -> None:
    for cached in (find_plugin, _offers, _report):
        cached.cache_clear()


def module(fields: str = PARTS, body: str = "") -> str:
    return MODULE.format(fields=fields, body=body)


def call(input_: object = {"path": "a.txt"}, text: str = "done it") -> ToolCall:
    return ToolCall(
        id="c",
        tool="Deploy",
        message_id="m",
        input=msgspec.Raw(msgspec.json.encode(input_)),
        status="done",
        result_text=text,
    )


def opened(one: ToolCall) -> tuple[Part, ...]:
    return call_parts(one, *decode_call(one))


FALLBACK = (
    Note("The plug-in one failed to show this call", "warn"),
    Fields((("path", "a.txt"),)),
    Words("done it"),
)


def test_a_tool_of_a_package_shows_its_calls(offer: Offer) -> None:
    offer(module(f"{PARTS}, label=lambda start, cwd: start.path.upper()"))

    arguments, _ = decode_call(call())

    assert call_label("Deploy", arguments) == "A.TXT"
    assert opened(call())[0] == Words("a.txt")
    assert find_tool("Deploy").package == "one"


def test_a_name_that_no_package_offers_has_no_plugin(offer: Offer) -> None:
    offer(module())

    assert find_plugin("Other") is None


@pytest.mark.parametrize(
    ("source", "value", "problem"),
    [
        ("import nowhere", "TOOL", "ModuleNotFoundError: No module named 'nowhere'"),
        ("raise SystemExit(3)", "TOOL", "SystemExit: 3"),
        ("TOOL = 3", "TOOL", "one:TOOL is not a clew.tools.Tool"),
        (module(), "TOO", "AttributeError: module 'one' has no attribute 'TOO'"),
        (
            module().replace('"Deploy"', '"Deplyo"'),
            "TOOL",
            "the names of one:TOOL do not include it",
        ),
        (
            module().replace("Result, parts", "dict, parts"),
            "TOOL",
            "the input and result of one:TOOL must be msgspec structs",
        ),
    ],
)
def test_a_tool_that_cannot_be_loaded_is_reported_once_and_shown_without_it(
    offer: Offer, caplog: pytest.LogCaptureFixture, source: str, value: str, problem: str
) -> None:
    offer(source, value=value)

    shown = [opened(call()) for _ in range(2)]

    assert caplog.messages == [f"plug-in one: cannot load the tool Deploy: {problem}"]
    assert shown == [FALLBACK, FALLBACK]


@pytest.mark.parametrize(
    "broken", ["fail", "lambda *_: 3", "lambda *_: [3]", "lambda *_: [Words(3)]"]
)
def test_parts_that_fail_are_reported_without_their_words(
    offer: Offer, caplog: pytest.LogCaptureFixture, broken: str
) -> None:
    offer(module(f"parts={broken}"))

    shown = opened(call())

    assert shown[:2] == FALLBACK[:2]
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("plug-in one: `parts` failed with ")
    assert "secret" not in caplog.text


def test_a_generator_that_fails_half_way_is_replaced_as_a_whole(offer: Offer) -> None:
    offer(module("parts=lambda *_: (Words(word) for word in ['first', fail()])"))

    assert opened(call())[:2] == FALLBACK[:2]


@pytest.mark.parametrize("broken", ["fail", "lambda *_: 3"])
def test_other_functions_that_fail_leave_the_call_readable(offer: Offer, broken: str) -> None:
    names = ("label", "label_result", "state", "read_text")
    offer(module(", ".join([PARTS, *(f"{name}={broken}" for name in names)])))
    arguments, result = decode_call(call())

    assert call_label("Deploy", arguments, result) == "a.txt"
    assert call_state(call(), arguments, result) == ("", "")
    assert opened(call())[:2] == (Words("a.txt"), Words("done it"))


def test_a_struct_that_refuses_its_values_leaves_them_untyped(offer: Offer) -> None:
    offer(module(body="def __post_init__(self): raise LookupError"))

    arguments, _ = decode_call(call())

    assert arguments == UntypedInput({"path": "a.txt"})


def test_a_built_in_tool_is_not_replaced_and_the_attempt_is_reported(
    offer: Offer, caplog: pytest.LogCaptureFixture
) -> None:
    offer(module(), name="Bash")

    load_plugins()

    assert find_tool("Bash") is BASH
    assert caplog.messages == ["plug-in one: cannot replace the built-in tool Bash"]


def test_of_two_packages_with_one_tool_the_first_by_name_is_used(
    offer: Offer, caplog: pytest.LogCaptureFixture
) -> None:
    offer(module(), package="two")
    offer(module())

    load_plugins()

    assert find_tool("Deploy").package == "one"
    assert caplog.messages == ["plug-in two: the tool Deploy is already in one"]


def test_a_result_in_blocks_reaches_the_function_that_reads_text(offer: Offer) -> None:
    offer(module(f"{PARTS}, read_text=lambda start, text: Result(text.upper())"))
    blocks = msgspec.Raw(b'[{"type": "text", "text": "done it"}]')

    _, result = decode_call(msgspec.structs.replace(call(), result=blocks))

    assert repr(result) == "Result(text='DONE IT')"


def test_metadata_that_cannot_be_read_is_reported_and_there_are_no_plugins(
    offer: Offer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    offer(module())
    (tmp_path / "one" / "one-1.dist-info" / "entry_points.txt").write_bytes(b"[clew.tools]\n\xff")

    assert find_tool("Deploy") is FALLBACK_TOOL
    assert caplog.messages[0].startswith("cannot list the installed plug-ins: UnicodeDecodeError")
