"""A text → secrets known by their context: headers, addresses, commands."""

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clew.redact.keywords import Positions, find_needle, word_in
from clew.redact.shapes import has_digit_and_letter, is_placeholder, is_scrambled
from clew.redact.spans import AsciiView, SecretSpan, compiled, find_all


class ContextRule(msgspec.Struct, frozen=True):
    """A place for secrets: `needle` is in lower case; the pattern's one group is the secret.

    The pattern is tried where the needle is. In an `is_open` place words are likely too, so the
    secret must not look like one. Where there is a `command`, it is before, on the same line;
    where there is a `sign`, it is behind, in `reach`, and is rarer than the needle.
    """

    name: str
    needle: str
    pattern: str
    is_open: bool = False
    command: str = ""
    sign: str = ""
    reach: int = sys.maxsize


_QUOTE: Final = r"(?:\\{0,7}[\"'`]|&quot;|&\#3[49];)?"
_WORD: Final = r"[^\s\"'`\\<>]"
_USER: Final = rf"{_QUOTE}[^\s\"'`\\<>:$]{{1,128}}:"

PLACE_RULES: Final[tuple[ContextRule, ...]] = (
    ContextRule(
        "authorization",
        "authorization",
        rf"authorization{_QUOTE}\]?\s?[:=,]\s?{_QUOTE}"
        r"(?:(?:basic|bearer|token|apikey|api-key|digest|negotiate|key)\s{1,2})?"
        rf"([\w.~+/=:-]{{8,}}+)",
        is_open=True,
    ),
    ContextRule("authorization", "bearer ", r"bearer\s{1,2}([\w.~+/=-]{12,}+)", is_open=True),
    ContextRule(
        "authorization", "basic ", r"basic\s([A-Za-z0-9+/]{12,}+={0,2})(?![\w-])", is_open=True
    ),
    ContextRule(
        "url-password",
        "://",
        r"://[^\s\"'`\\<>/:@?#]{0,128}:([^\s\"'`\\<>/]{1,256})@",
        sign="@",
        reach=400,
    ),
    ContextRule(
        "url-password", "://", r"://([\w~.+-]{20,256})@", is_open=True, sign="@", reach=400
    ),
    ContextRule("signature", "sig=", r"sig=([\w%+/=-]{20,}+)", is_open=True),
    ContextRule("signature", "signature=", r"signature=([\w%+/=-]{20,}+)", is_open=True),
    ContextRule("password", "login ", r"login\s{1,2}\S{1,128}\s{1,8}password\s{1,2}(\S{1,256})"),
    ContextRule("password", " -p", rf"\s-p\s?{_QUOTE}({_WORD}{{3,}}+)", command="sshpass"),
    ContextRule(
        "password", " -p", rf"\s-p{_QUOTE}([^\s\"'`\\<>=-]{_WORD}{{2,}}+)", command="mysql"
    ),
    ContextRule("password", " -p ", rf"\s-p\s{_QUOTE}({_WORD}{{3,}}+)", command="docker login"),
    ContextRule(
        "password",
        "echo ",
        rf"echo\s(?:-n\s)?{_QUOTE}({_WORD}{{3,}}+){_QUOTE}\s?\|[^|\n]{{0,80}}--password-stdin",
        sign="--password-stdin",
    ),
    ContextRule(
        "password",
        "echo ",
        rf"echo\s(?:-\w{{1,2}}\s)?{_QUOTE}({_WORD}{{3,}}+){_QUOTE}\s?\|[^|\n]{{0,40}}sudo\s-s",
        sign="sudo -s",
        reach=400,
    ),
    ContextRule(
        "password",
        "echo ",
        rf"echo\s(?:-\w{{1,2}}\s)?{_USER}({_WORD}{{3,}}+){_QUOTE}\s?\|[^|\n]{{0,40}}chpasswd",
        sign="chpasswd",
        reach=400,
    ),
    ContextRule(
        "password",
        "htpasswd",
        rf"htpasswd(?:\s-\w{{1,8}}){{1,4}}\s\S{{1,128}}\s\S{{1,64}}\s{_QUOTE}({_WORD}{{4,}}+)",
        is_open=True,
    ),
    ContextRule("password", " pass:", rf"\spass:({_WORD}{{4,}}+)", is_open=True),
    # An app password of a mail provider: four times four letters.
    ContextRule(
        "password",
        "pass",
        rf"pass\w{{0,12}}{_QUOTE}\s?[=:]\s?{_QUOTE}([a-z]{{4}}(?:[ ][a-z]{{4}}){{3}})(?![a-z ])",
    ),
    ContextRule(
        "password", "securestring", rf"securestring\s(?:-string\s)?[\"']({_WORD}{{4,}}+)[\"']"
    ),
    ContextRule(
        "password",
        " -u ",
        rf"\s-u\s{_QUOTE}[^\s%\"'`]{{1,64}}%({_WORD}{{3,}}+)",
        command="smbclient",
    ),
    ContextRule(
        "password", " -p ", rf"\s-p\s{_QUOTE}({_WORD}{{4,}}+)", command=" login", is_open=True
    ),
    ContextRule(
        "password", " -p ", rf"\s-p\s{_QUOTE}({_WORD}{{4,}}+)", command="mongo", is_open=True
    ),
    ContextRule("secret", " --body ", rf"\s--body\s{_QUOTE}({_WORD}{{8,}}+)", command="secret set"),
    ContextRule("cookie", "phpsessid", r"phpsessid=([\w,-]{16,}+)", is_open=True),
    ContextRule("cookie", "jsessionid", r"jsessionid=([\w.-]{16,}+)", is_open=True),
    ContextRule("cookie", "connect.sid", r"connect\.sid=([\w.%:+/-]{16,}+)", is_open=True),
    ContextRule("password", " -a ", rf"\s-a\s{_QUOTE}({_WORD}{{3,}}+)", command="redis-cli"),
    ContextRule("password", " -u", rf"\s-u\s?{_USER}({_WORD}{{3,}}+)", command="curl"),
    ContextRule("password", "user", rf"user[ =]{_USER}({_WORD}{{3,}}+)", command="curl"),
)
_ANY_CASE: Final = re.IGNORECASE | re.ASCII
_COMMAND_WIDTH: Final = 400
_COOKIE_WORD: Final = "cookie"
_COOKIE: Final = re.compile(rf"(?:set-)?cookies?{_QUOTE}\]?(?::|=|\s)\s?{_QUOTE}", re.IGNORECASE)
_PAIR: Final = re.compile(
    r"\s{0,2}([\w.$-]{1,64}+)=([^\s\"'`\\<>;,]{0,4096}+)((?:=[^;]{1,48})?;?)", re.ASCII
)
_ATTRIBUTES: Final = frozenset(
    {"path", "domain", "expires", "max-age", "samesite", "version", "priority"}
)
_ATTRIBUTE: Final = re.compile(
    r"\s{0,2}(?:httponly|secure|partitioned|expires=[\w, :-]{1,40}+);?", re.IGNORECASE
)
_SHORTEST_COOKIE: Final = 8


def find_in_context(view: AsciiView, words: Positions) -> Iterator[SecretSpan]:
    """Find values in a context where only secrets occur."""
    yield from find_by_rules(view, words, _RULES)
    yield from _find_cookies(view, find_needle(_COOKIE_WORD, view.low, words))


def find_by_rules(
    view: AsciiView, words: Positions, rules: Iterable[tuple[ContextRule, str]]
) -> Iterator[SecretSpan]:
    """Find values by rules, each of which is tried only if the text has its word."""
    for rule, word in rules:
        if word in words:
            yield from _find_of_rule(view, rule, _places(view.low, rule, words))


def _find_of_rule(view: AsciiView, rule: ContextRule, positions: list[int]) -> Iterator[SecretSpan]:
    pattern, done = compiled(rule.pattern, _ANY_CASE), 0
    for position in positions:
        found = pattern.match(view.text, position) if position >= done else None
        if found and _is_secret(rule, found[1]) and _is_of_command(view.low, position, rule):
            done = found.end()
            yield SecretSpan(*found.span(1), rule.name)


def _places(low: str, rule: ContextRule, words: Positions) -> list[int]:
    """Return where to try a rule; what it needs besides its needle is rarer, and sought first."""
    rarest = find_needle(rarest_needle(rule), low, words)
    if rule.command:
        width = _COMMAND_WIDTH + len(rule.needle)
        return _find_in(low, rule.needle, [(at, at + width) for at in rarest])
    if rule.sign:
        # Where there is much of it after all, one pass over the whole text is faster.
        if len(rarest) * rule.reach > len(low):
            return find_all(rule.needle, low)
        return _find_in(low, rule.needle, [(max(0, at - rule.reach), at) for at in rarest])
    return rarest


def rarest_needle(rule: ContextRule) -> str:
    """Return what a rule needs that is rarest in a text."""
    return rule.command or rule.sign or rule.needle


def _find_in(low: str, needle: str, ranges: list[tuple[int, int]]) -> list[int]:
    """Return every position of a needle in ranges that come in order and may overlap."""
    found: list[int] = []
    reached = 0
    for start, end in ranges:
        position = low.find(needle, max(start, reached), end)
        while position >= 0:
            found.append(position)
            position = low.find(needle, position + len(needle), end)
        reached = end - len(needle) + 1
    return found


_RULES: Final = [(rule, word_in(rarest_needle(rule))) for rule in PLACE_RULES]


def _is_secret(rule: ContextRule, word: str) -> bool:
    if is_placeholder(word) or word.startswith("$"):
        return False
    return not rule.is_open or has_digit_and_letter(word) or is_scrambled(word)


def _is_of_command(low: str, position: int, rule: ContextRule) -> bool:
    if not rule.command:
        return True
    start = low.rfind(rule.command, max(0, position - _COMMAND_WIDTH), position)
    return start >= 0 and "\n" not in low[start:position].replace("\\\n", "")


def _find_cookies(view: AsciiView, positions: list[int]) -> Iterator[SecretSpan]:
    done = 0
    for position in positions:
        head = _COOKIE.match(view.text, position) if position >= done else None
        if head:
            for span in _cookies_from(view.text, head.end()):
                done = span.end
                yield span


def _cookies_from(text: str, position: int) -> Iterator[SecretSpan]:
    while True:
        if skipped := _ATTRIBUTE.match(text, position):
            position = skipped.end()
            continue
        pair = _PAIR.match(text, position)
        if not pair:
            return
        value = pair[2]
        named = pair[1].lower() in _ATTRIBUTES
        if not (named or is_placeholder(value)) and _is_cookie(value):
            yield SecretSpan(*pair.span(2), "cookie")
        if not pair[3].endswith(";"):
            return
        position = pair.end()


def _is_cookie(value: str) -> bool:
    return len(value) >= _SHORTEST_COOKIE and has_digit_and_letter(value)
