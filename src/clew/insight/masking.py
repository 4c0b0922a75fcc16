"""A text without what differs from case to case: paths, quotes, numbers, ids."""

import re
from typing import Final

_LONGEST_READ: Final = 400
_LONGEST: Final = 160
_CONTEXT: Final = re.compile(r" ?\[Context: [^\]]{0,200}\]?")
_URL: Final = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s'\"`<>)\]]+")
# A missing module is another cause than another missing module.
_KEPT_QUOTE: Final = re.compile(r"((?:named|module|package)[: ]+)(['\"`])([\w@.-]{1,60})\2")
_QUOTE: Final = re.compile(
    r"(?<!\w)(?:'[^'\n]{0,400}'(?!\w)|\"[^\"\n]{0,400}\"|`[^`\n]{0,400}`|“[^”\n]{0,400}”)"
)
_PATH: Final = re.compile(
    r"(?<![\w/])(?:~|\.{1,2}|[A-Za-z]:)?[/\\][^\s'\"`:;,()\[\]<>|=]+"
    r"|(?<![\w/.-])(?![A-Z]{1,6}\d{2,5}/)[\w@.+-]+(?:/[\w@.+%-]+)+/?"
    r"|(?<![\w/.-])[\w@+-]+(?:\.[\w-]+)*\.(?:py|pyi|ts|tsx|js|jsx|mjs|cjs|json|md|rs|go|java|rb|php"
    r"|c|h|cc|cpp|hpp|cs|swift|kt|ex|exs|sh|toml|yaml|yml|txt|html|css|sql|csv|lock|ipynb|log)\b"
)
_BRANCH: Final = re.compile(r"\b(branch|pathspec|tag|worktree) (?!is\b|has\b|at\b)[\w./-]+")
_ID: Final = re.compile(
    r"\b(?:[0-9a-f]{8}-[0-9a-f-]{27}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64})\b", re.IGNORECASE
)
# A code is part of the cause: HTTP 404 is no HTTP 500.
_NUMBER: Final = re.compile(
    r"(?<![\w.+-])(?<!code )(?<!status )(?<!HTTP )(?<!error )(?<!errno )(?<!signal )"
    r"[-+]?(?:\d[\d,._:]*\d|\d)(?:[KMG]B|ms|s|h|min|d|%)?(?!\w)"
)
_DATE: Final = re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?\S*)?")
_SPACES: Final = re.compile(r"\s+")


def mask(text: str, *, keep_quotes: bool = False) -> str:
    """Take paths, numbers, ids, names of branches and, by default, quotes out of a text."""
    found = _URL.sub("URL", _CONTEXT.sub("", text[:_LONGEST_READ]))
    found = _KEPT_QUOTE.sub(lambda kept: f"{kept[1]}{kept[3]}", found)
    if not keep_quotes:
        found = _QUOTE.sub("'…'", found)
    found = _PATH.sub("PATH", found)
    found = _BRANCH.sub(r"\1 …", found)
    found = _DATE.sub("DATE", found)
    found = _ID.sub("ID", found)
    found = _NUMBER.sub("N", found)
    return _SPACES.sub(" ", found).strip()[:_LONGEST].rstrip()
