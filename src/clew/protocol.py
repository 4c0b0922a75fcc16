"""What a laptop and a team server say to each other, as JSON.

A laptop asks which of its files the server has (`hello`), which frames it lacks (`missing`), sends
those (`frames`), and then says which frames each file consists of (`manifests`). Every step may be
repeated, and an interrupted push goes on where it was.
"""

import hashlib
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

import msgspec

PROTOCOL_VERSION: Final = 1
OLDEST_PROTOCOL: Final = 1
"""What a server accepts: its own version and the one before."""
MAX_FRAME_BYTES: Final = 4 << 20
"""How long a frame may be when it is decompressed."""
MAX_PACKED_BYTES: Final = MAX_FRAME_BYTES + (64 << 10)
"""How long it may be compressed: what does not compress becomes a little longer."""
MAX_NAMED_FRAMES: Final = 1_000
"""How many frames one question names."""
MAX_MANIFEST_FRAMES: Final = 4_000
"""How many frames one file consists of."""
MAX_NAME: Final = 1_024
"""How long a path or a name may be."""


class Tier(StrEnum):
    """How much of a project's sessions leaves the laptop, from nothing to everything."""

    NOTHING = "nothing"
    STRUCTURE = "structure"
    REDACTED = "redacted"
    EVERYTHING = "everything"

    @property
    def rank(self) -> int:
        """How much it is, compared with other tiers."""
        return list(Tier).index(self)


class Visibility(StrEnum):
    """Who sees the sessions of a project: their owner, the project's members, or all."""

    PRIVATE = "private"
    PROJECT = "project"
    ORGANISATION = "organisation"


class FileHead(msgspec.Struct, frozen=True):
    """What a server has of a file: `receipt` changes with every change."""

    root: str
    file: str
    receipt: str
    generation: int


class ConsentState(msgspec.Struct, frozen=True, kw_only=True):
    """What a member allows for a project of their laptop, as the server knows it.

    `project_key` is an opaque name that the laptop made. `project` is the project on the server,
    if they named one. `note` says why the visibility is not the requested one.
    """

    project_key: str
    tier: Tier
    epoch: int
    visibility: Visibility = Visibility.PRIVATE
    project: str | None = None
    note: str = ""


class ConsentChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`PUT /push/consents/{project_key}`: what is allowed from now on; the answer is its state.

    With `purge`, sessions that were pushed with more than the tier allows are deleted.
    """

    tier: Tier
    visibility: Visibility = Visibility.PRIVATE
    project: str | None = None
    purge: bool = False


class Hello(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /push/hello`: the roots of a laptop, and a digest of each bucket of its heads."""

    protocol: int
    roots: list[str] = []
    buckets: dict[str, str] = {}


class HelloAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The heads in those buckets that differ, and what else a laptop must know.

    `lost` are frames that the server had and has no longer. `quota_left_bytes` is None without a
    quota.
    """

    protocol: int
    member: str
    organisation: str
    differing: list[str]
    heads: list[FileHead]
    lost: list[str]
    consents: list[ConsentState]
    quota_left_bytes: int | None = None


class MissingFrames(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /push/missing`: SHA-256 sums of frames' contents; the answer has those to send."""

    frames: list[str]


class FrameReference(msgspec.Struct, frozen=True, array_like=True):
    """One frame of a file: the SHA-256 of its content, and its size."""

    sha256: str
    size: int


class FileManifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /push/manifests`: of which frames a file consists.

    `parent` is the receipt that the laptop knows of the file; None if it knows none. Below the tier
    *everything*, `file`, `session` and the other names are HMACs of the laptop. `kind` is one of
    `clew.source.FileKind`. `has_ended` says that the client has closed the session.
    """

    root: str
    file: str
    kind: str
    session: str
    agent: str | None = None
    workflow: str | None = None
    project_key: str
    tier: Tier
    epoch: int
    frames: list[FrameReference]
    size: int
    mtime_ns: int
    parent: str | None = None
    has_ended: bool = False


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a manifest: what the server now has of the file, and what it did."""

    head: FileHead
    change: str
    """`created`, `grown`, `replaced`, `same`, or `ignored` if the server has more than was sent."""


class PushFault(msgspec.Struct, frozen=True):
    """Why a server refused a request, for programs and for people."""

    code: str
    message: str


class PushRefusal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The body of an error, and what a laptop needs to go on.

    `stale_parent` comes with the `head` that the server has, if it has the file. `missing_frames`
    are to be sent before the manifest is sent again. `old_epoch` comes with the current `consent`.
    """

    error: PushFault
    head: FileHead | None = None
    missing: list[str] = []
    consent: ConsentState | None = None


class LoginRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /push/login`, without a token: a device asks to be let in."""

    device_name: str


class LoginStart(msgspec.Struct, frozen=True, kw_only=True):
    """The answer: what the member opens in a browser, where they see the same code.

    The device asks again with its `device_code`, which nobody else may see, every `interval`
    seconds.
    """

    device_code: str
    user_code: str
    verification_url: str
    expires_in: int
    interval: int


class LoginPoll(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /push/login/poll`: has the member confirmed the device?

    The answer is 202 while they have not, 200 with the token once, and 410 when it is too late.
    """

    device_code: str


class LoginDone(msgspec.Struct, frozen=True, kw_only=True):
    """The answer when they have: the device's token, which is given only once."""

    token: str
    member: str
    organisation: str


class Whoami(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /push/whoami`: whom a token stands for, and who may read what they push.

    `may_be_read_by` says for each visibility, in words, who reads a session of that visibility.
    `POST /push/logout` revokes the device of the token.
    """

    member: str
    organisation: str
    role: str
    device: str | None = None
    may_be_read_by: list[str] = []


def bucket_of(root: str, file: str) -> str:
    """Return the bucket of a file's head."""
    return hashlib.sha256(f"{root}\0{file}".encode()).hexdigest()[:2]


def digest_bucket(heads: Iterable[FileHead]) -> str:
    """Return the digest of the heads in a bucket."""
    lines = sorted(f"{head.root}\0{head.file}\0{head.receipt}\n" for head in heads)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def make_receipt(root: str, file: str, generation: int, frames: Iterable[str]) -> str:
    """Return the receipt of a file that consists of some frames, given their SHA-256 sums."""
    text = "\n".join((root, file, str(generation), *frames))
    return hashlib.sha256(text.encode()).hexdigest()
