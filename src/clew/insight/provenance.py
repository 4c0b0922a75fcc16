"""Versions of files → snapshots: the lines after each call, each with the call that wrote it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from clew.clock import parse_time
from clew.replay import Certainty, Version
from clew.tools import changed_blocks


class Author(msgspec.Struct, frozen=True):
    """The call that wrote a line; `at` is when it began, in seconds since 1970.

    `is_told` says that the client noticed the change after a command, and may have been wrong.
    """

    session_id: str
    message_id: str
    call_id: str
    at: float
    agent_run_id: str | None = None
    is_told: bool = False


class WritingCall(msgspec.Struct, frozen=True):
    """When a call began, and whether it only brought text from elsewhere, as `git checkout` does.

    One that did is not the author of what it wrote. Where a person changed an edit before it was
    applied, the call is only the author of the lines that it `proposed`, by their keys.
    """

    at: float
    is_copy: bool = False
    proposed: frozenset[str] | None = None


class WrittenLine(msgspec.Struct, frozen=True, gc=False):
    """A line of a file; without an author, no call is known that wrote it.

    `key` is its text without white space, by which lines are compared.
    """

    text: str
    key: str
    author: Author | None = None


class TracedFile(msgspec.Struct, frozen=True):
    """A file as a call left it.

    `authored` are the keys of the lines that calls wrote, `removed` those that this call removed,
    so that the file has none of them any more. `lost` are lines of calls that were gone without a
    call that removed them: somebody cut them, took them back with git, or changed the branch.
    """

    path: str
    at: float
    lines: tuple[WrittenLine, ...]
    authored: frozenset[str]
    removed: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()

    @property
    def keys(self) -> list[str]:
        """What its lines are compared by."""
        return [line.key for line in self.lines]


def line_key(text: str) -> str:
    """Return a line without white space: a formatter changes nothing else."""
    return "".join(text.split())


def split_lines(text: str) -> list[str]:
    """Split a text into lines as git does; a carriage return at the end is no part of a line."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def make_snapshots(
    versions: Iterable[Version], paths: frozenset[str], calls: Mapping[str, WritingCall]
) -> list[TracedFile]:
    """Follow some files through the versions that calls made of them, in order of time.

    Args:
        versions: Those of all files: a file that is moved takes its lines along.
        paths: The files to follow.
        calls: What is known of the calls, by id.
    """
    tracer = _Tracer(list(_related(_in_order(versions), paths)), calls)
    return [snapshot for snapshot in tracer.trace() if snapshot.path in paths]


class _Tracer:
    """The lines of files while versions pass by."""

    def __init__(self, versions: Sequence[Version], calls: Mapping[str, WritingCall]) -> None:
        self._versions = versions
        self._calls = calls
        self._lines: dict[str, list[WrittenLine]] = {}
        self._removed: dict[str, list[str]] = defaultdict(list)
        for version in versions:
            if version.after.exists is False:
                self._removed[version.call_id].append(version.path)

    def trace(self) -> Iterator[TracedFile]:
        """Return a snapshot after each change whose text is known."""
        for version in self._versions:
            after = version.after
            if not version.is_change:
                lost = self._observe(version.path, after.text)
                if lost:
                    yield self._seen(version, lost)
            elif after.exists is False:
                # Its lines stay known: a call that removes a file may have moved it.
                continue
            elif after.text is not None:
                yield self._change(version, after.text)

    def _observe(self, path: str, text: str | None) -> frozenset[str]:
        """Take in a text that no call wrote: what is new in it came from elsewhere.

        Returns the lines of calls that are gone.
        """
        if text is None:
            return frozenset()
        old = self._lines.get(path, [])
        self._lines[path] = carry(old, split_lines(text), None)
        return _lost_keys(old, self._lines[path])

    def _seen(self, version: Version, lost: frozenset[str]) -> TracedFile:
        lines = tuple(self._lines[version.path])
        return TracedFile(version.path, seconds(version.at), lines, _authored(lines), lost=lost)

    def _change(self, version: Version, text: str) -> TracedFile:
        path, before = version.path, version.before
        facts = self._calls.get(version.call_id) or WritingCall(seconds(version.at))
        author = _author(version, facts.at)
        lost: frozenset[str] = frozenset()
        if before.exists is False:
            self._lines[path] = self._moved_lines(version)
        elif before.text is not None:
            lost = self._observe(path, before.text)
        old = self._lines.get(path, [])
        lines = carry(
            old,
            split_lines(text),
            None if facts.is_copy else author,
            keeps_reformatted=author.is_told,
        )
        if facts.proposed is not None:
            lines = [_without_typed(line, author, facts.proposed) for line in lines]
        self._lines[path] = lines
        removed: frozenset[str] = frozenset()
        if facts.is_copy:
            lost |= _lost_keys(old, lines)
        else:
            removed = _removed_keys(version)
        return TracedFile(path, author.at, tuple(lines), _authored(lines), removed, lost)

    def _moved_lines(self, version: Version) -> list[WrittenLine]:
        """Return the lines of the files that a call removed as it made another one."""
        gone = self._removed.get(version.call_id, ())
        return [line for path in gone for line in self._lines.get(path, ())]


def _without_typed(line: WrittenLine, author: Author, proposed: frozenset[str]) -> WrittenLine:
    is_typed = line.author == author and line.key not in proposed
    return msgspec.structs.replace(line, author=None) if is_typed else line


def carry(
    old: Sequence[WrittenLine],
    texts: Sequence[str],
    author: Author | None,
    *,
    keeps_reformatted: bool = False,
) -> list[WrittenLine]:
    """Return the lines of a new text: those that were there before keep their authors.

    A line that went elsewhere in the file was not written again. With `keeps_reformatted`, one
    that differs in white space only was not either.
    """
    lines: list[WrittenLine] = []
    blocks = list(changed_blocks([line.text for line in old], texts))
    gone = [line for start, end, _, _ in blocks for line in old[start:end]]
    moved, reformatted = _by_text(gone), _by_key(gone) if keeps_reformatted else {}
    at = 0
    for old_at, old_end, new_at, new_end in blocks:
        lines += old[at:old_at]
        at = old_end
        for text in texts[new_at:new_end]:
            key = line_key(text)
            found = _take(moved, text) or _take(reformatted, key)
            origin = author if found is None or not key else found.author
            lines.append(WrittenLine(text, key, origin))
    return [*lines, *old[at:]]


def _by_text(lines: Iterable[WrittenLine]) -> dict[str, list[WrittenLine]]:
    found: dict[str, list[WrittenLine]] = defaultdict(list)
    for line in lines:
        found[line.text].append(line)
    return found


def _by_key(lines: Iterable[WrittenLine]) -> dict[str, list[WrittenLine]]:
    found: dict[str, list[WrittenLine]] = defaultdict(list)
    for line in lines:
        found[line.key].append(line)
    return found


def _take(found: dict[str, list[WrittenLine]], name: str) -> WrittenLine | None:
    lines = found.get(name)
    return lines.pop(0) if lines else None


def _removed_keys(version: Version) -> frozenset[str]:
    """Return the keys of the lines that a call took out of a file whose text it certainly found."""
    if version.before.state is not Certainty.EXACT:
        return frozenset()
    before, after = (
        {line_key(line) for line in split_lines(text or "")}
        for text in (version.before.text, version.after.text)
    )
    return frozenset(before - after)


def _authored(lines: Iterable[WrittenLine]) -> frozenset[str]:
    return frozenset(line.key for line in lines if line.author)


def _lost_keys(old: Iterable[WrittenLine], new: Iterable[WrittenLine]) -> frozenset[str]:
    return _authored(old) - {line.key for line in new}


def _author(version: Version, at: float) -> Author:
    return Author(
        version.session_id,
        version.message_id,
        version.call_id,
        at,
        version.agent_run_id,
        version.action == "shell",
    )


def seconds(at: str) -> float:
    """Return a time of a transcript in seconds since 1970; 0 where it has none."""
    moment = parse_time(at)
    return 0.0 if moment is None else moment.timestamp()


def _related(versions: Sequence[Version], paths: frozenset[str]) -> Iterator[Version]:
    """Return the versions of some files, and of files that a call may have moved to one of them."""
    made = {v.call_id for v in versions if v.path in paths and v.action == "shell"}
    gone = {v.path for v in versions if v.call_id in made and v.after.exists is False}
    return (version for version in versions if version.path in paths or version.path in gone)


def _in_order(versions: Iterable[Version]) -> list[Version]:
    """Sort versions by time; a call that several sessions have a copy of counts once."""
    ordered = sorted(versions, key=lambda each: (seconds(each.at), each.session_id, each.order))
    seen: set[tuple[str, str]] = set()
    found = []
    for version in ordered:
        name = (version.call_id, version.path)
        if not version.is_inherited and name not in seen:
            seen.add(name)
            found.append(version)
    return found
