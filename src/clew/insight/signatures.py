"""An error → its signature: the words that are the same whenever the same thing goes wrong.

Paths, quotes, numbers and ids are taken out. Of the output of a command, one line counts: the one
that says what is wrong. Such a line is often the same for many programs, so that the command
belongs to the signature, unless the line itself names the program.
"""

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from clew.insight.masking import mask
from clew.tools import BashInput, find_tool, is_edit

_ESCAPE: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")
_TAGS: Final = re.compile(r"</?(?:tool_use_error|error)>")
_EDIT: Final = "Edit"
_CLIENT: Final = "<tool_use_error>"
_EXIT: Final = re.compile(r"(?:Error: )?Exit code (-?\d{1,9})(?:\r?\n|$)")
_SENTENCE: Final = re.compile(r"\S+ \S+ [^\n]{1,300}?[.!](?= [A-Z])")
_HEADING: Final = re.compile(r"#{1,4} |(?:Argument Validation |Tool )?Error:?$", re.IGNORECASE)

_NOT_FOUND: Final = re.compile(
    r"(?:.{0,80}?: )?(?:command not found: (\S{1,60})|(\S{1,60}): command not found)$"
)
_TIMEOUT: Final = re.compile(r"(?:Error: )?Command timed out after ")
_PUSH: Final = re.compile(r"! \[([\w ]{1,40})\].{0,300}\(([^()]{1,80})\)$")
_TRACEBACK: Final = "Traceback (most recent call last):"
_RAISED: Final = re.compile(
    r"[A-Za-z_][\w.]{0,80}(?:Error|Exception|Warning|Interrupt|Exit)\b(?:: |$)"
)
# The name of a test that failed says more than how it failed.
_TEST: Final = re.compile(
    r"--- FAIL: |FAILED \S+::|\d+\) (?:test |\w+::\w)|✕ |FAIL\s+\S+ > "
    r"|\u00d7 (?!Failed to |No solution )|● (?!Console\b)|(?:FAIL|ERROR): \w+ \(|rspec \S+:\d+ # "
)
# A line that can only be the error: of a compiler, a test runner, git, npm …
_SURE: Final = re.compile(
    r"(?:error|fatal|panic)(?:\[[\w-]+\])?: |FAILED \S|E {2,}\S|npm (?:ERR!|error) "
    r"|\S+:\d+(?::\d+)?:? (?:error|fatal)\b|✘ |! \[|┃ \[[A-Z]\] "
    r"|(?-i:(?:\S+:\d+(?::\d+)?:? )?[A-Z]{1,4}\d{3,4}:? \S)|\S+\.exs?:\d+(?::\d+)?:\w+$"
    r"|e: \S+:\d+:\d+:? |\[ERROR\] \S+:\[\d+,\d+\]",
    re.IGNORECASE,
)
_LIKELY: Final = re.compile(
    r"\b(?:error|fatal|failed|failure|fail|cannot|can't|could not|couldn't|unable to|invalid"
    r"|unknown|denied|refused|not found|no such|no module|does not exist|doesn't exist|missing"
    r"|unexpected|undefined|unrecognized|unsupported|not recognized|usage:|exception|must be"
    r"|must not|not a|ignored by|not checked|conflict)\b",
    re.IGNORECASE,
)
# A line that only says that something failed, or what to do about it: no cause.
_NOISE: Final = re.compile(
    r"[=\-~_*#.]{4,}|FAIL\s+\S+\s+(?:[\d.]+s|\[build failed\]|\(cached\))$"
    r"|\[(?:STARTED|COMPLETED|SKIPPED|FAILED)\]|(?:error: )?failed to push some refs"
    r"|(?:FAIL|FAILED|ERROR)[:!.]?$|.{0,40}\btask failed$|hint: "
    r"|.{0,60}\bexit (?:status|code) -?\d+|npm (?:warn|notice)\b|(?:WARN|INFO|DEBUG)\b"
    r"|(?:Found )?\d+ (?:errors?|failures?|failed|tests?|problems?|doctests?)\b"
    r"|npm (?:ERR!|error) (?:code|errno|path|command|A complete log)|error Command failed"
    r"|.{0,200}\b0 (?:errors?|failed|failures?)\b|\[\*\] \d+ fixable\b|help: |https?://\S+$"
    r"|FAIL\s+\S+$|\u276f \S+ \(\d+ tests?\b|\W*$|-->|.{0,80}\.{3,}Failed$"
    r"|- (?:hook id|exit code): |FAILURE: Build failed\b|\[ERROR\] COMPILATION ERROR\b"
    r"|error during build:$|Use `.{1,80}` to explain\b|.{0,120}\.\.\.$",
    re.IGNORECASE,
)
_SOURCE: Final = re.compile(r"[{;,(\[]$|^(?:[+>|]|-(?!-)|\d+[ |:]\s|//|#|\$ )")
# Here a quote is the cause itself: a key, a type, what a test compared.
_EXACT: Final = re.compile(
    r"(?:\S+:\d+(?::\d+)?:? (?:- )?|\S+\(\d+,\d+\): )error\b|error\[E\d+\]|.{0,20}assert",
    re.IGNORECASE,
)
# What a program says of itself: `git: …`; not `error: …`.
_NAMED: Final = re.compile(r"(?:/\S{0,80}/)?[a-z][\w.+-]{0,40}: \S")
_UNNAMED: Final = re.compile(r"(?:error|fatal|warning|note|usage|panic)\b", re.IGNORECASE)


class Signature(msgspec.Struct, frozen=True):
    """What went wrong: a tool, the command it ran where that matters, and the error's words."""

    tool: str
    command: str
    text: str


def error_signature(tool: str, subject: str, error: str) -> Signature:
    """Return the signature of an error; `subject` is what the call was about."""
    clean = _ESCAPE.sub("", _TAGS.sub("", error)).strip()
    is_command = find_tool(tool).input is BashInput and not error.lstrip().startswith(_CLIENT)
    if not is_command:
        name = _EDIT if is_edit(tool) else tool
        return Signature(name, "", mask(_first_sentence(_lines(clean))))
    command = _command(subject)
    found = _EXIT.match(clean)
    line = _telling_line(_lines(clean[found.end() :] if found else clean))
    if _TIMEOUT.match(clean):
        return Signature(tool, command, "Command timed out")
    if not line:
        code = f"exit code {found[1]}" if found else "failed"
        return Signature(tool, command, f"{code} without output")
    if missing := _NOT_FOUND.match(line):
        return Signature(tool, "", f"command not found: {missing[1] or missing[2]}")
    if refused := _PUSH.match(line):
        return Signature(tool, "git", f"push {refused[1]}: {refused[2]}")
    is_exact = _RAISED.match(line.removeprefix("E").lstrip()) or _EXACT.match(line)
    text = mask(line, keep_quotes=bool(is_exact))
    return Signature(tool, "" if _names_program(line) else command, text)


def _command(subject: str) -> str:
    """Return the commands of a line; what git says belongs to git, whichever part said it."""
    parts = ("git" if part.startswith("git ") else part for part in subject.split("\n"))
    return ", ".join(dict.fromkeys(parts))


def _lines(text: str) -> list[str]:
    """Return the lines with something on them; some hooks print their line feeds escaped."""
    return [line.replace("\\n", " ").strip() for line in text.split("\n") if line.strip()]


def _first_sentence(lines: Sequence[str]) -> str:
    """Return the first sentence of an error, without a heading over it."""
    if len(lines) > 1 and _HEADING.match(lines[0]):
        lines = lines[1:]
    first = lines[0] if lines else ""
    if first.endswith(":") and len(lines) > 1:
        return f"{first} {lines[1]}"
    found = _SENTENCE.match(first)
    return found[0] if found else first


def _telling_line(lines: Sequence[str]) -> str:
    """Return the line of an output that says what is wrong; a traceback is read from its end."""
    causes = [line for line in lines if not _NOISE.match(line)]
    test = next((line for line in causes if _TEST.match(line)), "")
    if test:
        return test
    if _TRACEBACK in lines:
        for line in reversed(lines):
            if _RAISED.match(line):
                return line
    likely = [line for line in causes if _LIKELY.search(line) and not _SOURCE.search(line)]
    sure = next((line for line in causes if _SURE.match(line)), "")
    others = causes or lines
    return sure or (likely[0] if likely else others[-1] if others else "")


def _names_program(line: str) -> bool:
    is_named = _NAMED.match(line) is not None and _UNNAMED.match(line) is None
    return is_named and _RAISED.match(line) is None and _SURE.match(line) is None
