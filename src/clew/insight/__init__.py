"""archive, git → what nobody asked before: what models were sent, who wrote a line, who decided."""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.insight.attribution import CommittedFile, LineMatch, attribute_lines
    from clew.insight.blame import RepositoryBlame, blame_file, choose_lines
    from clew.insight.blame_formats import encode_trace, make_trace, write_porcelain
    from clew.insight.blame_model import BlamedCommit, BlameLine, FileBlame
    from clew.insight.commit_sessions import ResolvedReports, resolve_reports
    from clew.insight.compare import (
        ComparedSession,
        ComparedTurn,
        SessionComparison,
        SessionSide,
        ToolPair,
        TurnPair,
        compare_sessions,
        compare_sides,
        read_side,
    )
    from clew.insight.compare_words import (
        CHANGED_BY,
        changed_lines,
        compared_figures,
        figure_difference,
    )
    from clew.insight.context import ContextReport, RebuiltRequest, RequestLog, make_context
    from clew.insight.dossier import find_target, make_dossier, redact_dossier
    from clew.insight.git import Repository, RepositoryCommit, find_repository
    from clew.insight.lessons import Lesson, LessonCall, LessonReport, find_lessons
    from clew.insight.net_difference import ChangedSide, FileDifference
    from clew.insight.permissions import (
        AskedAbout,
        CallRef,
        PermissionReport,
        Refusal,
        WaitSum,
        report_permissions,
    )
    from clew.insight.provenance import Author, TracedFile, WrittenLine, make_snapshots
    from clew.insight.signatures import Signature, error_signature
    from clew.insight.words import ANSWERS, DECIDERS

__all__ = [
    "ANSWERS",
    "CHANGED_BY",
    "DECIDERS",
    "AskedAbout",
    "Author",
    "BlameLine",
    "BlamedCommit",
    "CallRef",
    "ChangedSide",
    "CommittedFile",
    "ComparedSession",
    "ComparedTurn",
    "ContextReport",
    "FileBlame",
    "FileDifference",
    "Lesson",
    "LessonCall",
    "LessonReport",
    "LineMatch",
    "PermissionReport",
    "RebuiltRequest",
    "Refusal",
    "Repository",
    "RepositoryBlame",
    "RepositoryCommit",
    "RequestLog",
    "ResolvedReports",
    "SessionComparison",
    "SessionSide",
    "Signature",
    "ToolPair",
    "TracedFile",
    "TurnPair",
    "WaitSum",
    "WrittenLine",
    "attribute_lines",
    "blame_file",
    "changed_lines",
    "choose_lines",
    "compare_sessions",
    "compare_sides",
    "compared_figures",
    "encode_trace",
    "error_signature",
    "figure_difference",
    "find_lessons",
    "find_repository",
    "find_target",
    "make_context",
    "make_dossier",
    "make_snapshots",
    "make_trace",
    "read_side",
    "redact_dossier",
    "report_permissions",
    "resolve_reports",
    "write_porcelain",
]

import_lazily(__name__)
