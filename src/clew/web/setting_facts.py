"""Facts about how clew is set up: what it reads, archives and sends, and what changes that."""

import datetime as dt
import os
import time
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec

from clew.analytics import price_table
from clew.archive import NoArchiveError, default_roots, search_paths
from clew.clock import LocalZone, format_time
from clew.errors import ClewError
from clew.figures import plural
from clew.push import (
    Consents,
    Logins,
    are_hooks_off,
    find_push_files,
    last_runs,
    read_hooks,
    settings_path,
)
from clew.render.html.formatting import size
from clew.render.site import AccountLinks
from clew.settings import FILE, SettingsFile, choose_archive, hide_password
from clew.store import PARSER_VERSION, ArchivedFile, ArchiveStatus, Home
from clew.web.cache import ArchiveCache
from clew.web.live import Live

_SECOND_NS: Final = 1_000_000_000
_MOST_LISTED: Final = 50
_SETTINGS: Final = "`clew config` shows the settings, `clew config path` names the file"


class SettingFact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One fact; `number` is its exact value, `at` its time, and `change` says what changes it."""

    key: str
    label: str
    value: str
    note: str = ""
    change: str = ""
    number: float | None = None
    at: str = ""
    is_problem: bool = False


class SettingGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Facts that belong together."""

    key: str
    title: str
    facts: tuple[SettingFact, ...] = ()


class ExpiringItem(msgspec.Struct, frozen=True, kw_only=True):
    """A session whose transcript the client will delete within a week."""

    session_id: str
    title: str
    project: str
    deleted_at: str


class SettingsReport(msgspec.Struct, frozen=True, kw_only=True):
    """All facts, and the sessions that the client deletes soon."""

    schema: str = "clew.settings/1"
    groups: tuple[SettingGroup, ...] = ()
    expiring: tuple[ExpiringItem, ...] = ()


def report_settings(
    cache: ArchiveCache, live: Live, account: AccountLinks | None
) -> SettingsReport:
    """Collect the facts; a member of a team server gets those that concern them."""
    if account is not None:
        return SettingsReport(groups=(_member(cache, account), _prices(), _times()))
    status = _status(cache)
    expiring = () if status is None else tuple(map(_expiring_item, status.expiring))
    groups = (
        _roots(cache),
        _archive(cache, status),
        _index(cache, live, status),
        _retention(status),
        _prices(),
        _times(),
        _digests(),
        _team(cache),
        _hooks(),
    )
    return SettingsReport(groups=groups, expiring=expiring)


def _status(cache: ArchiveCache) -> ArchiveStatus | None:
    try:
        return cache.archive.status(dt.datetime.now(dt.UTC))
    except NoArchiveError:
        return None


def _expiring_item(session: msgspec.Struct) -> ExpiringItem:
    return msgspec.convert(session, ExpiringItem, from_attributes=True)


def _roots(cache: ArchiveCache) -> SettingGroup:
    """Say of each folder that is read whether it can be, and what is archived of it."""
    given = cache.settings.roots
    read = [str(root) for root in given or default_roots()]
    missing = [str(root) for root in ([] if given else search_paths()) if str(root) not in read]
    files = cache.archive.archived_files() if cache.archive.exists else []
    earlier = {file.root for file in files}.difference(read, missing)
    return SettingGroup(
        key="roots",
        title="What is read",
        facts=(
            *(_root(root, [file for file in files if file.root == root]) for root in read),
            *(_missing_root(root) for root in dict.fromkeys(missing)),
            *(_earlier_root(root, files) for root in sorted(earlier)),
        ),
    )


def _root(root: str, files: list[ArchivedFile]) -> SettingFact:
    is_readable = Path(root).is_dir() and os.access(root, os.R_OK | os.X_OK)
    latest = max((file.mtime_ns for file in files), default=0)
    return SettingFact(
        key="root",
        label=root,
        value=f"{'readable' if is_readable else 'cannot be read'}, {plural(len(files), 'file')}",
        note="Never written to.",
        change="`CLAUDE_CONFIG_DIR` names another folder, `clew sync --root DIR` adds one",
        number=len(files),
        at=format_time(dt.datetime.fromtimestamp(latest / _SECOND_NS, dt.UTC)) if latest else "",
        is_problem=not is_readable,
    )


def _missing_root(root: str) -> SettingFact:
    return SettingFact(
        key="root",
        label=root,
        value="does not exist",
        change="`CLAUDE_CONFIG_DIR` names another folder",
    )


def _earlier_root(root: str, files: Iterable[ArchivedFile]) -> SettingFact:
    count = sum(file.root == root for file in files)
    return SettingFact(
        key="root",
        label=root,
        value=f"{plural(count, 'file')} archived earlier, not read now",
        change="`clew sync --root DIR` reads it again",
        number=count,
    )


def _archive(cache: ArchiveCache, status: ArchiveStatus | None) -> SettingGroup:
    place = hide_password(cache.archive.location.name)
    facts = [
        SettingFact(
            key="location",
            label="Location",
            value=place,
            note=_archive_source(cache),
            change=f"`CLEW_ARCHIVE`, `--archive` or the settings file; {_SETTINGS}",
        )
    ]
    if status is None:
        facts.append(SettingFact(key="size", label="Size", value="no archive yet"))
        return SettingGroup(key="archive", title="Archive", facts=tuple(facts))
    facts += [
        _bytes("size", "Size", status.kept_bytes + status.database_bytes, "files and database"),
        _bytes("raw", "Transcripts", status.source_bytes, "as they were written"),
        _bytes("blobs", "Archived files", status.kept_bytes, "compressed, byte for byte"),
        _bytes("database", "Database and index", status.database_bytes, "rows and search index"),
        _count("vanished", "Only in the archive", status.vanished_files, "file"),
    ]
    if status.damaged_files:
        facts.append(
            SettingFact(
                key="damaged",
                label="Damaged",
                value=plural(status.damaged_files, "file"),
                change="`clew archive verify` says which, `clew sync` repairs what it can",
                number=status.damaged_files,
                is_problem=True,
            )
        )
    return SettingGroup(key="archive", title="Archive", facts=tuple(facts))


def _archive_source(cache: ArchiveCache) -> str:
    """Say what has chosen the archive, unless the app was started with another one."""
    try:
        chosen = choose_archive(os.environ, Path.home()).archive
    except ClewError:
        return ""
    same = chosen.value == cache.archive.location.name
    return f"Set by: {chosen.source}." if same else ""


def _bytes(key: str, label: str, count: int, note: str) -> SettingFact:
    return SettingFact(key=key, label=label, value=size(count), note=note, number=count)


def _count(key: str, label: str, count: int, noun: str) -> SettingFact:
    return SettingFact(key=key, label=label, value=plural(count, noun), number=count)


def _sessions(cache: ArchiveCache, count: int) -> SettingFact:
    """Say how many sessions there are, and how many of them lists leave out."""
    left_out = sum(not one.is_talk or one.is_hidden for one in cache.catalogue().sessions)
    note = f"{left_out:,} of them not in lists: without a conversation, or hidden by you."
    fact = _count("sessions", "Sessions", count, "session")
    return msgspec.structs.replace(fact, note=note) if left_out else fact


def _index(cache: ArchiveCache, live: Live, status: ArchiveStatus | None) -> SettingGroup:
    archiving = live.archiving
    state = "up to date" if live.is_synced and archiving is None else "archiving"
    if not cache.settings.is_followed:
        state = "not followed: the app was started with --no-sync"
    return SettingGroup(
        key="index",
        title="Index",
        facts=(
            _sessions(cache, status.sessions if status else 0),
            _count("files", "Files", status.files if status else 0, "file"),
            SettingFact(
                key="sync",
                label="Sync",
                value=live.trouble or state,
                change="`clew sync`, `clew serve --no-sync`",
                is_problem=bool(live.trouble),
            ),
            SettingFact(
                key="written",
                label="Last written",
                value="" if _written_at(cache) else "not known",
                at=_written_at(cache),
            ),
            SettingFact(
                key="parser",
                label="Parser version",
                value=str(PARSER_VERSION),
                note="Sessions that another version derived are derived again.",
                change="`clew sync --rebuild` derives all again",
                number=PARSER_VERSION,
            ),
            SettingFact(key="version", label="clew", value=version("clew")),
        ),
    )


def _written_at(cache: ArchiveCache) -> str:
    """Return when an archive in a folder was last written to."""
    location = cache.archive.location
    if not isinstance(location, Home):
        return ""
    times = [path.stat().st_mtime for path in location.folder.glob("archive.db*")]
    return format_time(dt.datetime.fromtimestamp(max(times), dt.UTC)) if times else ""


def _retention(status: ArchiveStatus | None) -> SettingGroup:
    days = "" if status is None else plural(status.cleanup_days, "day")
    soon = 0 if status is None else len(status.expiring)
    return SettingGroup(
        key="retention",
        title="What Claude Code deletes",
        facts=(
            SettingFact(
                key="cleanup_days",
                label="Retention",
                value=f"{days} after the last change" if days else "not known",
                note="Its default: clew does not read Claude Code's settings for it. Deleted "
                "transcripts stay in the archive.",
                change="`cleanupPeriodDays` in Claude Code's settings.json",
                number=None if status is None else status.cleanup_days,
            ),
            SettingFact(
                key="expiring",
                label="Within a week",
                value=plural(soon, "session"),
                change="`clew archive status --cleanup-days N`",
                number=soon,
            ),
        ),
    )


def _prices() -> SettingGroup:
    table = price_table()
    return SettingGroup(
        key="prices",
        title="Prices",
        facts=(
            SettingFact(
                key="date",
                label="Price table",
                value=str(table.date),
                note="List prices of the public API; what a subscription charges is not known.",
                change="a newer version of clew",
            ),
            _count("models", "Prices", len(table.rows), "price"),
            SettingFact(key="overrides", label="Overrides", value="none"),
        ),
    )


def _times() -> SettingGroup:
    now = dt.datetime.now(LocalZone())
    return SettingGroup(
        key="time",
        title="Time",
        facts=(
            SettingFact(
                key="zone",
                label="Time zone of days",
                value=f"{now.tzname() or time.tzname[0]} (UTC{now:%z})",
                note="Of days and hours in lists and charts.",
                change="`TZ` where the app runs, or `tz=Europe/Paris` in an address",
            ),
        ),
    )


def _digests() -> SettingGroup:
    change = f"`[digest]` in the settings file; {_SETTINGS}"
    try:
        found = SettingsFile(os.environ, Path.home()).values.digest
    except ClewError as error:
        return _faulty("digests", "Digests", FILE, error)
    if not found.model:
        off = SettingFact(
            key="model",
            label="Model",
            value="off",
            note="Digests are made of facts and quotes on this machine; nothing is sent.",
            change=change,
        )
        return SettingGroup(key="digests", title="Digests", facts=(off,))
    facts = (
        SettingFact(key="model", label="Model", value=found.model, change=change),
        _dollars("max_cost_per_run", "Budget of a run", found.max_cost_per_run),
        _dollars("max_cost_per_day", "Budget of a day", found.max_cost_per_day),
        SettingFact(
            key="redact",
            label="Secrets",
            value="masked before anything is sent" if found.redact else "sent as they are",
            is_problem=not found.redact,
        ),
    )
    return SettingGroup(key="digests", title="Digests", facts=facts)


def _dollars(key: str, label: str, amount: float) -> SettingFact:
    return SettingFact(key=key, label=label, value=f"${amount:,.2f}", number=amount)


def _faulty(key: str, title: str, label: str, error: ClewError) -> SettingGroup:
    fact = SettingFact(key="problem", label=label, value=str(error), is_problem=True)
    return SettingGroup(key=key, title=title, facts=(fact,))


def _team(cache: ArchiveCache) -> SettingGroup:
    """Say where sessions are sent to, and what of each project; never a token."""
    files = find_push_files(cache.archive.location)
    try:
        logins, consents = Logins(files).all(), Consents(files).all()
    except ClewError as error:
        return _faulty("team", "Team server", "Consent", error)
    facts = [
        SettingFact(
            key="server",
            label=hide_password(login.server),
            value=f"{login.member} of {login.organisation}".strip(" of"),
            note=_last_push(cache, login.server),
            change="`clew login`, `clew logout`",
        )
        for login in logins
    ]
    facts += [
        SettingFact(
            key="consent",
            label=consent.path,
            value=f"{consent.tier}, {consent.visibility}",
            note=consent.server if len(logins) > 1 else "",
            change="`clew consent set`",
        )
        for consent in consents[:_MOST_LISTED]
    ]
    if not facts:
        facts.append(
            SettingFact(
                key="server",
                label="Server",
                value="none",
                note="No session is pushed.",
                change="`clew login URL`, then `clew consent set`",
            )
        )
    return SettingGroup(key="team", title="Team server", facts=tuple(facts))


def _last_push(cache: ArchiveCache, server: str) -> str:
    at = cache.archive.last_push(server) if cache.archive.exists else ""
    return f"Last push: {at[:16].replace('T', ' ')} UTC." if at else "Nothing pushed yet."


def _hooks() -> SettingGroup:
    path = settings_path(os.environ, Path.home())
    try:
        hooks, is_off = read_hooks(path), are_hooks_off(path)
    except ClewError as error:
        return _faulty("hooks", "Hooks", "Claude Code's settings", error)
    installed = [hook.event for hook in hooks if hook.command]
    facts = [
        SettingFact(
            key="installed",
            label="Hooks",
            value=", ".join(installed) or "not installed",
            note="Claude Code's `disableAllHooks` is set: they do not run." if is_off else "",
            change="`clew hooks install`, `clew hooks remove`",
            number=len(installed),
            is_problem=bool(installed) and is_off,
        ),
        *_last_hook_runs(last_runs()),
    ]
    return SettingGroup(key="hooks", title="Hooks", facts=tuple(facts))


def _last_hook_runs(lines: Iterable[str]) -> list[SettingFact]:
    return [SettingFact(key="last_run", label="Last run", value=line[:300]) for line in lines]


def _member(cache: ArchiveCache, account: AccountLinks) -> SettingGroup:
    """Say what a member sees of a team server, nothing about the server itself."""
    role = account.shown_role or "member"
    return SettingGroup(
        key="account",
        title="Account",
        facts=(
            SettingFact(
                key="member",
                label="Member",
                value=f"{account.name}, {role} of {account.organisation}",
                change="the page Account",
            ),
            _count("sessions", "You may read", len(cache.catalogue().sessions), "session"),
            SettingFact(
                key="consent",
                label="What is sent",
                value="decided on your machine, project by project",
                change="`clew consent set`",
            ),
        ),
    )
