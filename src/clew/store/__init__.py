"""conversation → rows and archived bytes: the archive on a laptop.

Bytes are the truth; rows and the index are derived from them and can be made again at any time.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.analytics import FilterSet
    from clew.store.archived_files import ArchivedFile
    from clew.store.blobs import DamagedBlobError, FolderBlobs
    from clew.store.copy import CopyReport, copy_archive
    from clew.store.deferral import DEFERRED_PAUSE
    from clew.store.digests import (
        DigestUsage,
        KeptDigest,
        digest_path,
        find_receipts,
        keep_digest,
        read_digest,
        read_digest_usage,
        read_digests,
        recover_digests,
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
    from clew.store.home import Home
    from clew.store.index_query import IndexAll, IndexAny, IndexPhrase, IndexQuery, TextGroup
    from clew.store.lake import LakeReport, export_lake
    from clew.store.lists import (
        SORTS,
        Order,
        count_hidden_sessions,
        count_listed,
        find_tool_sessions,
        list_agent_runs,
        list_file_edits,
        list_file_uses,
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
    from clew.store.open_blobs import open_blobs
    from clew.store.overviews import (
        AgentRunOverview,
        FileEdit,
        FileOverview,
        FileUse,
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
    "Descriptions",
    "DigestUsage",
    "DiskFullError",
    "ExpiringSession",
    "ExportedTable",
    "FileEdit",
    "FileExistsHereError",
    "FileOverview",
    "FileUse",
    "FilterSet",
    "FolderBlobs",
    "Frame",
    "FunctionText",
    "Home",
    "IndexAll",
    "IndexAny",
    "IndexPhrase",
    "IndexQuery",
    "KeptDigest",
    "LakeReport",
    "LargeSyncError",
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
    "SessionOverview",
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
    "copy_archive",
    "count_hidden_sessions",
    "count_listed",
    "descriptions",
    "digest_path",
    "explain_error",
    "export_lake",
    "export_parquet",
    "filter_values",
    "find_location",
    "find_matching_sessions",
    "find_receipts",
    "find_tool_sessions",
    "follow",
    "keep_digest",
    "limit_memory",
    "list_agent_runs",
    "list_file_edits",
    "list_file_uses",
    "list_keyed_sessions",
    "list_projects",
    "list_sessions",
    "list_tool_calls",
    "list_tool_stats",
    "list_touched_files",
    "location_exists",
    "open_any_version",
    "open_blobs",
    "open_reader",
    "read_block_text",
    "read_digest",
    "read_digest_usage",
    "read_digests",
    "read_material",
    "read_recent",
    "read_shapes",
    "read_status",
    "recover_digests",
    "restore",
    "run_query",
    "sync",
    "to_words",
    "translate_errors",
    "unknown_blobs",
    "verify",
    "verify_database",
    "writer_lock",
]

import_lazily(__name__)
