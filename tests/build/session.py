"""SessionBuilder: a transcript in one expression."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

import msgspec

from tests.build import systems, texts
from tests.build.answers import calling_blocks, close_run, open_run, write_answer, write_result
from tests.build.blocks import Block, as_blocks, text
from tests.build.calls import Agent, Call
from tests.build.clients import NEWEST, Client, Row
from tests.build.draft import Draft, encode_item
from tests.build.ids import Ids
from tests.build.layout import project_folder, run_files, write_files
from tests.build.rows import Place, failure_body
from tests.build.runs import Run, finished_call
from tests.build.usage import Usage


class SessionBuilder:
    """A session, written row by row as one client version would.

    Every step returns the builder. Ids depend on `name` alone, each row takes a second, and a row
    hangs on the one before it unless `rewind_to` says otherwise.
    """

    def __init__(
        self,
        name: str = "session",
        *,
        version: str = NEWEST,
        cwd: str = "/home/dev/code/demo",
        branch: str = "main",
        headless: bool = False,
    ) -> None:
        ids, client = Ids(name), Client(version)
        entrypoint = "sdk-cli" if headless else "cli"
        place = Place(client, ids.uuid("session"), cwd, branch, entrypoint)
        self.draft = Draft(place, client.model, ids=ids)
        self._folder = project_folder(cwd)

    @property
    def session_id(self) -> str:
        """Give the session's id."""
        return self.draft.place.session_id

    @property
    def rows(self) -> list[Row]:
        """Give the rows of the session's own transcript."""
        return self.draft.rows

    @property
    def runs(self) -> list[Run]:
        """Give the agent runs, in the order in which they ended."""
        return self.draft.runs

    def lines(self) -> list[bytes]:
        """Give the lines of the session's own transcript, without newlines."""
        return self.draft.lines

    def content(self) -> bytes:
        """Give the session's own transcript, byte for byte."""
        return self.draft.content

    def uuid_of(self, name: str) -> str:
        """Give the uuid of a remembered row; the beginning has none."""
        return self.draft.names[name] or ""

    def write(self, target: Path) -> Path:
        """Write all files and give the session's transcript.

        `target` is that transcript (`….jsonl`), or a root below which the client's layout is made.
        """
        transcript = target
        if target.suffix != ".jsonl":
            transcript = target / "projects" / self._folder / f"{self.session_id}.jsonl"
        files = {transcript.name: self.content()}
        for run in self.runs:
            files |= run_files(run, transcript.stem)
        for name, data in self.draft.sidecars.items():
            files[f"{transcript.stem}/{name}"] = data
        write_files(transcript.parent, files)
        return transcript

    def at(self, time: str) -> Self:
        """Set the clock, as in `2026-11-01T09:00:00Z`."""
        self.draft.now = datetime.fromisoformat(time).astimezone(UTC)
        return self

    def wait(self, seconds: float) -> Self:
        """Let time pass, or run backwards."""
        self.draft.now += timedelta(seconds=seconds)
        return self

    def cwd(self, path: str) -> Self:
        """Work in another directory from here on."""
        return self._move(cwd=path)

    def branch(self, name: str) -> Self:
        """Be on another git branch from here on."""
        return self._move(branch=name)

    def slug(self, name: str) -> Self:
        """Carry a slug from here on."""
        return self._move(slug=name)

    def version(self, version: str) -> Self:
        """Go on with another client; the model stays."""
        return self._move(client=Client(version))

    def model(self, name: str) -> Self:
        """Let another model answer from here on."""
        self.draft.model = name
        return self

    def permission_mode(self, mode: str) -> Self:
        """Go on in another permission mode."""
        self.draft.mode = mode
        return self.marker("permission-mode", permissionMode=mode)

    def remember(self, name: str) -> Self:
        """Name the last row, or the beginning."""
        self.draft.names[name] = self.draft.parent
        return self

    def rewind_to(self, name: str) -> Self:
        """Let the next row hang on a remembered one, which makes a fork."""
        self.draft.parent = self.draft.names[name]
        return self

    def user(self, *content: str | Block) -> Self:
        """Write a prompt: words, or blocks with pictures among them."""
        words = next((piece for piece in content if isinstance(piece, str)), "")
        self.draft.begin_turn(words)
        if self.draft.place.agent_id:
            return self._say(*content)
        if self.draft.place.entrypoint != "cli" and self.draft.client.writes("queue-operation"):
            self.queue("enqueue", words).queue("dequeue")
        pictures = sum(isinstance(piece, dict) and piece["type"] == "image" for piece in content)
        is_pasted = pictures and self.draft.place.entrypoint == "cli"
        pasted = {"imagePasteIds": list(range(1, pictures + 1))} if is_pasted else {}
        return self._say(*content, **pasted, **self.draft.prompt_fields())

    def meta(self, words: str) -> Self:
        """Write an injection: a user row that no person wrote."""
        return self._say(words, isMeta=True)

    def assistant(
        self,
        *content: str | Block,
        usage: Usage | None = None,
        stop_reason: str | None = None,
        growing: bool = False,
    ) -> Self:
        """Write an answer, one row per block; if `growing`, only the last has the whole usage."""
        blocks = as_blocks(content)
        called = any(block["type"] == "tool_use" for block in blocks)
        reason = stop_reason or ("tool_use" if called else "end_turn")
        write_answer(self.draft, blocks, usage, reason, growing=growing)
        return self

    def tool(
        self,
        tool: str,
        arguments: dict[str, Any],
        result: str | list[Block] | None = None,
        *,
        say: str = "",
        think: str | None = None,
        **more: Any,
    ) -> Self:
        """Call a tool and write its result; `more` are other fields of `Call`."""
        return self.tools(Call(tool, arguments, result, **more), say=say, think=think)

    def tools(self, *calls: Call | Agent, say: str = "", think: str | None = None) -> Self:
        """Make several calls in one answer, then write their results."""
        blocks = calling_blocks(self.draft, calls, say, think)
        fragments = write_answer(self.draft, blocks, stop_reason="tool_use")
        first = len(blocks) - len(calls)
        for call, block, fragment in zip(calls, blocks[first:], fragments[first:], strict=True):
            ended = self._run(call, block["id"]) if isinstance(call, Agent) else call
            write_result(self.draft, ended, block["id"], fragment)
        return self

    def agent(
        self,
        description: str,
        prompt: str,
        steps: Callable[["SessionBuilder"], object],
        *,
        agent: str = "general-purpose",
        background: bool = False,
    ) -> Self:
        """Start an agent run, whose `steps` after its prompt are built on a nested builder."""
        return self.tools(Agent(description, prompt, steps, agent, background))

    def interrupt(self, *, during_tool: bool = False) -> Self:
        """Write what an interrupt leaves."""
        words = texts.INTERRUPTED_TOOL if during_tool else texts.INTERRUPTED
        return self._say(text(words), interruptedMessageId=self.draft.message_id)

    def failure(self, words: str, *, error: str = "rate_limit", status: int = 429) -> Self:
        """Write the answer that the client makes up when the model gives none."""
        message_id = self.draft.ids.uuid("message")
        return self._add(failure_body(self.draft.place, message_id, words, error, status))

    def command(self, name: str, arguments: str = "", *, stdout: str = "") -> Self:
        """Write a local command as user rows: caveat, command and output."""
        self.meta(texts.caveat(self.draft.client))
        self._say(texts.local_command(name, arguments))
        return self._say(texts.command_output(stdout))

    def local_command(self, name: str, arguments: str = "", *, stdout: str = "") -> Self:
        """Write a local command as system rows: command and output."""
        self.draft.require("local_command")
        called = texts.local_command(name, arguments)
        self._add(systems.system_body("local_command", content=called, level="info"))
        row = systems.system_body(
            "local_command", content=texts.command_output(stdout), level="info"
        )
        return self._add(
            row | {"commandRun": {"command": name.removeprefix("/"), "args": arguments}}
        )

    def prompt_command(self, name: str, arguments: str = "", *, body: str) -> Self:
        """Write a command whose body is a prompt."""
        self.draft.begin_turn(f"{name} {arguments}".rstrip())
        told = self.draft.prompt_fields()
        turn = {key: told[key] for key in ("origin", "turnOrigin", "turnPosition") if key in told}
        self._say(texts.prompt_command(name, arguments), **turn)
        return self._say(text(body), isMeta=True, turnCompanion=True)

    def bash(self, command: str, *, stdout: str = "", stderr: str = "") -> Self:
        """Write a command that the person typed after `!`, and what it printed."""
        self.draft.begin_turn(f"!{command}")
        told = self.draft.prompt_fields()
        self._say(f"<bash-input>{command}</bash-input>")
        turn = {key: told[key] for key in ("turnOrigin", "turnPosition")}
        return self._say(texts.bash_output(stdout, stderr), **turn)

    def notification(self, description: str, *, status: str = "completed") -> Self:
        """Report the end of a background agent run, known by its description."""
        run = next(run for run in self.runs if run.agent.description == description)
        summary = f'Agent "{description}" finished'
        notice = texts.Notice(run.id, run.call_id, summary, run.report, status)
        self.draft.begin_turn(self.draft.turn.prompt)
        source = {
            "origin": {"kind": "task-notification"},
            "promptSource": "system",
            "turnOrigin": "task_notification",
            "queueSkipAttachments": True,
        }
        return self._say(texts.notification(notice), **self.draft.prompt_fields() | source)

    def teammate(self, sender: str, words: str) -> Self:
        """Write a message from a teammate."""
        position = self.draft.prompt_fields()["turnPosition"]
        return self._say(texts.teammate(sender, words, self.draft.client), turnPosition=position)

    def system(self, subtype: str, **fields: Any) -> Self:
        """Write a system row of any kind."""
        return self._add(systems.system_body(subtype, **fields))

    def turn_duration(self) -> Self:
        """Write how long the turn took."""
        taken = (self.draft.now - self.draft.turn.began_at) / timedelta(milliseconds=1)
        count = sum("uuid" in row for row in self.rows)
        return self.system("turn_duration", durationMs=int(taken), messageCount=count)

    def stop_hook(self, command: str, *, error: str = "", stops: bool = False) -> Self:
        """Write what the hooks at the end of a turn did."""
        hook_id = self.draft.ids.uuid("hook")
        return self._add(systems.stop_hook_body(command, error, hook_id, stops=stops))

    def api_error(self, status: int = 529, words: str = "Overloaded", *, attempt: int = 1) -> Self:
        """Write a failed request that is tried again."""
        client, request_id = self.draft.client, self.draft.ids.request()
        return self._add(systems.api_error_body(client, status, words, request_id, attempt))

    def informational(self, words: str, *, level: str = "info") -> Self:
        """Write a remark of the client."""
        body = systems.system_body("informational", content=words, isMeta=False)
        return self._add(body | {"level": level})

    def away_summary(self, words: str) -> Self:
        """Write the recap for a person who was away."""
        return self.system("away_summary", content=words)

    def compact(
        self,
        trigger: str = "auto",
        *,
        pre: int = 150_000,
        post: int = 6_000,
        summary: str = "The work so far.",
    ) -> Self:
        """Replace the past by a summary; when it is `manual`, the `/compact` command follows."""
        draft = self.draft
        if draft.client.writes("compact_boundary"):
            body = systems.boundary_body(draft.client, draft.parent, trigger, pre, post)
            draft.add(body, parent=None)
        self._say(
            texts.compaction_summary(summary),
            isVisibleInTranscriptOnly=True,
            isCompactSummary=True,
            turnPosition=draft.prompt_fields()["turnPosition"],
        )
        draft.context_tokens, draft.fresh_tokens = 0, post
        return self.command("/compact", stdout="Compacted") if trigger == "manual" else self

    def attachment(self, kind: str, *, rendered: str = "", **fields: Any) -> Self:
        """Write an attachment; `rendered` is what the model is shown of it."""
        self.draft.require("attachment")
        return self._add(systems.attachment_body(kind, fields, rendered))

    def progress(self, kind: str, *, call_id: str = "", **data: Any) -> Self:
        """Write a sign of life of a call, by default the last one."""
        self.draft.require("progress")
        return self._add(systems.progress_body(kind, call_id or self._last_call_id(), data))

    def queue(self, operation: str, content: str | None = None, **fields: Any) -> Self:
        """Write an operation on the queue of prompts."""
        self.draft.require("queue-operation")
        words = {} if content is None else {"content": content}
        return self.row(systems.queue_row(self.draft, operation, words | fields))

    def steer(self, words: str) -> Self:
        """Write words typed while the model works, and how they are handed to it."""
        source, delivery = self.draft.ids.uuid("steer"), self.draft.ids.uuid("steer")
        self.queue("enqueue", words)
        command = systems.queued_command(self.draft, words, source, delivery)
        ids = {"commandUuid": source, "deliveryId": delivery}
        self.queue("remove", words, reason="absorbed_mid_turn", **ids)
        if not self.draft.client.writes("queued_command"):
            return self
        return self.attachment("queued_command", rendered=words, **command)

    def marker(self, kind: str, **fields: Any) -> Self:
        """Write bookkeeping that belongs to the session alone."""
        return self.row({"type": kind, **fields, "sessionId": self.session_id})

    def ai_title(self, title: str) -> Self:
        """Write the title that a model gave."""
        return self.marker("ai-title", aiTitle=title)

    def custom_title(self, title: str) -> Self:
        """Write the title that the person gave."""
        return self.marker("custom-title", customTitle=title)

    def summary(self, title: str, *, leaf: str = "") -> Self:
        """Write a title as old clients did, about the session that ends in `leaf`."""
        leaf_uuid = leaf or self.draft.last_uuid
        return self.row({"type": "summary", "summary": title, "leafUuid": leaf_uuid})

    def last_prompt(self) -> Self:
        """Write which prompt came last."""
        words = self.draft.turn.prompt
        return self.marker("last-prompt", lastPrompt=words, leafUuid=self.draft.last_uuid)

    def snapshot(self, files: Row | None = None) -> Self:
        """Write which files were saved before the next change."""
        return self.row(systems.snapshot_row(self.draft, files or {}))

    def cost_state(self, costs_usd: dict[str, float] | None = None) -> Self:
        """Write the client's own totals of all that was built so far, with costs by model."""
        return self.row(systems.cost_state_row(self.draft, costs_usd or {}))

    def row(self, row: Row) -> Self:
        """Write a row exactly as given."""
        self.draft.items.append(row)
        return self

    def change(self, **fields: Any) -> Self:
        """Set fields of the last row."""
        self.rows[-1].update(fields)
        return self

    def drop(self, *keys: str) -> Self:
        """Take keys out of the last row."""
        for key in keys:
            del self.rows[-1][key]
        return self

    def raw(self, line: bytes) -> Self:
        """Write a line that need not be a row."""
        self.draft.items.append(line)
        return self

    def glue(self) -> Self:
        """Put the last two lines on one."""
        right, left = self.draft.items.pop(), self.draft.items.pop()
        return self.raw(encode_item(left) + encode_item(right))

    def torn(self) -> Self:
        """Cut the last line in half, as if it were still being written."""
        line = encode_item(self.draft.items.pop())
        self.draft.tail = line[: len(line) // 2]
        return self

    def fork(self, name: str, *, marked: bool = False) -> "SessionBuilder":
        """Start another session with the same rows; if `marked`, they say where they come from."""
        other = SessionBuilder(name)
        place = msgspec.structs.replace(self.draft.place, session_id=other.session_id)
        rows = [_forked(row, other.session_id, marked=marked) for row in self.rows]
        shared = {"names": dict(self.draft.names), "spent": dict(self.draft.spent)}
        own = {"ids": other.draft.ids, "runs": [], "sidecars": {}}
        other.draft = msgspec.structs.replace(
            self.draft, place=place, items=rows, tail=b"", **shared, **own
        )
        other._folder = self._folder
        return other

    def _run(self, agent: Agent, call_id: str) -> Call:
        below = SessionBuilder()
        below.draft = open_run(self.draft, agent)
        agent.steps(below.user(agent.prompt))
        return finished_call(close_run(self.draft, below.draft, agent, call_id))

    def _say(self, *content: str | Block, **fields: Any) -> Self:
        self.draft.say(*content, **fields)
        return self

    def _add(self, body: Row) -> Self:
        self.draft.add(body)
        return self

    def _move(self, **changes: Any) -> Self:
        self.draft.place = msgspec.structs.replace(self.draft.place, **changes)
        return self

    def _last_call_id(self) -> str:
        answers = [row for row in self.rows if row["type"] == "assistant"]
        blocks = [block for row in answers for block in row["message"]["content"]]
        return str(next(block["id"] for block in reversed(blocks) if block["type"] == "tool_use"))


def _forked(row: Row, session_id: str, *, marked: bool) -> Row:
    copy = row | ({"sessionId": session_id} if "sessionId" in row else {})
    if marked and "uuid" in row:
        copy["forkedFrom"] = {"sessionId": row["sessionId"], "messageUuid": row["uuid"]}
    return copy
