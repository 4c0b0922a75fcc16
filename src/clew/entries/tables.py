"""Which struct reads which record."""

from typing import Final

import msgspec

from clew.entries.assistant import Assistant
from clew.entries.markers import MARKERS, Marker
from clew.entries.model import AttachmentRow, Unknown
from clew.entries.progress import ProgressRow
from clew.entries.row import Row
from clew.entries.system import SYSTEM_SUBTYPES, System
from clew.entries.user import User

ROWS: Final[dict[str, type[Row]]] = {
    "assistant": Assistant,
    "attachment": AttachmentRow,
    "progress": ProgressRow,
    "system": System,
    "user": User,
}

RECORD_TYPES: Final = frozenset({*ROWS, *MARKERS})


def struct_for(kind: str, subtype: str) -> type[Row | Marker]:
    """Return the struct that reads a record of this type; `Unknown` if there is none."""
    if kind == "system":
        return SYSTEM_SUBTYPES.get(subtype, System)
    return ROWS.get(kind) or MARKERS.get(kind) or Unknown


def is_named(kind: str, subtype: str) -> bool:
    """Return whether a struct of its own reads this type, and this subtype of a system row."""
    return kind in RECORD_TYPES and (kind != "system" or subtype in SYSTEM_SUBTYPES)


DECODERS: Final = {
    struct: msgspec.json.Decoder(struct)
    for struct in {*ROWS.values(), *MARKERS.values(), *SYSTEM_SUBTYPES.values(), Unknown}
}
