"""A text → the values assigned to a suspicious name: in code, settings, JSON, commands."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from clew.redact.keywords import Positions
from clew.redact.spans import AsciiView, SecretSpan
from clew.redact.values import Form, Value, is_secret
from clew.redact.variable_names import NAME_WORDS, Expectation, expectation_of

RULES: Final = {
    Expectation.PASSWORD: "password",
    Expectation.SECRET: "secret",
    Expectation.KEY: "secret",
}
_NAME_SIGNS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."
_LONGEST_NAME: Final = 60
_REST: Final = re.compile(r"[\w-]{0,60}+", re.ASCII)
_QUOTE: Final = r"(?:\\{0,7}[\"'`]|&quot;|&\#3[49];)"
# What joins a name and its value, in all languages we know of; each try ends within a line's width.
_JOINT: Final = re.compile(
    rf"""
     (?P<pair>{_QUOTE}?,?\s{{1,40}}-?[ ]?{_QUOTE}?(?:value|Value){_QUOTE}?[ ]{{0,4}}[:=][ ]{{0,4}})
    |(?P<call>{_QUOTE},[ ]?(?={_QUOTE}))
    |(?P<tag>>(?=[^<>\s]))
    |{_QUOTE}?\]?(?P<gap>[ \t]{{0,8}})
     (?::[ ]?[&*]?(?:\w{{0,8}}[Ss]tr(?:ing)?|Optional\[str\]|char)
      (?:[ ]\|[ ]\w{{4,9}})?[ ]{{0,2}}(?==))?
     (?P<sign>:=|=>|={{1,3}}|:(?!:)|%3[DdAa])[ \t]{{0,8}}(?:[|>][+-]?\n[ ]{{1,20}})?
    |(?P<says>[ ](?:is|was|to)(?:[ ]?:)?[ ])
    |(?P<otherwise>{_QUOTE}?[\])]?[ ](?:\|\||\?\?|or)[ ](?={_QUOTE}))
    |(?P<cell>[ ]{{0,20}}\|[ ]{{1,20}})
    |(?P<flag>[ ]{{1,2}}(?!-))
    """,
    re.VERBOSE,
)
# Runs first, escapes between them: no sign is tried one by one.
_QUOTED: Final = re.compile(
    r"""
    [bfruBFRU]{0,2}(?:
     "(?P<double>[^"\\\n]{0,1024}+(?:\\.[^"\\\n]{0,1024}+){0,16}+)
    |'(?P<single>[^'\\\n]{0,1024}+(?:\\.[^'\\\n]{0,1024}+){0,16}+)
    |`(?P<back>[^`\n]{1,1024}+)
    |\\{1,7}["'](?P<escaped>[^"'\\\n]{0,1024}+(?:\\(?!\\{0,6}["'])[^"'\\\n]{0,1024}+){0,16}+)
    |&(?:quot|\#3[49]);(?P<entity>[^&\s<>]{1,1024}+)
    )
    """,
    re.VERBOSE,
)
_ESCAPE: Final = r"\\(?![nrt\"'\\])"
_ENDS: Final = r"\s\"'`\\<>"
_MORE_ENDS: Final = _ENDS + r",;&|(){}\[\]"
_BARE: Final = re.compile(
    rf"[^{_MORE_ENDS}]{{0,1024}}+(?:{_ESCAPE}[^{_MORE_ENDS}]{{0,1024}}+){{0,16}}+"
)
_WHOLE_WORD: Final = re.compile(
    rf"[^{_ENDS}]{{0,1024}}+(?:{_ESCAPE}[^{_ENDS}]{{0,1024}}+){{0,16}}+"
)
_TAIL: Final = re.compile(r"[^\s\"'`\\<>,;&|(){}\[\]]*+")
_VARIABLE: Final = re.compile(r"[A-Z_][A-Z0-9_]*\Z")
_LONG: Final = 1000
# A word of this length that is no secret is not read again for each suspicious name within it.
_READ_TWICE: Final = 200
_KEPT_FORMS: Final = frozenset({Form.ENVIRONMENT, Form.FLAG, Form.NEAR})
# Commands that take a name and its value without a sign between them.
_SETS: Final = re.compile(r"(?:\b(?:ENV|setx|setenv)\s|/:)\Z")
_BEFORE_VARIABLE: Final = frozenset(" \t\r\n\"'`;")


def find_assigned(
    view: AsciiView, words: Positions, names: Iterable[str] = NAME_WORDS
) -> Iterator[SecretSpan]:
    """Find values beside names that promise a secret, whatever the language around them."""
    done = 0
    for position in sorted(position for word in names for position in words.get(word, ())):
        if position < done:
            continue
        rest = _REST.match(view.text, position)
        done = rest.end() if rest else position + 1
        value = _read_assigned(view, position, done)
        if value and is_secret(value):
            done = _end_of(view.text, value)
            yield SecretSpan(value.start, done, RULES[value.promise])
        elif value and value.form is not Form.QUOTED and len(value.text) > _READ_TWICE:
            done = value.start + len(value.text)


def _read_assigned(view: AsciiView, position: int, end: int) -> Value | None:
    """Return the value of the name around `place` that ends at `end`, if the name promises one."""
    head = view.plain[max(0, position - _LONGEST_NAME) : position]
    start = position - len(head) + len(head.rstrip(_NAME_SIGNS))
    name = view.text[start:end].rpartition(".")[2]
    # Test runners print `PASS:`, and shells set `PASS=`.
    is_pass = name == "PASS" and view.text.startswith("=", end)
    promise = Expectation.PASSWORD if is_pass else expectation_of(name)
    joint = None if promise is Expectation.NOTHING else _JOINT.match(view.text, end)
    form = _form_of(view.text, start, name, joint) if joint else None
    return None if joint is None or form is None else _read_value(view.text, joint, promise, form)


def _form_of(text: str, start: int, name: str, joint: re.Match[str]) -> Form | None:
    """Return how a value is written by what joins it to its name; None if it is no value."""
    before = text[start - 1] if start else "\n"
    match joint.lastgroup:
        case "sign" if _VARIABLE.match(name) and joint["sign"] == "=" and not joint["gap"]:
            return Form.ENVIRONMENT if before in _BEFORE_VARIABLE else Form.BARE
        case "sign" if name.startswith("-"):
            return Form.FLAG
        case "sign" | "pair":
            return Form.BARE
        case "flag":
            is_set = name.startswith("-") or _SETS.search(text[max(0, start - 8) : start])
            return Form.FLAG if is_set else Form.NEAR
        case "tag":
            return Form.BARE if before == "<" else None
        case "cell":
            return Form.LOOSE if "|" in text[max(0, start - 3) : start] else None
        case _:
            return Form.LOOSE


def _read_value(text: str, joint: re.Match[str], promise: Expectation, form: Form) -> Value | None:
    quoted = _QUOTED.match(text, joint.end())
    if quoted and quoted.lastgroup:
        kept = form if form in _KEPT_FORMS else Form.QUOTED
        loose = Form.LOOSE if joint.lastgroup in {"call", "otherwise"} else kept
        return Value(quoted[quoted.lastgroup], quoted.start(quoted.lastgroup), promise, loose)
    pattern = _WHOLE_WORD if form is Form.ENVIRONMENT else _BARE
    bare = pattern.match(text, joint.end())
    if not bare or (
        form is not Form.ENVIRONMENT and text[bare.end() : bare.end() + 1] in {"(", "["}
    ):
        return None
    return Value(bare[0].rstrip(".,;:"), bare.start(), promise, form)


def _end_of(text: str, value: Value) -> int:
    """A value longer than is read for its shape goes as far as its word does."""
    end = value.start + len(value.text)
    tail = _TAIL.match(text, end) if len(value.text) > _LONG else None
    return tail.end() if tail else end
