"""What users read is written in the usual words: no phrase of the list below is in any of it.

The texts are the help of all commands, the strings of the program, its templates, scripts and
descriptions, the README and the docs. A phrase is on the list when it is wrong wherever it appears.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest

from clew.cli.app import app

ROOT: Final = Path(__file__).parents[2]
SOURCE: Final = ROOT / "src" / "clew"
# What changed in a release stays as it was written then.
HISTORY: Final = ("changelog.md",)
SUFFIXES: Final = (".html", ".js", ".toml", ".md")

# Each with the words to use instead.
PHRASES: Final = {
    r"what is kept, prove it": "Inspect, verify and restore the archive",
    r"[Kk]eep what is new|[Ww]hat is new is (kept|taken)": "Archive new transcripts",
    r"[Aa]sk the rows": "Query the archive with SQL",
    r"(is|are) as asked for|\bas asked for\b": "match these filters",
    r"the first \{?[\w()]+\}?; --": "Showing 5 of 182 (`--limit 0` for all)",
    r"[Ww]hat askers\b|\baskers?\b": "clients",
    r"[Oo]nly from then on|[Oo]nly up to then": "Only on or after, only before",
    r"kept bytes|of rows and index": "archive, archived files, database",
    r"(nothing|nobody|none) can listen": "Cannot bind to that port",
    r"secrets? stands?\b": "Found 141 possible secrets",
    r"[Hh]ow many at most": "Maximum number of results",
    r"[Tt]he one thing to have": "Prerequisite",
    r"\btold plainly\b|\bplainly told\b|\b(is|are|was|were|be) told\b": "is shown, is reported",
    r"\b[Tt]ells? (what|which|how|whether|where|of|that|apart|when)\b": "describe, show, whether",
    r"\bgives? back\b|\bgiven back\b": "return, restore",
    r"\btak(en?|es|ing) in(to)? (what|the archive|new|nothing|by|any|all)\b": "archive, read",
    r"\btaken in\b|\btakes? in\b": "archived, read",
    r"\bstands? (in|at|beside|below|above|here|there|alone|on|between|before)\b": "is in",
    r"\bstood (in|at|beside|below|above|there)\b": "was in",
    r"\bat hand\b": "available, cached",
    r"\bbyte by byte as\b|\bas (it|they) stands?\b|\bas (it|they) stood\b": "unchanged",
    r"\bmay stand\b|\bmust stand\b": "may be",
    r"\bis no (hindrance|failure|bug)\b": "does not matter, is not an error",
    r"\bwrong use\b": "usage error",
    r"\bnothing is kept\b|\bis kept here\b|\bare kept of\b|\bis kept of\b": "archived",
    r"\bto be had\b|\bcannot be had\b": "available",
    r"\b[Nn]othing (is|was) as\b": "No … match",
    r"\bpassed over\b": "skipped",
    r"\bgone from the source\b": "deleted from the source",
    r"\bwhat (was|is) asked (for)?\b|\basked for is not there\b": "not found",
    r"\bdearest\b": "most expensive",
    r"\bled back to\b|\blead(s)? the cost\b": "explain",
    r"\bwhatever was paid\b": "estimate",
    r"\bends it\b": "to stop",
    r"\b(is|are) no (time zone|time|session|UTF-8|text|number|order)\b": "is not a …",
    r"\bgive (another|one of them|a smaller|a QUERY)\b": "use, choose",
    r"\bname another (place|folder)\b": "use another path",
    r"\bmake room\b": "free some space",
    r"\bWhose days\b": "Time zone",
    r"\bid begins so\b": "id starts with",
    r"\bnew below\b": "new messages",
    r"\b(less|more) in all\b": "less in total",
    r"\b(is|are|was|were) gone\b|\bhow far it is\b": "deleted, missing",
    r"\b[Ff]irst moment|\b[Ll]ast moment": "start time, end time",
    r"\b[Ff]rom the one to the other\b": "duration",
    r"\bit may not\b|\bdoes more than compute\b": "cannot, is not allowed",
    r"\bread back\b|\bas entries tell\b": "selected, according to",
    r"\b(no such|a|the|another|unknown) file or folder\b": "file or directory",
    r"\bcloses nothing\b|\bbefore the star\b": "unexpected, before *",
    r"\bnot everything is archived\b": "some files are not archived",
    r"\bexists already\b": "already exists",
    r"\b1 (sessions|files|hits|calls|messages|rows|lines|days)\b": "1 session",
}
# A phrase may be right in one text, for a reason.
ALLOWED: Final = {
    ("README.md", "stands in"),  # said in a sample session
}


def helps(command: click.Command, name: str = "clew") -> Iterator[tuple[str, str]]:
    """Give the help of a command and of all commands below it."""
    # A command remembers its help option, and other tests ask for `-h`.
    context = click.Context(command, info_name=name, help_option_names=["-h", "--help"])
    yield f"{name} --help", command.get_help(context)
    if isinstance(command, click.Group):
        for word in command.list_commands(context):
            found = command.get_command(context, word)
            if found is not None:
                yield from helps(found, f"{name} {word}")


def strings() -> Iterator[tuple[str, str]]:
    """Give the strings of the program with their lines; docstrings are for contributors."""
    for path in sorted(SOURCE.rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            match node:
                case ast.Constant(value=str(text)) if id(node) not in docstrings:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", text


def files() -> Iterator[tuple[str, str]]:
    """Give templates, scripts and descriptions, the README and the docs, line by line."""
    written = (path for path in SOURCE.rglob("*") if path.suffix in SUFFIXES)
    docs = (path for path in (ROOT / "docs").rglob("*.md") if path.name not in HISTORY)
    for path in sorted([*written, *docs, ROOT / "README.md"]):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            yield f"{path.relative_to(ROOT)}:{number}", line


def find_phrases(texts: Iterator[tuple[str, str]]) -> list[str]:
    """Find the phrases in texts, with what to write instead."""
    return [
        f"{place}: {found[0]!r}; say {better!r}"
        for place, text in texts
        for pattern, better in PHRASES.items()
        for found in re.finditer(pattern, text)
        if (place.partition(":")[0], found[0]) not in ALLOWED
    ]


@pytest.mark.parametrize("texts", [lambda: helps(app), strings, files], ids=["help", "src", "docs"])
def test_texts_use_the_usual_words(texts: object) -> None:
    assert callable(texts)

    assert find_phrases(texts()) == []


def test_a_phrase_is_found() -> None:
    assert find_phrases(iter([("a.md:3", "no session is as asked for")])) == [
        "a.md:3: 'is as asked for'; say 'match these filters'"
    ]


def labels() -> Iterator[tuple[str, str]]:
    """Give the titles, notes and field names that tools and views write, with their lines."""
    for path in sorted([*(SOURCE / "tools").rglob("*.py"), *(SOURCE / "view").rglob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name(id="Note" | "note" | "Fold" | "fold"), args=[first, *_]
                ):
                    texts: list[ast.expr] = [first]
                case ast.Call(func=ast.Name(id="fields"), args=pairs):
                    texts = [pair.elts[0] for pair in pairs if isinstance(pair, ast.Tuple)]
                case _:
                    continue
            for text in texts:
                start = text.values[0] if isinstance(text, ast.JoinedStr) else text
                if isinstance(start, ast.Constant) and isinstance(start.value, str):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", start.value


def test_labels_are_in_sentence_case() -> None:
    found = list(labels())

    assert len(found) > 50
    assert [(place, text) for place, text in found if text[:1].islower()] == []
