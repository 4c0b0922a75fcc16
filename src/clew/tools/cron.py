"""CronCreate, CronList and CronDelete: prompts at set times."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Note, Part, Table
from clew.tools.pieces import facts, options, prose
from clew.tools.tool import Tool

_SCHEDULED: Final = re.compile(
    r"Scheduled (recurring job |one-shot task )?([\w-]{1,100})(?: \(([^)\n]{1,200})\))?"
)
_CANCELLED: Final = re.compile(r"Cancelled (?:job )?([\w-]{1,100})")


class CronCreateInput(msgspec.Struct, frozen=True):
    """When, and which prompt."""

    cron: str
    prompt: str = ""
    recurring: bool = True
    durable: bool = False


class CronCreateResult(msgspec.Struct, frozen=True, rename="camel"):
    """The new job; `human_schedule` is its time in words."""

    id: str
    human_schedule: str = ""
    recurring: bool | None = None
    durable: bool | None = None


class CronJob(msgspec.Struct, frozen=True, rename="camel"):
    """One job of the list."""

    id: str
    cron: str = ""
    human_schedule: str = ""
    prompt: str = ""
    recurring: bool | None = None
    durable: bool | None = None


class CronListInput(msgspec.Struct, frozen=True):
    """Nothing."""


class CronListResult(msgspec.Struct, frozen=True):
    """All jobs."""

    jobs: tuple[CronJob, ...]


class CronDeleteInput(msgspec.Struct, frozen=True):
    """Which job."""

    id: str


class CronDeleteResult(msgspec.Struct, frozen=True):
    """The job that is gone."""

    id: str


def read_created(arguments: CronCreateInput, text: str) -> CronCreateResult | None:
    """Read the new job's id and time."""
    match = _SCHEDULED.match(text)
    if match is None:
        return None
    return CronCreateResult(match[2], match[3] or "", arguments.recurring, arguments.durable)


def read_list(_arguments: object, text: str) -> CronListResult | None:
    """Read that there is no job; a list in words does not tell its parts apart."""
    return CronListResult(()) if text.startswith("No scheduled jobs") else None


def read_deleted(_arguments: object, text: str) -> CronDeleteResult | None:
    """Read the id of the job that is gone."""
    match = _CANCELLED.match(text)
    return None if match is None else CronDeleteResult(match[1])


def _create_parts(
    cron: CronCreateInput, result: CronCreateResult | None, call: ToolCall
) -> Iterator[Part]:
    yield from prose(cron.prompt)
    yield from options(call, "prompt")
    if result is not None:
        yield from facts(("job", result.id), ("schedule", result.human_schedule))


def _list_parts(_asked: object, result: CronListResult | None, call: ToolCall) -> Iterator[Part]:
    yield from options(call)
    if result is None:
        return
    if not result.jobs:
        yield Note("No scheduled jobs")
        return
    rows = ((job.id, job.human_schedule or job.cron, job.prompt) for job in result.jobs)
    yield Table(("job", "schedule", "prompt"), tuple(rows))


def _delete_parts(
    _asked: object, result: CronDeleteResult | None, call: ToolCall
) -> Iterator[Part]:
    yield from options(call)
    if result is not None:
        yield Note(f"Cancelled job {result.id}")


CRON_CREATE: Final = Tool(
    names=("CronCreate",),
    input=CronCreateInput,
    result=CronCreateResult,
    label=lambda cron, _: f"{cron.cron} {cron.prompt}",
    parts=_create_parts,
    read_text=read_created,
)
CRON_LIST: Final = Tool(
    names=("CronList",),
    input=CronListInput,
    result=CronListResult,
    parts=_list_parts,
    read_text=read_list,
)
CRON_DELETE: Final = Tool(
    names=("CronDelete",),
    input=CronDeleteInput,
    result=CronDeleteResult,
    label=lambda cron, _: cron.id,
    parts=_delete_parts,
    read_text=read_deleted,
)
