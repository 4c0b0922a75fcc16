"""What a shared file contains, and what was masked in it: kinds, counts and places."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.redact import RedactionReport, find_masked_texts
from clew.render.html.escaping import anchor
from clew.view import (
    CallView,
    CompactionView,
    ForkView,
    Item,
    MessageView,
    Parallel,
    RunView,
    SectionView,
)

_MOST_PLACES: Final = 40
_TOP: Final = "title and details"
# The lists of a conversation's JSON, each with what the ids of its elements on a page begin with.
_LISTS: Final = {"messages": "m", "tool_calls": "c"}


class MaskedPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where something was masked: a message or a call of a session, with the masked words there.

    `anchor` is the element of the session's page; it is empty for what is above all messages.
    """

    session_id: str
    where: str
    text: str
    anchor: str = ""
    turn: int | None = None
    at: str = ""


class MaskedKind(msgspec.Struct, frozen=True, kw_only=True):
    """Secrets of one kind: how often one was found, how many different ones, and where."""

    rule: str
    count: int
    distinct: int
    places: tuple[MaskedPlace, ...] = ()
    more_places: int = 0


class SharedItem(msgspec.Struct, frozen=True, kw_only=True):
    """A session of a shared file, with its title and project as the file shows them."""

    session_id: str
    title: str
    project: str
    started_at: str = ""
    messages: int = 0
    transcript_bytes: int = 0


class ShareReport(msgspec.Struct, frozen=True, kw_only=True):
    """A shared file: its name and size, its sessions, and the secrets.

    They are masked if `is_redacted`, else they are in the file. `images` are not searched.
    """

    schema: str = "clew.share/1"
    name: str
    form: str
    detail: str
    is_redacted: bool
    size_bytes: int
    sessions: tuple[SharedItem, ...] = ()
    turns: str = ""
    query: str = ""
    hits: int = 0
    images: int = 0
    masked: int = 0
    kinds: tuple[MaskedKind, ...] = ()


class PlaceCollector:
    """Collects where something was masked, by comparing what is written with what was there."""

    def __init__(self) -> None:
        self._places: dict[str, list[MaskedPlace]] = {}

    def add(self, before: Any, after: Any, place: MaskedPlace) -> None:
        """Add what was masked in one place."""
        for found in find_masked_texts(before, after):
            own = msgspec.structs.replace(place, text=found.text)
            self._places.setdefault(found.rule, []).append(own)

    def add_top(self, session_id: str, before: Any, after: Any) -> None:
        """Add what was masked in the title, the facts and the outline of a session."""
        self.add(before, after, MaskedPlace(session_id=session_id, where=_TOP, text=""))

    def add_sections(
        self,
        session_id: str,
        before: tuple[SectionView, ...],
        after: tuple[SectionView, ...],
    ) -> None:
        """Add what was masked in the messages of a session."""
        for old, new in zip(before, after, strict=True):
            pairs = zip(old.items, new.items, strict=True)
            for own_before, own_after, place in _walk(list(pairs), session_id):
                self.add(own_before, own_after, place)

    def add_json(self, session_id: str, before: dict[str, Any], after: dict[str, Any]) -> None:
        """Add what was masked in the JSON of a session."""
        for name, letter in _LISTS.items():
            pairs = zip(before.pop(name, ()), after.pop(name, ()), strict=True)
            for old, new in pairs:
                where = str(old.get("kind") or f"call of {old.get('tool', '')}").replace("_", " ")
                element = anchor(letter, str(old["id"]))
                turn, at = old.get("turn"), str(old.get("started_at") or "")
                self.add(old, new, _place(session_id, where, element, turn, at))
        self.add_top(session_id, before, after)

    def add_hit(self, session_id: str, message_id: str | None, before: Any, after: Any) -> None:
        """Add what was masked in a hit of a search."""
        element = anchor("m", message_id) if message_id else ""
        self.add(before, after, _place(session_id, "hit", element, None))

    def kinds(self, report: RedactionReport) -> tuple[MaskedKind, ...]:
        """Return the kinds of secrets, the most frequent first."""
        distinct: dict[str, int] = {}
        for finding in report.findings:
            distinct[finding.rule] = distinct.get(finding.rule, 0) + 1
        counted = sorted(report.counts.items(), key=lambda one: (-one[1], one[0]))
        return tuple(self._kind(rule, count, distinct[rule]) for rule, count in counted)

    def _kind(self, rule: str, count: int, distinct: int) -> MaskedKind:
        # One message may contain a secret many times: each place is listed once for each text.
        found = dict.fromkeys(self._places.get(rule, ()))
        places = sorted(found, key=lambda place: not place.anchor)
        shown = places[:_MOST_PLACES]
        return MaskedKind(
            rule=rule,
            count=count,
            distinct=distinct,
            places=tuple(shown),
            more_places=len(places) - len(shown),
        )


def _walk(
    pairs: list[tuple[Item, Item]], session_id: str, turn: int | None = None
) -> Iterator[tuple[Any, Any, MaskedPlace]]:
    """Yield each element of a page before and after, without those inside that are yielded too."""
    for before, after in pairs:
        # What has not changed is the very same object.
        if before is after:
            continue
        match before, after:
            case MessageView(), MessageView():
                yield from _walk_message(before, after, session_id, turn)
            case RunView(), RunView():
                yield from _walk_run(before, after, session_id, turn)
            case ForkView(), ForkView():
                for old, new in zip(before.branches, after.branches, strict=True):
                    place = _place(session_id, "branch", anchor("b", old.id), turn)
                    yield old.title, new.title, place
                    inside = list(zip(old.items, new.items, strict=True))
                    yield from _walk(inside, session_id, turn)
            case _:
                where = "compaction" if isinstance(before, CompactionView) else "gap"
                yield before, after, _place(session_id, where, anchor("m", before.id), turn)


def _walk_message(
    before: MessageView, after: MessageView, session_id: str, turn: int | None
) -> Iterator[tuple[Any, Any, MaskedPlace]]:
    turn = before.turn if before.turn is not None else turn
    where = before.kind.replace("_", " ")
    place = _place(session_id, where, anchor("m", before.id), turn, before.started_at)
    yield _own_part(before), _own_part(after), place
    for old, new in zip(_calls(before), _calls(after), strict=True):
        if old is not new:
            where = f"call of {new.tool}"
            own = _place(session_id, where, anchor("c", old.id), turn, old.started_at)
            bare = msgspec.structs.replace
            yield bare(old, runs=()), bare(new, runs=()), own
            yield from _walk(list(zip(old.runs, new.runs, strict=True)), session_id, turn)
    yield from _walk(list(zip(before.outcome, after.outcome, strict=True)), session_id, turn)


def _walk_run(
    before: RunView, after: RunView, session_id: str, turn: int | None
) -> Iterator[tuple[Any, Any, MaskedPlace]]:
    place = _place(session_id, "agent run", anchor("r", before.id), turn, before.started_at)
    bare = msgspec.structs.replace
    yield bare(before, items=()), bare(after, items=()), place
    yield from _walk(list(zip(before.items, after.items, strict=True)), session_id, turn)


def _own_part(message: MessageView) -> MessageView:
    body = tuple(part for part in message.body if not isinstance(part, CallView | Parallel))
    return msgspec.structs.replace(message, body=body, outcome=(), sources=())


def _calls(message: MessageView) -> list[CallView]:
    found: list[CallView] = []
    for part in message.body:
        if isinstance(part, CallView):
            found.append(part)
        elif isinstance(part, Parallel):
            found.extend(part.calls)
    return found


def _place(
    session_id: str, where: str, element: str, turn: int | None, at: str = ""
) -> MaskedPlace:
    return MaskedPlace(
        session_id=session_id, where=where, text="", anchor=element, turn=turn, at=at
    )
