"""Scene: a session as it is acted, with words and calls in and a client's rows out."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from tests.build import Agent, Block, Call, Row, SessionBuilder, Usage, text, thinking
from tests.build.answers import calling_blocks, close_run, open_run, write_answer, write_result
from tests.build.runs import finished_call
from tools.make_samples.meter import RUN_PREFIX_TOKENS, Context, Totals, tokens_in
from tools.make_samples.models import OPUS
from tools.make_samples.pace import Pace
from tools.make_samples.prose import prose
from tools.make_samples.task import Task
from tools.make_samples.workspace import Workspace

# A builder lets a second pass with each row; rows that belong together are closer.
_TOGETHER: Final = -0.985
# Where the builder has a person keep sessions, and where Mira does.
_BUILDER_HOME: Final = b"/home/dev/.claude"
_HOME: Final = b"/home/mira/.claude"
# How many times as much is thought as with medium effort.
_EFFORTS: Final = {"medium": 1, "high": 9}


class Scene:
    """One session, or one agent run of it; each step takes the time that it would take."""

    def __init__(self, builder: SessionBuilder, workspace: Workspace, name: str) -> None:
        self.builder = builder
        self.workspace = workspace
        self.pace = Pace(name)
        self.context = Context()
        self.totals = Totals()
        self.title = ""
        self.effort = "medium"
        self._name = name
        self._tools: list[str] = []
        self._tasks: dict[str, Task] = {}
        self._began = builder.draft.now

    @property
    def now(self) -> datetime:
        """Tell the time."""
        return self.builder.draft.now

    def prompt(self, words: str, *blocks: Block, after: float | None = None) -> Self:
        """Let the person write a prompt, `after` some minutes."""
        self.wait(self.pace.between(30, 140) if after is None else after * 60)
        self.builder.user(prose(words), *blocks)
        self.context.add([words, *blocks])
        self.builder.wait(_TOGETHER).snapshot().wait(_TOGETHER)
        if self.builder.draft.turn.number == 1:
            self._look_around()
        return self

    def act(self, *calls: Call | Agent, say: str = "", think: str | None = None) -> Self:
        """Let the model make calls at once, and wait for all of them."""
        draft = self.builder.draft
        blocks = calling_blocks(draft, calls, prose(say), None if think is None else prose(think))
        first = len(draft.items)
        fragments = self._write_answer(blocks, "tool_use")[-len(calls) :]
        began = [_time(row) for row in draft.rows[-len(calls) :]]
        ended = []
        for call, block, start in zip(calls, blocks[-len(calls) :], began, strict=True):
            self._note_use(block["name"])
            done = self._carry_out(call, block["id"], start)
            self.totals.tool_seconds += (draft.now - start).total_seconds()
            ended.append((draft.now, done, block["id"]))
        order = sorted(zip(ended, fragments, strict=True), key=lambda end: end[0][0])
        for (at, done, call_id), fragment in order:
            draft.now = at
            write_result(draft, done, call_id, fragment)
            self.context.add(done.result)
        # A result stands before a fragment that was still being written when it came.
        draft.items[first:] = sorted(draft.items[first:], key=_time_or_never)
        self.builder.wait(_TOGETHER)
        return self

    def say(self, words: str, *, think: str | None = None) -> Self:
        """Let the model answer in words, which end its turn."""
        opening = [] if think is None else [thinking(prose(think))]
        self._write_answer([*opening, text(prose(words))], "end_turn")
        return self

    def answer(self, words: str, *, think: str | None = None) -> Self:
        """Let the model answer in words, and the client note how long the turn took."""
        self.say(words, think=think)
        place = self.builder.draft.place
        if place.entrypoint == "cli" and not place.agent_id:
            self.builder.wait(0.02).turn_duration().wait(_TOGETHER)
        if self.title and self.builder.draft.turn.number == 1:
            self.builder.ai_title(self.title)
        return self

    def retry(self, status: int, words: str, times: int) -> Self:
        """Let requests fail and be tried again before the next answer."""
        for attempt in range(1, times + 1):
            self.wait(self.pace.between(0.6, 1.2))
            self.builder.api_error(status, words, attempt=attempt)
            pause = 0.5 * 2**attempt
            self.totals.wasted_seconds += pause + 1
            self.wait(pause - 1)
        return self

    def break_off(self, words: str) -> Self:
        """Let the person stop an answer; the client keeps what came, and counts nothing of it."""
        draft = self.builder.draft
        spent = dict(draft.spent)
        self.wait(self.pace.between(3.5, 6.0))
        usage = self.context.call(self.now, 4, 0.3)
        self.builder.assistant(prose(words), usage=usage)
        message = self.builder.rows[-1]["message"]
        message["stop_reason"] = None
        del message["stop_details"]
        self.builder.change(isAbortedMidStream=True)
        draft.spent.clear()
        draft.spent.update(spent)
        self.builder.wait(_TOGETHER).interrupt()
        return self

    def steer(self, words: str, *, ago: float) -> Self:
        """Let the person write while a call runs; the words reach the model after its result."""
        items = self.builder.draft.items
        ended = max(at for at, item in enumerate(items) if "toolUseResult" in item)
        self.wait(-ago)
        self.builder.steer(prose(words)).wait(ago - 4)
        self.builder.rows[-2]["timestamp"] = _stamp(self.now)
        items.insert(ended, items.pop(-3))
        self.context.add(words)
        return self

    def work_aside(self, command: str, told: str, *, name: str) -> Self:
        """Let a command run in the background, to be heard of under a name."""
        builder = self.builder
        task = builder.draft.ids.task()
        file = "/".join(["", "tmp", "claude-1000", builder.session_id, "tasks", f"{task}.output"])
        words = (
            f"Command running in background with ID: {task}. Output is being written to: {file}."
        )
        arguments = {"command": command, "description": told, "run_in_background": True}
        result = {"stdout": "", "stderr": "", "interrupted": False, "isImage": False}
        self.act(Call("Bash", arguments, words, result | {"backgroundTaskId": task}, seconds=0.2))
        ended = next(row for row in reversed(builder.rows) if "toolUseResult" in row)
        call_id = ended["message"]["content"][0]["tool_use_id"]
        self._tasks[name] = Task(task, call_id, told, file)
        return self

    def output_of(self, name: str) -> str:
        """Give the file to which a command in the background writes."""
        return self._tasks[name].file

    def report(self, name: str, outcome: str) -> Self:
        """Let the client tell that a command in the background came to its end."""
        task, builder = self._tasks[name], self.builder
        words = task.notice(outcome)
        builder.queue("enqueue", words).wait(_TOGETHER).queue("dequeue").wait(_TOGETHER)
        builder.draft.begin_turn(builder.draft.turn.prompt)
        source = {
            "origin": {"kind": "task-notification", "producer": "session-task"},
            "promptSource": "system",
            "turnOrigin": "task_notification",
            "queueSkipAttachments": True,
        }
        builder.draft.say(words, **builder.draft.prompt_fields() | source)
        self.context.add(words)
        return self

    def errand(
        self,
        description: str,
        prompt: str,
        steps: Callable[["Scene"], object],
        *,
        agent: str = "general-purpose",
        model: str = OPUS,
    ) -> Agent:
        """Make a call that starts an agent run."""
        words = prose(prompt)

        def run(builder: SessionBuilder) -> None:
            builder.draft.model = model
            below = Scene(builder, self.workspace, f"{self._name}/{description}")
            below.totals = self.totals
            below.context = Context(fresh=RUN_PREFIX_TOKENS, prefix=RUN_PREFIX_TOKENS)
            below.context.add(words)
            builder.wait(_TOGETHER)
            steps(below)

        return Agent(description, words, run, agent)

    def wait(self, seconds: float) -> Self:
        """Let time pass, or run backwards."""
        self.builder.wait(seconds)
        return self

    def compact(self, summary: str, *, trigger: str = "auto") -> Self:
        """Replace the past by a summary, which a call wrote that has no row."""
        draft, words = self.builder.draft, prose(summary)
        before = self.context.known + self.context.fresh
        usage = self.context.call(self.now, tokens_in(words) + 700, 0.5)
        self.unrecorded(usage)
        seconds = 6 + self.pace.writing(draft.model, usage.output)
        after = tokens_in(words) + 5_200
        self.wait(seconds).builder.compact(trigger, pre=before, post=after, summary=words)
        boundary = next(row for row in reversed(self.builder.rows) if "compactMetadata" in row)
        boundary["compactMetadata"]["durationMs"] = int(seconds * 1000)
        self.context.restart(after)
        return self

    def unrecorded(self, usage: Usage, model: str = "") -> Self:
        """Count a call of the client's own, which no row tells of."""
        draft = self.builder.draft
        name = model or draft.model
        draft.spent[name] = draft.spent.get(name, Usage()) + usage
        self.totals.add(name, usage, 0, self.now)
        return self

    def end(self) -> Self:
        """Write what the client writes when it ends: title, last prompt and totals."""
        if self.builder.draft.place.entrypoint == "cli":
            self.builder.marker("mode", mode="normal")
            self.builder.marker("permission-mode", permissionMode=self.builder.draft.mode)
        if self.title:
            self.builder.ai_title(self.title)
        self.builder.last_prompt().cost_state(self.totals.costs_usd()).change(**self._sums())
        for model, spent in self.builder.rows[-1]["modelUsage"].items():
            spent["thinkingTokens"] = self.totals.thinking_tokens.get(model, 0)
        return self

    def write(self, root: Path) -> Path:
        """Write all files of the session below a root."""
        transcript = self.builder.write(root)
        transcript.write_bytes(transcript.read_bytes().replace(_BUILDER_HOME, _HOME))
        return transcript

    def _look_around(self) -> None:
        folder = self.workspace.root
        snapshot = {
            "workingDirectory": folder,
            "isWorktree": False,
            "isGitRepo": True,
            "additionalWorkingDirectories": [],
            "platform": "linux",
            "shell": "bash",
            "osVersion": "Linux 6.17.4",
        }
        day = self.now.date().isoformat()
        told = f"Working directory: {folder}\nGit repository: yes\nPlatform: linux"
        self.builder.attachment("environment", snapshot=snapshot, rendered=told).wait(_TOGETHER)
        reminder = f"<system-reminder>\nToday's date is {day}.\n</system-reminder>"
        self.builder.attachment("date", date=day, rendered=reminder).wait(_TOGETHER)

    def _write_answer(self, blocks: list[Block], reason: str) -> list[str]:
        draft = self.builder.draft
        thought = sum(self._thoughts(block) for block in blocks if block["type"] == "thinking")
        began = draft.now + timedelta(seconds=self.pace.between(1.8, 5.2))
        output = tokens_in(blocks) + thought
        usage = self.context.call(began, output, self.pace.between(0, 1))
        first = len(draft.items)
        uuids = write_answer(draft, blocks, usage, reason)
        self._retime([row for row in draft.items[first:] if isinstance(row, dict)], began, thought)
        self.totals.add(draft.model, usage, thought, began)
        return uuids

    def _thoughts(self, block: Block) -> int:
        """Guess the tokens of thinking, of which the words that are shown are a digest."""
        share = self.pace.between(1.4, 2.4) * _EFFORTS[self.effort]
        return int(share * tokens_in(block["thinking"])) + 90

    def _retime(self, rows: list[Row], began: datetime, thought: int) -> None:
        """Give each fragment the time at which its block was written."""
        draft, at = self.builder.draft, began
        for row in rows:
            block = row["message"]["content"][0]
            is_thinking = block["type"] == "thinking"
            tokens = thought if is_thinking else tokens_in(block)
            seconds = 0.15 + self.pace.writing(draft.model, tokens)
            at += timedelta(seconds=seconds)
            row["timestamp"] = _stamp(at)
            row["effort"] = row["perTurnEffort"] = self.effort
            row["message"]["usage"]["output_tokens_details"] = {"thinking_tokens": thought}
            if is_thinking:
                row["thinkingDurationMs"] = int(seconds * 1000)
                row["thinkingDisplay"] = "omitted" if draft.place.agent_id else "updates"
            elif block["type"] == "tool_use":
                row["toolInputStreamMs"] = int(seconds * 1000)
        self.totals.api_seconds += (at - draft.now).total_seconds() + len(rows)
        draft.now = at

    def _carry_out(self, call: Call | Agent, call_id: str, began: datetime) -> Call:
        """Let the clock stand where a call ends, and give the call with its result."""
        draft = self.builder.draft
        draft.now = began
        match call:
            case Call():
                draft.now += timedelta(seconds=call.seconds or self.pace.tool(call.tool))
                return msgspec.structs.replace(call, seconds=0)
            case Agent():
                below = SessionBuilder()
                below.draft = open_run(draft, call)
                call.steps(below.user(call.prompt))
                return finished_call(close_run(draft, below.draft, call, call_id))

    def _note_use(self, tool: str) -> None:
        """Write which tools the session uses, once for each."""
        if not self.builder.draft.place.agent_id and tool not in self._tools:
            self._tools.append(tool)
            self.builder.marker("tools-used", tools=list(self._tools))

    def _sums(self) -> dict[str, Any]:
        totals = self.totals
        taken = (self.now - self._began).total_seconds()
        return {
            "totalCostUSD": sum(totals.nano_dollars.values()) / 10**9,
            "totalAPIDuration": int((totals.api_seconds + totals.wasted_seconds) * 1000),
            "totalAPIDurationWithoutRetries": int(totals.api_seconds * 1000),
            "totalToolDuration": int(totals.tool_seconds * 1000),
            "totalLinesAdded": self.workspace.lines_added,
            "totalLinesRemoved": self.workspace.lines_removed,
            "totalDuration": int(taken * 1000),
            "startTime": int(self._began.timestamp() * 1000),
            "hasUnknownModelCost": bool(totals.unpriced),
        }


def _stamp(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _time(row: Row) -> datetime:
    return datetime.fromisoformat(row["timestamp"])


def _time_or_never(item: Row | bytes) -> str:
    """Give a row's time; bookkeeping without a time goes last."""
    return str(item.get("timestamp", "~")) if isinstance(item, dict) else "~"
