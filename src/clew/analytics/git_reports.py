"""A conversation → the commits and pull requests that it reports. They never guess."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import Conversation, ToolCall
from clew.tools import BashInput, BashResult, decode_input, decode_result, find_tool

COMMIT: Final = "commit"
PULL_REQUEST: Final = "pull_request"

_MAKES_COMMIT: Final = re.compile(
    r"\bgit\b[^\n;|&]{0,400}?\b(?:commit|cherry-pick|revert|rebase|merge)\b"
)
_COMMITS: Final = re.compile(r"\bgit\b[^\n;|&]{0,400}?\bcommit\b(?![-\w])")
_REPORTED: Final = re.compile(
    r"^\[(?P<branch>[^\[\]\s]{1,250}|detached HEAD)(?: \(root-commit\))?"
    r" (?P<hash>[0-9a-f]{7,40})\] (?P<subject>[^\n]{0,1000})",
    re.MULTILINE,
)
_HASH_LINE: Final = re.compile(r"^([0-9a-f]{40})$", re.MULTILINE)
_NOTHING: Final = re.compile(r"nothing (?:added )?to commit|no changes added to commit")
# -m "subject", -m 'subject', -am "$(cat <<'EOF' … and --message=subject
_SUBJECT: Final = re.compile(
    r"(?:\s-[a-zA-Z]*m\s*|\s--message[= ]\s*)"
    r"(?:\"\$\(cat <<-?\s*['\"]?\w+['\"]?\s*\n(?P<heredoc>[^\n]{1,1000})"
    r"|\"(?P<double>(?:[^\"\\]|\\.){1,4000})\"|'(?P<single>[^']{1,4000})'|(?P<bare>[^\s\"'-]\S{0,200}))"
)
_CREATES_PULL: Final = re.compile(r"\bgh\s+pr\s+create\b")
_PULL_URL: Final = re.compile(
    r"https://[\w.-]{1,200}/[\w.-]{1,100}/[\w.-]{1,100}/pull/[0-9]{1,9}(?![0-9])"
)


class GitReport(msgspec.Struct, frozen=True, kw_only=True):
    """A commit or a pull request that a session made.

    The `hash` is as git printed it, often short; it is empty where git was told to be quiet, and
    `subject` is then that of the command. A pull request has a `url`.
    """

    kind: str
    at: str
    hash: str = ""
    subject: str = ""
    branch: str = ""
    url: str = ""
    message_id: str | None = None
    tool_call_id: str | None = None


def git_reports(conversation: Conversation) -> Iterator[GitReport]:
    """Return the commits and pull requests of a session, each once."""
    branches = {message.id: message.git_branch or "" for message in conversation.messages}
    seen: set[str] = set()
    for call in conversation.tool_calls:
        for report in call_reports(call, branches.get(call.message_id, "")):
            name = report.url or report.hash or f"{call.id} {report.subject}"
            if name not in seen:
                seen.add(name)
                yield report
    for link in conversation.pull_requests:
        if link.url not in seen:
            seen.add(link.url)
            branch = _branch_at(conversation, link.at)
            yield GitReport(kind=PULL_REQUEST, at=link.at, url=link.url, branch=branch)


def call_reports(call: ToolCall, branch: str = "") -> Iterator[GitReport]:
    """Return what one call reports; `branch` is that of its session at the time.

    A call that failed may have committed before, as where the push after the commit is refused:
    what git printed then counts, but nothing else does.
    """
    raw = bytes(call.input)
    if call.status not in ("done", "failed") or not (b"git" in raw or b"gh" in raw):
        return
    if find_tool(call.tool).result is not BashResult:
        return
    arguments = decode_input(call.tool, raw)
    if isinstance(arguments, BashInput):
        yield from _commits(call, arguments.command, branch)
        if call.status == "done":
            yield from _pulls(call, arguments.command, branch)


def _commits(call: ToolCall, command: str, branch: str) -> Iterator[GitReport]:
    if _MAKES_COMMIT.search(command) is None:
        return
    found = False
    for line in _REPORTED.finditer(call.result_text):
        found = True
        subject = " ".join(line["subject"].split())
        yield _commit(call, line["hash"], subject, line["branch"])
    if found or call.status != "done":
        return
    if _COMMITS.search(command) and not _NOTHING.search(call.result_text):
        noticed = _noticed_hash(call)
        subject = _subject_of(command)
        if noticed or subject:
            yield _commit(call, noticed, subject, branch)


def _commit(call: ToolCall, name: str, subject: str, branch: str) -> GitReport:
    return GitReport(
        kind=COMMIT,
        at=call.started_at,
        hash=name,
        subject=subject,
        branch=branch,
        message_id=call.message_id,
        tool_call_id=call.id,
    )


def _noticed_hash(call: ToolCall) -> str:
    """Return the hash that the client noticed, or that a command after the commit printed."""
    result = decode_result(call.tool, bytes(call.result), call.result_text, None)
    if isinstance(result, BashResult) and result.git_operation and result.git_operation.commit:
        return result.git_operation.commit.sha
    lines = _HASH_LINE.findall(call.result_text)
    return str(lines[0]) if len(lines) == 1 else ""


def _subject_of(command: str) -> str:
    commit = _COMMITS.search(command)
    found = None if commit is None else _SUBJECT.search(command, commit.end() - 1)
    if found is None:
        return ""
    text = next(filter(None, found.groups()), "")
    first = text.strip().partition("\n")[0].strip()
    # What a shell would still replace is not the subject.
    return "" if "$" in first or "`" in first else first.replace('\\"', '"')


def _pulls(call: ToolCall, command: str, branch: str) -> Iterator[GitReport]:
    if _CREATES_PULL.search(command) is None:
        return
    for url in dict.fromkeys(_PULL_URL.findall(call.result_text)):
        yield GitReport(
            kind=PULL_REQUEST,
            at=call.started_at,
            url=url,
            branch=branch,
            message_id=call.message_id,
            tool_call_id=call.id,
        )


def _branch_at(conversation: Conversation, at: str) -> str:
    """Return the branch of the last message before a time."""
    earlier = [m for m in conversation.messages if m.git_branch and m.started_at <= at]
    latest = max(earlier, key=lambda message: message.started_at, default=None)
    return "" if latest is None else latest.git_branch or ""
