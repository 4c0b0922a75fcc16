"""files on disk → lines.

`discover` lists transcripts and sidecars, `read_lines` reads a file's lines byte for byte. Nothing
here knows what a line says, and nothing here writes.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.source.discover import (
        discover,
        find_missing_roots,
        find_root_above,
        find_roots,
        possible_roots,
    )
    from clew.source.files import (
        LATEST,
        Discovery,
        SourceFile,
        SourceProblem,
        SourceProblemKind,
        by_session,
    )
    from clew.source.identity import Identity, identity
    from clew.source.kinds import AGENT_KINDS, SESSION_KINDS, TRANSCRIPT_KINDS, FileKind
    from clew.source.layout import PROJECTS, ClassifiedPath, classify
    from clew.source.lines import (
        LARGEST_LINE,
        Chunk,
        Line,
        Lines,
        join_lines,
        line_at,
        read_lines,
        split_lines,
    )
    from clew.source.names import to_name, to_text
    from clew.source.own_sessions import OWN_FOLDER, OWN_MARK
    from clew.source.regular_files import open_regular
    from clew.source.sidecars import Sidecars, find_tool_result, list_sidecars, read_sidecar

__all__ = [
    "AGENT_KINDS",
    "LARGEST_LINE",
    "LATEST",
    "OWN_FOLDER",
    "OWN_MARK",
    "PROJECTS",
    "SESSION_KINDS",
    "TRANSCRIPT_KINDS",
    "Chunk",
    "ClassifiedPath",
    "Discovery",
    "FileKind",
    "Identity",
    "Line",
    "Lines",
    "Sidecars",
    "SourceFile",
    "SourceProblem",
    "SourceProblemKind",
    "by_session",
    "classify",
    "discover",
    "find_missing_roots",
    "find_root_above",
    "find_roots",
    "find_tool_result",
    "identity",
    "join_lines",
    "line_at",
    "list_sidecars",
    "open_regular",
    "possible_roots",
    "read_lines",
    "read_sidecar",
    "split_lines",
    "to_name",
    "to_text",
]

import_lazily(__name__)
