"""Which programs only read, and which write to the files that they name."""

import re
from collections.abc import Sequence
from typing import Final

from clew.replay.shell.lexer import ShellWord, SimpleCommand

ASSIGNMENT: Final = re.compile(r"\w+\+?=")
# Words before a command that say how it runs, and the words of loops and conditions.
_PREFIXES: Final = frozenset(
    ("!", "{", "builtin", "command", "do", "elif", "else", "exec", "if", "nice", "nohup")
) | {"stdbuf", "sudo", "then", "time", "until", "while"}
_ENDS: Final = frozenset(("}", "done", "esac", "fi", "in"))
_WORDS: Final = """
: [ [[ ag apropos arch base32 basename bat bc bg break cal cat cd cksum clear cmp
column comm continue cut date declare df diff dig dir dirname du echo egrep exit expand
export expr factor false fg fgrep file fmt fold for free getconf getent grep groups head help
hexdump history host hostname id iostat jobs join jq kill killall last less let local locale locate
look lsof ls lsblk man md5 md5sum more netstat nl nm nproc nslookup numfmt objdump od paste pgrep
ping pkill popd printenv printf ps pstree pushd pwd read readelf readlink readonly realpath return
rev rg select seq set sha1sum sha256sum sha512sum shasum shift shopt size sleep stat
strings stty sum tac tail test tldr top tput tr true tsort tty type typeset ulimit umask
uname unexpand unset uptime users vmstat w wait wc whatis whereis which
who whoami yes zcat zgrep
ack bat exa eza
mypy pyright shellcheck hadolint actionlint cloc tokei scc
"""
READERS: Final = frozenset(_WORDS.split())
"""Programs that write no file but their output, whatever their words are."""

# A word that makes a reader write.
_WRITING_FLAGS: Final = {
    "fd": re.compile(r"-[a-zA-Z]*[xX].*|--exec.*"),
    "find": re.compile(r"-(?:exec|execdir|ok|okdir|delete|fprint|fprintf|fprint0|fls)"),
    "sort": re.compile(r"-[a-zA-Z]*o.*|--output.*"),
    "tree": re.compile(r"-o.*"),
    "base64": re.compile(r"-[a-zA-Z]*o.*|--output.*"),
    "shuf": re.compile(r"-[a-zA-Z]*o.*|--output.*"),
    "xxd": re.compile(r"-[a-zA-Z]*[ri].*"),
    "codespell": re.compile(r"-[a-zA-Z]*[wi].*|--write.*|--interactive.*"),
    "yq": re.compile(r"-[a-zA-Z]*i.*|--inplace|--in-place"),
    "awk": re.compile(r"(?s).*(?:>|system|-i|inplace|\|).*|-f.*|--file.*"),
    "gawk": re.compile(r"(?s).*(?:>|system|-i|inplace|\|).*|-f.*|--file.*"),
    "eslint": re.compile(r"--fix.*|-o|--output-file.*"),
    "ruff": re.compile(r"--fix.*|--add-noqa|--unsafe-fixes|-o|--output-file.*|clean"),
    "golangci-lint": re.compile(r"--fix|--fix=true|fmt|migrate|custom"),
    "gofmt": re.compile(r"-w.*|--w.*"),
    "prettier": re.compile(r"--write.*|-[a-zA-Z]*w.*"),
    "uniq": re.compile(r"(?!-).*"),
}
SENSITIVE: Final = frozenset(_WRITING_FLAGS)
"""Programs that write with some words, so that all words must be known."""

# Without one of these, they write, or their settings may say that they do.
_NEEDED_WORDS: Final = {
    "tsc": ("--noEmit",),
    "prettier": ("--check", "-c", "--list-different", "-l"),
    "black": ("--check", "--diff"),
    "isort": ("--check-only", "--check", "-c", "--diff"),
    "gofmt": ("-l", "-d"),
    "ruff": ("--no-fix", "--diff", "--check"),
    "golangci-lint": ("--fix=false",),
}
_SUBCOMMANDS: Final = {
    "git": """add blame branch cat-file check-attr check-ignore check-mailmap count-objects
        config describe diff diff-files diff-index diff-tree fetch for-each-ref grep help log
        ls-files ls-remote ls-tree merge-base name-rev range-diff reflog remote rev-list
        rev-parse shortlog show show-branch show-ref status symbolic-ref tag var verify-commit
        version whatchanged""",
    "gh": """alias api auth browse cache config extension gist issue label org pr project release
        ruleset run search secret ssh-key status variable workflow""",
    "go": "doc env help list version vet",
    "npm": "config help list ls outdated ping prefix root search view whoami why",
    "pnpm": "list ls outdated root why",
    "yarn": "list info why",
    "pip": "show list freeze check help",
    "docker": "ps logs images inspect info version stats top port events history",
    "kubectl": "get describe logs explain version top",
    "cargo": "search version",
    "brew": "list info search outdated",
    "systemctl": "status is-active list-units show",
}
_READING: Final = {name: frozenset(words.split()) for name, words in _SUBCOMMANDS.items()}
# Of these, some words of a reading subcommand write.
_WRITING_SUBWORDS: Final = {
    "gh": frozenset(("checkout", "merge", "clone", "sync", "download", "develop", "fork")),
    "git": frozenset(("--output", "-o")),
}
WRITERS: Final = frozenset(("cp", "mv", "rm", "rmdir", "tee", "touch", "truncate", "unlink"))
"""Programs that write only to the files that they name."""

NEUTRAL: Final = frozenset(("chmod", "chown", "chgrp", "mkdir", "mktemp", "sync"))
"""Programs that change no file's text."""

SERVERS: Final = re.compile(
    r"(?:(?:npx )?(?:(?:npm|pnpm|yarn|bun)(?: (?:--filter|-F|-C|--prefix|--dir) \S+)*(?: run)?"
    r" (?:dev|start|serve|preview)|vite|next dev|webpack serve)"
    r"|python3? -m http\.server|http-server|uvicorn|gunicorn|flask run|rails (?:s|server)"
    r"|docker(?: compose|-compose) up|ngrok|redis-server|postgres|mongod|tail -f)\b"
)
"""Programs that people leave running beside their work: what they write is no source."""


def without_prefixes(words: Sequence[ShellWord]) -> list[ShellWord]:
    """Return a program and its words, without what only says how it runs."""
    rest = list(words)
    while rest and (rest[0].text in _PREFIXES or ASSIGNMENT.match(rest[0].text)):
        rest.pop(0)
    return [] if rest and rest[0].text in _ENDS else rest


def command_words(command: SimpleCommand) -> list[str]:
    """Return the name of a program, without its folder, and its words."""
    words = [word.text for word in without_prefixes(command.words)]
    return [words[0].rpartition("/")[2], *words[1:]] if words else []


def only_reads(name: str, words: Sequence[str]) -> bool:
    """Whether a program with these words writes to no file that it is not redirected to."""
    if words and all(word in ("--version", "--help", "-h", "-V", "version") for word in words):
        return True
    flag, needed = _WRITING_FLAGS.get(name), _NEEDED_WORDS.get(name)
    if flag is not None or needed is not None:
        writes = flag is not None and any(map(flag.fullmatch, words))
        return not writes and (needed is None or any(word in needed for word in words))
    if name in _READING:
        return _reads_with_subcommand(name, words)
    return name in READERS


def _reads_with_subcommand(name: str, words: Sequence[str]) -> bool:
    rest = list(words)
    while rest and rest[0].startswith("-"):
        # Options before a subcommand: those of one letter have a value.
        rest = rest[2:] if rest[0] in ("-C", "-c", "-R", "-n") else rest[1:]
    if not rest:
        return False
    writing = _WRITING_SUBWORDS.get(name, frozenset())
    pair = " ".join(rest[:2])
    if name == "git" and pair in ("stash list", "stash show", "worktree list", "submodule status"):
        return True
    return rest[0] in _READING[name] and not any(
        word in writing or word.partition("=")[0] in writing for word in rest[1:]
    )
