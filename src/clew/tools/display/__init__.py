"""What tools and calls share to show themselves: parts, labels, paths."""

from clew.tools.display.blocks import (
    ResultBlock,
    pictures,
    result_parts,
    text_block,
    unknown_blocks,
)
from clew.tools.display.builders import (
    check_state,
    describe_change,
    exit_note,
    exit_state,
    failed_state,
    fields,
    fold,
    formatted_text,
    full_output,
    input_fields,
    json_code,
    json_value,
    model_text,
    note,
    output,
    prose,
    words,
)
from clew.tools.display.diagnostics import diagnostic_parts
from clew.tools.display.paths import (
    language_of,
    resolve_path,
    search_label,
    searched_folder,
    short_path,
)
from clew.tools.display.permissions import allowed, denied
from clew.tools.display.unshown_text import find_unshown_lines

__all__ = [
    "ResultBlock",
    "allowed",
    "check_state",
    "denied",
    "describe_change",
    "diagnostic_parts",
    "exit_note",
    "exit_state",
    "failed_state",
    "fields",
    "find_unshown_lines",
    "fold",
    "formatted_text",
    "full_output",
    "input_fields",
    "json_code",
    "json_value",
    "language_of",
    "model_text",
    "note",
    "output",
    "pictures",
    "prose",
    "resolve_path",
    "result_parts",
    "search_label",
    "searched_folder",
    "short_path",
    "text_block",
    "unknown_blocks",
    "words",
]
