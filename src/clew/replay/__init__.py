"""conversations → files over time.

Pure: `replay_session` follows every file that a session's calls touch. Each call gives a version:
the text that it found, the text that it left, and how sure both are. A state that is called exact
rests on what clients recorded of the text itself, and on nothing having run since that may write.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.replay.answers import (
        ChangesAnswer,
        FileAnswer,
        FileChangeAnswer,
        FileVersion,
        FileVersionsAnswer,
        answer_changes,
        answer_file,
        answer_versions,
        count_lines,
    )
    from clew.replay.changes import (
        CallLink,
        ChangeHunk,
        NetChange,
        SessionChanges,
        describe_cause,
        find_changes,
    )
    from clew.replay.history import ReplayIndex, join_histories, state_between
    from clew.replay.lines import LineTrace, split_lines, trace_lines, written_lines
    from clew.replay.model import (
        UNKNOWN,
        Cause,
        Certainty,
        Disturbance,
        FileHistory,
        FileState,
        SessionReplay,
        Version,
    )
    from clew.replay.moments import FileMoment, at_message, at_time, last_known, shown_versions
    from clew.replay.pack import REPLAY_VERSION, pack_replay, unpack_replay
    from clew.replay.patch import Patch, file_patch, make_patch
    from clew.replay.session import replay_session
    from clew.replay.shell import copies_text

__all__ = [
    "REPLAY_VERSION",
    "UNKNOWN",
    "CallLink",
    "Cause",
    "Certainty",
    "ChangeHunk",
    "ChangesAnswer",
    "Disturbance",
    "FileAnswer",
    "FileChangeAnswer",
    "FileHistory",
    "FileMoment",
    "FileState",
    "FileVersion",
    "FileVersionsAnswer",
    "LineTrace",
    "NetChange",
    "Patch",
    "ReplayIndex",
    "SessionChanges",
    "SessionReplay",
    "Version",
    "answer_changes",
    "answer_file",
    "answer_versions",
    "at_message",
    "at_time",
    "copies_text",
    "count_lines",
    "describe_cause",
    "file_patch",
    "find_changes",
    "join_histories",
    "last_known",
    "make_patch",
    "pack_replay",
    "replay_session",
    "shown_versions",
    "split_lines",
    "state_between",
    "trace_lines",
    "unpack_replay",
    "written_lines",
]

import_lazily(__name__)
