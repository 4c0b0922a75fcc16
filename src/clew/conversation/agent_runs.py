"""Step 6: attach each agent run to the call that started it.

Evidence, strongest first: the meta file's tool id, the agent id in the result, progress rows, the
agent id in the result's text, an equal prompt, an equal description.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clew.conversation.material import Material, TranscriptKind
from clew.conversation.missing_runs import lost_run_id, missing_run
from clew.conversation.model import MISSING, AgentRun, Message, Reported, ToolCall
from clew.conversation.nodes import Node, Nodes, progress_rows_by_agent
from clew.conversation.tool_calls import Links
from clew.conversation.usage import add_up
from clew.entries import (
    NO_LINKS,
    AgentMeta,
    Assistant,
    JournalRow,
    Notification,
    ProgressRow,
    ResultLinks,
)

_TEXT_ID: Final = re.compile(r"agentId: ([A-Za-z0-9_-]+)")
_WARMUP: Final = "Warmup"
_HIDDEN: Final = ("warmup", "suggestion")
_HAS_PROMPT: Final = re.compile(rb'"prompt"')
_KINDS: Final = {
    TranscriptKind.AGENT: "agent",
    TranscriptKind.COMPACTION: "compaction",
    TranscriptKind.SUGGESTION: "suggestion",
    TranscriptKind.SIDE_QUESTION: "side_question",
    TranscriptKind.WORKFLOW: "workflow",
}


class _AgentPrompt(msgspec.Struct, frozen=True, gc=False):
    """What a call that starts an agent says."""

    prompt: str = ""
    description: str = ""
    subagent_type: str = ""
    name: str = ""
    team_name: str = ""


_NOTHING_ASKED: Final = _AgentPrompt()


class _Call(msgspec.Struct, gc=False):
    """A call that may have started a run."""

    call: ToolCall
    prompt_of_call: _AgentPrompt
    links: ResultLinks
    taken: bool = False


class _Evidence:
    """All calls of the session, by what they know of runs."""

    def __init__(
        self,
        runs: Iterable[AgentRun],
        calls: Iterable[ToolCall],
        links: Links,
        nodes: Nodes,
        messages: list[Message],
    ) -> None:
        self.runs = {run.id: run for run in runs}
        self.calls = {
            call.id: _Call(call, _asked(call), links.get(call.id, NO_LINKS)) for call in calls
        }
        self.by_agent: dict[str, _Call] = {}
        self.by_text: dict[str, _Call] = {}
        self.by_prompt: dict[str, list[_Call]] = {}
        self.by_description: dict[tuple[str, str], list[_Call]] = {}
        self.by_run: dict[str, _Call] = {}
        self.by_teammate: dict[str, _Call] = {}
        for found in self.calls.values():
            self._index(found)
        self.by_progress = _progress_links(nodes)
        self.news = {
            m.content.task_id: m.content
            for m in messages
            if isinstance(m.content, Notification) and m.content.task_id
        }

    def _index(self, found: _Call) -> None:
        links, prompt_of_call = found.links, found.prompt_of_call
        if links.agent_id:
            self.by_agent.setdefault(links.agent_id, found)
        if links.teammate_id:
            self.by_teammate.setdefault(links.teammate_id.partition("@")[0], found)
        if links.run_id:
            self.by_run.setdefault(links.run_id, found)
        if links.transcript_dir and (name := links.transcript_dir.rstrip("/").rpartition("/")[2]):
            self.by_run.setdefault(name, found)
        if prompt_of_call.prompt:
            self.by_prompt.setdefault(prompt_of_call.prompt.strip(), []).append(found)
            key = (prompt_of_call.description, prompt_of_call.subagent_type)
            self.by_description.setdefault(key, []).append(found)
            text = _TEXT_ID.search(found.call.result_text)
            if text:
                self.by_text.setdefault(text[1], found)

    def find(self, run: AgentRun, meta: AgentMeta) -> tuple[_Call | None, str | None]:
        """Find the call that started a run, and by which evidence."""
        for link, found in self._exact(run, meta):
            if found is not None and not self._is_below(found, run):
                return found, link
        for link, options in (
            ("prompt", self.by_prompt.get(run.prompt.strip(), [])),
            ("description", self._described(meta)),
        ):
            best = _nearest([option for option in options if not self._is_below(option, run)], run)
            if best is not None:
                return best, link
        return None, None

    def _is_below(self, found: _Call, run: AgentRun) -> bool:
        """Return whether a call was made by the run itself or by one that it started."""
        above = found.call.agent_run_id
        while above is not None and above != run.id:
            above = self.runs[above].parent_run_id
        return above is not None

    def _exact(self, run: AgentRun, meta: AgentMeta) -> Iterable[tuple[str, _Call | None]]:
        yield "meta", self.calls.get(meta.tool_use_id or "")
        yield "result", self.by_agent.get(run.id)
        yield "workflow", self.by_run.get(run.workflow_id or "")
        yield "progress", self.calls.get(self.by_progress.get(run.id, ""))
        yield "text", self.by_text.get(run.id)
        yield "teammate", self.by_teammate.get(meta.name or "") if meta.name else None
        news = self.news.get(run.id)
        yield "notification", self.calls.get(news.tool_use_id) if news else None

    def _described(self, meta: AgentMeta) -> list[_Call]:
        if not meta.description:
            return []
        return self.by_description.get((meta.description, meta.agent_type or ""), [])


def make_runs(
    material: Material,
    nodes: Nodes,
    calls: list[ToolCall],
    links: Links,
    messages: list[Message],
) -> list[AgentRun]:
    """Make all runs of a session, linked as far as there is evidence."""
    runs = _draft_runs(material, nodes, messages)
    evidence = _Evidence(runs, calls, links, nodes, messages)
    for run in sorted(runs, key=lambda run: (run.started_at, run.id)):
        _link(run, evidence, material.metas.get(run.id, AgentMeta()))
    runs.extend(_missing_runs(evidence))
    _set_depths(runs)
    _label_workflows(runs, nodes, material)
    return runs


def _missing_runs(evidence: _Evidence) -> Iterator[AgentRun]:
    """Make the runs that calls report and no file has; one that was called twice comes once."""
    known = set(evidence.runs)
    # Old clients name no agent: a run without a call may be the one that is reported.
    has_loose = any(run.link is None and run.kind == "agent" for run in evidence.runs.values())
    for found in evidence.calls.values():
        call, prompt_of_call = found.call, found.prompt_of_call
        is_known = found.taken or (has_loose and not found.links.agent_id)
        name = "" if is_known else lost_run_id(call, found.links, prompt_of_call.prompt)
        if name and name not in known:
            known.add(name)
            run = missing_run(name, call, _reported(found.links))
            run.prompt, run.name = prompt_of_call.prompt, prompt_of_call.name or None
            _describe(run, found)
            _add_news(run, evidence)
            yield run


def _draft_runs(material: Material, nodes: Nodes, messages: list[Message]) -> list[AgentRun]:
    """Make a run of each context but the main one, in order of their first rows."""
    kinds = {t.agent_id or t.name: t for t in material.transcripts if t.kind in _KINDS}
    grouped: dict[str, list[Message]] = {}
    for message in messages:
        if message.agent_run_id:
            grouped.setdefault(message.agent_run_id, []).append(message)
    rows: dict[str, list[Node]] = {name: [] for name in kinds}
    for node in nodes.by_id.values():
        if node.context:
            rows.setdefault(node.context, []).append(node)
    runs = []
    for name, own in rows.items():
        run = _draft(name, own, grouped.get(name, []))
        run.has_transcript = name not in nodes.progress_runs
        if (transcript := kinds.get(name)) is not None:
            run.kind = _KINDS[transcript.kind]
            if run.kind == "compaction":
                run.started_at = _requested_at(grouped.get(name, [])) or run.started_at
            run.workflow_id = transcript.workflow_id or None
        runs.append(run)
    return runs


def _draft(name: str, rows: list[Node], messages: list[Message]) -> AgentRun:
    times = sorted(node.time for node in rows if node.time)
    prompt = next((m for m in messages if m.kind in ("prompt", "teammate")), None)
    answers = [m for m in messages if m.usage]
    answered = [n.entry.body for n in rows if isinstance(n.entry.body, Assistant)]
    agent = next((body.attribution_agent for body in answered if body.attribution_agent), "")
    return AgentRun(
        id=name,
        agent=agent or "",
        prompt=prompt.text if prompt else "",
        models=tuple(dict.fromkeys(m.model for m in answers if m.model)),
        usage=add_up(m.usage for m in answers if m.usage),
        started_at=times[0] if times else "",
        ended_at=times[-1] if times else "",
        message_ids=tuple(m.id for m in messages),
        status=_own_status(messages),
    )


def _requested_at(messages: list[Message]) -> str:
    """Return when a compaction was asked for: the rows before its request are copies."""
    return next((m.started_at for m in messages if m.kind == "prompt"), "")


def _own_status(messages: list[Message]) -> str:
    """The status by the rows alone: a run that ends with a finished answer is done."""
    last = next(
        (m for m in reversed(messages) if m.kind in ("answer", "api_error", "interrupt")), None
    )
    if last is None:
        return "unknown"
    if last.kind == "answer":
        return "done" if last.stop_reason not in ("tool_use", None) else "unknown"
    return "failed" if last.kind == "api_error" else "interrupted"


def _link(run: AgentRun, evidence: _Evidence, meta: AgentMeta) -> None:
    run.agent = meta.agent_type or run.agent
    run.description = meta.description or ""
    run.name = meta.name or None
    run.color = meta.color or None
    run.worktree_path = meta.worktree_path or None
    if run.prompt.strip() == _WARMUP and run.kind == "agent":
        run.kind = "warmup"
    elif run.kind == "agent" and (meta.task_kind == "in_process_teammate" or meta.team_name):
        run.kind = "teammate"
    run.is_hidden = run.kind in _HIDDEN
    found, run.link = (None, None) if run.is_hidden else evidence.find(run, meta)
    if found is not None:
        _hang(run, found)
    _add_news(run, evidence)


def _add_news(run: AgentRun, evidence: _Evidence) -> None:
    """Add what a notification says of the end of a run."""
    news = evidence.news.get(run.id)
    if news is not None:
        run.status = run.status if run.status == MISSING else _STATUS.get(news.status, run.status)
        reported_by_news = Reported(news.total_tokens, news.tool_uses, news.duration_ms)
        run.reported = (
            run.reported if reported_by_news == Reported() and run.reported else reported_by_news
        )


_STATUS: Final = {"completed": "done", "failed": "failed", "killed": "interrupted"}


def _hang(run: AgentRun, found: _Call) -> None:
    call, links = found.call, found.links
    found.taken = True
    run.tool_call_id = call.id
    run.parent_run_id = call.agent_run_id
    if run.workflow_id is None:
        _describe(run, found)
        if links.total_tokens is not None or links.total_tool_use_count is not None:
            run.reported = _reported(links)
        if call.background_id is None and call.status != "pending":
            run.status = call.status if run.kind != "teammate" else run.status


def _describe(run: AgentRun, found: _Call) -> None:
    """Let a run and its call know each other, with what the call says that the run does not."""
    call, links, prompt_of_call = found.call, found.links, found.prompt_of_call
    call.started_run_id = call.started_run_id or run.id
    run.agent = run.agent or prompt_of_call.subagent_type or links.agent_type or ""
    run.description = run.description or prompt_of_call.description


def _reported(links: ResultLinks) -> Reported:
    return Reported(links.total_tokens, links.total_tool_use_count, links.total_duration_ms)


def _set_depths(runs: list[AgentRun]) -> None:
    by_id = {run.id: run for run in runs}
    for run in runs:
        above = run.parent_run_id
        while above is not None:
            run.depth += 1
            above = by_id[above].parent_run_id


def _label_workflows(runs: list[AgentRun], nodes: Nodes, material: Material) -> None:
    """A workflow's journal and its record name the parts that its agents play."""
    labels: dict[str, tuple[str, str]] = {}
    for _, entry, _, _ in nodes.markers:
        body = entry.body
        if isinstance(body, JournalRow) and body.agent_id and body.label:
            labels[body.agent_id] = (body.label, body.phase or "")
    for record in material.workflows.values():
        for agent in record.workflow_progress:
            if agent.agent_id and agent.label:
                labels[agent.agent_id] = (agent.label, agent.phase_title or "")
    for run in runs:
        if run.id in labels:
            run.label, run.phase = labels[run.id]


def _progress_links(nodes: Nodes) -> dict[str, str]:
    links = {}
    for agent, reported_by_news in progress_rows_by_agent(nodes).items():
        body = reported_by_news[0].entry.body
        if isinstance(body, ProgressRow) and body.parent_tool_use_id:
            links[agent] = body.parent_tool_use_id
    return links


def _nearest(options: list[_Call], run: AgentRun) -> _Call | None:
    """Of equal calls, take the free one that was made last before the run began."""
    free = [option for option in options if not option.taken]
    before = [option for option in free if option.call.started_at <= run.started_at]
    if before:
        return max(before, key=lambda option: option.call.started_at)
    return free[0] if free else None


def _asked(call: ToolCall) -> _AgentPrompt:
    if not _HAS_PROMPT.search(call.input):
        return _NOTHING_ASKED
    try:
        return msgspec.json.decode(call.input, type=_AgentPrompt)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _NOTHING_ASKED
