"""A transcript being written: its rows so far, and all that the next row depends on."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from tests.build.blocks import Block, as_blocks
from tests.build.clients import Client, Row
from tests.build.ids import Ids
from tests.build.layout import encode
from tests.build.rows import Place, envelope
from tests.build.runs import Run
from tests.build.usage import Usage, tokens_of

START: Final = datetime(2026, 11, 1, 9, tzinfo=UTC)
# About what a client sends before the first prompt: its instructions and its tools.
_FIRST_CONTEXT_TOKENS: Final = 12_000


class Turn(msgspec.Struct, frozen=True):
    """The turn that is under way."""

    number: int = 0
    prompt: str = ""
    prompt_id: str = ""
    began_at: datetime = START


class Draft(msgspec.Struct):
    """The state behind a builder; that of an agent run shares the last four fields."""

    place: Place
    model: str
    mode: str = "default"
    now: datetime = START
    items: list[Row | bytes] = []
    tail: bytes = b""
    parent: str | None = None
    names: dict[str, str | None] = {}
    turn: Turn = Turn()
    message_id: str = ""
    usage: Usage = Usage()
    context_tokens: int = 0
    fresh_tokens: int = _FIRST_CONTEXT_TOKENS
    ids: Ids = msgspec.field(default_factory=lambda: Ids(""))
    spent: dict[str, Usage] = {}
    runs: list[Run] = []
    sidecars: dict[str, bytes] = {}

    @property
    def client(self) -> Client:
        """Give the client that writes."""
        return self.place.client

    @property
    def rows(self) -> list[Row]:
        """Give what was written as rows."""
        return [item for item in self.items if not isinstance(item, bytes)]

    @property
    def lines(self) -> list[bytes]:
        """Give all lines, without newlines."""
        lines = [encode_item(item) for item in self.items]
        return [*lines, self.tail] if self.tail else lines

    @property
    def content(self) -> bytes:
        """Give the transcript byte for byte."""
        return b"".join(encode_item(item) + b"\n" for item in self.items) + self.tail

    @property
    def last_uuid(self) -> str:
        """Give the uuid of the last row that has one."""
        return str(next((row["uuid"] for row in reversed(self.rows) if "uuid" in row), ""))

    def stamp(self) -> str:
        """Give the time as rows carry it, and let a second pass."""
        time = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.now += timedelta(seconds=1)
        return time

    def add(self, body: Row, **parent: str | None) -> str:
        """Write a row below the last one, or below `parent`, and give its uuid."""
        uuid = self.ids.uuid()
        hangs_on = parent.get("parent", self.parent)
        body |= {"uuid": uuid, "timestamp": self.stamp()}
        self.items.append(envelope(self.place, hangs_on, body))
        self.parent = uuid
        return uuid

    def say(self, *content: str | Block, **fields: Any) -> str:
        """Write a user row."""
        lone = content[0] if len(content) == 1 else None
        words = lone if isinstance(lone, str) else as_blocks(content)
        self.fresh_tokens += tokens_of(words)
        body: Row = {
            "promptId": self.turn.prompt_id,
            "type": "user",
            "message": {"role": "user", "content": words},
        }
        # Marks of injections stand before the uuid, the circumstances of a prompt after it.
        marks = {key: fields.pop(key) for key in _MARKS if key in fields}
        return self.add(body | marks | {"uuid": None, "timestamp": None} | fields)

    def begin_turn(self, prompt: str) -> None:
        """Start the next turn."""
        number = self.turn.number + 1
        self.turn = Turn(number, prompt, self.ids.uuid("prompt"), self.now)

    def prompt_fields(self) -> Row:
        """Give what stands beside a prompt."""
        is_typed = self.place.entrypoint == "cli"
        fields: Row = {"permissionMode": self.mode}
        if is_typed:
            thinking = {"level": "high", "disabled": False, "triggers": []}
            fields = {"thinkingMetadata": thinking, "todos": [], **fields}
        if is_typed and self.client.writes("promptSource"):
            fields["origin"] = {"kind": "human"}
        number = self.turn.number
        return fields | {
            "promptSource": "typed" if is_typed else "sdk",
            "turnOrigin": "human" if is_typed else "sdk",
            "turnPosition": {"promptIndex": number if is_typed else 0, "turnIndex": number},
        }

    def require(self, name: str) -> None:
        """Refuse rows that the client does not write."""
        if not self.client.writes(name):
            raise ValueError(f"client {self.client.version} writes no {name}")


def encode_item(item: Row | bytes) -> bytes:
    """Give a row or a raw line as bytes."""
    return item if isinstance(item, bytes) else encode(item)


_MARKS: Final = ("isVisibleInTranscriptOnly", "isCompactSummary", "isMeta", "turnCompanion")
