"""Text that a person typed, split at code fences, the only markup that is read in it."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

_FENCE: Final = re.compile(r"(`{3,}|~{3,})([^`\n]*)$")


class TypedBlock(msgspec.Struct, frozen=True, gc=False):
    """Lines as they were typed, or the code between two fences with its language."""

    text: str
    is_code: bool = False
    language: str = ""


def typed_blocks(text: str) -> Iterator[TypedBlock]:
    """Cut a text into words and code; a fence that nothing closes is a line like others."""
    words: list[str] = []
    code: list[str] = []
    opening: re.Match[str] | None = None
    for line in text.split("\n"):
        if opening is None:
            opening = _FENCE.match(line)
            words += [] if opening else [line]
        elif line.rstrip() == opening[1]:
            yield from _text_block(words)
            yield TypedBlock("\n".join(code), is_code=True, language=opening[2].strip())
            words, code, opening = [], [], None
        else:
            code.append(line)
    yield from _text_block([*words, opening[0], *code] if opening else words)


def _text_block(lines: list[str]) -> Iterator[TypedBlock]:
    text = "\n".join(lines).strip("\n")
    if text.strip():
        yield TypedBlock(text)
