"""The ids of roots: random, and the same for as long as a root can be recognised.

They are in the archive. A file has them too: a database that was lost is rebuilt from the archived
files, which do not know them, and with other ids everything would be pushed once more.
"""

import json
import secrets
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from clew.push.push_files import PushFiles, write_private
from clew.push.push_records import PushRecords
from clew.store import ArchivedFile

_ID_BYTES: Final = 16


def find_root_ids(
    records: PushRecords, files: PushFiles, archived: Sequence[ArchivedFile]
) -> dict[str, str]:
    """Return the id of each root, which is made when it is first needed.

    A root that was moved keeps its id: its folder is no longer where it was, and a new root has
    the same files.
    """
    known = records.root_ids()
    saved = _read(files.roots)
    heads: defaultdict[str, set[tuple[str, bytes]]] = defaultdict(set)
    for file in archived:
        if file.head_hash:
            heads[file.root].add((file.path, file.head_hash))
    for root in sorted({file.root for file in archived} - known.keys()):
        moved = (
            known[old]
            for old in known
            if not heads[old].isdisjoint(heads[root]) and not Path(old).exists()
        )
        known[root] = saved.get(root) or next(moved, "") or secrets.token_hex(_ID_BYTES)
        records.save_root_id(root, known[root])
    if saved != {**saved, **known}:
        write_private(files.roots, json.dumps({**saved, **known}, indent=1) + "\n")
    return known


def _read(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError):
        return {}
