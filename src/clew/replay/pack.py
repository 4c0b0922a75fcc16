"""A replay as bytes, with every text in it once."""

from typing import Any, Final

import msgspec

from clew.replay.model import Cause, Disturbance, FileState, SessionReplay, Version

REPLAY_VERSION: Final = 4
"""Grows whenever the same conversation gives another replay, so that packed ones are not used."""


class _PackedState(msgspec.Struct, frozen=True, array_like=True):
    """A state with numbers for its text and its cause; -1 is none."""

    state: str
    text: int
    exists: bool | None
    since: int


class _PackedReplay(msgspec.Struct, frozen=True, array_like=True):
    """A replay, its texts and its causes; versions have numbers for their states."""

    version: int
    texts: list[str]
    causes: list[Cause]
    states: list[_PackedState]
    versions: list[tuple[Version, int, int, int]]
    disturbances: list[tuple[int, int, tuple[str, ...], bool]]
    replay: SessionReplay


_decoder: Final = msgspec.msgpack.Decoder(_PackedReplay)


def pack_replay(replay: SessionReplay) -> bytes:
    """Pack a replay."""
    packer = _Packer()
    packed = _PackedReplay(
        REPLAY_VERSION,
        packer.texts.values,
        packer.causes.values,
        packer.states.values,
        [packer.version(version) for version in replay.versions],
        [
            (each.order, packer.causes.number(each.cause), each.paths, each.is_told)
            for each in replay.disturbances
        ],
        msgspec.structs.replace(replay, versions=(), disturbances=()),
    )
    return msgspec.msgpack.encode(packed)


def unpack_replay(data: bytes) -> SessionReplay | None:
    """Unpack a replay; None where another version of clew packed it, or where it is damaged."""
    try:
        packed = _decoder.decode(data)
        return _unpack(packed) if packed.version == REPLAY_VERSION else None
    except (msgspec.DecodeError, UnicodeDecodeError, IndexError, ValueError):
        return None


def _unpack(packed: _PackedReplay) -> SessionReplay:
    causes = packed.causes
    states = [
        FileState(
            msgspec.convert(each.state, type(FileState().state)),
            packed.texts[each.text] if each.text >= 0 else None,
            each.exists,
            causes[each.since] if each.since >= 0 else None,
        )
        for each in packed.states
    ]
    replace = msgspec.structs.replace
    versions = tuple(
        replace(version, expected=states[expected], before=states[before], after=states[after])
        for version, expected, before, after in packed.versions
    )
    disturbances = tuple(
        Disturbance(order, causes[cause], paths, is_told=is_told)
        for order, cause, paths, is_told in packed.disturbances
    )
    return replace(packed.replay, versions=versions, disturbances=disturbances)


class _Interned:
    """Values, each with a number of its own."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._known: dict[Any, int] = {}

    def number(self, value: object) -> int:
        if value is None:
            return -1
        if value not in self._known:
            self._known[value] = len(self.values)
            self.values.append(value)
        return self._known[value]


class _Packer:
    def __init__(self) -> None:
        self.texts, self.causes, self.states = _Interned(), _Interned(), _Interned()

    def version(self, version: Version) -> tuple[Version, int, int, int]:
        bare = msgspec.structs.replace(
            version, expected=FileState(), before=FileState(), after=FileState()
        )
        numbers = (self._state(each) for each in (version.expected, version.before, version.after))
        return (bare, *numbers)  # type: ignore[return-value]  # three states

    def _state(self, state: FileState) -> int:
        text, since = self.texts.number(state.text), self.causes.number(state.since)
        return self.states.number(_PackedState(str(state.state), text, state.exists, since))
