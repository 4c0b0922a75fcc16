"""The versions of a file: a slider over them, a list of them, and the one that is chosen."""

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

import msgspec

from clew.figures import plural
from clew.parts import Code, Part
from clew.render.html.escaping import anchor, markup
from clew.render.html.parts import render_parts
from clew.render.site.urls import APP
from clew.replay import Certainty, Version, count_lines, describe_cause
from clew.tools import diff_of_files, language_of

DIFF: Final = "diff"
TEXT: Final = "text"
_LONGEST: Final = 400_000
_TOLD: Final = "rests on what the client noticed of a shell command"
_WORDS: Final = {
    "read": "Read",
    "backup": "Copied by the client",
    "create": "Created",
    "write": "Written",
    "edit": "Edited",
    "delete": "Deleted by a command",
    "shell": "Changed by a command",
}


class VersionRow(msgspec.Struct, frozen=True):
    """One version in the list; the latest one of each session in a row has its title and URL."""

    number: int
    at: str
    word: str
    state: str
    added: int | None
    removed: int | None
    url: str
    turn: int | None = None
    title: str = ""
    session_url: str = ""


class ChosenVersion(msgspec.Struct, frozen=True):
    """The version that is shown: its text, or what it changed."""

    number: int
    at: str
    word: str
    state: str
    reason: str
    call_url: str
    session_id: str
    body: str
    note: str
    text_url: str
    diff_url: str
    title: str = ""


class VersionList(msgspec.Struct, frozen=True):
    """The versions of a file, and the chosen one; `summary` says what they come from."""

    path: str
    rows: tuple[VersionRow, ...]
    chosen: ChosenVersion
    show: str
    address: str
    summary: str = ""


def version_list(
    path: str,
    versions: Sequence[Version],
    number: int,
    show: str,
    titles: Mapping[str, str] | None = None,
) -> VersionList | None:
    """List versions, of which one is chosen by its number; 0 is the last.

    `titles` are those of sessions, by their ids.
    """
    if not versions:
        return None
    number = number if 0 < number <= len(versions) else len(versions)
    named = titles or {}
    following = (*(each.session_id for each in versions[1:]), "")
    rows = tuple(
        _named(_row(at, each, path, show), each.session_id, named)
        if each.session_id != after
        else _row(at, each, path, show)
        for (at, each), after in zip(enumerate(versions, start=1), following, strict=True)
    )
    chosen = msgspec.structs.replace(
        _chosen(number, versions[number - 1], path, show),
        title=named.get(versions[number - 1].session_id, ""),
    )
    return VersionList(path, rows, chosen, show, f"{APP.files}/history", _summarize(versions))


def _named(row: VersionRow, session_id: str, titles: Mapping[str, str]) -> VersionRow:
    title = titles.get(session_id, "")
    return msgspec.structs.replace(row, title=title, session_url=APP.session(session_id))


def _summarize(versions: Sequence[Version]) -> str:
    """Say how many changes versions are, and why there are more of them."""
    changes = sum(version.is_change for version in versions)
    if changes == len(versions):
        return ""
    copies = sum(version.action == "backup" for version in versions)
    reads = len(versions) - changes - copies
    found = (
        plural(changes, "change") if changes else "",
        f"{plural(reads, 'read')} that found another text than the version before" if reads else "",
        f"{plural(copies, 'copy', 'copies')} by the client" if copies else "",
    )
    return f"{plural(len(versions), 'version')}: {', '.join(filter(None, found))}."


def _row(number: int, version: Version, path: str, show: str) -> VersionRow:
    counts = count_lines(version) if version.is_change else None
    return VersionRow(
        number,
        version.at,
        _WORDS.get(version.action, version.action),
        "" if version.after.state is Certainty.EXACT else str(version.after.state),
        None if counts is None else counts[0],
        None if counts is None else counts[1],
        _address(path, number, show),
        version.turn,
    )


def _chosen(number: int, version: Version, path: str, show: str) -> ChosenVersion:
    state = version.after
    part, note = _shown(version, show)
    own = APP.run(version.session_id, version.agent_run_id or "")
    place = own if version.agent_run_id else APP.session(version.session_id)
    told = _TOLD if state.state is Certainty.TOLD else ""
    return ChosenVersion(
        number,
        version.at,
        _WORDS.get(version.action, version.action),
        str(state.state),
        describe_cause(state.since) if state.since is not None else told,
        f"{place}#{anchor('c', version.call_id)}" if version.message_id else place,
        version.session_id,
        "" if part is None else markup(render_parts([part])),
        note,
        _address(path, number, TEXT),
        _address(path, number, DIFF),
    )


def _shown(version: Version, show: str) -> tuple[Part | None, str]:
    """Return what to draw of a version, and what to say where there is nothing to draw."""
    text = version.after.text
    if version.after.exists is False:
        return None, "The file does not exist."
    if text is None:
        return None, "Nothing shows the text of the file here."
    if show == DIFF and version.is_change and version.before.is_known:
        diff = diff_of_files(version.path, version.before.text or "", text)
        return (diff, "") if diff.hunks else (None, "Nothing changed.")
    note = "" if len(text) <= _LONGEST else "Only the beginning is shown."
    code = Code(text[:_LONGEST], language_of(version.path), version.path, 1)
    return code, note if text else "The file is empty."


def _address(path: str, number: int, show: str) -> str:
    asked = {"path": path, "version": str(number)} | ({"show": show} if show != DIFF else {})
    return f"{APP.files}/history?{urlencode(asked)}"
