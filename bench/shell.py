"""Shell commands and what they print."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from bench.dice import Dice, Weighted


class Command(msgspec.Struct, frozen=True):
    """A kind of command: how it is typed, what for, and the lines it prints."""

    text: str
    purpose: str
    output: tuple[str, ...]
    weight: float = 1.0
    median: int = 250
    is_slow: bool = False


# In every pattern: p is a path, i an identifier, n a number, h a hash, w a phrase, t a type.
COMMANDS: Final = (
    Command(
        "uv run pytest {p} -q",
        "Run the tests of {i}",
        (
            "{p}::test_{i} PASSED                         [ {n}%]",
            "{p}::test_{i} FAILED                         [ {n}%]",
            "E       AssertionError: {w}",
            "E       assert {n} == {n}",
            "{p}:{n}: {t}Error",
            "=========== {n} passed, {n} deselected in {n}.{n}s ===========",
        ),
        weight=5,
        median=350,
        is_slow=True,
    ),
    Command(
        "go test ./... -run {t} 2>&1 | tail -{n}",
        "Run the Go tests for {t}",
        (
            "--- PASS: Test{t}_{i} (0.{n}s)",
            "=== RUN   Test{t}/{i}",
            "    {p}:{n}: {w}",
            "ok  \tgithub.com/example/{i}\t{n}.{n}s",
            "FAIL\tgithub.com/example/{i} [build failed]",
        ),
        weight=4,
        median=350,
        is_slow=True,
    ),
    Command(
        "npm run build -- --mode {i} && npm run lint",
        "Build and lint",
        (
            "\u001b[2mdist/\u001b[22m\u001b[36m{i}-{h}.js\u001b[39m  {n}.{n} kB │ gzip: {n} kB",
            "{p}:{n}:{n}  warning  '{i}' is defined but never used",
            "[COMPLETED] {w}",
            "✓ {n} modules transformed.",
            "[STARTED] {w}...",
        ),
        weight=3,
        median=400,
        is_slow=True,
    ),
    Command(
        "git status --short && git diff --stat",
        "Show what changed",
        (" M {p}", "?? {p}", " {p} | {n} +++++-----", " {n} files changed, {n} insertions(+)"),
        weight=4,
    ),
    Command(
        "git log --oneline -{n} -- {p}",
        "Look at recent commits",
        ("{h} {w}", "{h} {i}: {w}", "{h} Merge pull request #{n} from example/{i}"),
        weight=2,
    ),
    Command(
        "git diff {p}",
        "Show the diff of {p}",
        (
            "@@ -{n},{n} +{n},{n} @@ {i}",
            "+    {i} = {i}({n})",
            "-    return {i}.{i}",
            "     # {w}",
            "index {h}..{h} 100644",
        ),
        weight=2,
        median=1_000,
    ),
    Command(
        'git add -A && git commit -m "{i}: {w}"',
        "Commit the change",
        ("[{i} {h}] {w}", " {n} files changed, {n} insertions(+), {n} deletions(-)"),
        weight=2,
        median=120,
    ),
    Command(
        "ls -la {p}",
        "List the folder",
        ("-rw-r--r--  1 dev  staff  {n}{n} Feb {n} 10:{n} {i}.py", "drwxr-xr-x  {n} dev  {i}"),
        weight=3,
        median=350,
    ),
    Command(
        "grep -rn '{i}' {p} | head -{n}",
        "Find the uses of {i}",
        ("{p}:{n}:    {i} = {i}({w!r})", "{p}:{n}:from {i} import {t}", "{p}:{n}:  // {w}"),
        weight=4,
        median=500,
    ),
    Command(
        "sed -n '{n},{n}p' {p}",
        "Read a part of {p}",
        ("    {i}({i}, {n})", "    # {w}", "def {i}({i}):", "    return {t}({i}={n})", ""),
        weight=2,
        median=900,
    ),
    Command(
        "docker compose logs --tail={n} {i}",
        "Read the log of {i}",
        (
            "{i}-1  | 2026-02-{n}T10:{n}:{n}.{n}Z INFO  {i} {w} id={h}{h}",
            '{i}-1  | {{"level":"warn","msg":"{w}","{i}":{n},"trace":"{h}{h}"}}',
        ),
        weight=1,
        median=1_500,
    ),
    Command(
        "tree -L {n} {p}",
        "Show the tree below {p}",
        ("├── {i}", "│   ├── {i}.py", "│   └── {i}.ts", "└── {p}"),
        weight=1,
        median=700,
    ),
    Command("mkdir -p {p} && cp {p} {p}", "Copy {i}", (), weight=3, median=0),
    Command(
        "gh pr view {n} --json title,body,comments",
        "Read the pull request",
        ("**{w}** {w}. {w}.", "- [x] {w} (`{i}`)", "> {w}", "<details><summary>{i}</summary>"),
        weight=1,
        median=1_500,
    ),
)
KINDS: Final = Weighted({command: command.weight for command in COMMANDS})


def render_output(dice: Dice, pools: Mapping[str, Sequence[str]], kind: Command) -> str:
    """Print what a command of this kind prints: mostly little, now and then very much."""
    pool = pools[kind.text]
    if not pool:
        return ""
    length = dice.size(kind.median, 1.3, 20, 60_000)
    return "\n".join(dice.choices(pool, k=max(1, length // 44)))
