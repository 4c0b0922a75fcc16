"""Bash: a command in a shell."""

import re
from typing import Any, Final

import msgspec

from clew.tools.persisted import find_persisted
from clew.tools.tool import Number, Tool

_BACKGROUND: Final = re.compile(
    r"Command [^\n]{0,200}?background[^\n]{0,60}?ID: ([A-Za-z0-9_-]{1,200})"
)
_OUTPUT_PATH: Final = re.compile(r"Output is being written to: ([^\n]+?\.output)\b")
_SILENT: Final = re.compile(r"\(\w{1,40} completed with no output\)$|Tool ran without output")


class BashInput(msgspec.Struct, frozen=True):
    """The command, and how to run it."""

    command: str
    description: str = ""
    timeout_ms: Number | None = msgspec.field(default=None, name="timeout")
    run_in_background: bool = False
    sandbox: bool | None = None
    dangerously_disable_sandbox: bool = msgspec.field(
        default=False, name="dangerouslyDisableSandbox"
    )


class GitCommit(msgspec.Struct, frozen=True):
    """A commit that a command made."""

    sha: str = ""
    kind: str = ""
    branch: str = ""


class GitPush(msgspec.Struct, frozen=True):
    """A branch that a command pushed."""

    branch: str = ""


class GitBranch(msgspec.Struct, frozen=True):
    """A branch that a command merged or rebased."""

    ref: str = ""
    action: str = ""


class PullRequest(msgspec.Struct, frozen=True):
    """A pull request that a command made or changed."""

    number: Number = 0
    url: str = ""
    action: str = ""


class GitOperation(msgspec.Struct, frozen=True):
    """What the client saw a command do with git."""

    commit: GitCommit | None = None
    push: GitPush | None = None
    branch: GitBranch | None = None
    pr: PullRequest | None = None


class BashResult(msgspec.Struct, frozen=True, rename="camel"):
    """What a command printed, or where it goes on running.

    Read from text alone, `stdout` holds both streams and `output_path` is the file of a
    background command.
    """

    stdout: str
    stderr: str = ""
    interrupted: bool = False
    is_image: bool = False
    no_output_expected: bool = False
    return_code_interpretation: str = ""
    background_task_id: str = ""
    backgrounded_by_user: bool = False
    assistant_auto_backgrounded: bool = False
    timed_out_after_ms: Number | None = None
    background_cwd_hint: str = ""
    background_ends_with_final_response: bool = False
    persisted_output_path: str = ""
    persisted_output_bytes: Number | None = msgspec.field(default=None, name="persistedOutputSize")
    raw_output_path: str = ""
    output_path: str = ""
    git_operation: GitOperation | None = None
    structured_content: Any = None
    token_saver_output: str = ""
    stale_read_file_state_hint: str = ""
    gh_rate_limit_hint: str = ""
    sandbox: bool | None = None
    dangerously_disable_sandbox: bool = False


def read_text(_arguments: object, text: str) -> BashResult:
    """Read an output, a pointer to one, or the id of a command in the background."""
    persisted = find_persisted(text)
    if persisted is not None:
        return BashResult(
            persisted.preview,
            persisted_output_path=persisted.path,
            persisted_output_bytes=persisted.size_bytes,
        )
    background = _BACKGROUND.match(text)
    if background is not None:
        return _in_background(background[1], text)
    return BashResult("" if _SILENT.match(text) else text)


def _in_background(task_id: str, text: str) -> BashResult:
    path = _OUTPUT_PATH.search(text, 0, 8192)
    return BashResult(
        "",
        background_task_id=task_id,
        backgrounded_by_user=text.startswith("Command was manually backgrounded by user"),
        output_path="" if path is None else path[1],
    )


BASH: Final = Tool(names=("Bash",), input=BashInput, result=BashResult, read_text=read_text)
