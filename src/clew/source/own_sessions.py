"""Sessions of Claude Code that clew itself starts, to let the client write digests.

They repeat what other sessions say, so nothing reads them: no list, no count, no search, no push.
Only their own path shows them.
"""

import re
from pathlib import Path
from typing import Final

OWN_FOLDER: Final = "clew-digest-sessions"
"""The name of the working directory of such sessions."""
OWN_MARK: Final = "[clew digest request 5e0c7a41]"
"""How the prompt of such a session begins."""
_HEAD_BYTES: Final = 65_536
_has_prompt: Final = re.compile(rb'"role":\s?"user"').search


def is_own_project(folder: str) -> bool:
    """Return whether a project folder may be that of clew's own sessions, by its encoded name."""
    return folder == OWN_FOLDER or folder.endswith(f"-{OWN_FOLDER}")


def is_own_transcript(path: Path) -> bool:
    """Return whether a transcript in such a folder is one of clew's own, by its first prompt.

    One without a prompt yet is: the next look at it decides.
    """
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
    except OSError:
        return False
    return OWN_MARK.encode() in head or not _has_prompt(head)
