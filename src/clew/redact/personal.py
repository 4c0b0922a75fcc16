"""A text → what identifies its author: home folders, user names, e-mail addresses."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from clew.redact.spans import AsciiView, SecretSpan, ascii_view, find_all, is_edge

HOME: Final = "home"
USER_NAME: Final = "user-name"
EMAIL: Final = "email"
STAND_IN: Final = "user"

# Homes that belong to no person: of images, of services, of examples.
_NOBODY_NAMES: Final = """
all circleci codespace coder default docker ec2-user gitpod jenkins linuxbrew name node postgres
public root runner runneradmin sandbox shared ubuntu user user_name username vagrant vscode you
your-name your-username your_name your_username yourname yourusername
"""
_NOBODY: Final = frozenset(_NOBODY_NAMES.split())
# Names that are words as well: hidden in a home's path, but not wherever they are.
_COMMON_NAMES: Final = """
admin administrator agent alpine anthropic api app apps assistant azureuser bill bot build builder
centos chat ci claude claude-code client cloud code coding core data debian demo deploy dev
developer development docs env fedora file files frank git github guest guy hello home host hope
human index info internal jack jean lab laptop lib light linux local logs mac macbook machine main
mark master max media me model my new nginx nobody norm npm office old online opt owner pat pc
personal pi prod production project projects prompt python ray redacted repo rich rob robin rose
ruby rust sandy server service session skip source src staff staging start student sudo sue super
support system team temp test tester testing tests the tmp token tool tools usr users var web
webapp will win windows work worker workspace www
"""
_COMMON: Final = _NOBODY | frozenset(_COMMON_NAMES.split())
_SHORTEST_NAME: Final = 3
_SEPARATOR: Final = r"(?:[/\\]{1,4}|%2F|%5C)"
_HOME: Final = re.compile(
    rf"(?:home|Users){_SEPARATOR}([^\W\d](?:[\w.+~-]{{0,62}}[\w~-])?"
    r"(?:(?: [\w.-]{1,32}){1,2}(?=\\))?)"
)
_ENCODED_HOME: Final = re.compile(r"(?:home|Users)-([^\W\d]\w{0,63}+)")
# What may come before the separator of a home: nothing, a drive, a mount.
_BEFORE_ROOT: Final = frozenset(" \t\r\n\"'`=:(,;<>|@!&[{$^\x1b")
_ROOT: Final = re.compile(
    r"(?:\\[nrt]|\x1b\[[\d;]{0,8}m|(?:\A|\s)-[A-Za-z]|/var|/export|(?:/mnt)?/[a-z]|%3A|/host_mnt"
    r"|/Data)\Z"
)
_WSL: Final = re.compile(r"wsl[\w.+$/\\-]{1,40}\Z")
_ENCODED_ROOT: Final = re.compile(r"(?:(?:\A|[\s\"'`=:(,/\\])|-mnt-[a-z]|[A-Z]-|-[a-z])\Z")
_FILE: Final = re.compile(
    r".*\.(?:[jt]sx?|html?|py|md|json|css|vue|svelte|php|go|rs|txt|svg|png)\Z"
)
_MACHINE: Final = re.compile(r"'?s?-(?:i?mac|macbook|laptop|pc|mbp|desktop)", re.IGNORECASE)

_DOMAIN: Final = re.compile(
    r"@((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,6}([A-Za-z]{2,24}))(?![\w-])"
)
_LOCAL_SIGNS: Final = frozenset("._%+-")
_LONGEST_LOCAL: Final = 64
_ENDINGS: Final = """
avif bmp css gif go html ico jpeg jpg js json jsx lock md mdx mjs mp4 pdf php png py rs scss sh svg
toml ts tsx txt webp xml yaml yml zip example invalid test localhost
"""
_NOT_DOMAINS: Final = frozenset(_ENDINGS.split())
_NOT_DOMAIN: Final = re.compile(r"(?:.*\.)?example\.(?:com|org|net|edu)\Z", re.IGNORECASE)
_LONGEST_USER: Final = 400
_SHORTEST_TOKEN: Final = 20
_ENDS_USER: Final = re.compile(r"[\s/]")
_NOT_PEOPLE: Final = frozenset({"git", "noreply", "no-reply"})


def find_names(strings: Iterable[str]) -> set[str]:
    """Find the user names in the home folders that paths or texts mention, for `Redactor`."""
    found = set()
    for string in strings:
        for span in find_homes(ascii_view(string)):
            found.add(string[span.start : span.end])
    return {name for name in found if is_telling_name(name)}


def is_telling_name(name: str) -> bool:
    """Return whether a user name says who someone is: short ones and plain words do not."""
    return len(name) >= _SHORTEST_NAME and name.lower() not in _COMMON


def find_homes(view: AsciiView) -> Iterator[SecretSpan]:
    """Find the user's name in paths to homes, also as folders of projects are named after them."""
    text = view.text
    for word in ("home", "Users"):
        for position in find_all(word, view.plain):
            found = _match_home(text, position)
            if found and not _is_nobody(found[1]):
                yield SecretSpan(*found.span(1), HOME, STAND_IN)


def find_user_names(view: AsciiView, names: Iterable[str]) -> Iterator[SecretSpan]:
    """Find names that occur as words, in any case."""
    text = view.text
    for name in names:
        needle = name.lower()
        positions = (
            find_all(needle, view.low)
            if needle.isascii()
            else [found.start() for found in re.finditer(re.escape(name), text)]
        )
        for position in positions:
            end = position + len(name)
            if is_edge(text, position) and (
                not text[end : end + 1].isalnum() or _MACHINE.match(text, end)
            ):
                yield SecretSpan(position, end, USER_NAME)


def find_emails(view: AsciiView) -> Iterator[SecretSpan]:
    """Find e-mail addresses of people, which look real."""
    text = view.text
    for at in find_all("@", view.plain):
        found = _DOMAIN.match(text, at)
        if not found or found[2].lower() in _NOT_DOMAINS or _NOT_DOMAIN.match(found[1]):
            continue
        start = _start_of_local(text, at)
        if (
            start < at
            and text[start:at].lower() not in _NOT_PEOPLE
            and not _in_url(text, start, at)
        ):
            yield SecretSpan(start, found.end(), EMAIL)


def _match_home(text: str, position: int) -> re.Match[str] | None:
    before = text[max(0, position - 48) : position]
    if before.endswith("-"):
        found = _ENCODED_HOME.match(text, position)
        return found if found and _ENCODED_ROOT.search(before[:-1]) else None
    stem = before[:-3] if before.endswith(("%2F", "%5C")) else before.rstrip("/\\")
    if stem == before or (before.endswith("://") and not before.endswith("file://")):
        return None
    found = _HOME.match(text, position)
    if not found or _FILE.match(found[1]):
        return None
    return found if _is_root(stem) else None


def _is_root(stem: str) -> bool:
    if not stem or stem[-1] in _BEFORE_ROOT or _ROOT.search(stem[-12:]):
        return True
    return "wsl" in stem and _WSL.search(stem) is not None


def _is_nobody(name: str) -> bool:
    return name.rstrip(".").lower() in _NOBODY


def _start_of_local(text: str, at: int) -> int:
    start = at
    while start > max(0, at - _LONGEST_LOCAL) and (
        text[start - 1].isalnum() or text[start - 1] in _LOCAL_SIGNS
    ):
        start -= 1
    # The letter of an escape is not the address's.
    if start and text[start - 1] == "\\" and text[start : start + 1] in "nrt":
        start += 1
    while start < at and not text[start].isalnum():
        start += 1
    return start


def _in_url(text: str, start: int, at: int) -> bool:
    """What is between `://user:` and `@` is a password, and a long user a token."""
    _, scheme, position = text[max(0, start - _LONGEST_USER) : start].rpartition("://")
    is_user = bool(scheme) and not _ENDS_USER.search(position)
    return is_user and (":" in position or at - start >= _SHORTEST_TOKEN)
