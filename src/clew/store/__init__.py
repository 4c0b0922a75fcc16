"""conversation → rows and archived bytes: the archive on a laptop.

Bytes are the truth; rows and the index are derived from them and can be made again at any time.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.analytics import FilterSet
    from clew.store.archived_files import ArchivedFile
    from clew.store.blobs import DamagedBlobError, FolderBlobs
    from clew.store.cache_breaks import read_cache_breaks
    from clew.store.copy import CopyReport, copy_archive
    from clew.store.decisions import (
        DecidedCall,
        DecisionCount,
        FailedCall,
        costs_of_messages,
        count_decisions,
        list_decided_calls,
        list_failed_calls,
    )
    from clew.store.deferral import DEFERRED_PAUSE
    from clew.store.digests import (
        DigestUsage,
        KeptDigest,
        digest_path,
        keep_digest,
        read_digest,
        read_digest_title,
        read_digest_usage,
        read_digests,
        read_shown_digest,
        recover_digests,
        shown_digest,
        write_digest,
    )
    from clew.store.errors import (
        DAMAGE,
        ArchiveUnavailableError,
        DamagedDatabaseError,
        DiskFullError,
        NewerArchiveError,
        NotWritableError,
        OlderArchiveError,
    )
    from clew.store.filters import filter_values, find_matching_sessions
    from clew.store.frames import Frame
    from clew.store.fulltext import ALONE, to_words
    from clew.store.git_reports import (
        LineAuthors,
        SessionReport,
        keep_line_authors,
        read_git_reports,
        read_line_authors,
    )
    from clew.store.home import Home
    from clew.store.index_query import IndexAll, IndexAny, IndexPhrase, IndexQuery, TextGroup
    from clew.store.lake import LakeReport, export_lake
    from clew.store.lists import (
        SORTS,
        HiddenSessions,
        Order,
        count_hidden_sessions,
        count_listed,
        find_tool_sessions,
        list_agent_runs,
        list_file_edits,
        list_file_uses,
        list_files_like,
        list_keyed_sessions,
        list_projects,
        list_sessions,
        list_tool_calls,
        list_tool_stats,
        list_touched_files,
        read_shapes,
    )
    from clew.store.location import (
        ArchiveAddress,
        Location,
        address_of,
        explain_error,
        find_location,
        location_exists,
        translate_errors,
    )
    from clew.store.lock import ArchiveBusyError, writer_lock
    from clew.store.notes import (
        SessionName,
        change_notes,
        export_notes,
        find_message_id,
        import_notes,
        note_path,
        read_notes,
        read_own_title,
        recover_notes,
    )
    from clew.store.open_blobs import open_blobs
    from clew.store.overviews import (
        AgentRunOverview,
        FileEdit,
        FileOverview,
        FileUse,
        FoundFile,
        ProjectOverview,
        SessionOverview,
        Tally,
        ToolCallOverview,
        ToolStats,
    )
    from clew.store.parquet import (
        ExportedTable,
        ParquetMissingError,
        ParquetTables,
        export_parquet,
    )
    from clew.store.preview import Preview
    from clew.store.protocols import Blobs, Database, SearchIndex, StepIndex
    from clew.store.query_result import (
        QueryRefusedError,
        QueryResult,
        QueryTimeoutError,
        Value,
    )
    from clew.store.read_block_text import read_block_text
    from clew.store.read_material import read_material
    from clew.store.reader import ArchiveReader, open_any_version, open_reader
    from clew.store.receipts import find_receipts
    from clew.store.replays import cached_replay, replay_path
    from clew.store.restore import FileExistsHereError, RestoredFile, restore
    from clew.store.schema_descriptions import (
        Descriptions,
        FunctionText,
        Section,
        TableText,
        descriptions,
    )
    from clew.store.session_tables import PARSER_VERSION
    from clew.store.sql_query import run_query
    from clew.store.sqlite import limit_memory
    from clew.store.status import (
        CLEANUP_DAYS,
        ArchiveStatus,
        ExpiringSession,
        RecentUsage,
        find_expiring,
        read_recent,
        read_status,
    )
    from clew.store.sync import sync
    from clew.store.sync_report import LargeSyncError, OnProgress, SyncProgress, SyncReport
    from clew.store.text_functions import UnreadableFilesError
    from clew.store.verify import VerifiedFile, unknown_blobs, verify, verify_database
    from clew.store.watch import Wait, follow

__all__ = [
    "ALONE",
    "CLEANUP_DAYS",
    "DAMAGE",
    "DEFERRED_PAUSE",
    "PARSER_VERSION",
    "SORTS",
    "AgentRunOverview",
    "ArchiveAddress",
    "ArchiveBusyError",
    "ArchiveReader",
    "ArchiveStatus",
    "ArchiveUnavailableError",
    "ArchivedFile",
    "Blobs",
    "CopyReport",
    "DamagedBlobError",
    "DamagedDatabaseError",
    "Database",
    "DecidedCall",
    "DecisionCount",
    "Descriptions",
    "DigestUsage",
    "DiskFullError",
    "ExpiringSession",
    "ExportedTable",
    "FailedCall",
    "FileEdit",
    "FileExistsHereError",
    "FileOverview",
    "FileUse",
    "FilterSet",
    "FolderBlobs",
    "FoundFile",
    "Frame",
    "FunctionText",
    "HiddenSessions",
    "Home",
    "IndexAll",
    "IndexAny",
    "IndexPhrase",
    "IndexQuery",
    "KeptDigest",
    "LakeReport",
    "LargeSyncError",
    "LineAuthors",
    "Location",
    "NewerArchiveError",
    "NotWritableError",
    "OlderArchiveError",
    "OnProgress",
    "Order",
    "ParquetMissingError",
    "ParquetTables",
    "Preview",
    "ProjectOverview",
    "QueryRefusedError",
    "QueryResult",
    "QueryTimeoutError",
    "RecentUsage",
    "RestoredFile",
    "SearchIndex",
    "Section",
    "SessionName",
    "SessionOverview",
    "SessionReport",
    "StepIndex",
    "SyncProgress",
    "SyncReport",
    "TableText",
    "Tally",
    "TextGroup",
    "ToolCallOverview",
    "ToolStats",
    "UnreadableFilesError",
    "Value",
    "VerifiedFile",
    "Wait",
    "address_of",
    "cached_replay",
    "change_notes",
    "copy_archive",
    "costs_of_messages",
    "count_decisions",
    "count_hidden_sessions",
    "count_listed",
    "descriptions",
    "digest_path",
    "explain_error",
    "export_lake",
    "export_notes",
    "export_parquet",
    "filter_values",
    "find_expiring",
    "find_location",
    "find_matching_sessions",
    "find_message_id",
    "find_receipts",
    "find_tool_sessions",
    "follow",
    "import_notes",
    "keep_digest",
    "keep_line_authors",
    "limit_memory",
    "list_agent_runs",
    "list_decided_calls",
    "list_failed_calls",
    "list_file_edits",
    "list_file_uses",
    "list_files_like",
    "list_keyed_sessions",
    "list_projects",
    "list_sessions",
    "list_tool_calls",
    "list_tool_stats",
    "list_touched_files",
    "location_exists",
    "note_path",
    "open_any_version",
    "open_blobs",
    "open_reader",
    "read_block_text",
    "read_cache_breaks",
    "read_digest",
    "read_digest_title",
    "read_digest_usage",
    "read_digests",
    "read_git_reports",
    "read_line_authors",
    "read_material",
    "read_notes",
    "read_own_title",
    "read_recent",
    "read_shapes",
    "read_shown_digest",
    "read_status",
    "recover_digests",
    "recover_notes",
    "replay_path",
    "restore",
    "run_query",
    "shown_digest",
    "sync",
    "to_words",
    "translate_errors",
    "unknown_blobs",
    "verify",
    "verify_database",
    "write_digest",
    "writer_lock",
]

import_lazily(__name__)
