"""A text → the same text without its secrets."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from clew.redact.assignments import RULES, find_assigned
from clew.redact.contexts import find_in_context
from clew.redact.cut_secrets import CUT, CutSecrets
from clew.redact.hidden import find_through_hidden
from clew.redact.keywords import find_words
from clew.redact.known_secrets import KnownSecrets
from clew.redact.marks import MARK, MARK_HEAD, NumberSecret, SecretMarks, label
from clew.redact.personal import find_emails, find_homes, find_user_names, is_telling_name
from clew.redact.pgpass import find_pgpass
from clew.redact.prefilter import prefilter_texts
from clew.redact.private_keys import find_private_keys
from clew.redact.random_values import find_random_values
from clew.redact.report import RedactionReport, SecretFinding
from clew.redact.spans import AsciiView, SecretSpan, ascii_view, find_all, merge
from clew.redact.split_keys import span_of_piece
from clew.redact.tokens import find_middles, find_tokens
from clew.redact.values import Form, Value, is_secret
from clew.redact.variable_names import Expectation, expectation_of

# A mark in the middle of a word makes two words of it, and those may be secrets in turn.
_ROUNDS: Final = 4
_SHORTEST_TEXT: Final = 3


class Redactor:
    """Takes secrets out of the texts of one export, and remembers what it took.

    Args:
        names: User names to hide wherever they occur as words; plain words are ignored.
        literals: Texts to hide everywhere, such as account ids, each with the label for its mark.
        number: Given a rule and a secret, returns the rule and the number that the secret's mark
            states, where that must be the same in several exports. Otherwise marks are numbered
            in order of first occurrence.
    """

    def __init__(
        self,
        names: Iterable[str] = (),
        literals: Mapping[str, str] | None = None,
        number: NumberSecret | None = None,
    ) -> None:
        self._names = sorted(_spellings(names), key=len, reverse=True)
        given = (literals or {}).items()
        self._literals = {text: label(name) for text, name in given if text.strip()}
        self._known = KnownSecrets()
        self._cut = CutSecrets()
        self._marks = SecretMarks(self._literals.values(), number)

    def add_people(self, names: Iterable[str], literals: Mapping[str, str]) -> None:
        """Also hide these names and texts from now on, where an export has several sessions."""
        spelled = {*self._names, *_spellings(names)}
        self._names = sorted(spelled, key=len, reverse=True)
        for text, name in literals.items():
            if text.strip():
                self._literals[text] = label(name)
        self._marks.add_any_case(self._literals.values())

    def redact(self, text: str) -> str:
        """Return the text with marks in place of secrets. Doing it again changes nothing."""
        return self.mask(text, self.find(text))

    def prepare(self, texts: Iterable[str]) -> Callable[[str], str]:
        """Read all texts before the first is masked, and return the function that masks them."""
        distinct = dict.fromkeys(texts)
        return self.recall(distinct, self.learn(distinct))

    def learn(self, texts: Iterable[str]) -> dict[str, list[SecretSpan]]:
        """Return what `find` finds in those texts in which it finds something."""
        distinct = dict.fromkeys(texts)
        suspects = prefilter_texts(distinct, self._spans) | self._known.key_pieces
        return {text: self.find(text) for text in distinct if text in suspects}

    def recall(
        self, texts: Iterable[str], spans: Mapping[str, list[SecretSpan]]
    ) -> Callable[[str], str]:
        """Return the function that masks these texts, given what was learned of them.

        Secrets that were learned from other texts since then are masked in these too.
        """
        recalled = self._known.size
        known = prefilter_texts(texts, lambda view: self._known.find(view.text)) if recalled else ()
        suspects = {**dict.fromkeys(known, ()), **spans}

        def mask(text: str) -> str:
            found = suspects.get(text)
            # Masking itself may lead to new secrets; what was known before is in none of the rest.
            if found is None and self._known.size == recalled and not text.endswith(CUT):
                return text
            return self.mask(text, found or ())

        return mask

    def find_named(self, name: str, value: str) -> list[SecretSpan]:
        """Find what to mask in the value of a field, which its name may promise to be a secret."""
        promise = expectation_of(name)
        if promise is not Expectation.NOTHING and is_secret(Value(value, 0, promise, Form.QUOTED)):
            span = SecretSpan(0, len(value), RULES[promise])
            self._known.add(span, value)
            self._cut.add(span, value)
            return [span]
        return []

    def redact_named(self, name: str, value: str) -> str | None:
        """Return the value of a field, masked; None if its name does not reveal a secret."""
        spans = self.find_named(name, value)
        return self.mask(value, spans) if spans else None

    @property
    def known_secrets(self) -> int:
        """How many secrets are masked wherever they occur, because their context revealed them."""
        return self._known.size

    def learn_key(self, pieces: Sequence[str]) -> None:
        """Mask these texts from now on: together, they are the body of one private key."""
        self._known.add_key(pieces)

    def find(self, text: str) -> list[SecretSpan]:
        """Find what to mask, and remember secrets that only their context reveals."""
        if len(text) < _SHORTEST_TEXT and not self._literals:
            return []
        spans = self._spans(ascii_view(text))
        if text in self._known.key_pieces:
            spans.append(span_of_piece(text))
        for span in spans:
            self._known.add(span, text[span.start : span.end])
            self._cut.add(span, text[span.start : span.end])
        return spans

    def mask(self, text: str, spans: Sequence[SecretSpan]) -> str:
        """Put marks in place of what `find` found in this text, and of secrets recalled since."""
        for _ in range(_ROUNDS):
            known = [*spans, *self._known.find(text), *self._cut.find(text)]
            wanted = _outside_marks(text, merge(known))
            if not wanted:
                return text
            has_new = any(_makes_words(text, span) for span in wanted)
            text = self._put_marks(text, wanted)
            if not has_new:
                return text
            spans = self.find(text)
        return text

    @property
    def report(self) -> RedactionReport:
        """What was masked so far."""
        return self._marks.report

    def _spans(self, view: AsciiView) -> list[SecretSpan]:
        return find_through_hidden(view, self._plain_spans)

    def _plain_spans(self, view: AsciiView) -> list[SecretSpan]:
        return [
            *_plain_secret_spans(view),
            *_literal_spans(view, self._literals),
            *find_emails(view),
            *find_homes(view),
            *find_user_names(view, self._names),
        ]

    def _put_marks(self, text: str, spans: list[SecretSpan]) -> str:
        pieces = []
        done = 0
        for span in spans:
            secret = self._identify(text, span)
            mark = self._marks.add(span, secret)
            pieces += [text[done : span.start], mark]
            done = span.end
        return "".join([*pieces, text[done:]])

    def _identify(self, text: str, span: SecretSpan) -> str:
        """Return what a secret is numbered by: one that was cut like the whole one."""
        secret = text[span.start : span.end]
        is_cut = text[span.end :] == CUT and not span.replacement
        whole = self._cut.identify(secret) if is_cut else ""
        return self._known.identify(whole or secret)


def find_secrets(text: str, limit: int | None = None) -> list[SecretFinding]:
    """Find the distinct secrets of a text, personal names and addresses aside, without changing it.

    Args:
        text: Any text.
        limit: Stop after so many distinct secrets.
    """
    return find_secrets_of([text], limit)


def find_secrets_of(
    texts: Sequence[str],
    limit: int | None = None,
    find: Callable[[AsciiView], list[SecretSpan]] | None = None,
) -> list[SecretFinding]:
    """Find the distinct secrets of many texts, each of which is counted as often as it comes.

    `find` is what to look for, by default all that is masked.
    """
    look = find or find_all_secrets
    suspects = prefilter_texts(texts, look)
    spans = {text: _outside_marks(text, merge(look(ascii_view(text)))) for text in suspects}
    marks = SecretMarks()
    for text in filter(spans.__contains__, texts):
        for span in spans[text]:
            marks.add(span, text[span.start : span.end])
            if limit is not None and marks.size >= limit:
                return list(marks.report.findings)
    return list(marks.report.findings)


def find_all_secrets(view: AsciiView) -> list[SecretSpan]:
    """Find all secrets of a text, names and addresses aside."""
    return find_through_hidden(view, _plain_secret_spans)


def _plain_secret_spans(view: AsciiView) -> list[SecretSpan]:
    """Find all secrets; of two in one place, the one that says more comes first."""
    words = find_words(view.low)
    spans = list(find_tokens(view, words))
    if words:
        spans += [
            *find_private_keys(view, words),
            *find_middles(view, words),
            *find_in_context(view, words),
            *find_pgpass(view, words),
            *find_assigned(view, words),
        ]
    return [*spans, *find_random_values(view)]


def _literal_spans(view: AsciiView, literals: Mapping[str, str]) -> Iterator[SecretSpan]:
    for literal, rule in literals.items():
        if literal.isascii():
            places = find_all(literal.lower(), view.low)
        else:
            places = [found.start() for found in re.finditer(re.escape(literal), view.text)]
        for place in places:
            yield SecretSpan(place, place + len(literal), rule)


def _spellings(names: Iterable[str]) -> set[str]:
    """Return user names, also as folders of projects spell them."""
    telling = {name for name in names if is_telling_name(name)}
    return telling | {"".join(sign if sign.isalnum() else "-" for sign in name) for name in telling}


def _outside_marks(text: str, spans: list[SecretSpan]) -> list[SecretSpan]:
    """Leave out what is in a mark, and cut what runs into one."""
    if not spans or MARK_HEAD not in text:
        return spans
    marks = [found.span() for found in MARK.finditer(text)]
    kept = []
    at = 0
    for span in spans:
        while at < len(marks) and marks[at][1] <= span.start:
            at += 1
        cut = _cut_at(span, *marks[at]) if at < len(marks) else span
        if cut.start < cut.end:
            kept.append(cut)
    return kept


def _cut_at(span: SecretSpan, start: int, end: int) -> SecretSpan:
    """Cut a span at a mark that is at its beginning or its end."""
    if start <= span.start < end:
        return SecretSpan(min(end, span.end), span.end, span.rule, span.replacement)
    if span.start < start < span.end <= end:
        return SecretSpan(span.start, start, span.rule, span.replacement)
    return span


def _makes_words(text: str, span: SecretSpan) -> bool:
    """Return whether masking this makes a word shorter or longer, and so perhaps another word."""
    if span.replacement:
        return len(span.replacement) > span.end - span.start
    before, after = text[span.start - 1 : span.start], text[span.end : span.end + 1]
    return before.isalnum() or after.isalnum()
