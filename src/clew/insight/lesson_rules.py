"""A signature → a rule for CLAUDE.md that would have avoided it. Printed, never written."""

import re
from typing import Final

from clew.insight.signatures import Signature
from clew.tools import BashInput, find_tool, is_edit

_RULES: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), rule)
    for pattern, rule in (
        (
            r"file has not been read yet",
            "Read a file before the first Edit or Write to it in a session.",
        ),
        (
            r"file has been (?:unexpectedly )?modified since read",
            "Read a file again before Edit if a formatter, a hook or a person may have changed it.",
        ),
        (
            r"string to replace not found",
            "Copy `old_string` from a fresh Read of the file, with its exact whitespace.",
        ),
        (
            r"found n matches of the string to replace",
            "Give Edit enough lines around `old_string` to make it unique, or set `replace_all`.",
        ),
        (
            r"no changes to make|old_string and new_string are exactly the same",
            "Do not call Edit with the same `old_string` and `new_string`.",
        ),
        (
            r"posix_spawn",
            "If Grep or Glob cannot start, Claude Code was updated while it ran: use `rg` in Bash.",
        ),
        (
            r"(?:file|path|directory) does not exist|ENOENT|no such file or directory",
            "Check that a path exists (Glob or `ls`) before you use it; do not guess paths.",
        ),
        (r"EISDIR|is a directory", "List directories with `ls` or Glob; Read takes files only."),
        (
            r"file content .*(?:exceeds maximum allowed (?:tokens|size)|too large)",
            "Read large files in parts, with `offset` and `limit`, or search them with Grep.",
        ),
        (
            r"unknown skill",
            "Use only skills that are listed as available; do not guess their names.",
        ),
        (
            r"no such tool available",
            "Use only tools that are available in this session.",
        ),
        (
            r"agent type .* not found",
            "Use only agents that are listed as available; do not guess their names.",
        ),
        (r"has no upstream branch", "Push a new branch with `git push -u origin BRANCH`."),
        (
            r"push rejected: ",
            "Pull (`git pull --rebase`) before you push: others push to the same branch.",
        ),
        (
            r"not a git repository",
            "Run git in the repository's directory: check with `git rev-parse --show-toplevel`.",
        ),
        (
            r"paths are ignored by one of your \.gitignore",
            "Do not `git add` files that .gitignore lists; name the files to add.",
        ),
        (
            r"merge conflict in",
            "Expect merge conflicts: merge in small steps and resolve each file.",
        ),
        (
            r"^command timed out",
            "Run commands that take long in the background, or with a longer `timeout`.",
        ),
    )
)
_NOT_FOUND: Final = re.compile(r"command not found: (\S+)")
_MODULE: Final = re.compile(r"(?:No module named|Cannot find module) (\S+)")
_INVALID: Final = re.compile(
    r"InputValidationError|required parameter|Invalid arguments", re.IGNORECASE
)


def propose_rule(signature: Signature) -> str:
    """Return a rule against failures of a signature."""
    if found := _NOT_FOUND.search(signature.text):
        return (
            f"`{_code(found[1])}` is not installed here; use something else, or install it first."
        )
    if found := _MODULE.search(signature.text):
        return f"`{_code(found[1])}` is not installed here; run in the project's environment."
    for pattern, rule in _RULES:
        if pattern.search(signature.text):
            return rule
    if _INVALID.search(signature.text):
        return f"Give {signature.tool} all required parameters, with the types of its schema."
    return _general(signature)


def propose_denial_rule(tool: str, subject: str, decided_by: str) -> str:
    """Return a rule against calls that are refused again and again."""
    what = _about(tool, subject)
    match decided_by:
        case "rule" | "mode" | "classifier" | "settings":
            return f"Do not {what}: the permission settings refuse it."
        case "hook":
            return f"Do not {what}: a hook refuses it."
        case "nobody":
            return f"Do not {what} in unattended sessions: it needs a person's permission."
        case _:
            return (
                f"Before you {what}, say what you are going to do and ask: it was refused before."
            )


def _about(tool: str, subject: str) -> str:
    named = _code(", ".join(subject.split("\n")))
    if not named:
        return f"use {tool}"
    if is_edit(tool):
        return f"edit files in `{named}`"
    kind = find_tool(tool).input
    return f"run `{named}`" if kind is BashInput else f"use {tool} for `{named}`"


def _general(signature: Signature) -> str:
    what = f"`{_code(signature.command)}`" if signature.command else signature.tool
    return (
        f"When {what} fails with “{_code(signature.text)}”, find the cause before the next try;"
        " do not repeat the call unchanged."
    )


def _code(text: str) -> str:
    """Return a text that can stand between backticks in Markdown."""
    return text.replace("`", "'").replace("\n", " ")
