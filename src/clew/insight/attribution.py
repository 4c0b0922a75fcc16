"""Snapshots, a committed file → the lines that calls wrote. A line is left out if there is doubt.

Text alone proves nothing: people write the same lines. A call wrote a line of a commit only if the
commit introduced the line, the call came before it, the line was new in a snapshot of that file
(neither of the commit's parents had it), and no commit in between had introduced it already.
A line whose text is not unique needs a unique one beside it that passed. What a later call removed
again is not in the commit because of the call that wrote it, unless the commit is a revert; nor is
what a session saw gone before the commit was made.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec

from clew.insight.provenance import Author, TracedFile, line_key
from clew.tools import changed_blocks

EXACT: Final = "exact"
WHITESPACE: Final = "whitespace"
# Times of commits are whole seconds.
_SECOND: Final = 1.0
SHORT_LINE: Final = 8
"""Shorter lines, such as `else:` or `return`, are written by everybody."""


class CommittedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file in a commit: its lines, which of them (from 0) it introduced, and those before it.

    Of the `blamed` ones, git says so; of others, a comparison with its parents does.
    `authored_at` stays what it was where a commit is rebased, amended or picked.
    `is_consumed` says of a line and a time whether a commit before this one, but not before that
    time, had introduced the line already.
    """

    lines: tuple[str, ...]
    introduced: frozenset[int]
    committed_at: float
    authored_at: float = 0.0
    blamed: frozenset[int] = frozenset()
    parents: tuple[tuple[str, ...], ...] = ()
    is_revert: bool = False
    is_consumed: Callable[[str, float], bool] = lambda _text, _at: False


class LineMatch(msgspec.Struct, frozen=True):
    """The call that wrote a line, whether only white space changed since, and in which file."""

    author: Author
    evidence: str
    path: str = ""


def attribute_lines(
    committed: CommittedFile, snapshots: Iterable[TracedFile]
) -> dict[int, LineMatch]:
    """Return the lines of a commit that calls wrote, by their indexes."""
    latest = committed.committed_at + _SECOND
    usable = sorted(
        (each for each in snapshots if each.at < latest), key=lambda each: each.at, reverse=True
    )
    found = _attribute(committed, usable)
    rivals = _Rivals(committed, usable, found)
    return rivals.settle() if rivals.contested else found


def _attribute(committed: CommittedFile, usable: Sequence[TracedFile]) -> dict[int, LineMatch]:
    """Return the lines that calls wrote, from their snapshots, the latest first."""
    keys = [line_key(line) for line in committed.lines]
    found: dict[int, LineMatch] = {}
    tried: set[str] = set()
    removed: dict[str, set[str]] = defaultdict(set)
    for snapshot in usable:
        open_keys = {keys[at] for at in committed.introduced if at not in found}
        gone = removed[snapshot.path]
        # Each line is compared with the latest snapshot that has it.
        wanted = open_keys & (snapshot.authored - tried - gone)
        if wanted:
            matches = _Comparison(committed, keys, snapshot).matches(tried)
            kept = {at: match for at, match in matches.items() if keys[at] not in gone}
            found = {**kept, **found}
            tried |= snapshot.authored
        if not committed.is_revert:
            gone |= snapshot.removed
        if not committed.is_revert and committed.authored_at + _SECOND > snapshot.at:
            gone |= snapshot.lost
    return found


class _Comparison:
    """A commit's file beside one snapshot of it."""

    def __init__(self, committed: CommittedFile, keys: list[str], snapshot: TracedFile) -> None:
        self._committed = committed
        self._keys = keys
        self._snapshot = snapshot
        self._before = snapshot.keys
        self._pairs = equal_lines(self._before, keys)
        self._known = self._find_known()
        counts = Counter(keys), Counter(self._before)
        self._is_unique = {
            key
            for key in counts[0]
            if counts[0][key] == 1 == counts[1][key] and len(key) >= SHORT_LINE
        }

    def matches(self, tried: AbstractSet[str]) -> dict[int, LineMatch]:
        """Return the lines that this snapshot explains; of those that were `tried`, none alone."""
        fresh = self._fresh_pairs()
        sure = {j for _, j in fresh if self._keys[j] in self._is_unique - tried}
        refused = {j for i, j in fresh if self._is_consumed(i)}
        is_same = self._before == self._keys and not refused and not tried
        if not is_same:
            sure |= self._beside(fresh, sure - refused)
        kept = {j: i for i, j in fresh if (is_same or j in sure) and j not in refused}
        self._slide(kept)
        return {j: self._match(i, j) for j, i in kept.items()}

    def _slide(self, kept: dict[int, int]) -> None:
        """Take the other end of a block that can be cut out in two ways.

        Where a session adds `b }` between `a` and `}`, git may say that `} b` is new.
        """
        blamed = self._committed.blamed
        for j in sorted(blamed - kept.keys()):
            for step in (1, -1):
                end = j + step
                while end in kept and end in blamed:
                    end += step
                if end in kept and abs(end - j) > 1 and self._keys[end] == self._keys[j]:
                    kept[j] = kept[end]
                    break

    def _fresh_pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of equal lines that are new in the snapshot as well as in the commit."""
        lines = self._snapshot.lines
        return [
            (i, j)
            for i, j in self._pairs
            if j in self._committed.introduced and lines[i].author and i not in self._known
        ]

    def _find_known(self) -> frozenset[int]:
        """Return the lines of the snapshot that the commit's parents have."""
        return frozenset(
            i
            for parent in self._committed.parents
            for i, _ in equal_lines(self._before, [line_key(line) for line in parent])
        )

    def _is_consumed(self, i: int) -> bool:
        line = self._snapshot.lines[i]
        return line.author is not None and self._committed.is_consumed(line.text, line.author.at)

    def _beside(self, fresh: Sequence[tuple[int, int]], sure: set[int]) -> set[int]:
        """Return the lines in unbroken runs with a line that is sure, but not doubtful ends."""
        found: set[int] = set()
        for run in _runs(fresh):
            if any(j in sure for _, j in run):
                found.update(self._without_doubtful_ends([j for _, j in run], sure))
        return found

    def _without_doubtful_ends(self, run: list[int], sure: set[int]) -> list[int]:
        """Cut lines off a run that might as well belong to new lines of others beside it.

        Where somebody adds `b }` after `a }`, nothing tells which of the `}` is the new one.
        """
        keys, introduced = self._keys, self._committed.introduced
        others = introduced - set(run)
        above, below = _reach(others, run[0], -1), _reach(others, run[-1], 1)
        last = len(run)
        while last and run[last - 1] not in sure and keys[run[last - 1]] in _keys_at(keys, below):
            last -= 1
        first = 0
        while first < last and run[first] not in sure and keys[run[first]] in _keys_at(keys, above):
            first += 1
        return run[first:last]

    def _match(self, i: int, j: int) -> LineMatch:
        line = self._snapshot.lines[i]
        assert line.author is not None  # noqa: S101 (only lines with authors are paired)
        is_exact = line.text == self._committed.lines[j]
        return LineMatch(line.author, EXACT if is_exact else WHITESPACE, self._snapshot.path)


class _Rivals:
    """Sessions that wrote the same line in several worktrees, of which one was committed.

    The worktree whose file explains more of the commit wins, then the one that has just the file
    that was committed. Where nothing tells them apart, none is named.
    """

    def __init__(
        self,
        committed: CommittedFile,
        usable: Sequence[TracedFile],
        found: dict[int, LineMatch],
    ) -> None:
        self._committed, self._found = committed, found
        self._keys = [line_key(line) for line in committed.lines]
        self._by_path: dict[str, list[TracedFile]] = defaultdict(list)
        for each in usable:
            self._by_path[each.path].append(each)
        self._alone: dict[str, dict[int, LineMatch]] = {}
        several = len(self._by_path) > 1
        self.contested = {j: paths for j in found if several and (paths := self._contenders(j))}

    def settle(self) -> dict[int, LineMatch]:
        """Return what was found, without what belongs to rivals."""
        settled = dict(self._found)
        winners: dict[str, str | None] = {}
        for j, paths in self.contested.items():
            winner = self._winner(paths)
            winners[self._found[j].path] = winner
            self._put(settled, j, winner)
        for j, match in self._found.items():
            # A short line goes with those beside it.
            if match.path in winners and len(self._keys[j]) < SHORT_LINE:
                self._put(settled, j, winners[match.path])
        return settled

    def _put(self, settled: dict[int, LineMatch], j: int, winner: str | None) -> None:
        match = None if winner is None else self._explained(winner).get(j)
        if match is None:
            settled.pop(j, None)
        else:
            settled[j] = match

    def _contenders(self, j: int) -> tuple[str, ...]:
        """Return the paths where sessions wrote a line that is not common, if several did."""
        key, own = self._keys[j], self._found[j]
        if len(key) < SHORT_LINE:
            return ()
        others = [
            path
            for path, snapshots in self._by_path.items()
            if path != own.path and any(key in each.authored for each in snapshots)
        ]
        rivals = [
            path
            for path in others
            if (match := self._explained(path).get(j)) is not None
            and match.author.session_id != own.author.session_id
        ]
        return (own.path, *rivals) if rivals else ()

    def _winner(self, paths: Sequence[str]) -> str | None:
        scores = {path: (len(self._explained(path)), self._is_same(path)) for path in paths}
        best = max(scores.values())
        winners = [path for path, score in scores.items() if score == best]
        return winners[0] if len(winners) == 1 else None

    def _explained(self, path: str) -> dict[int, LineMatch]:
        if path not in self._alone:
            self._alone[path] = _attribute(self._committed, self._by_path[path])
        return self._alone[path]

    def _is_same(self, path: str) -> bool:
        return self._by_path[path][0].keys == self._keys


def equal_lines(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of lines that two texts have in common, in order."""
    pairs: list[tuple[int, int]] = []
    old_at = new_at = 0
    for block in (*changed_blocks(old, new), (len(old), len(old), len(new), len(new))):
        count = min(block[0] - old_at, block[2] - new_at)
        pairs += [(old_at + step, new_at + step) for step in range(count)]
        old_at, new_at = block[1], block[3]
    return pairs


def _runs(pairs: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Cut pairs where either text has something in between."""
    run: list[tuple[int, int]] = []
    for pair in pairs:
        if run and pair != (run[-1][0] + 1, run[-1][1] + 1):
            yield run
            run = []
        run.append(pair)
    if run:
        yield run


def _reach(others: frozenset[int], start: int, step: int) -> list[int]:
    """Return the unbroken indexes of `others` on one side of a line."""
    found = []
    at = start + step
    while at in others:
        found.append(at)
        at += step
    return found


def _keys_at(keys: Sequence[str], indexes: Iterable[int]) -> set[str]:
    return {keys[at] for at in indexes}
