"""Agent runs of a session, each in the place its version gives it."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from bench.bookkeeping import report
from bench.clients import SMALL_MODEL
from bench.scene import Sink
from bench.thread import Block, Fragment, Mirror, Thread
from bench.tools import Call
from bench.usage import write_usage

AGENTS: Final = ("general-purpose", "Explore", "Plan", "code-reviewer")


class AgentRuns:
    """Starts agent runs for a session and hangs them on their calls."""

    def __init__(self, main: Thread, work: Callable[[Thread], bool]) -> None:
        """Take the session's own thread, and what does one step of a run's work."""
        self._main = main
        self._work = work
        self._scene = main.scene
        self._dice = main.scene.dice
        self.started = 0

    def warm_up(self) -> None:
        """Write a run that older versions make at every launch, for nobody."""
        thread = self._open(self._new_id(), SMALL_MODEL)
        thread.say("Warmup")
        text = self._scene.project.prose.answer(self._dice.size(500, 0.5, 100, 1_500))
        thread.answer([{"type": "text", "text": text}], stops=True)

    def start(self, blocks: Sequence[Block]) -> None:
        """Call an agent from the session's own thread, let it work, and report what it found."""
        self.started += 1
        prose = self._scene.project.prose
        arguments = {
            "description": prose.title(),
            "prompt": prose.answer(self._dice.size(800, 0.8, 120, 6_000)),
            "subagent_type": self._dice.choice(AGENTS),
        }
        call = Call(
            "Agent" if self._scene.client.has("agent_tool") else "Task", arguments, "", None
        )
        fragment = self._main.answer([*blocks, call], stops=False)[-1]
        began, agent_id = self._scene.clock, self._new_id()
        report_text = prose.answer(self._dice.size(4_000, 0.7, 300, 16_000))
        run = self._run(agent_id, call, fragment, report_text)
        self._describe(agent_id, call, fragment)
        done = _finish(run, call, report_text, self._scene.clock - began)
        self._main.result(msgspec.structs.replace(fragment, call=done))

    def _run(self, agent_id: str, call: Call, fragment: Fragment, report_text: str) -> Thread:
        """Write the run's transcript: the prompt, its work, its report."""
        is_small = call.input["subagent_type"] == "Explore"
        thread = self._open(agent_id, SMALL_MODEL if is_small else "")
        if self._scene.client.has("progress"):
            thread.mirror = self._mirror(fragment.call_id, call.input["prompt"], agent_id)
        thread.say(call.input["prompt"])
        for _ in range(self._dice.size(18, 1.0, 1, 400)):
            if not self._work(thread):
                break
        thread.answer([{"type": "text", "text": report_text}], stops=True)
        return thread

    def _mirror(self, call_id: str, prompt: str, agent_id: str) -> Mirror:
        """Give what writes each entry of the run into the session too, as progress."""

        def write(entry: dict[str, Any]) -> None:
            data = {
                "message": entry,
                "normalizedMessages": [],
                "type": "agent_progress",
                "prompt": prompt,
                "agentId": agent_id,
            }
            report(self._main, data, self._dice.token("agent_msg_01", 22), call_id)

        return write

    def _new_id(self) -> str:
        digits = 16 if self._scene.client.has("long_agent_ids") else 6
        return f"a{self._dice.hexadecimal(digits)}"

    def _open(self, agent_id: str, model: str) -> Thread:
        return Thread(self._scene, self._sink(agent_id), agent_id, model)

    def _sink(self, agent_id: str) -> Sink:
        client, scene = self._scene.client, self._scene
        if not client.has("agent_files"):
            return scene.sink
        nested = client.has("nested_agents")
        folder = scene.beside / "subagents" if nested else scene.folder
        return scene.open_sink(folder / f"agent-{agent_id}.jsonl")

    def _describe(self, agent_id: str, call: Call, fragment: Fragment) -> None:
        """Write the small file beside a run that newer versions add."""
        client = self._scene.client
        if not client.has("agent_meta"):
            return
        meta = {"agentType": call.input["subagent_type"], "description": call.input["description"]}
        if client.has("linked_meta"):
            meta["toolUseId"] = fragment.call_id
        folder = self._scene.beside / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"agent-{agent_id}.meta.json").write_bytes(msgspec.json.encode(meta))


def _finish(run: Thread, call: Call, report_text: str, duration: int) -> Call:
    """Give the call as it ended: the report, the id, and the client's own totals."""
    blocks = [{"type": "text", "text": report_text}]
    told = {
        "status": "completed",
        "prompt": call.input["prompt"],
        "agentId": run.agent_id,
        "content": blocks,
        "totalDurationMs": duration,
        "totalTokens": run.meter.total,
        "totalToolUseCount": run.calls,
        "usage": write_usage(run.scene.client, run.tally, run.tally.output),
    }
    said = f"agentId: {run.agent_id} (for resuming to continue this agent's work if needed)"
    content = [*blocks, {"type": "text", "text": said}]
    return msgspec.structs.replace(call, content=content, result=told)
