"""A chain of entries: the session's own, or that of an agent run."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from bench.dice import Dice
from bench.scene import Scene, Sink
from bench.tools import Call
from bench.usage import Meter, Tally, count_call, snapshots, write_usage

PERSIST_ABOVE: Final = 30_000
HOME: Final = "/home/dev/.claude"
PROMPT_TAIL: Final = frozenset(("thinkingMetadata", "todos", "permissionMode", "origin"))
PERSISTED: Final = (
    "<persisted-output>\nOutput too large ({size}). Full output saved to: {path}\n\n"
    "Preview (first 2KB):\n{preview}\n...\n</persisted-output>"
)
Mirror = Callable[[dict[str, Any]], None]
Block = dict[str, Any] | Call


class Fragment(msgspec.Struct, frozen=True):
    """A written share of an answer: its entry, and the call it makes if it makes one."""

    uuid: str
    call: Call | None = None
    call_id: str = ""


class Thread:
    """Writes entries one below the other, and keeps count of the context."""

    def __init__(self, scene: Scene, sink: Sink, agent_id: str = "", model: str = "") -> None:
        self.scene = scene
        self.sink = sink
        self.agent_id = agent_id
        self.model = model or scene.client.model
        self.meter = Meter()
        self.last: str | None = None
        self.calls = 0
        self.tally = Tally(0, 0, 0, 0)
        self.mirror: Mirror | None = None

    def write(
        self, body: dict[str, Any], tail: dict[str, Any] | None = None, parent: str | None = ""
    ) -> str:
        """Write an entry below the last one, or below `parent`, and give its id."""
        scene = self.scene
        uuid = scene.dice.uuid()
        head = {"parentUuid": self.last if parent == "" else parent}
        if "logicalParentUuid" in body:
            head["logicalParentUuid"] = body.pop("logicalParentUuid")
        middle = {**body, "uuid": uuid, "timestamp": scene.now(), **(tail or {})}
        self.sink.write({**head, **self._surround(middle)})
        self.last = uuid
        return uuid

    def say(self, content: object, **flags: object) -> str:
        """Write a user entry that is no tool result."""
        tail = {key: flags.pop(key) for key in tuple(flags) if key in PROMPT_TAIL}
        self.meter.add(len(content) if isinstance(content, str) else 1_500)
        message = {"role": "user", "content": content}
        uuid = self.write({"type": "user", "message": message, **flags}, tail)
        self._reflect({"type": "user", "message": message, "uuid": uuid})
        return uuid

    def answer(self, blocks: Sequence[Block], *, stops: bool) -> list[Fragment]:
        """Write one answer of the model as one fragment per block."""
        return list(self.stream(blocks, stops=stops))

    def stream(self, blocks: Sequence[Block], *, stops: bool) -> Iterator[Fragment]:
        """Write an answer fragment by fragment, so that results may come in between."""
        dice, client = self.scene.dice, self.scene.client
        self.tally = count_call(dice, self.meter, sum(_length(block) for block in blocks))
        outputs = snapshots(dice, client, self.tally, len(blocks))
        ids = dice.token("msg_01", 22), dice.token("req_011C", 20)
        reason = "end_turn" if stops else "tool_use"
        tally, is_silent = self.tally, client.has("silent_stops") and dice.chance(0.85)
        for block, output in zip(blocks, outputs, strict=True):
            self.scene.wait(300, 4_000)
            said = None if is_silent or output != tally.output else reason
            message = self._message(ids[0], said, write_usage(client, tally, output))
            yield self._fragment(message, block, ids[1])

    def result(self, fragment: Fragment, parent: str | None = None) -> str:
        """Write the result of the call that a fragment makes."""
        call = fragment.call
        if call is None:
            raise ValueError(fragment)
        self.calls += 1
        content, told = self._persist(call)
        if call.is_error:
            block = {"type": "tool_result", "content": content, "is_error": True}
            block["tool_use_id"] = fragment.call_id
        else:
            block = {"tool_use_id": fragment.call_id, "type": "tool_result", "content": content}
            block |= {"is_error": False} if call.tool == "Bash" else {}
        self.meter.add(len(content) if isinstance(content, str) else 800)
        return self._write_result(block, told, parent or fragment.uuid, fragment.uuid)

    def _write_result(self, block: dict[str, Any], told: object, parent: str, source: str) -> str:
        client = self.scene.client
        is_lean = bool(self.agent_id) and client.has("lean_agents") and not isinstance(told, str)
        tail = {} if is_lean else {"toolUseResult": told}
        if client.has("source_uuid"):
            tail["sourceToolAssistantUUID"] = source
        message = {"role": "user", "content": [block]}
        uuid = self.write({"type": "user", "message": message}, tail, parent)
        self._reflect({"type": "user", "message": message, "uuid": uuid})
        return uuid

    def _surround(self, middle: dict[str, Any]) -> dict[str, Any]:
        """Put the session's context around an entry, where its version has it."""
        scene, client = self.scene, self.scene.client
        is_side = {"isSidechain": bool(self.agent_id)}
        agent = {"agentId": self.agent_id} if self.agent_id and self._names_agent else {}
        slug = {"slug": scene.slug} if client.has("slug") else {}
        place = {
            "cwd": scene.cwd,
            "sessionId": scene.session_id,
            "version": client.version,
            "gitBranch": scene.branch,
        }
        if not client.has("message_first"):
            return {**is_side, "userType": "external", **place, **agent, **slug, **middle}
        prompt = {"promptId": scene.prompt_id} if middle.get("type") == "user" else {}
        origin = {"userType": "external", "entrypoint": "cli"}
        return {**is_side, **prompt, **agent, **middle, **origin, **place, **slug}

    @property
    def _names_agent(self) -> bool:
        return not self.scene.client.has("inline_agents")

    def _message(
        self, message_id: str, reason: str | None, usage: dict[str, Any]
    ) -> dict[str, Any]:
        details = {"stop_details": None} if self.scene.client.has("message_first") else {}
        return {
            "model": self.model,
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "content": [],
            "stop_reason": reason,
            "stop_sequence": None,
            **details,
            "usage": usage,
        }

    def _fragment(self, message: dict[str, Any], block: Block, request: str) -> Fragment:
        call = block if isinstance(block, Call) else None
        call_id = self.scene.dice.token("toolu_01", 22) if call else ""
        message["content"] = [self._use(call, call_id) if call else block]
        body = {"message": message, "requestId": request, "type": "assistant"}
        uuid = self.write(body)
        self._reflect({"type": "assistant", **body, "uuid": uuid})
        return Fragment(uuid, call, call_id)

    def _use(self, call: Call, call_id: str) -> dict[str, Any]:
        use = {"type": "tool_use", "id": call_id, "name": call.tool, "input": call.input}
        if self.scene.client.has("callers"):
            use["caller"] = {"type": "direct"}
        return use

    def _persist(self, call: Call) -> tuple[str | list[dict[str, Any]], object]:
        """Cut a very long output; newer versions keep all of it in a file of its own."""
        content = call.content
        if not isinstance(content, str) or call.tool != "Bash" or len(content) <= PERSIST_ABOVE:
            return content, call.result
        short = content[:PERSIST_ABOVE]
        told = call.result | {"stdout": short} if isinstance(call.result, dict) else call.result
        if call.is_error or not self.scene.client.has("persisted_output"):
            return short, told
        path = self.scene.beside / "tool-results" / self.scene.dice.token("b", 8).lower()
        path = path.with_suffix(".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        place = "/".join([HOME, *path.parts[-5:]])
        told |= {"persistedOutputPath": place, "persistedOutputSize": len(content)}
        size = f"{len(content) / 1024:.1f}KB"
        return PERSISTED.format(size=size, path=place, preview=content[:2_000]), told

    def _reflect(self, entry: dict[str, Any]) -> None:
        if self.mirror is not None:
            self.mirror({"timestamp": self.scene.now(), **entry})


def thinking(dice: Dice, text: str) -> dict[str, Any]:
    """Give a thinking block, signed; its text may be empty."""
    length = dice.size(330 + len(text), 0.6, 200, 12_000)
    return {"type": "thinking", "thinking": text, "signature": signature(dice, length)}


def signature(dice: Dice, length: int) -> str:
    """Give so many characters that nobody can compress."""
    return b64encode(dice.randbytes(length * 3 // 4)).decode()


def _length(block: Block) -> int:
    if isinstance(block, Call):
        return sum(len(str(value)) for value in block.input.values())
    return len(block.get("text", "")) + len(block.get("thinking", ""))
