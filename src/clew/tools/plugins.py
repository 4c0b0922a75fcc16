"""Tools that other packages add, through the entry-point group `clew.tools`.

The name of an entry point is the name of a tool, its value a `Tool`. Nothing here is imported or
called before a call names that tool. A plug-in that fails never stops a read: the failure is
logged, and the call is shown with the fallback and a note.
"""

import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Note, Part
from clew.tools.builtin import TOOLS
from clew.tools.display import short_path
from clew.tools.fallback import (
    FALLBACK,
    main_argument,
    untyped_parts,
    untyped_result,
)
from clew.tools.tool import CallState, Tool

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_GROUP: Final = "clew.tools"
_log: Final = logging.getLogger(__name__)


class _PluginError(Exception):
    """What a package offers is not a tool that can be used under this name."""


def load_plugins() -> None:
    """Load every plug-in, so that those that cannot be used are reported at once."""
    built_in = {name for tool in TOOLS for name in tool.names}
    for name, offers in _offers().items():
        if name in built_in:
            for offer in offers:
                _report(f"plug-in {_package(offer)}: cannot replace the built-in tool {name}")
        else:
            find_plugin(name)


@cache
def find_plugin(name: str) -> Tool | None:
    """Find the tool that a package offers under this name; None where no package does.

    Of several packages, the first by name is used. A tool that cannot be loaded is replaced by
    the fallback.
    """
    offers = _offers().get(name)
    if offers is None:
        return None
    used, *others = offers
    for other in others:
        _report(f"plug-in {_package(other)}: the tool {name} is already in {_package(used)}")
    package = _package(used)
    try:
        return _guard(_load(used), package)
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a plug-in may fail in any way)
        _report(f"plug-in {package}: cannot load the tool {name}: {_describe(error)}")
        return msgspec.structs.replace(FALLBACK, parts=_fallback_parts(package), package=package)


@cache
def _offers() -> "dict[str, list[EntryPoint]]":
    """List the entry points by name, in the order of their packages."""
    offers: dict[str, list[EntryPoint]] = {}
    try:
        for offer in sorted(_entry_points(), key=_package):
            offers.setdefault(offer.name, []).append(offer)
    except Exception as error:  # noqa: BLE001 (any installed package may have broken metadata)
        _report(f"cannot list the installed plug-ins: {_describe(error)}")
    return offers


def _entry_points() -> "Iterable[EntryPoint]":
    # To import the standard reader of metadata takes longer than to look for the group's name.
    folders = [Path(folder) for folder in sys.path]
    files = [file for folder in folders for file in folder.glob("*-info/entry_points.txt")]
    if not any(_GROUP.encode() in file.read_bytes() for file in files):
        return ()
    from importlib.metadata import entry_points  # noqa: PLC0415 (few have plug-ins)

    return entry_points(group=_GROUP)


def _package(offer: "EntryPoint") -> str:
    return offer.value if offer.dist is None else offer.dist.name


def _load(offer: "EntryPoint") -> Tool:
    tool = offer.load()
    if not isinstance(tool, Tool):
        raise _PluginError(f"{offer.value} is not a clew.tools.Tool")
    if offer.name not in tool.names:
        raise _PluginError(f"the names of {offer.value} do not include it")
    for struct in (tool.input, tool.result):
        if not issubclass(struct, msgspec.Struct):
            raise _PluginError(f"the input and result of {offer.value} must be msgspec structs")
        msgspec.json.Decoder(struct)
    return tool


def _guard(tool: Tool, package: str) -> Tool:
    """Return the tool with functions that use the fallback where its own fail."""

    def guard(name: str, kind: Any, otherwise: Callable[..., object]) -> Any:
        function = functions[name]
        return function and _guarded(package, name, function, kind, otherwise)

    functions = msgspec.structs.asdict(tool) | {"parts": _listed(tool.parts)}
    return msgspec.structs.replace(
        tool,
        package=package,
        parts=guard("parts", tuple[Part, ...], _fallback_parts(package)),
        label=guard("label", str, _fallback_label),
        label_result=guard("label_result", str, lambda _, label: label),
        state=guard("state", CallState, lambda _: ("", "")),
        read_text=guard("read_text", tool.result | None, lambda _, __: None),
    )


def _guarded(
    package: str,
    name: str,
    function: Callable[..., object],
    kind: Any,
    otherwise: Callable[..., object],
) -> Callable[..., object]:
    """Call `otherwise` where `function` raises, or returns anything but a `kind`."""

    def call(*args: Any) -> object:
        try:
            return msgspec.convert(msgspec.to_builtins(function(*args)), kind)
        except Exception as error:  # noqa: BLE001 (a plug-in may fail in any way)
            # The message of an error may quote the transcript, so only its type is logged.
            _report(f"plug-in {package}: `{name}` failed with {type(error).__name__}")
            return otherwise(*args)

    return call


def _listed(parts: Callable[..., Iterable[Part]]) -> Callable[..., list[Part]]:
    """Run a generator of parts to its end, so that its errors come at once."""
    return lambda *args: list(parts(*args))


def _fallback_parts(package: str) -> Callable[[Any, Any, ToolCall], tuple[Part, ...]]:
    """Show a call as one of an unknown tool, with a note on the plug-in that failed."""

    def parts(_input: object, result: object, call: ToolCall) -> Iterator[Part]:
        yield Note(f"The plug-in {package} failed to show this call", "warn")
        raw = None if result is None else untyped_result(bytes(call.result), call.result_text)
        yield from untyped_parts(None, raw, call)

    return lambda *args: tuple(parts(*args))


def _fallback_label(arguments: object, cwd: str) -> str:
    return short_path(main_argument(msgspec.to_builtins(arguments)), cwd)


def _describe(error: BaseException) -> str:
    return str(error) if isinstance(error, _PluginError) else f"{type(error).__name__}: {error}"


@cache
def _report(problem: str) -> None:
    """Log a problem once; the many processes that share the work are quiet."""
    from multiprocessing import parent_process  # noqa: PLC0415 (slow, and hardly ever needed)

    level = logging.WARNING if parent_process() is None else logging.DEBUG
    _log.log(level, "%s", problem)
