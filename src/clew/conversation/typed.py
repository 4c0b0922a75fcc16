"""A prompt → what its author typed in it, without what was pasted above that.

People paste an error, a log or a document first and say below what they want.
"""

import re
from collections.abc import Iterator
from typing import Final

from clew.conversation.fillers import says_something

# No more of a prompt is read.
_READ: Final = 20_000
_FEWEST_WORDS: Final = 3
_PASTED: Final = re.compile(
    r"\s*(?:\$|\u276f|➜|»|>>>|\.\.\.|PS [A-Z]:\S*>)\s|! \S|\s*[⎿⏺⏵│┃┌└├╭╰]"
    r"|Traceback \(most recent call last\)|\s+File \"[^\"]*\", line \d|\s+at \S.*[:(]\d"
    r"|\s*\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d"
    r"|\s*\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)\b[\]: ]|npm (?:ERR!|error|warn)\s"
    r"|(?:error(?:\[\w+\])?|warning|fatal): |(?:\w+\.)*\w*(?:Error|Exception): |--- (?:FAIL|PASS): "
    r"|(?:diff --git|index [0-9a-f]{7,}|@@ -\d)[ .]|(?:---|\+\+\+) [ab]/"
)
_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})")
_OPENING_TAG: Final = re.compile(r"\s*<([A-Za-z][\w.-]*)(?:\s[^<>]*)?>")
_PLACEHOLDERS: Final = re.compile(r"(?:\s*\[(?:Image|Pasted text) #\d{1,6}[^\]\n]{0,40}\])+\s*")
_QUOTED: Final = re.compile(r"\s{0,3}>\s?")


def typed_text(prompt: str) -> str:
    """Return a prompt from where its author speaks; the whole of it if that cannot be told."""
    text = _PLACEHOLDERS.sub("", prompt, count=1) if _PLACEHOLDERS.match(prompt) else prompt
    head, rest = text[:_READ], text[_READ:]
    lines = head.split("\n")
    start = next(_typed_lines(lines), 0)
    if start:
        lines[start] = _QUOTED.sub("", lines[start])
        typed = "\n".join(lines[start:]) + rest
        if says_something(typed) and len(typed.split(maxsplit=_FEWEST_WORDS)) >= _FEWEST_WORDS:
            return typed
    return text if says_something(text) else prompt


def _typed_lines(lines: list[str]) -> Iterator[int]:
    """Return the numbers of lines that look typed; tracebacks and logs go on in indented lines."""
    is_pasted = False
    place = 0
    while place < len(lines):
        line = lines[place]
        end = _end_of_block(lines, place)
        if end is not None:
            place, is_pasted = end + 1, True
            continue
        is_pasted = bool(_PASTED.match(line)) or (is_pasted and line[:1].isspace())
        if line.strip() and not is_pasted:
            yield place
        place += 1


def _end_of_block(lines: list[str], place: int) -> int | None:
    """Return the last line of a fenced or tagged block that begins at a line."""
    if fence := _FENCE.match(lines[place]):
        mark = fence[1]
        closing = (n for n in range(place + 1, len(lines)) if lines[n].strip().startswith(mark))
        return next(closing, None)
    if tag := _OPENING_TAG.match(lines[place]):
        mark = f"</{tag[1]}>"
        closing = (n for n in range(place, len(lines)) if lines[n].rstrip().endswith(mark))
        return next(closing, None)
    return None
