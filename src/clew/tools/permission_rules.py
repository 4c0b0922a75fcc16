"""What a call is about, in the terms of Claude Code's permission rules, and the rule for it.

A shell command is known by the first words of its parts (`git status`, `npm run test`), a file by
the folder of the project that it is in, a page by its host.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit

from clew.tools.builtin import (
    BashInput,
    EditInput,
    MultiEditInput,
    NotebookEditInput,
    ReadInput,
    SkillInput,
    WebFetchInput,
    WriteInput,
)
from clew.tools.decode import decode_input
from clew.tools.display import resolve_path, short_path
from clew.tools.file_changes import is_edit
from clew.tools.registry import find_tool
from clew.tools.shell_commands import ShellCommand, split_commands

_LONGEST: Final = 200
_PARTS: Final = "\n"
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_PLAIN: Final = re.compile(r"[\w./:@+~-]{1,60}")
# Commands whose second word says what they do.
_SUBCOMMANDS: Final = """
apt apt-get aws az brew bun bundle cargo composer conda deno docker dotnet flyctl gcloud gh git go
gradle helm heroku just kubectl make mise mix mvn nix npm npx pip pip3 pipx pnpm poetry prisma rails
rake rustup swift systemctl terraform uv uvx vercel wrangler yarn
"""
_WITH_SUBCOMMAND: Final = frozenset(_SUBCOMMANDS.split())
_WITH_THIRD: Final = {
    "bun": ("run",),
    "docker": ("compose",),
    "gh": ("pr", "issue", "run", "repo"),
    "mise": ("run",),
    "npm": ("run",),
    "pnpm": ("run",),
    "poetry": ("run",),
    "uv": ("run",),
    "yarn": ("run",),
}
# Behind a pipe, these only choose from what another command prints.
_PIPED: Final = "cat cut grep head jq less sed sort tail tee tr uniq wc"
_FILTERS: Final = frozenset(_PIPED.split())
_SILENT: Final = frozenset(("cd", "echo", "export", "false", "pwd", "set", "sleep", "true"))
# A rule for the first word of these would allow anything: they run code or other commands, or
# write, send or remove whatever they are told to.
_ANYTHING: Final = """
ash at awk bash builtin bunx busybox chmod chown chroot cmd command cp crontab csh curl dash dd doas
ed elixir emacs entr env erl eval ex exec expect find fish flock ftp gawk gdb ghci groovy iex
ionice ipython irb java jshell julia kill killall ksh launchctl lldb ln lua mawk mv mysql nawk nc
ncat netcat nice node nodejs nohup npx nu nvim osascript parallel perl php pkill pnpx powershell
psql pwsh pypy python r rm rscript rsync ruby scala scp screen script sed setsid sftp sh shred socat
source sqlite ssh stdbuf strace su sudo tclsh tcsh tee telnet time timeout tmux truncate ts-node tsx
unlink uvx vi vim watch wget wsl xargs zsh
"""
_BROAD: Final = frozenset(_ANYTHING.split())
# So would a rule for these of their subcommands.
_BROAD_SUBCOMMANDS: Final = {
    "bun": "exec repl x",
    "bundle": "exec",
    "composer": "exec",
    "conda": "run",
    "deno": "eval repl run x",
    "docker": "cp exec run",
    "flyctl": "ssh",
    "gh": "alias api extension",
    "git": "bisect config difftool filter-branch mergetool rebase submodule",
    "go": "generate run tool",
    "heroku": "run",
    "kubectl": "cp debug exec run",
    "mise": "exec x",
    "mix": "eval run",
    "nix": "develop run shell",
    "npm": "exec explore x",
    "pipx": "run",
    "pnpm": "dlx exec",
    "rails": "c console r runner",
    "rustup": "run",
    "uv": "tool",
    "yarn": "dlx exec node",
}
_BROAD_THIRD: Final = ("exec", "run")
_VERSION: Final = re.compile(r"[\d.]+$")
_SYSTEM: Final = "bin boot dev etc lib Library opt proc root sbin sys System usr var"
_SYSTEM_FOLDERS: Final = frozenset(_SYSTEM.split())
_HOMES: Final = ("home", "Users")


def call_subject(tool: str, raw_input: bytes, cwd: str = "") -> str:
    """Return what a call is about; the parts of a command line are on lines of their own."""
    match decode_input(tool, raw_input):
        case BashInput(command=command):
            found = _PARTS.join(_command_subjects(command))
        case EditInput(file_path=path) | WriteInput(file_path=path) | ReadInput(file_path=path):
            found = _folder(path, cwd)
        case MultiEditInput(file_path=path) | NotebookEditInput(notebook_path=path):
            found = _folder(path, cwd)
        case WebFetchInput(url=url):
            found = _host(url)
        case SkillInput(skill=skill):
            found = skill
        case _:
            found = ""
    return found[:_LONGEST]


def permission_rules(tool: str, subject: str) -> tuple[str, ...]:
    """Return the rules that would allow such calls; none where they would allow too much."""
    kind = find_tool(tool).input
    parts = subject.split(_PARTS)
    if kind is BashInput:
        is_safe = tool == "Bash" and subject and all(_is_narrow(part) for part in parts)
        return tuple(f"{tool}({part}:*)" for part in parts) if is_safe else ()
    if not subject:
        return (tool,) if kind not in (WebFetchInput, ReadInput) and not is_edit(tool) else ()
    if kind is WebFetchInput:
        return (f"WebFetch(domain:{subject})",)
    if is_edit(tool) or kind is ReadInput:
        name = "Edit" if is_edit(tool) else tool
        return (f"{name}({subject})",) if _is_narrow_folder(subject) else ()
    return (f"{tool}({subject})",)


def _command_subjects(line: str) -> Iterator[str]:
    seen: set[str] = set()
    commands = split_commands(line)
    for command in commands:
        words = _words(command)
        is_filter = command.before.startswith("|") and command.before != "||"
        if not words or (is_filter and words[0] in _FILTERS):
            continue
        found = _prefix(words)
        if found not in seen and not (words[0] in _SILENT and len(commands) > 1):
            seen.add(found)
            yield found


def _words(command: ShellCommand) -> Sequence[str]:
    words = [word.lstrip("({") or word for word in command.words]
    while words and (found := _ASSIGNMENT.match(words[0])):
        value = words[0][found.end() :]
        # `name=$(command …` runs the command.
        words[:1] = [value[2:]] if value.startswith("$(") and value[2:] else []
    return words


def _prefix(words: Sequence[str]) -> str:
    """Return the words that say what a command does, without its own arguments."""
    first = words[0][:60]
    if first in ("python", "python3") and words[1:2] == ["-m"]:
        return " ".join((first, *_plain(words[1:3])))
    name = posixpath.basename(first)
    if name not in _WITH_SUBCOMMAND:
        return first
    is_third = words[1:2] and words[1] in _WITH_THIRD.get(name, ())
    return " ".join((first, *_plain(words[1 : 3 if is_third else 2])))


def _plain(words: Sequence[str]) -> Iterator[str]:
    """Return the words up to the first that is an option or no plain word."""
    for word in words:
        if not _PLAIN.fullmatch(word) or (word.startswith("-") and word != "-m"):
            return
        yield word


def _is_narrow(part: str) -> bool:
    words = part.split(" ")
    if not all(_PLAIN.fullmatch(word) for word in words):
        return False
    is_module = len(words) > 2 and words[1] == "-m"  # noqa: PLR2004 (python -m NAME)
    return is_module or not _is_broad(words)


def _is_broad(words: Sequence[str]) -> bool:
    """Return whether what follows these words could be anything."""
    name = posixpath.basename(words[0]).lower().removesuffix(".exe")
    program = name if name in _WITH_SUBCOMMAND else _VERSION.sub("", name)
    if program not in _WITH_SUBCOMMAND:
        return program in _BROAD
    subcommand, third = [*words[1:3], "", ""][:2]
    if not subcommand or subcommand in _BROAD_SUBCOMMANDS.get(program, "").split():
        return True
    if subcommand not in _WITH_THIRD.get(program, ()):
        return False
    return not third or third in _BROAD_THIRD or _is_broad([third])


def _is_narrow_folder(pattern: str) -> bool:
    """Return whether a pattern is one folder of work: no settings, home or folder of the system."""
    if not pattern.startswith(("//", "~")):
        return pattern.startswith("/") and "/." not in pattern
    top, *folders = pattern.removesuffix("*").strip("/*").split("/")
    if top in _HOMES:
        folders = folders[1:]
    is_hidden = any(folder.startswith(".") for folder in folders)
    return bool(folders) and not is_hidden and top not in _SYSTEM_FOLDERS


def _folder(path: str, cwd: str) -> str:
    """Return a pattern for a file's folder: from the project's, or an absolute one."""
    whole = resolve_path(path, cwd).replace("\\", "/")
    below = short_path(whole, cwd.replace("\\", "/"))
    if below == whole:
        folder = posixpath.dirname(whole).rstrip("/")
        if not folder and whole.startswith("/"):
            return "//*"
        return f"/{folder}/**" if folder.startswith("/") else f"{folder}/**"
    top, slash, _ = below.partition("/")
    return f"/{top}/**" if slash else "/*"


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
