"""A transcript → what it consists of: types, tools, models, numbers, times, ids that say nothing.

A line is decoded into the parser's structs and written again field by field. A number or a flag of
a known field passes; a text passes only by the rule of its field, which makes a word of a closed
list, a keyed hash or a filler of it. What has no rule, and every key that the parser does not
know, is left out. The same parser reads the result, with the same counts.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final, assert_never

import msgspec

from clew.conversation import Evidence, joined_text, outcome, to_permission
from clew.entries import (
    NO_LINKS,
    AnyBlock,
    Broken,
    CostState,
    Entry,
    OtherAttachment,
    OtherBlock,
    OtherProgress,
    ResultLinks,
    ServerToolResult,
    System,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    Unknown,
    User,
    decode,
    decode_meta,
    decode_workflow,
    result_blocks,
    result_links,
)
from clew.push.fillers import Fillers
from clew.push.names import KeyedNames
from clew.push.projected import PushedSource, read_small
from clew.push.structure_rules import TextRule, is_left_out, rule_of
from clew.push.vocabulary import OTHER, agent_word, model_word, tool_word, word
from clew.source import TRANSCRIPT_KINDS, FileKind, Line, split_lines

STRUCTURE_KINDS: Final = TRANSCRIPT_KINDS | {FileKind.JOURNAL, FileKind.META, FileKind.WORKFLOW}
"""What is sent at this tier: files that the parser counts something in."""

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT[0-9Z:.+-]{5,30}")
_VERSION: Final = re.compile(r"\d{1,5}(?:\.\d{1,6}){1,3}")
_DIGITS: Final = 24
_AGENT_IN_TEXT: Final = re.compile(r"agentId: ([A-Za-z0-9_-]+)")
_TASK_IN_TEXT: Final = re.compile(r"(?:background|backgrounded by user) with ID: ([A-Za-z0-9_-]+)")
_TASK_TEXT: Final = 500
# The parser looks for a task in a short input alone.
_LONGEST_ASK: Final = 400
# How a result begins from which the parser concludes that its call ended so.
_SAID: Final = {
    "denied": "Permission to use ",
    "interrupted": "[Request interrupted by user for tool use]",
}
_OTHERS: Final = (OtherBlock, OtherAttachment, OtherProgress)


class _FieldPlan(msgspec.Struct, frozen=True, gc=False):
    """How a field of a struct is written."""

    name: str
    key: str
    default: Any
    rule: TextRule


class _CallInput(msgspec.Struct, frozen=True):
    """What the parser reads of the input of a call, whatever the tool."""

    prompt: Any = None
    description: Any = None
    subagent_type: Any = None
    name: Any = None
    team_name: Any = None
    run_in_background: Any = None
    bash_id: Any = None
    shell_id: Any = None
    task_id: Any = None
    agent_id: Any = msgspec.field(default=None, name="agentId")


class StructureProjection:
    """Projects the files of one session."""

    def __init__(self, names: KeyedNames, session_id: str) -> None:
        self._names = names
        self._fillers = Fillers(names, session_id)
        self._row: User | None = None

    def units(self, source: PushedSource) -> Iterator[tuple[int, bytes]]:
        """Return the projected lines of a file, each with where it ends in the file."""
        if source.kind is FileKind.META:
            yield from self._whole(source, decode_meta)
        elif source.kind is FileKind.WORKFLOW:
            yield from self._whole(source, decode_workflow)
        else:
            for line in split_lines(source.read(), source.path, with_tail=False):
                end = line.offset + (line.oversize or len(line.raw)) + 1
                yield end, b"".join(map(self._line, decode(line)))

    def project(self, value: msgspec.Struct) -> dict[str, Any]:
        """Return the fields of a struct that may leave."""
        if isinstance(value, _OTHERS):
            return {"type": OTHER}
        if isinstance(value, User):
            self._row = value
        kind = type(value)
        tag = kind.__struct_config__.tag
        fields: dict[str, Any] = {} if tag is None else {"type": tag}
        for plan in _plan_of(kind):
            field = getattr(value, plan.name)
            if field is None or field is plan.default:
                continue
            written = self._write(field, plan.rule)
            if written is not None and written != plan.default and (written or not field):
                fields[plan.key] = written
        return fields | self._extras(value)

    def _write(self, value: Any, rule: TextRule) -> Any:
        """Write a field: numbers as they are, texts by its rule; None if nothing is left."""
        if isinstance(value, str):
            return self._write_text(value, rule) if rule is not TextRule.NOTHING else None
        if isinstance(value, bool | int | float):
            return value
        if isinstance(value, msgspec.Struct):
            return self.project(value)
        if isinstance(value, list | tuple):
            written = (self._write(item, rule) for item in value)
            return [item for item in written if item is not None]
        if isinstance(value, msgspec.Raw) and rule is TextRule.ROW:
            entries = decode(Line(bytes(value), "", 0, 0))
            return self.project(_readable(entries[0])) if entries else None
        return None

    def _write_text(self, text: str, rule: TextRule) -> str:
        match rule:
            case TextRule.NOTHING | TextRule.ROW:
                return ""
            case TextRule.ID:
                return self._names.hash_id(text)
            case TextRule.SESSION_ID:
                return self._names.hash_session(text) if text else ""
            case TextRule.PATH:
                return f"/{self._names.hash_folder(text)}" if text else ""
            case TextRule.LAST_OF_PATH:
                return f"/{self._names.hash_id(text.rstrip('/').rpartition('/')[2])}"
            case TextRule.DIGEST:
                return self._names.digest(text, "data")[:_DIGITS] if text else ""
            case TextRule.WORD:
                return word(text)
            case TextRule.MODEL:
                return model_word(text)
            case TextRule.AGENT:
                return agent_word(text)
            case TextRule.TOOL:
                return tool_word(text)
            case TextRule.TIME:
                return text if _TIME.fullmatch(text) else ""
            case TextRule.VERSION:
                return text if _VERSION.fullmatch(text) else ""
            case TextRule.TALK:
                return self._fillers.fill_message(text)
            case TextRule.FILLER:
                return self._fillers.fill(text)
            case _:
                assert_never(rule)

    def _extras(self, value: msgspec.Struct) -> dict[str, Any]:
        """Return the fields that are JSON of their own in a struct."""
        match value:
            case User():
                links = result_links(value.tool_use_result)
                return {} if links is NO_LINKS else {"toolUseResult": self.project(links)}
            case ToolResultBlock():
                return self._result(value, self._row)
            case ServerToolResult():
                plain = ToolResultBlock(value.tool_use_id, value.content, value.is_error)
                return self._result(plain, None)
            case ToolUseBlock():
                return {"input": self._input(value.input)}
            case CostState():
                return {"modelUsage": self._model_costs(value)}
            case System() if bytes(memoryview(value.message)[:1]) == b'"':
                return {"message": self._fillers.fill_message(value.content or "")}
            case _:
                return {}

    def _result(self, block: ToolResultBlock, row: User | None) -> dict[str, Any]:
        """Return a content from which the parser concludes that the call ended as it did."""
        blocks = result_blocks(block.content)
        text = joined_text(blocks)
        links = result_links(row.tool_use_result) if row else NO_LINKS
        status = outcome(_evidence(block, row, text, links))
        fields: dict[str, Any] = {"content": self._result_content(blocks, text, status)}
        if block.is_error is None and status != "done" and not _is_stated(links):
            fields["is_error"] = True
        return fields

    def _result_content(self, blocks: list[AnyBlock], text: str, status: str) -> Any:
        said = [_SAID.get(status, ""), self._fillers.fill(text)]
        if found := _AGENT_IN_TEXT.search(text):
            said.append(f"agentId: {self._names.hash_id(found[1])}")
        if found := _TASK_IN_TEXT.search(text[:_TASK_TEXT]):
            said.append(f"background with ID: {self._names.hash_id(found[1])}")
        content = " ".join(filter(None, said))
        others = [self.project(inner) for inner in blocks if not isinstance(inner, TextBlock)]
        if not others:
            return content
        return [{"type": "text", "text": content}, *others] if content else others

    def _input(self, raw: msgspec.Raw) -> dict[str, Any]:
        try:
            asked = msgspec.json.decode(raw, type=_CallInput)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return {}
        fields: dict[str, Any] = {
            "prompt": self._fillers.fill_message(_string(asked.prompt)),
            "description": self._fillers.fill(_string(asked.description)),
            "subagent_type": agent_word(_string(asked.subagent_type)),
            "name": self._names.hash_id(_string(asked.name)),
            "team_name": self._names.hash_id(_string(asked.team_name)),
            "run_in_background": asked.run_in_background is True,
        }
        if len(memoryview(raw)) < _LONGEST_ASK:
            tasks = (asked.bash_id, asked.shell_id, asked.task_id, asked.agent_id)
            hashed = (self._names.hash_id(_string(task)) for task in tasks)
            fields |= zip(("bash_id", "shell_id", "task_id", "agentId"), hashed, strict=True)
        return {key: value for key, value in fields.items() if value}

    def _model_costs(self, state: CostState) -> dict[str, Any]:
        """Return the client's own totals by model; those of several models may become one."""
        costs: dict[str, dict[str, Any]] = {}
        for name, cost in state.model_usage.items():
            sums = costs.setdefault(model_word(name), {})
            for key, number in self.project(cost).items():
                sums[key] = sums.get(key, 0) + number
        return costs

    def _line(self, entry: Entry) -> bytes:
        try:
            fields = self.project(_readable(entry))
        except RecursionError:
            # Rows within rows, more than a client ever writes.
            fields = {"type": OTHER}
        return msgspec.json.encode(fields) + b"\n"

    def _whole(
        self, source: PushedSource, read: Callable[[bytes], msgspec.Struct]
    ) -> Iterator[tuple[int, bytes]]:
        """Project a small JSON file."""
        raw = read_small(source)
        if raw is not None:
            yield len(raw), msgspec.json.encode(self.project(read(raw))) + b"\n"


def _readable(entry: Entry) -> msgspec.Struct:
    """Return the body of an entry; of a broken one, what links it to others."""
    body = entry.body
    if isinstance(body, Broken):
        return Unknown(
            type=OTHER,
            uuid=body.uuid,
            parent_uuid=body.parent_uuid,
            session_id=body.session_id,
            timestamp=body.timestamp,
        )
    return body


def _evidence(block: ToolResultBlock, row: User | None, text: str, links: ResultLinks) -> Evidence:
    if row is None:
        return Evidence(text=text, is_error=block.is_error)
    return Evidence(
        text=text,
        record=row.tool_use_result,
        links=links,
        is_error=block.is_error,
        is_aborted=row.is_aborted,
        permission=to_permission(row.permission_decision),
        denial_kind=row.tool_denial_kind or "",
    )


def _is_stated(links: ResultLinks) -> bool:
    """Return whether the client's own record says how a call ended."""
    is_stopped = bool(links.interrupted or links.was_interrupted)
    return is_stopped or links.success is False or bool(links.is_error or links.error)


@lru_cache(maxsize=512)
def _plan_of(kind: type[msgspec.Struct]) -> tuple[_FieldPlan, ...]:
    """Return how the fields of a struct are written."""
    name = kind.__name__
    return tuple(
        _FieldPlan(field.name, field.encode_name, field.default, rule_of(name, field.name))
        for field in msgspec.structs.fields(kind)
        if not is_left_out(field.name)
    )


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
