"""A text → long random values in it that are assigned to some name."""

import re
from collections.abc import Iterator
from typing import Final

from clew.redact.shapes import is_random
from clew.redact.spans import AsciiView, SecretSpan, find_runs

RULE: Final = "random-value"
_SHORTEST: Final = 32
_LONGEST: Final = 512
_BEFORE: Final = frozenset("\"'`=: \t")
_MIXED: Final = re.compile(r"(?=[^a-z]*+[a-z])(?=[^A-Z]*+[A-Z])(?=[^0-9]*+[0-9])")
_ASSIGNED: Final = re.compile(
    r"([\w.$-]{1,60})\\{0,3}[\"'`]?\]?[ \t]{0,4}(?::=|=>|=|:)[ \t]{0,4}\\{0,3}([\"'`]?)\Z", re.ASCII
)
_CLOSED: Final = re.compile(r"={0,2}(?:\\{0,3}[\"'`]|[\s,;)}\]]|\\n|\Z)")
# Names of values that are long and random, and meant to be seen.
_OPEN: Final = re.compile(
    r"(?:id|ids|uuid|hash|sha|sha\d+|digest|checksum|integrity|signature|etag|cid|data|content|image"
    r"|src|href|url|uri|path|file|publickey|pubkey|fingerprint|ref|rev|commit|version|build|class"
    r"|classname|base64|b64|body|text|ciphertext|encrypted|iv|nonce|salt|cursor|name|address|root"
    r"|resolved|thumbprint|challenge|state|slug|filename|folder|branch|seed|tag)\Z",
    re.IGNORECASE,
)
# What a public key is made of, and the hashes of Go's modules.
_PUBLIC_PARTS: Final = frozenset({"n", "e", "x", "y", "x5c", "x5t", "kid", "h1"})


def find_random_values(view: AsciiView) -> Iterator[SecretSpan]:
    """Find runs that look drawn by lot and are the whole value of a name, unless it is open."""
    text = view.text
    for start, end in find_runs(view.plain, _SHORTEST):
        if not (
            end - start <= _LONGEST
            and text[start - 1 : start] in _BEFORE
            and _MIXED.match(text, start, end)
            and is_random(text[start:end])
        ):
            continue
        assigned = _ASSIGNED.search(text[max(0, start - 72) : start])
        closed = _CLOSED.match(text, end)
        if assigned and closed and not _is_open(assigned[1]):
            yield SecretSpan(start, end + closed[0].count("="), RULE)


def _is_open(name: str) -> bool:
    words = re.split(r"[_.$-]|(?<=[a-z])(?=[A-Z])", name)
    last = words[-2:]
    return name in _PUBLIC_PARTS or any(_OPEN.match(word) for word in (*last, "".join(last)))
