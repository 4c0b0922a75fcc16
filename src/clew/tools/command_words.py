"""A simple command → the words that do the work, without what only starts them."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

_KEYWORDS: Final = ("do", "then", "else", "if", "elif", "while", "until", "!", "{", "")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_CAPTURED: Final = re.compile(r"[A-Za-z_]\w*=\$\((?=[^(])")
_PYTHON: Final = re.compile(r"(?:python|pypy|py)[\d.]*")
_ENDING: Final = re.compile(r"\.(?:[cm]?js|exe|bat|cmd)\Z")

# Programs that run the command after their options, with the options that have a value.
_WRAPPERS: Final = {
    "sudo": ("-u", "-g"),
    "time": ("-f", "-o"),
    "env": ("-u", "-C"),
    "nice": ("-n",),
    "ionice": ("-c", "-n"),
    "command": (),
    "exec": (),
    "nohup": (),
    "caffeinate": ("-t",),
    "xvfb-run": ("-s", "-n"),
    "stdbuf": ("-o", "-i", "-e"),
    "unbuffer": (),
    "xargs": ("-n", "-I", "-P", "-L"),
    "npx": ("-p", "--package"),
    "bunx": ("-p", "--package"),
    "uvx": ("--from", "--with", "--python", "-p"),
    "dotenv": ("-e",),
    "cross-env": (),
}
# What follows one of these verbs is a command.
_RUN_WRAPPERS: Final = {
    "uv": ("run",),
    "poetry": ("run",),
    "pipenv": ("run",),
    "pdm": ("run",),
    "rye": ("run",),
    "hatch": ("run",),
    "pixi": ("run",),
    "pipx": ("run",),
    "conda": ("run",),
    "coverage": ("run",),
    "doppler": ("run",),
    "devbox": ("run",),
    "bundle": ("exec",),
    "pnpm": ("exec", "dlx"),
    "yarn": ("exec", "dlx"),
    "npm": ("exec", "x"),
    "bun": ("x",),
    "deno": ("task",),
    "mise": ("exec", "x"),
    "asdf": ("exec",),
}
# Those among them that run scripts of their project by name, as npm does.
_NAME_SCRIPTS: Final = frozenset(
    {"uv", "poetry", "pipenv", "pdm", "rye", "hatch", "pixi", "devbox", "deno"}
)
_CONTAINERS: Final = ("docker", "podman", "nerdctl", "docker-compose", "kubectl")
_IN_CONTAINER: Final = ("exec", "run")
_SHELLS: Final = ("bash", "sh", "zsh", "dash", "ksh", "fish")
_VALUED: Final = frozenset(
    {"--with", "--python", "-p", "--extra", "--group", "--package", "--project", "--only"}
    | {"--directory", "-C", "--dir", "--prefix", "--filter", "--cwd", "-w", "--workspace"}
    | {"-f", "--file", "--env-file", "--with-requirements", "-F", "--justfile", "--scope", "-n"}
)
_CONTAINER_VALUED: Final = frozenset(
    {"-e", "--env", "-u", "--user", "-w", "--workdir", "-f", "--file", "-p", "--profile", "-v"}
    | {"--volume", "--name", "--network", "--entrypoint", "--env-file", "-n", "-c", "--platform"}
    | {"--project-name", "--mount", "--publish"}
)
_SSH_VALUED: Final = ("-i", "-p", "-o", "-l", "-F", "-J")
# Flags without a value where others have one.
_PLAIN: Final = {"pnpm": ("-w",), "poetry": ("-n",), "make": ("-w", "-n"), "uv": ("-n",)}


def bare_words(words: Iterable[str]) -> list[str]:
    """Return a command's words without what only runs it, such as `sudo` or `uv run`.

    A script that a runner of projects knows by its name is returned as npm would be told it.
    """
    rest = _without_parentheses(list(words))
    while rest:
        name = program_name(rest[0])
        if rest[0] in _KEYWORDS:
            rest = rest[1:]
        elif _CAPTURED.match(rest[0]):
            rest = [_CAPTURED.sub("", rest[0]), *rest[1:]]
        elif _ASSIGNMENT.match(rest[0]):
            rest = rest[1:]
        elif name in _WRAPPERS:
            rest = without_options(rest[1:], _WRAPPERS[name])
        elif name in ("timeout", "gtimeout"):
            rest = without_options(rest[1:], ("-k", "-s"))[1:]
        elif name in _RUN_WRAPPERS and _wrapped(rest) is not None:
            inner = without_options(_wrapped(rest) or [])
            if name in _NAME_SCRIPTS and inner and is_test_name(inner[0]):
                return ["npm", "run", *inner]
            rest = inner
        elif name in _CONTAINERS and _contained(rest):
            rest = _contained(rest)
        elif _PYTHON.fullmatch(name) and "-m" in rest[:4]:
            rest = rest[rest.index("-m") + 1 :]
        else:
            return rest
    return rest


def inner_line(words: Sequence[str]) -> str:
    """Return the command line that a command gives to another shell, if it does."""
    if not words:
        return ""
    name, rest = program_name(words[0]), list(words[1:])
    if name in _SHELLS:
        for at, word in enumerate(rest):
            if not word.startswith("-"):
                return ""
            if word.endswith("c") and not word.startswith("--"):
                return " ".join(rest[at + 1 : at + 2])
    if name == "eval":
        return " ".join(rest)
    return " ".join(without_options(rest, _SSH_VALUED)[1:]) if name == "ssh" else ""


def without_options(words: Sequence[str], valued: Iterable[str] | None = None) -> list[str]:
    """Return words from the first one on that is neither an option nor the value of one."""
    known = _VALUED if valued is None else valued
    place = 0
    while place < len(words) and words[place].startswith("-"):
        place += 2 if words[place] in known else 1
    return list(words[place:])


def own_words(words: Sequence[str]) -> list[str]:
    """Return a program's words without its name and the options before the others."""
    plain = _PLAIN.get(program_name(words[0]), ())
    return without_options(words[1:], [name for name in _VALUED if name not in plain])


def program_name(word: str) -> str:
    """Return the name of a program without its folder and a usual ending."""
    return _ENDING.sub("", word.rsplit("/", 1)[-1].rsplit("\\", 1)[-1])


# Tasks with such a word in their name prepare tests, describe them or do something else.
_OTHERS: Final = frozenset(
    {"type", "types", "typecheck", "typing", "mypy", "tsc", "lint", "fmt", "format", "formatting"}
    | {"style", "setup", "clean", "up", "down", "db", "data", "env", "fixture", "fixtures", "docs"}
    | {"build", "compile", "deps", "install", "image", "server", "pypi", "generate", "gen", "seed"}
    | {"deploy", "prepare", "teardown", "reset", "migrate", "report", "utils", "helpers"}
)
_TESTS: Final = frozenset(
    {"test", "tests", "e2e", "spec", "specs", "pytest", "vitest", "jest", "unittest", "unittests"}
)
_NAME: Final = re.compile(r"[\w:.+-]{1,200}|(?://|\.\.\.)?[\w:./+-]{0,200}:[\w:.-]{1,100}")
_FILE: Final = re.compile(r"\.(?:[cm]?[jt]sx?|py|rb|php|json|ya?ml|toml|txt|md|html|log|sh)\Z")
_SEPARATORS: Final = re.compile(r"[:/_.+-]+")


def is_test_name(word: str, *, with_check: bool = False) -> bool:
    """Return whether a task or a script of that name is likely to run tests.

    `with_check` also takes `check`, which is what makefiles call it.
    """
    if _NAME.fullmatch(word) is None or word.startswith("-") or _FILE.search(word):
        return False
    parts = [part for part in _SEPARATORS.split(word.casefold()) if part]
    if not _OTHERS.isdisjoint(parts):
        return False
    return not _TESTS.isdisjoint(parts) or (with_check and parts[:1] == ["check"])


def _without_parentheses(words: list[str]) -> list[str]:
    """Remove the parentheses of subshells, which stand at the first and the last word."""
    if words and words[0].startswith("("):
        words[0] = words[0].lstrip("(")
    while words and words[-1].endswith(")") and words[-1].count(")") > words[-1].count("("):
        words[-1] = words[-1][:-1]
        if not words[-1]:
            words.pop()
    return words


def _wrapped(rest: list[str]) -> list[str] | None:
    """Return what follows `uv run` and the like."""
    verbs = _RUN_WRAPPERS[program_name(rest[0])]
    inner = own_words(rest)
    return inner[1:] if inner and inner[0] in verbs else None


def _contained(rest: list[str]) -> list[str]:
    """Return the command that runs in a container or, without one, the service as a script."""
    words = without_options(rest[1:], _CONTAINER_VALUED)
    if words[:1] == ["compose"]:
        words = without_options(words[1:], _CONTAINER_VALUED)
    if not words or words[0] not in _IN_CONTAINER:
        return []
    if "--" in words:
        return words[words.index("--") + 1 :]
    place, *command = without_options(words[1:], _CONTAINER_VALUED) or [""]
    return command or (["npm", "run", place] if is_test_name(place) else [])
