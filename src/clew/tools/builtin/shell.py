"""Bash and PowerShell: a command in a shell."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.figures import plural
from clew.parts import Code, Image, Link, Links, Listing, Note, Part
from clew.tools.diffs import Hunk, diff_of_hunks
from clew.tools.display import (
    fields,
    fold,
    full_output,
    input_fields,
    json_value,
    note,
    output,
    words,
)
from clew.tools.result_text import find_persisted
from clew.tools.tool import CallState, Number, Tool

_BACKGROUND: Final = re.compile(
    r"Command [^\n]{0,200}?background[^\n]{0,60}?ID: ([A-Za-z0-9_-]{1,200})"
)
_OUTPUT_PATH: Final = re.compile(r"Output is being written to: ([^\n]+?\.output)\b")
# A label is cut long after this.
_LONG_DESCRIPTION: Final = 200
_SILENT: Final = re.compile(r"\(\w{1,40} completed with no output\)$|Tool ran without output")


class EditedFile(msgspec.Struct, frozen=True, rename="camel"):
    """One file with its changes."""

    file_path: str
    hunks: tuple[Hunk, ...] = ()
    created: bool = False
    deleted: bool = False


class BashEditDiff(msgspec.Struct, frozen=True, rename="camel"):
    """What a command changed.

    At most a few `files` have their hunks, and binary or very long ones never do: `more_files`
    counts the others. `changed_files` are the paths of all.
    """

    files: tuple[EditedFile, ...] = ()
    more_files: Number = 0
    changed_files: tuple[str, ...] = ()


class ShellChange(msgspec.Struct, frozen=True):
    """A file that a command changed; lines are None where the client kept no hunks."""

    path: str
    action: str = "edit"
    added: int | None = None
    removed: int | None = None


def shell_changes(edits: BashEditDiff) -> Iterator[ShellChange]:
    """List the files that a command changed."""
    for file in edits.files:
        action = "create" if file.created else "delete" if file.deleted else "edit"
        added = sum(hunk.added for hunk in file.hunks)
        removed = sum(hunk.removed for hunk in file.hunks)
        yield ShellChange(file.file_path, action, added, removed)
    yield from map(ShellChange, _other_files(edits))


def _edit_parts(edits: BashEditDiff) -> Iterator[Part]:
    """Show the diff of each file, and name the files that have none."""
    for file in edits.files:
        yield from note("New file", when=file.created)
        yield from note("Deleted file", when=file.deleted)
        yield diff_of_hunks(file.file_path, file.hunks)
    others = _other_files(edits)
    count = max(int(edits.more_files), len(others))
    title = f"{plural(count, 'more file')} changed"
    if others:
        yield from fold(title, [Listing(others, count)])
    elif count:
        yield Note(title)


def _other_files(edits: BashEditDiff) -> tuple[str, ...]:
    """List the changed files without hunks."""
    listed = {file.file_path for file in edits.files}
    return tuple(path for path in edits.changed_files if path not in listed)


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
    """The git operations that the client noticed in a command."""

    commit: GitCommit | None = None
    push: GitPush | None = None
    branch: GitBranch | None = None
    pr: PullRequest | None = None


class BashResult(msgspec.Struct, frozen=True, rename="camel"):
    """The output of a command, or the background task that runs it.

    Read from text alone, `stdout` has both streams and `output_path` is the file of a
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
    bash_edit_diff: BashEditDiff | None = None
    structured_content: Any = None
    token_saver_output: str = ""
    stale_read_file_state_hint: str = ""
    gh_rate_limit_hint: str = ""
    sandbox: bool | None = None
    dangerously_disable_sandbox: bool = False


def _read_text(_arguments: object, text: str) -> BashResult:
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


def _label(bash: BashInput, _cwd: str) -> str:
    """Prefer the model's own description to the command."""
    line = bash.description or bash.command.strip().partition("\n")[0]
    return f"{line} (background)" if bash.run_in_background else line


def _parts(
    bash: BashInput, result: BashResult | None, call: ToolCall, language: str
) -> Iterator[Part]:
    """Show the command, what it printed on either stream, and how it ended."""
    yield Code(bash.command, language, is_command=True)
    yield from words(bash.description if len(bash.description) > _LONG_DESCRIPTION else "")
    yield from input_fields(call, "command", "description", "run_in_background")
    if result is None:
        return
    printed = [*_printed(result, call)]
    yield from printed
    has_others = any(block.kind != "text" for block in call.result_blocks)
    yield from _ending(result, is_silent=not printed and not has_others)
    if result.bash_edit_diff is not None:
        yield from _edit_parts(result.bash_edit_diff)
    if result.git_operation is not None:
        yield from _git(result.git_operation)
    if result.token_saver_output:
        yield from fold("Shortened output", output(result.token_saver_output))
    if result.structured_content is not None:
        yield from json_value(result.structured_content)


def _state(result: BashResult) -> CallState:
    """Report a timeout or an interruption that is no error."""
    if result.timed_out_after_ms is not None and not result.background_task_id:
        return "timed out", "bad"
    return ("interrupted", "warn") if result.interrupted else ("", "")


def _printed(result: BashResult, call: ToolCall) -> Iterator[Part]:
    if result.is_image and result.stdout.startswith("data:"):
        head, _, data = result.stdout.partition(",")
        yield Image(head.removeprefix("data:").partition(";")[0], data)
    else:
        yield from output(full_output(call) or result.stdout)
    yield from output(result.stderr, "stderr", is_error=True)


def _ending(result: BashResult, *, is_silent: bool) -> Iterator[Part]:
    if result.background_task_id:
        yield from _background(result)
    elif is_silent:
        yield Note("No output")
    yield from note(result.return_code_interpretation)
    if result.interrupted:
        yield Note("Interrupted by the user", "warn")
    if result.timed_out_after_ms is not None:
        yield Note(f"Timed out after {result.timed_out_after_ms / 1000:,.0f} s", "bad")
    for hint in (result.stale_read_file_state_hint, result.gh_rate_limit_hint):
        yield from words(hint)


def _background(result: BashResult) -> Iterator[Part]:
    by_user = "Command sent to the background by the user" if result.backgrounded_by_user else ""
    yield Note(
        f"{by_user or 'Command running in the background'} with ID: {result.background_task_id}"
    )
    yield from fields(
        ("Output", result.output_path or result.raw_output_path),
        ("Working directory", result.background_cwd_hint),
        ("Ends with the final response", result.background_ends_with_final_response),
    )


def _git(git: GitOperation) -> Iterator[Part]:
    commit, push, branch = (
        git.commit or GitCommit(),
        git.push or GitPush(),
        git.branch or GitBranch(),
    )
    yield from fields(
        ("Commit", _joined(commit.sha, commit.kind, commit.branch)),
        ("Pushed", push.branch),
        ("Branch", _joined(branch.action, branch.ref)),
    )
    pull = git.pr
    if pull is not None:
        yield Links((Link(pull.url, f"Pull request #{pull.number:.0f}", pull.action),))


def _joined(*texts: str) -> str:
    return " ".join(filter(None, texts))


BASH: Final = Tool(
    names=("Bash",),
    input=BashInput,
    result=BashResult,
    label=_label,
    parts=partial(_parts, language="bash"),
    state=_state,
    read_text=_read_text,
)


POWERSHELL: Final = msgspec.structs.replace(
    BASH, names=("PowerShell",), parts=partial(_parts, language="powershell")
)
