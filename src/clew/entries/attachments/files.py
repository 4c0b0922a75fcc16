"""Attachments that bring files, folders, selections and resources."""

from msgspec import Raw, field

from clew.entries.attachments.base import Attachment
from clew.entries.row import NULL, Whole


class AgentMentionAttachment(Attachment, frozen=True, tag="agent_mention"):
    """An agent named in a prompt."""

    agent_type: str = ""


class AlreadyReadFileAttachment(Attachment, frozen=True, tag="already_read_file"):
    """A file the model had read before."""

    filename: str = ""
    display_path: str = ""
    content: Raw = NULL


class AtMentionReferenceAttachment(Attachment, frozen=True, tag="at_mention_reference"):
    """Files named with @ in a prompt."""

    mentions: Raw = NULL
    unread: Raw = NULL
    are_pdfs_to_read_plainly: Raw = NULL
    file_size: Raw = NULL
    total_lines: Raw = NULL
    ranges: Raw = NULL
    display_path: str = ""
    read_all_of_it: Raw = NULL


class CompactFileReferenceAttachment(Attachment, frozen=True, tag="compact_file_reference"):
    """A file that a compaction preserves by name."""

    filename: str = ""
    display_path: str = ""


class DiagnosticsAttachment(Attachment, frozen=True, tag="diagnostics"):
    """Diagnostics from the editor."""

    files: Raw = NULL
    is_new: Raw = NULL


class DirectoryAttachment(Attachment, frozen=True, tag="directory"):
    """A folder named in a prompt."""

    path: str = ""
    content: str = ""
    display_path: str = ""
    query: Raw = NULL


class EditedImageFileAttachment(Attachment, frozen=True, tag="edited_image_file"):
    """An image changed outside the session."""

    filename: str = ""
    content: Raw = NULL


class EditedTextFileAttachment(Attachment, frozen=True, tag="edited_text_file"):
    """A file changed outside the session."""

    filename: str = ""
    snippet: str = ""
    reread_entry: Raw = NULL


class FileAttachment(Attachment, frozen=True, tag="file"):
    """A file named in a prompt, with its content."""

    filename: str = ""
    content: Raw = NULL
    display_path: str = ""
    truncated: Raw = NULL
    over_token_limit: Raw = NULL
    may_hold_download: Raw = NULL
    saved_copy_framing: Raw = NULL


class InlinedImagePathsAttachment(Attachment, frozen=True, tag="inlined_image_paths"):
    """Images put in by their paths."""

    paths: Raw = NULL
    names: tuple[str, ...] = ()


class InstructionFilesNotLoadedAttachment(
    Attachment, frozen=True, tag="instruction_files_not_loaded"
):
    """Instruction files that were left out."""


class McpResourceAttachment(Attachment, frozen=True, tag="mcp_resource"):
    """A resource of an MCP server."""

    server: str = ""
    uri: str = ""
    name: Raw = NULL
    description: Raw = NULL
    content: Raw = NULL
    display_text: Raw = NULL


class MessagePdfReadsAttachment(Attachment, frozen=True, tag="message_pdf_reads"):
    """PDFs read for a message."""

    reads: Raw = NULL


class NestedMemoryAttachment(Attachment, frozen=True, tag="nested_memory"):
    """Instructions of a folder further down."""

    path: str = ""
    content: Raw = NULL
    display_path: str = ""


class OpenedFileInIdeAttachment(Attachment, frozen=True, tag="opened_file_in_ide"):
    """A file opened in the editor."""

    filename: str = ""


class PdfReferenceAttachment(Attachment, frozen=True, tag="pdf_reference"):
    """A PDF named in a prompt."""

    filename: str = ""
    page_count: Whole | None = None
    file_size: Raw = NULL
    display_path: str = ""
    whole_refused_by_model: Raw = NULL
    model_reads_by_page: Raw = NULL
    still_arriving: Raw = NULL


class PeerMentionAttachment(Attachment, frozen=True, tag="peer_mention"):
    """Another session named in a prompt."""

    mention: Raw = NULL
    status: Raw = NULL
    candidates: Raw = NULL
    total: Raw = NULL


class ProjectDocReadsAttachment(Attachment, frozen=True, tag="project_doc_reads"):
    """Project documents that were read."""

    reads: Raw = NULL
    form: Raw = NULL
    mid_chat: Raw = NULL
    changed: Raw = NULL
    for_new_hashes: Raw = NULL


class SelectedLinesInDiffAttachment(Attachment, frozen=True, tag="selected_lines_in_diff"):
    """Lines selected in a diff."""

    line_count: Whole | None = None
    content: Raw = NULL
    file_path: str = ""
    may_hold_download: Raw = NULL


class SelectedLinesInIdeAttachment(Attachment, frozen=True, tag="selected_lines_in_ide"):
    """Lines selected in the editor."""

    ide_name: str = ""
    line_start: Whole | None = None
    line_end: Whole | None = None
    filename: str = ""
    content: Raw = NULL
    display_path: str = ""
    may_hold_download: Raw = NULL


class SkillMentionAttachment(Attachment, frozen=True, tag="skill_mention"):
    """A skill named in a prompt."""

    skill_name: str = ""


class StructuredOutputAttachment(Attachment, frozen=True, tag="structured_output"):
    """The answer as structured data."""

    data: Raw = NULL
    tool_use_id: str = field(default="", name="toolUseID")


class WorkflowSizeGuidelineChangeAttachment(
    Attachment, frozen=True, tag="workflow_size_guideline_change"
):
    """How large workflows may be."""

    size: Raw = NULL
