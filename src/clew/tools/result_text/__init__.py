"""What a result's text contains besides words: tags, numbered lines, a saved output."""

from clew.tools.result_text.numbered_lines import NumberedText, is_numbered, read_numbered
from clew.tools.result_text.persisted_output import PersistedOutput, find_persisted, read_size
from clew.tools.result_text.tags import read_body, read_tag, split_reminders, without_reminders

__all__ = [
    "NumberedText",
    "PersistedOutput",
    "find_persisted",
    "is_numbered",
    "read_body",
    "read_numbered",
    "read_size",
    "read_tag",
    "split_reminders",
    "without_reminders",
]
