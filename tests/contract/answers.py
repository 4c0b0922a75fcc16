"""Everything that can be read through an archive, as plain values: two archives are compared by it.

Numbers that an archive gives its own rows are left out, and nothing else is.
"""

import datetime as dt
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from clew.analytics import FILTERS, GROUPS, TOOL_GROUPS, FilterSet, UsageGroup
from clew.archive import Archive
from clew.render import render_json
from clew.store import SORTS, Order

NOW: Final = dt.datetime(2026, 11, 14, 12, tzinfo=dt.UTC)
_ZONES: Final = (dt.UTC, dt.timezone(dt.timedelta(hours=5, minutes=30)))
# What is known of a file on the disk that an archive was made of, and of its row.
_OWN: Final = frozenset({"id", "device", "inode", "mtime_ns"})
_VALUES: Final = 3


def compare_answers(one: Archive, other: Archive, folder: Path) -> None:
    """Compare all that two archives answer."""
    expected = answers(one, folder / "of one")
    found = answers(other, folder / "of the other")
    assert found.keys() == expected.keys()
    wrong = [name for name in expected if found[name] != expected[name]]
    assert wrong == [], _first_difference(expected[wrong[0]], found[wrong[0]])


def _first_difference(expected: Any, found: Any) -> str:
    if isinstance(expected, list) and isinstance(found, list):
        for wanted, read in zip(expected, found, strict=False):
            if wanted != read:
                return _first_difference(wanted, read)
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in expected:
            if found.get(name) != expected[name]:
                return f"{name}: {_first_difference(expected[name], found.get(name))}"
    return f"{str(expected)[:500]} is {str(found)[:500]}"


def answers(archive: Archive, folder: Path) -> dict[str, Any]:
    """Read all that an archive tells; restored files go to a folder."""
    return {
        **dict(lists(archive, FilterSet())),
        **dict(filtered(archive)),
        **dict(counts(archive)),
        **dict(conversations(archive)),
        **dict(archived_files(archive, folder)),
    }


def lists(archive: Archive, filters: FilterSet) -> Iterator[tuple[str, Any]]:
    """Read every list in every order, whole and cut, with what is usually hidden and without."""
    for what, sorts in SORTS.items():
        for sort in sorts:
            for limit, with_hidden in ((None, True), (3, False)):
                order = Order(sort, limit, with_hidden)
                found = getattr(archive, what)(filters, order)
                yield f"list {what} by {sort} {limit} {with_hidden}", _plain(found)
        yield f"count {what}", archive.count(what, filters, Order(with_hidden=True))
    yield "hidden", archive.hidden_sessions(filters)
    yield "matching", sorted(archive.matching_sessions(filters))
    yield "tool stats", _plain(archive.tool_stats(filters))
    yield "decisions", _plain(archive.decisions(filters))
    yield "decided calls", _plain(archive.decided_calls(filters))
    failed = list(archive.failed_calls(filters))
    yield "failed calls", _plain(failed)
    ids = [name for call in failed for name in (call.answer_id, call.next_id)]
    yield "answer costs", sorted(archive.answer_costs(ids).items())


def filtered(archive: Archive) -> Iterator[tuple[str, Any]]:
    """Read the lists again with each filter set to the values that are used most."""
    for each in FILTERS:
        values = archive.filter_values(each.name)
        yield f"values of {each.name}", values
        for value in values[:_VALUES]:
            filters = FilterSet(**{each.name: value})
            for name, found in lists(archive, filters):
                if "by when" in name or not name.startswith("list"):
                    yield f"{each.name}={value}: {name}", found
            yield f"{each.name}={value}: usage", _plain(archive.usage(filters, "model"))
            yield f"{each.name}={value}: cache", _plain(archive.cache_usage(filters))
    for since in ("2025-10-01", "2026-06-01"):
        narrow = FilterSet(since=f"{since}T00:00:00.000Z")
        yield f"since {since}", [*lists(archive, narrow)]
        yield f"usage since {since}", _plain(archive.usage(narrow, "block"))


def counts(archive: Archive) -> Iterator[tuple[str, Any]]:
    """Count everything by every group."""
    for zone in _ZONES:
        for group in GROUPS:
            yield f"usage by {group} in {zone}", _plain(archive.usage(FilterSet(), group, zone))
        yield f"cache in {zone}", _plain(archive.cache_usage(FilterSet(), zone))
        yield f"overview in {zone}", _plain(archive.usage_overview(FilterSet(), zone))
    sessions = [session.id for session in archive.sessions(order=Order(with_hidden=True))]
    yield "labels", {name: _plain(label) for name, label in archive.session_labels().items()}
    yield "shapes", archive.shapes(sessions)
    yield "recent", _plain(archive.recent(NOW - dt.timedelta(days=400)))
    for tool in archive.filter_values("tool"):
        for by in TOOL_GROUPS:
            found = archive.sessions_in_groups([UsageGroup(by, tool)])
            yield f"sessions of {by} {tool}", sorted(found)
    for file in archive.files(order=Order(limit=40)):
        yield f"uses of {file.path}", _plain(archive.file_uses(file.path))
        yield f"edits of {file.path}", _plain(archive.file_edits(file.path))


def conversations(archive: Archive) -> Iterator[tuple[str, Any]]:
    """Build every session."""
    for session in archive.sessions(order=Order(with_hidden=True)):
        yield f"conversation {session.id}", [*render_json(archive.conversation(session.id))]


def archived_files(archive: Archive, folder: Path) -> Iterator[tuple[str, Any]]:
    """Read what is known of each file, and restore all of them."""
    for file in archive.archived_files():
        known = msgspec.structs.asdict(file)
        yield (
            f"file {file.path} of {file.root}",
            _plain({k: v for k, v in known.items() if k not in _OWN}),
        )
    for restored in archive.restore(folder, earlier=True):
        assert not restored.fault
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            yield f"restored {path.relative_to(folder)}", digest
    status = msgspec.structs.asdict(archive.status(NOW))
    own = ("folder", "blobs", "database_bytes", "kept_bytes")
    yield "status", _plain({name: value for name, value in status.items() if name not in own})
    yield "damaged files", [one for one in archive.verify() if one.fault]


def _plain(found: Any) -> Any:
    if isinstance(found, Iterable) and not isinstance(found, str | bytes | dict):
        found = list(found)
    return msgspec.to_builtins(found, enc_hook=str)
