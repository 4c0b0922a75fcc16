"""A digest on the terminal."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from clew.cli.text import visible
from clew.digest import Outcome, QuotedClaim, SessionDigest, TouchedFile
from clew.render.digest_words import apart_quote, claim_lists, listed_tests, test_words

_UNTITLED: Final = "(untitled)"
_TONES: Final = {Outcome.DONE: "green", Outcome.PARTLY: "yellow", Outcome.ABANDONED: "red"}
_MOST: Final = 10
_INDENT: Final = 2
_DEEP: Final = 4
_RESULT_TONES: Final = {True: "green", False: "red", None: "dim"}


def print_digest(digest: SessionDigest, console: Console) -> None:
    """Print a digest: title, outcome, account, and facts below it."""
    console.print(Text(visible(digest.title) or _UNTITLED, "bold"))
    outcome = Text(str(digest.outcome), _TONES.get(digest.outcome, "dim"))
    stale = Text(" · stale" if digest.is_stale else "", "yellow")
    facts = (f" · {digest.session_id} · {digest.model}", "dim")
    console.print(Text.assemble(outcome, stale, facts))
    console.print()
    for title, claims in claim_lists(digest):
        if title:
            _print_title(title, console)
        for claim in claims:
            _print_claim(claim, digest, console, "- " if title else "")
    _print_lines("Files", [*map(_file, digest.files)], console)
    commits = [Text(f"{one.hash}  {visible(one.subject)}") for one in digest.commits]
    _print_lines("Commits", commits, console)
    _print_tests(digest, console)


def _print_claim(claim: QuotedClaim, digest: SessionDigest, console: Console, lead: str) -> None:
    """Print a claim and, unless it says as much, its quote with who said it."""
    _print_below(Text(lead + visible(claim.text)), console)
    if apart_quote(claim, digest):
        quote = f'quoted, {claim.speaker}: "{visible(claim.quote)}"'
        _print_below(Text(quote, "dim"), console, _DEEP)


def _print_lines(title: str, lines: Sequence[Text], console: Console) -> None:
    if not lines:
        return
    _print_title(f"{title} ({len(lines)})" if len(lines) > 1 else title, console)
    for line in _first(lines):
        _print_below(line, console)


def _print_tests(digest: SessionDigest, console: Console) -> None:
    title, tests = listed_tests(digest)
    if not tests:
        return
    _print_title(title, console)
    for test in tests:
        result = Text(test_words(test)[0], _RESULT_TONES[test.has_passed])
        line = Text.assemble(
            result, f"  {visible(test.command)}", (f"  {visible(test.result)}", "dim")
        )
        _print_below(line, console)


def _print_below(text: Text, console: Console, indent: int = _INDENT) -> None:
    """Print an indented text, without blanks at the ends of its lines."""
    for line in text.wrap(console, max(console.width - indent, 1)):
        line.rstrip()
        console.print(Text(" " * indent) + line, soft_wrap=True)


def _print_title(title: str, console: Console) -> None:
    console.print()
    console.print(Text(title, "bold"))


def _file(file: TouchedFile) -> Text:
    path = visible(file.path)
    if file.added is None or file.removed is None:
        return Text(path)
    return Text.assemble(path, (f"  +{file.added:,} -{file.removed:,}", "dim"))


def _first(lines: Sequence[Text]) -> Iterator[Text]:
    yield from lines[:_MOST]
    if len(lines) > _MOST:
        yield Text(f"and {len(lines) - _MOST:,} more", "dim")
