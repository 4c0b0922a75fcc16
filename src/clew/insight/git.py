"""Reading git repositories with the `git` program: nothing is written, and nothing of theirs runs.

A repository may come from anywhere. Its settings could name programs to run (filters, drivers of
diffs, monitors), so each command turns these off, and the working tree is never converted by git.
"""

import itertools
import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from clew.errors import ClewError, NotFoundError, UsageError

_SAFE: Final = (
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.pager=cat",
    "-c", "core.quotePath=false",
    "-c", "core.alternateRefsCommand=",
    "-c", "log.showSignature=false",
    "-c", "log.mailmap=false",
    "-c", "log.follow=false",
    "-c", "log.showRoot=true",
    "-c", "blame.showRoot=false",
    "-c", "diff.relative=false",
    "-c", "blame.markIgnoredLines=false",
    "-c", "diff.external=",
    "-c", "diff.renames=true",
    "-c", "diff.orderFile=/dev/null",
    "-c", "color.ui=false",
    "-c", "i18n.logOutputEncoding=UTF-8",
)  # fmt: skip
_NO_PROGRAMS: Final = ("--no-ext-diff", "--no-textconv")
_KEPT_VARIABLES: Final = ("GIT_EXEC_PATH",)
_SECONDS: Final = 120
_HASH_LENGTHS: Final = (40, 64)
_UNBORN: Final = ("Needed a single revision", "unknown revision", "bad revision")
_FIELDS: Final = "%x00%H%x00%P%x00%ct%x00%at%x00%an%x00%ae%x00%B%x00"
_SUBJECT_LENGTH: Final = 1_000
_FATAL: Final = "fatal: "
_NO_OBJECT: Final = "0" * 40
_ESCAPE: Final = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_SIGNS: Final = {
    b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r",
}  # fmt: skip
# Without these, settings and attributes of a repository could hide lines from us.
_WHOLE_PATCH: Final = ("--cc", "-U0", "-M", "--text", "--no-color")


class GitMissingError(ClewError):
    """The `git` program is not installed."""

    def __init__(self) -> None:
        super().__init__("git was not found; install it, or add it to PATH")


class GitFailedError(ClewError):
    """Git could not read a repository; the text is its own."""

    def __init__(self, told: str) -> None:
        lines = [line for line in told.splitlines() if line.strip()] or ["no message"]
        line = next((line for line in lines if line.startswith(_FATAL)), lines[0])
        super().__init__(f"git could not read the repository: {line.removeprefix(_FATAL)}")


class NoRepositoryError(NotFoundError):
    """A path is in no git repository, or in one without files."""

    def __init__(self, path: Path, *, is_bare: bool = False) -> None:
        bare = (
            f"{path} is in a bare repository, which has no files; use a clone or a worktree of it"
        )
        none = f"{path} is not in a git repository; choose a path inside of one"
        super().__init__(bare if is_bare else none)


class NoCommitsError(NotFoundError):
    """A repository has no commit yet."""

    def __init__(self, top: Path) -> None:
        super().__init__(f"the repository {top} has no commits yet")


class RevisionNotFoundError(NotFoundError):
    """A repository has no such revision."""

    def __init__(self, revision: str, *, is_shallow: bool) -> None:
        more = " (it is a shallow clone: `git fetch --unshallow` fetches the rest)"
        hint = more if is_shallow else ""
        super().__init__(f"no commit is called {revision!r} in this repository{hint}")


class PathNotInRevisionError(NotFoundError):
    """A revision has no such file."""

    def __init__(self, path: str, revision: str) -> None:
        super().__init__(
            f"{path!r} is not a file in {revision[:12]}; use --rev to choose another revision"
        )


class RepositoryCommit(msgspec.Struct, frozen=True, kw_only=True):
    """One commit; times are seconds since 1970. `added` and `removed` are lines of some files."""

    hash: str
    parents: tuple[str, ...]
    committed_at: int
    authored_at: int
    author: str
    email: str
    message: str
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()

    @property
    def subject(self) -> str:
        """The first paragraph of its message as one line, as git prints it."""
        lines = itertools.takewhile(str.strip, self.message.strip().split("\n"))
        return " ".join(" ".join(lines).split())[:_SUBJECT_LENGTH]


class BlamedLine(msgspec.Struct, frozen=True):
    """A line of a file: which commit introduced it, where it was there, and before that.

    `previous` is the commit before with the name that the file had in it; it is empty where the
    file begins.
    """

    number: int
    commit: str
    original_number: int
    filename: str
    previous: str = ""
    previous_filename: str = ""
    is_boundary: bool = False


class Repository(msgspec.Struct, frozen=True, kw_only=True):
    """A repository, seen from one of its worktrees."""

    top: Path
    common: Path
    is_shallow: bool

    def relative(self, path: Path) -> str:
        """Return a path as the repository names it.

        Raises:
            NoRepositoryError: It is not below the worktree.
        """
        # A link in the last place is what git knows, not what it leads to.
        whole = Path(os.path.abspath(path))  # noqa: PTH100
        for place in (whole, whole.parent.resolve() / whole.name):
            for top in (self.top, self.top.resolve()):
                if place.is_relative_to(top) and place != top:
                    return place.relative_to(top).as_posix()
        raise NoRepositoryError(path)

    def run(self, *words: str, given: bytes | None = None) -> bytes:
        """Run a command of git that reads, and return what it printed.

        Raises:
            GitFailedError: It failed.
        """
        done = _run(self.top, words, given)
        if done.returncode:
            raise GitFailedError(done.stderr.decode("utf-8", "replace"))
        return done.stdout

    def resolve(self, revision: str) -> str:
        """Return the full hash of the commit that a revision means.

        Raises:
            UsageError: It looks like an option.
            NoCommitsError: There is no commit at all.
            RevisionNotFoundError: There is no such commit.
        """
        _refuse_option(revision)
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        done = _run(self.top, words)
        found = done.stdout.decode("ascii", "replace").strip()
        if done.returncode or len(found) not in _HASH_LENGTHS:
            if revision == "HEAD":
                raise NoCommitsError(self.top)
            raise RevisionNotFoundError(revision, is_shallow=self.is_shallow)
        return found

    def resolve_range(self, revisions: str) -> list[str]:
        """Return the commits that `A..B` means, the latest first.

        Raises:
            RevisionNotFoundError: There is no such commit.
        """
        old, _, new = revisions.partition("..")
        first, last = self.resolve(old or "HEAD"), self.resolve(new.lstrip(".") or "HEAD")
        printed = self.run("rev-list", "--topo-order", f"{first}..{last}", "--")
        return printed.decode("ascii").split()

    def known_hashes(self, names: Iterable[str]) -> dict[str, str]:
        """Return the full hashes of those of some names of objects that are commits here."""
        asked = [name for name in dict.fromkeys(names) if name.isalnum()]
        given = "".join(f"{name}^{{commit}}\n" for name in asked).encode()
        printed = self.run("cat-file", "--batch-check=%(objectname) %(objecttype)", given=given)
        found = {}
        for name, line in zip(asked, printed.split(b"\n"), strict=False):
            full, _, kind = line.partition(b" ")
            if kind == b"commit":
                found[name] = full.decode("ascii", "replace")
        return found

    def known_blobs(self, hashes: Iterable[str]) -> set[str]:
        """Return those of some hashes that are files here."""
        given = "".join(f"{name}\n" for name in dict.fromkeys(hashes)).encode()
        printed = self.run("cat-file", "--batch-check=%(objectname) %(objecttype)", given=given)
        words = [line.split(" ") for line in printed.decode("ascii", "replace").splitlines()]
        return {name for name, kind, *_ in words if kind == "blob"}

    def blobs(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of files, named `COMMIT:PATH`, without those that are not there."""
        asked = list(dict.fromkeys(names))
        printed = self.run(
            "cat-file", "--batch=%(objecttype) %(objectsize)", given=self._asked(asked)
        )
        return dict(_split_batch(asked, printed))

    def blob_hashes(self, names: Iterable[str]) -> dict[str, str]:
        """Return the hashes of files, named `COMMIT:PATH`, without those that are not there."""
        asked = list(dict.fromkeys(names))
        words = ("cat-file", "--batch-check=%(objecttype) %(objectname)")
        printed = self.run(*words, given=self._asked(asked))
        pairs = zip(asked, (line.split(b" ") for line in printed.split(b"\n")), strict=False)
        return {name: each[1].decode("ascii") for name, each in pairs if each[0] == b"blob"}

    def _asked(self, names: Iterable[str]) -> bytes:
        """Return names of objects, one per line; one that has several lines is looked up first."""
        lines = [self._hash_of(name) if "\n" in name else name for name in names]
        return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")

    def _hash_of(self, name: str) -> str:
        done = _run(self.top, ("rev-parse", "--verify", "--quiet", "--end-of-options", name))
        return done.stdout.decode("ascii", "replace").strip() or _NO_OBJECT

    def blame(self, commit: str, path: str, *, ignore_whitespace: bool = False) -> list[BlamedLine]:
        """Return which commit introduced each line of a file, as of a commit.

        With `ignore_whitespace`, a commit that only changed the white space of a line did not.

        Raises:
            PathNotInRevisionError: The commit has no such file.
        """
        if not self.blob_hashes([f"{commit}:{path}"]):
            raise PathNotInRevisionError(path, commit)
        flags = ("--no-ignore-revs-file", "-p", *(("-w",) if ignore_whitespace else ()))
        return list(_read_blame(self.run("blame", *_NO_PROGRAMS, *flags, commit, "--", path)))

    def file_names(self, commit: str, path: str) -> list[str]:
        """Return the names that a file had up to a commit, the present one first."""
        words = ("log", "--follow", "-M", "--name-status", "-z", "--format=%x01", *_NO_PROGRAMS)
        printed = self.run(*words, commit, "--", path)
        return list(dict.fromkeys((path, *_renamed_from(printed))))

    def log(self, *words: str, paths: Sequence[str] = ()) -> list[RepositoryCommit]:
        """Return commits, the latest first; with paths, those that changed these files.

        `--full-history` also finds commits on branches whose changes came in another way.
        """
        chosen = ("--full-history", *words, "--", *(f":(literal){path}" for path in paths))
        # A message may contain anything but what nobody can know beforehand.
        mark = secrets.token_hex(12)
        printed = self.run("log", f"--format={mark}{_FIELDS}", *_NO_PROGRAMS, *chosen)
        return list(_read_log(printed, mark.encode()))

    def changes(self, start: str, paths: Sequence[str]) -> list[RepositoryCommit]:
        """Return the commits up to one that changed files, with lines they added and removed."""
        return self.log(*_WHOLE_PATCH, start, paths=paths)

    def ancestors(
        self, commit: str, paths: Sequence[str], *, with_itself: bool = False
    ) -> frozenset[str]:
        """Return the commits before one that changed files."""
        literal = [f":(literal){path}" for path in paths]
        start = commit if with_itself else f"{commit}^@"
        printed = self.run("rev-list", "--full-history", start, "--", *literal)
        return frozenset(printed.decode("ascii").split())

    def changed_paths(self, commit: str) -> dict[str, str]:
        """Return the files that a commit changed since its first parent, with their old names."""
        words = ("diff-tree", "-r", "-z", "-M", "--root", "--no-commit-id", "--name-status")
        merges = ("--diff-merges=first-parent", *_NO_PROGRAMS)
        return dict(_changed(self.run(*words, *merges, commit)))

    def roots(self) -> frozenset[str]:
        """Return the commits without parents."""
        words = ("rev-list", "--max-parents=0", "--branches", "--remotes", "--tags", "HEAD", "--")
        return frozenset(_run(self.top, words).stdout.decode("ascii", "replace").split())

    def tree_blobs(self, commit: str) -> frozenset[str]:
        """Return the hashes of all files in a commit."""
        printed = self.run("ls-tree", "-r", "-z", "--full-tree", commit)
        entries = [entry.partition(b"\t")[0].split() for entry in printed.split(b"\0") if entry]
        return frozenset(entry[2].decode("ascii", "replace") for entry in entries)

    def worktrees(self) -> list[Path]:
        """Return the folders of all worktrees, the main one first."""
        done = _run(self.top, ("worktree", "list", "--porcelain", "-z"))
        # Versions of git before 2.36 know no -z here.
        end, printed = b"\0", done.stdout
        if done.returncode:
            end, printed = b"\n", self.run("worktree", "list", "--porcelain")
        lines = printed.split(end)
        return [Path(os.fsdecode(line[9:])) for line in lines if line.startswith(b"worktree ")]

    def notes(self, ref: str, commits: Iterable[str]) -> dict[str, str]:
        """Return the notes that a ref has on commits; none where there is no such ref."""
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{tree}}")
        if _run(self.top, words).returncode:
            return {}
        listed = self.run("notes", f"--ref={ref}", "list").decode("ascii", "replace").splitlines()
        wanted = set(commits)
        pairs = [line.split(" ", 1) for line in listed if " " in line]
        found = {note: commit for note, commit in pairs if commit in wanted}
        texts = self.blobs(found)
        return {found[note]: text.decode("utf-8", "replace") for note, text in texts.items()}


def find_repository(path: Path) -> Repository:
    """Return the repository that a path is in.

    Raises:
        GitMissingError: Git is not installed.
        NoRepositoryError: It is in none, or in one without files.
        GitFailedError: Git refuses to read it.
    """
    folder = path if path.is_dir() else path.parent
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    flags = ("--show-toplevel", "--git-common-dir", "--is-shallow-repository")
    done = _run(folder, ("rev-parse", *flags))
    told = done.stderr.decode("utf-8", "replace")
    if done.returncode:
        is_bare = "must be run in a work tree" in told
        if is_bare or "not a git repository" in told:
            raise NoRepositoryError(path, is_bare=is_bare)
        raise GitFailedError(told)
    lines = os.fsdecode(done.stdout).removesuffix("\n").split("\n")
    top, common, shallow = lines[0], lines[1], lines[-1]
    if len(lines) != len(flags):
        # A folder has a line break in its name.
        top, common = (_only_line(folder, flag) for flag in flags[:2])
    place = Path(common)
    whole = place if place.is_absolute() else folder / place
    return Repository(top=Path(top), common=whole.resolve(), is_shallow=shallow == "true")


def _only_line(folder: Path, flag: str) -> str:
    return os.fsdecode(_run(folder, ("rev-parse", flag)).stdout).removesuffix("\n")


def _run(
    folder: Path, words: Sequence[str], given: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    program = shutil.which("git")
    if program is None:
        raise GitMissingError
    line = [program, "--no-pager", "--literal-pathspecs"]
    # The pathspecs of `log` and `rev-list` say themselves that they are literal.
    if any(word.startswith(":(literal)") for word in words):
        line.pop()
    try:
        return subprocess.run(  # noqa: S603 (no shell, and no program but git)
            [*line, *_SAFE, *words],
            cwd=folder,
            env=_environment(),
            input=b"" if given is None else given,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise GitFailedError(f"it took longer than {_SECONDS} s") from error


def _environment() -> dict[str, str]:
    """Return our environment without what redirects git, and with what keeps it from writing."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _KEPT_VARIABLES
    }
    return kept | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        # Older versions of git do not know the line above. No protocol has this name, and settings
        # cannot change it, as they can change `protocol.allow`.
        "GIT_ALLOW_PROTOCOL": "none",
        "LC_ALL": "C",
    }


def _refuse_option(revision: str) -> None:
    if revision.startswith("-") or "\0" in revision or "\n" in revision or not revision:
        raise UsageError(f"{revision!r} is not a revision; use a branch, a tag or a hash")


def _split_batch(names: Sequence[str], printed: bytes) -> Iterator[tuple[str, bytes]]:
    at = 0
    for name in names:
        end = printed.index(b"\n", at)
        head = printed[at:end].split(b" ")
        at = end + 1
        # "NAME missing", or a folder or submodule in the place of the file
        if head[0] in (b"blob", b"tree", b"commit", b"tag") and head[-1].isdigit():
            size = int(head[-1])
            if head[0] == b"blob":
                yield name, printed[at : at + size]
            at += size + 1


def _read_blame(printed: bytes) -> Iterator[BlamedLine]:
    """Read git's porcelain: what is said of a commit once holds for its later lines."""
    known: dict[str, dict[str, str]] = {}
    head: list[str] = []
    for raw in printed.split(b"\n"):
        if raw.startswith(b"\t"):
            commit, original, number = head[0], int(head[1]), int(head[2])
            told = known[commit]
            previous, _, before = told.get("previous", "").partition(" ")
            yield BlamedLine(
                number, commit, original, told["filename"], previous, before, "boundary" in told
            )
            head = []
        elif raw and not head:
            head = raw.decode("ascii", "replace").split(" ")
            known.setdefault(head[0], {})
        elif raw:
            key, _, value = raw.partition(b" ")
            if key == b"previous":
                parent, _, name = value.partition(b" ")
                known[head[0]]["previous"] = f"{parent.decode('ascii', 'replace')} {_unquote(name)}"
            elif key == b"filename":
                known[head[0]]["filename"] = _unquote(value)
            elif key == b"boundary":
                known[head[0]]["boundary"] = ""


def _unquote(value: bytes) -> str:
    """Read a file name; one with unusual characters is quoted as in C."""
    if value.startswith(b'"') and value.endswith(b'"') and len(value) > 1:
        value = _ESCAPE.sub(_unescape, value[1:-1])
    return value.decode("utf-8", "surrogateescape")


def _unescape(found: re.Match[bytes]) -> bytes:
    sign = found[1]
    return bytes([int(sign, 8)]) if sign.isdigit() else _SIGNS.get(sign, sign)


def _read_log(printed: bytes, mark: bytes) -> Iterator[RepositoryCommit]:
    for piece in printed.split(mark + b"\x00")[1:]:
        fields = piece.split(b"\x00", 7)
        if len(fields) < 8:  # noqa: PLR2004 (one for each of the fields, and what follows)
            continue
        words = [field.decode("utf-8", "replace") for field in fields[:7]]
        added, removed = _read_patch(fields[7])
        yield RepositoryCommit(
            hash=words[0],
            parents=tuple(words[1].split()),
            committed_at=int(words[2]),
            authored_at=int(words[3]),
            author=words[4],
            email=words[5],
            message=words[6],
            added=added,
            removed=removed,
        )


def _read_patch(patch: bytes) -> tuple[frozenset[str], frozenset[str]]:
    """Return the lines that a patch without context adds and removes.

    A merge adds those that none of its parents has: they have one sign for each parent.
    """
    added, removed = set(), set()
    signs = 0
    for raw in patch.split(b"\n"):
        if raw.startswith((b"diff ", b"@@")):
            signs = len(raw) - len(raw.lstrip(b"@")) - 1
        elif signs > 0 and raw[:signs] == b"+" * signs:
            added.add(_line_of(raw[signs:]))
        elif signs > 0 and raw[:signs] == b"-" * signs:
            removed.add(_line_of(raw[signs:]))
    return frozenset(added), frozenset(removed)


def _line_of(raw: bytes) -> str:
    """Return a line as files are split into them: without a carriage return at its end."""
    return raw.removesuffix(b"\r").decode("utf-8", "replace")


def _renamed_from(printed: bytes) -> Iterator[str]:
    words = iter(printed.split(b"\x00"))
    for word in words:
        status = word.lstrip(b"\n")
        if status in (b"", b"\x01"):
            continue
        old = next(words, b"")
        if status[:1] in (b"R", b"C"):
            next(words, b"")
            yield old.decode("utf-8", "surrogateescape")


def _changed(printed: bytes) -> Iterator[tuple[str, str]]:
    words = iter(printed.split(b"\x00"))
    for status in words:
        if not status:
            continue
        old = next(words, b"").decode("utf-8", "surrogateescape")
        new = old
        if status[:1] in (b"R", b"C"):
            new = next(words, b"").decode("utf-8", "surrogateescape")
        yield new, old
