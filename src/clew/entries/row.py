"""What most lines of a transcript have in common."""

from typing import Annotated, Final

import msgspec

NULL: Final = msgspec.Raw(b"null")

# What a database and JSON can store: a larger number would fail later.
Whole = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class ForkedFrom(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Where a copied row came from."""

    session_id: str = ""
    message_uuid: str = ""


class Row(msgspec.Struct, frozen=True, gc=False, rename="camel", kw_only=True):
    """A row of the graph: it has an id, a parent and a time.

    `live_session_id` is the process's own id, which differs from the file's in a background fork.
    """

    # In the order in which clients write them: the decoder looks for a key behind the last one.
    parent_uuid: str | None = None
    is_sidechain: bool = False
    user_type: str = ""
    cwd: str | None = ""
    session_id: str = ""
    version: str = ""
    git_branch: str | None = ""
    agent_id: str = ""
    slug: str | None = ""
    type: str
    uuid: str = ""
    timestamp: str = ""
    logical_parent_uuid: str | None = None
    entrypoint: str = ""
    team_name: str = ""
    agent_name: str = ""
    session_kind: str = ""
    live_session_id: str = msgspec.field(default="", name="session_id")
    forked_from: ForkedFrom | None = None
    is_deleted: bool = False
    is_aborted: bool = False
