"""The distinct secrets of one export: each keeps its mark, and is counted."""

import re
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from clew.redact.personal import EMAIL, USER_NAME
from clew.redact.report import RedactionReport, SecretFinding
from clew.redact.rules import TOKEN_RULES
from clew.redact.spans import SecretSpan

MARK: Final = re.compile(r"\[redacted: [a-z0-9-]{1,32}(?: \d{1,6})?\]")
MARK_HEAD: Final = "[redacted: "
NumberSecret: TypeAlias = Callable[[str, str], tuple[str, int]]
_ANCHORS: Final = tuple({anchor for rule in TOKEN_RULES for anchor in rule.anchors})
_HINTED: Final = frozenset(rule.name for rule in TOKEN_RULES)
_PUBLIC: Final = 4


class SecretMarks:
    """Assigns each secret its mark. It has them all, so it is never written or shown.

    Secrets of the rules `any_case` are the same in capital and small letters.
    """

    def __init__(self, any_case: Iterable[str] = (), number: NumberSecret | None = None) -> None:
        self._any_case = {EMAIL, USER_NAME, *any_case}
        self._number = number or self._next_number
        self._findings: dict[tuple[str, str], SecretFinding] = {}
        self._numbers: dict[str, int] = {}

    def add_any_case(self, rules: Iterable[str]) -> None:
        """Take secrets of these rules as the same in capital and small letters from now on."""
        self._any_case.update(rules)

    def add(self, span: SecretSpan, secret: str) -> str:
        """Count a secret and return its mark: the same for the same secret."""
        key = (span.replacement, secret.lower() if span.rule in self._any_case else secret)
        known = self._findings.get(key) or self._first(span, secret, key[1])
        self._findings[key] = SecretFinding(
            known.rule, known.number, known.count + 1, known.hint, known.mark
        )
        return known.mark

    @property
    def size(self) -> int:
        """How many distinct secrets were entered."""
        return len(self._findings)

    @property
    def report(self) -> RedactionReport:
        """What was entered so far."""
        return RedactionReport(tuple(self._findings.values()))

    def _first(self, span: SecretSpan, secret: str, identity: str) -> SecretFinding:
        number = self._next_number if span.replacement else self._number
        rule, count = number(span.rule, identity)
        mark = span.replacement or f"[redacted: {rule} {count}]"
        return SecretFinding(rule, count, 0, _hint(span, secret), mark)

    def _next_number(self, rule: str, _secret: str) -> tuple[str, int]:
        number = self._numbers.get(rule, 0) + 1
        self._numbers[rule] = number
        return rule, number


def label(name: str) -> str:
    """Make a name fit for a mark."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:32] or "literal"


def _hint(span: SecretSpan, secret: str) -> str:
    """Return the first signs of a token, where its maker's public prefix covers them."""
    head = secret[:_PUBLIC]
    is_public = span.rule in _HINTED and any(
        anchor.startswith(head) and len(anchor) >= len(head) for anchor in _ANCHORS
    )
    return head if is_public else ""
