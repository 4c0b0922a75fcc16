"""Talk → its sentences, as plain text that can be compared.

Code, quotations and what looks copied from a terminal are no sentences of whoever put them there.
In doubt two sentences are taken for one, so that half a sentence never passes for a whole one.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

import msgspec

from clew.digest.plain import flatten, is_plain, strip_lead, strip_markdown

QUOTE_LENGTH: Final = 400
"""So many characters a quote has at most."""
QUOTE_WORDS: Final = 5
"""So many words a quote has at least."""

_FENCE: Final = re.compile(r"(?:>\s?)?\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})(.*)")
_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)]|\(\d{1,3}\))\s+(?:\[[ xX]\]\s+)?")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s")
_RULE: Final = re.compile(r"\s*(?:[-=*_]\s*){3,}\Z|(?=[\s|:+]*+-)[\s|:+-]++\Z")
_TABLE: Final = re.compile(r"\s*\|")
_QUOTED: Final = re.compile(r"\s{0,3}>")
_CODE_INDENT: Final = re.compile(r"(?: {4}|\t)")
_TERMINAL: Final = re.compile(
    r"^\s*(?:\$|\u276f|➜|»|>>>|\.\.\.|%|PS [A-Z]:\S*>)\s"
    r"|^\s*(?:\([^()\n]*\) )?[\w.-]+@[\w.-]+[:~ ]\S*\s?[$#%]\s"
    r"|[\u2500-\u257f⎿⏺⏵]"
    r"|^Traceback \(most recent call last\)|^\s*File \"[^\"]*\", line \d|^\s+at \S.*[:(]\d"
    r"|^\s*\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d"
    r"|^\s*\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|npm ERR!)\b"
    r"|^\s*(?:error(?:\[\w+\])?|warning|fatal|\w*(?:Error|Exception)): ",
    re.MULTILINE,
)
_BLANK_LINES: Final = re.compile(r"\n[ \t]*\n")
_END: Final = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'\u201d\u2019»)\]*_`]*(\s+)|(?<=[。\uff01\uff1f])[\u201d』」\uff09]*(\s*)"
)
_ENDS_LINE: Final = re.compile(r"[.!?…。\uff01\uff1f][\"'\u201d\u2019»)\]*_`]*\Z")
_SHORT_FORM: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|nos|fig|eq|sec|mr|mrs|ms|dr|prof|st|inc|ltd|jr|sr|resp"
    r"|incl|excl|z\.b|d\.h|bzw|usw|ca|p|pp|v)|\b[A-Za-z])\.\Z",
    re.IGNORECASE,
)
_SHORT: Final = 12
_WIDTH: Final = 60
# Whatever is longer than this on one line was not typed.
_LONGEST_BLOCK: Final = 20_000
_WITHOUT_SPACES: Final = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_SIGNS: Final = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2013": "-",
        "\u2014": "-",
        "…": "...",
        "|": " ",
    }
    | dict.fromkeys("*_`~#\\")
)
_EDGES: Final = " \t.,;:!?\"'()[]{}<>-•。\uff01\uff1f"
_LINK_TARGET: Final = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s[^()]*)?\)")


class Sentence(msgspec.Struct, frozen=True):
    """A sentence as plain text, and what it is compared by."""

    text: str
    key: str


def split_sentences(text: str, *, is_typed: bool = False) -> list[Sentence]:
    """Return the sentences of a message; of one that a person typed, without pasted output."""
    said = _without_fences(text)
    if is_typed:
        said = "\n\n".join(p for p in _BLANK_LINES.split(said) if not _TERMINAL.search(p))
    blocks = [block for block in _blocks(said.split("\n")) if len(block) <= _LONGEST_BLOCK]
    plain = map(strip_markdown, blocks)
    return [
        Sentence(sentence, key)
        for block in plain
        for sentence in _split_block(block)
        if (key := sentence_key(sentence))
    ]


def sentence_key(text: str) -> str:
    """Return what is left of a sentence without whitespace, case, Markdown and outer signs."""
    flat = flatten(strip_lead(_LINK_TARGET.sub("]", text)))
    bare = flat.translate(_SIGNS).replace("[", "").replace("]", "")
    return unicodedata.normalize("NFC", " ".join(bare.casefold().split())).strip(_EDGES)


def is_quotable(sentence: str) -> bool:
    """Return whether a sentence may be quoted: long enough, not too long, and plain."""
    return (
        len(sentence) <= QUOTE_LENGTH
        and count_words(sentence) >= QUOTE_WORDS
        and is_plain(sentence)
    )


def count_words(text: str) -> int:
    """Count the words of a sentence; two characters are one where there are no spaces."""
    words = [word for word in text.split() if any(map(str.isalpha, word))]
    return sum(max(1, len(_WITHOUT_SPACES.findall(word)) // 2) for word in words)


def _without_fences(text: str) -> str:
    """Put blank lines in place of fenced code; a fence that is not closed runs to the end."""
    lines = []
    fence = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        if fence:
            closes = found and found[1].startswith(fence) and not found[2].strip()
            fence = "" if closes else fence
            lines.append("")
        elif found and "`" not in found[2]:
            fence = found[1]
            lines.append("")
        else:
            lines.append(line)
    return "\n".join(lines)


def _blocks(lines: Iterable[str]) -> Iterator[str]:
    """Return the paragraphs, headings, rows and items of a text, each on one line."""
    block: list[str] = []
    in_list = in_quote = False
    for line in (*lines, ""):
        is_blank = not line.strip()
        starts = bool(_ITEM.match(line) or _HEADING.match(line) or _TABLE.match(line))
        in_quote = not is_blank and not starts and (in_quote or bool(_QUOTED.match(line)))
        if is_blank or starts or in_quote or _RULE.match(line):
            if block:
                yield from _join_lines(block)
            block = []
        in_list = bool(_ITEM.match(line)) or (in_list and (is_blank or line[:1].isspace()))
        is_code = not block and not in_list and bool(_CODE_INDENT.match(line))
        if not (is_blank or in_quote or is_code or _RULE.match(line)):
            is_row = bool(_TABLE.match(line))
            block.append((line.replace("|", " ") if is_row else strip_lead(line)).strip())


def _join_lines(lines: list[str]) -> Iterator[str]:
    """Join lines that were only wrapped; others are texts of their own."""
    width = max(_WIDTH, *map(len, lines))
    joined = lines[0]
    for last, line in pairwise(lines):
        if _is_break(last, line, width):
            yield joined
            joined = line
        else:
            joined += f" {line}"
    yield joined


def _is_break(last: str, line: str, width: int) -> bool:
    """Return whether a sentence ends where a line does."""
    first = line.lstrip("*_`\"'([\u201c")[:1]
    if _ENDS_LINE.search(last) and not _SHORT_FORM.search(last[-_SHORT:]):
        return True
    if not first or first.islower() or first.isdecimal():
        return False
    if last.endswith(":"):
        return True
    # The next word would have been on the line, had it only been wrapped.
    return len(last) + 1 + len(line.split(maxsplit=1)[0]) <= width and line[0] not in "([\"'`"


def _split_block(text: str) -> Iterator[str]:
    """Cut a text where a sentence ends and the next one does not go on in lower case."""
    start = 0
    for end in _END.finditer(text):
        stop = end.start(end.lastindex or 0)
        if text[end.end() : end.end() + 1].islower() or _SHORT_FORM.search(
            text[max(start, stop - _SHORT) : stop]
        ):
            continue
        yield text[start:stop].strip()
        start = end.end()
    if text[start:].strip():
        yield text[start:].strip()
