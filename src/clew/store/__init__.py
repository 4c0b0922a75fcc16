"""conversation → rows and kept bytes: the archive on a laptop.

Bytes are the truth; rows and the index are derived from them and can be made again at any time.
"""

from clew.analytics import Filters
from clew.store.blobs import DamagedBlobError, FolderBlobs
from clew.store.describe import Descriptions, FunctionText, Section, TableText, descriptions
from clew.store.faults import (
    DAMAGE,
    DamagedDatabaseError,
    DiskFullError,
    NotWritableError,
    OlderArchiveError,
    told_plainly,
)
from clew.store.filters import filter_values, find_matching_sessions
from clew.store.frames import Frame
from clew.store.fulltext import ALONE, to_words
from clew.store.guard import Answer, QueryRefusedError, QueryTimeoutError, Value, ask
from clew.store.home import Home, find_home
from clew.store.index_query import IndexAll, IndexAny, IndexPhrase, IndexQuery, TextGroup
from clew.store.kept import Kept
from clew.store.lists import (
    SORTS,
    Order,
    count_hidden_sessions,
    find_tool_sessions,
    list_agent_runs,
    list_file_edits,
    list_file_uses,
    list_projects,
    list_sessions,
    list_tool_calls,
    list_tool_stats,
    list_touched_files,
    read_shapes,
)
from clew.store.lock import ArchiveBusyError
from clew.store.lookup import KeptFilesError
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
from clew.store.parquet import Exported, ParquetMissingError, export_parquet
from clew.store.protocols import Blobs, Database, Index
from clew.store.reader import Reader, local_reader, open_reader
from clew.store.restore import FileExistsHereError, Restored, restore
from clew.store.rows import PARSER_VERSION
from clew.store.sqlite import NewerArchiveError, limit_memory
from clew.store.stale import DEFERRED_PAUSE
from clew.store.status import (
    CLEANUP_DAYS,
    ArchiveStatus,
    Expiring,
    Recent,
    read_recent,
    read_status,
)
from clew.store.sync import Progress, SyncReport, sync
from clew.store.verify import Verified, unknown_blobs, verify, verify_database
from clew.store.watch import Wait, follow

__all__ = [
    "ALONE",
    "CLEANUP_DAYS",
    "DAMAGE",
    "DEFERRED_PAUSE",
    "PARSER_VERSION",
    "SORTS",
    "AgentRunOverview",
    "Answer",
    "ArchiveBusyError",
    "ArchiveStatus",
    "Blobs",
    "DamagedBlobError",
    "DamagedDatabaseError",
    "Database",
    "Descriptions",
    "DiskFullError",
    "Expiring",
    "Exported",
    "FileEdit",
    "FileExistsHereError",
    "FileOverview",
    "FileUse",
    "Filters",
    "FolderBlobs",
    "Frame",
    "FunctionText",
    "Home",
    "Index",
    "IndexAll",
    "IndexAny",
    "IndexPhrase",
    "IndexQuery",
    "Kept",
    "KeptFilesError",
    "NewerArchiveError",
    "NotWritableError",
    "OlderArchiveError",
    "Order",
    "ParquetMissingError",
    "Progress",
    "ProjectOverview",
    "QueryRefusedError",
    "QueryTimeoutError",
    "Reader",
    "Recent",
    "Restored",
    "Section",
    "SessionOverview",
    "SyncReport",
    "TableText",
    "Tally",
    "TextGroup",
    "ToolCallOverview",
    "ToolStats",
    "Value",
    "Verified",
    "Wait",
    "ask",
    "count_hidden_sessions",
    "descriptions",
    "export_parquet",
    "filter_values",
    "find_home",
    "find_matching_sessions",
    "find_tool_sessions",
    "follow",
    "limit_memory",
    "list_agent_runs",
    "list_file_edits",
    "list_file_uses",
    "list_projects",
    "list_sessions",
    "list_tool_calls",
    "list_tool_stats",
    "list_touched_files",
    "local_reader",
    "open_reader",
    "read_recent",
    "read_shapes",
    "read_status",
    "restore",
    "sync",
    "to_words",
    "told_plainly",
    "unknown_blobs",
    "verify",
    "verify_database",
]
