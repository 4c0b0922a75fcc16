"""Entries that are not talk: progress, hooks, snapshots, queue operations, titles, attachments."""

from typing import Any, Final

from bench.scene import Scene, format_time
from bench.thread import Fragment, Thread
from bench.tools import Call

TOOL_NAMES: Final = (
    *("AskUserQuestion", "CronCreate", "CronList", "EnterPlanMode", "EnterWorktree"),
    *("ExitPlanMode", "NotebookEdit", "SendMessage", "TaskCreate", "TaskGet", "TaskList"),
    *("TaskOutput", "TaskStop", "TaskUpdate", "WebFetch", "WebSearch"),
)
HOOK: Final = '"${PROJECT_DIR}/scripts/check.sh" --stage'
MOST_TRACKED: Final = 12


def report_call(thread: Thread, fragment: Fragment, call: Call) -> None:
    """Write all that is reported while a tool runs."""
    report_hooks(thread, "PreToolUse", fragment, call)
    if call.is_slow:
        _report_output(thread, fragment, call)
    if call.tool.startswith("mcp__"):
        _report_server(thread, fragment, call)
    report_hooks(thread, "PostToolUse", fragment, call)


def report_hooks(thread: Thread, event: str, fragment: Fragment, call: Call) -> None:
    """Write the progress of the hooks that run before or after a tool."""
    for _ in range(thread.scene.dice.randint(0, 2 * thread.scene.hooks)):
        thread.scene.wait(1, 30)
        name = f"{event}:{call.tool}"
        data = {
            "type": "hook_progress",
            "hookEvent": event,
            "hookName": name,
            "command": "callback",
        }
        report(thread, data, fragment.call_id, fragment.call_id)


def _report_output(thread: Thread, fragment: Fragment, call: Call) -> None:
    """Write how the output of a slow command grew."""
    lines = call.content.split("\n") if isinstance(call.content, str) else []
    steps = thread.scene.dice.size(9, 1.1, 1, 100)
    for step in range(1, steps + 1):
        thread.scene.wait(900, 1_100)
        shown = lines[: len(lines) * step // steps][:9]
        data = {
            "type": "bash_progress",
            "output": "\n".join(shown[-5:]),
            "fullOutput": "\n".join(shown),
            "elapsedTimeSeconds": step + 1,
            "totalLines": len(shown),
        }
        report(thread, data, f"bash-progress-{step}", fragment.call_id)


def _report_server(thread: Thread, fragment: Fragment, call: Call) -> None:
    """Write that a tool server started and ended its work."""
    _, server, tool = call.tool.split("__")
    for status in ("started", "completed"):
        data = {"type": "mcp_progress", "status": status, "serverName": server, "toolName": tool}
        report(thread, data, fragment.call_id, fragment.call_id)


def report(thread: Thread, data: dict[str, Any], own_id: str, call_id: str) -> None:
    """Write a progress entry about a call, if this version has them."""
    if thread.scene.client.has("progress"):
        ids = {"toolUseID": own_id, "parentToolUseID": call_id}
        thread.write({"type": "progress", "data": data, **ids})


class FileHistory:
    """Which files the session changed, as its snapshots list them."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._prompt = scene.dice.uuid()
        self._backups: dict[str, dict[str, Any]] = {}

    def take(self, prompt: str) -> None:
        """Write the snapshot that belongs to a prompt."""
        self._prompt = prompt
        self._mark(prompt, is_update=False)

    def update(self, message: str, path: str) -> None:
        """Write the last snapshot again, with one more file in it."""
        version = self._backups.pop(path, {}).get("version", 0) + 1
        self._backups[path] = {
            "backupFileName": f"{self._scene.dice.hexadecimal(16)}@v{version}",
            "version": version,
            "backupTime": self._scene.now(),
        }
        for oldest in tuple(self._backups)[:-MOST_TRACKED]:
            del self._backups[oldest]
        self._mark(message, is_update=True)

    def _mark(self, message: str, *, is_update: bool) -> None:
        if not self._scene.client.has("snapshots"):
            return
        snapshot = {
            "messageId": self._prompt,
            "trackedFileBackups": self._backups,
            "timestamp": self._scene.now(),
        }
        self._scene.mark(
            "file-history-snapshot",
            messageId=message,
            snapshot=snapshot,
            isSnapshotUpdate=is_update,
        )


def queue(scene: Scene, operation: str, content: str = "") -> None:
    """Write a queue operation; only putting something in carries the text."""
    if scene.client.has("queue"):
        fields = {"operation": operation, "timestamp": scene.now(), "sessionId": scene.session_id}
        scene.mark("queue-operation", **fields, **({"content": content} if content else {}))


def steer(thread: Thread, text: str) -> None:
    """Write what the user typed while the model worked."""
    queue(thread.scene, "enqueue", text)
    thread.scene.wait(500, 9_000)
    queue(thread.scene, "remove")
    if thread.scene.client.has("queued_commands"):
        attach(thread, {"type": "queued_command", "prompt": text, "commandMode": "prompt"})


def attach(thread: Thread, attachment: dict[str, Any]) -> None:
    """Write an attachment, if this version has them."""
    if thread.scene.client.has("attachments"):
        thread.write({"attachment": attachment, "type": "attachment"})


def attach_listings(thread: Thread) -> None:
    """Write which tools and skills there are, as each session begins with."""
    delta = {"addedNames": TOOL_NAMES, "addedLines": TOOL_NAMES, "removedNames": []}
    attach(thread, {"type": "deferred_tools_delta", **delta})
    skills = [f"- {x}: {thread.scene.project.prose.text(240)}" for x in TOOL_NAMES[:12]]
    listing = {"content": "\n".join(skills), "skillCount": len(skills), "isInitial": True}
    attach(thread, {"type": "skill_listing", **listing})


def attach_hook(thread: Thread, fragment: Fragment, call: Call) -> None:
    """Write what a hook said after a tool."""
    scene = thread.scene
    said = f"Status set: {scene.cwd}"
    fields = {
        "hookName": f"PostToolUse:{call.tool}",
        "toolUseID": fragment.call_id,
        "hookEvent": "PostToolUse",
        "content": said,
        "stdout": f"{said}\n",
        "stderr": "",
        "exitCode": 0,
        "command": f"{HOOK} post",
        "durationMs": scene.dice.randint(20, 240),
    }
    attach(thread, {"type": "hook_success", **fields})


def remind(thread: Thread) -> None:
    """Write what the client tells the model unasked: open tasks, changed or mentioned files."""
    project, dice = thread.scene.project, thread.scene.dice
    if dice.chance(0.7):
        attach(thread, {"type": "task_reminder", "content": [], "itemCount": 0})
        return
    file = project.file()
    place, start = project.place(file), dice.randrange(len(file.lines))
    snippet = "\n".join(file.lines[start : start + 30])
    if dice.chance(0.5):
        attach(thread, {"type": "edited_text_file", "filename": place, "snippet": snippet})
        return
    inner = {"filePath": place, "content": snippet, "numLines": 30, "startLine": start + 1}
    content = {"type": "text", "file": inner | {"totalLines": len(file.lines)}}
    fields = {"filename": place, "content": content, "displayPath": file.path}
    attach(thread, {"type": "file", **fields})


def notify(thread: Thread) -> None:
    """Write that something in the background came to its end."""
    scene = thread.scene
    task, said = scene.dice.token("b", 6).lower(), scene.project.prose.title()
    text = (
        f"<task-notification>\n<task-id>{task}</task-id>\n<status>completed</status>\n"
        f'<summary>Background command "{said}" completed (exit code 0)</summary>\n'
        "</task-notification>"
    )
    queue(scene, "enqueue", text)
    queue(scene, "dequeue")
    flags = {"origin": {"kind": "task-notification"}} if scene.client.has("attachments") else {}
    thread.say(text, **flags)


def note(thread: Thread, subtype: str, **fields: object) -> str:
    """Write a system entry."""
    return thread.write({"type": "system", "subtype": subtype, **fields}, {"isMeta": False})


def end_turn(thread: Thread, started: int) -> None:
    """Write what follows an answer: the stop hooks and the time the turn took."""
    scene = thread.scene
    if scene.hooks and scene.client.has("stop_hooks"):
        fields = {
            "hookCount": 1,
            "hookInfos": [{"command": f"{HOOK} stop"}],
            "hookErrors": [],
            "preventedContinuation": False,
            "stopReason": "",
            "hasOutput": True,
            "level": "suggestion",
            "toolUseID": scene.dice.uuid(),
        }
        note(thread, "stop_hook_summary", **fields)
    if scene.client.has("turn_durations") and scene.dice.chance(0.6):
        note(thread, "turn_duration", durationMs=scene.clock - started)
    if scene.client.has("ai_titles") and scene.dice.chance(0.05):
        note(thread, "away_summary", content=scene.project.prose.text(300))


def fail_requests(thread: Thread) -> None:
    """Write a few attempts that the API refused."""
    scene = thread.scene
    for attempt in range(1, scene.dice.randint(2, 4)):
        request = scene.dice.token("req_011C", 20)
        inner = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        error = {"status": 529, "headers": {}, "requestID": request, "error": inner}
        retry = {"retryInMs": 540.5 * attempt, "retryAttempt": attempt, "maxRetries": 10}
        note(thread, "api_error", level="error", error=error, **retry)
        scene.wait(500, 2_000)


def compact(thread: Thread) -> None:
    """Replace the past of a thread by a summary of it."""
    scene, before = thread.scene, thread.last
    if scene.client.has("boundaries"):
        metadata = {"trigger": "auto", "preTokens": thread.meter.total}
        body = {
            "logicalParentUuid": before,
            "type": "system",
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "level": "info",
            "compactMetadata": metadata,
        }
        thread.write(body, {"isMeta": False}, parent=None)
    thread.meter.forget()
    text = scene.project.prose.answer(scene.dice.size(15_000, 0.25, 6_000, 30_000))
    said = "This session is being continued from a previous conversation that ran out of context."
    flags = {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
    thread.say(f"{said} The conversation is summarized below:\n{text}", **flags)


def open_session(scene: Scene) -> None:
    """Write what stands before the first prompt."""
    client, dice = scene.client, scene.dice
    if client.has("old_titles") and dice.chance(0.35):
        for _ in range(dice.randint(1, 3)):
            scene.mark("summary", summary=scene.project.prose.title(), leafUuid=dice.uuid())
    if client.has("attachments"):
        mode = dice.choice(("default", "acceptEdits", "bypassPermissions"))
        scene.mark("permission-mode", permissionMode=mode, sessionId=scene.session_id)
    if client.has("modes"):
        scene.mark("mode", mode="normal", sessionId=scene.session_id)


def close_turn(scene: Scene, title: str, prompt: str, leaf: str | None) -> None:
    """Write the markers that newer versions repeat after each turn."""
    client, session = scene.client, scene.session_id
    if client.has("ai_titles") and scene.dice.chance(0.5):
        scene.mark("ai-title", aiTitle=title, sessionId=session)
    if client.has("last_prompts"):
        scene.mark("last-prompt", lastPrompt=prompt[:200], leafUuid=leaf, sessionId=session)
    if scene.dice.chance(0.004):
        scene.mark("custom-title", customTitle=scene.project.prose.title(), sessionId=session)
    if scene.dice.chance(0.004):
        number = scene.dice.randint(2, 900)
        repository = f"example/{scene.project.name}"
        url = f"https://github.com/{repository}/pull/{number}"
        fields = {"prNumber": number, "prUrl": url, "prRepository": repository}
        scene.mark("pr-link", sessionId=session, **fields, timestamp=format_time(scene.clock))
