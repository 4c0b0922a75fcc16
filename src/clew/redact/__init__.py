"""Text, or a tree of it → the same without secrets, and a report of what was masked.

`Redactor` contains what one export shares: the names and ids to hide, the numbers of the marks, the
report. `redact_tree` applies it to a page; `find_secrets` only looks, for a warning.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.redact.conversations import learn_conversation
    from clew.redact.masked_texts import MaskedText, find_masked_texts
    from clew.redact.personal import find_names
    from clew.redact.redactor import Redactor, find_secrets
    from clew.redact.report import RedactionReport, SecretFinding
    from clew.redact.spans import SecretSpan
    from clew.redact.split_keys import find_split_keys
    from clew.redact.tree import find_tree_secrets, prepare_tree, redact_tree

__all__ = [
    "MaskedText",
    "RedactionReport",
    "Redactor",
    "SecretFinding",
    "SecretSpan",
    "find_masked_texts",
    "find_names",
    "find_secrets",
    "find_split_keys",
    "find_tree_secrets",
    "learn_conversation",
    "prepare_tree",
    "redact_tree",
]

import_lazily(__name__)
