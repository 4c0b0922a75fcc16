"""What a device says to a team server, without HTTP: for tests of what the server does with it."""

import hashlib
import sys
from collections.abc import Sequence
from itertools import count
from typing import Any, Final

import msgspec

from clew.protocol import Commit, ConsentChange, FileManifest, FrameReference, Tier
from clew.server.accounts import create_member, create_organisation, list_organisations
from clew.server.authenticate import authenticate
from clew.server.commit import commit
from clew.server.consents import set_consent
from clew.server.devices import register_device
from clew.server.principal import Principal, Role
from clew.server.receive_frames import receive_frame
from clew.server.tokens import TokenKind
from clew.store.objects import Objects
from clew.store.postgres.team import TeamDatabase

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ROOT: Final = "a1b2c3"
PROJECT: Final = "project-1"
SESSION: Final = "11111111-2222-3333-4444-555555555555"
FILE: Final = f"projects/-home-ada-app/{SESSION}.jsonl"
_numbers: Final = count(1)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def pack(content: bytes) -> bytes:
    return zstd.compress(content)


def join(team: TeamDatabase, organisation: str, name: str, role: Role = Role.MEMBER) -> Principal:
    """Let somebody join an organisation, with a device."""
    known = {one.name: one for one in list_organisations(team)}
    found = known.get(organisation) or create_organisation(team, organisation)
    member = create_member(team, found.id, name, role)
    return another_device(team, found.id, member.id)


def another_device(team: TeamDatabase, organisation_id: int, member_id: int) -> Principal:
    device = register_device(team, organisation_id, member_id, f"laptop {next(_numbers)}")
    principal = authenticate(team, device.token, TokenKind.DEVICE)
    assert principal is not None
    return principal


def allow(
    team: TeamDatabase, principal: Principal, tier: Tier = Tier.EVERYTHING, **change: Any
) -> int:
    """Allow something for the project, and return the epoch."""
    return set_consent(team, principal, PROJECT, ConsentChange(tier=tier, **change)).epoch


def manifest_of(contents: Sequence[bytes], **fields: Any) -> FileManifest:
    """Return the manifest of a file that consists of some frames."""
    known = FileManifest(
        root=ROOT,
        file=FILE,
        kind="session",
        session=SESSION,
        project_key=PROJECT,
        tier=Tier.EVERYTHING,
        epoch=1,
        frames=[FrameReference(sha256(content), len(content)) for content in contents],
        size=sum(map(len, contents)),
        mtime_ns=1_700_000_000_000_000_000,
    )
    return msgspec.structs.replace(known, **fields)


def push(
    team: TeamDatabase,
    objects: Objects,
    principal: Principal,
    contents: Sequence[bytes],
    **fields: Any,
) -> Commit:
    """Send frames and their manifest."""
    for content in contents:
        receive_frame(team, objects, principal, sha256(content), pack(content))
    return commit(team, principal, manifest_of(contents, **fields))
