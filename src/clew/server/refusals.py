"""Why a push is refused, each with a status, a code for programs, and what to do.

RefusedPushError              422   a message that makes no sense
├── NestedMessageError        400   a message that cannot be read
├── UnknownVersionError       426   the laptop speaks another protocol
├── UnusableFrameError        422   not one frame, or not of that content
├── FrameTooLargeError        413   more than a frame may have
├── UncommittedLimitError     429   many frames that no manifest names
├── QuotaExceededError        507   no storage left
├── NoConsentError            403   the member has not allowed it
├── OldEpochError             409   allowed once, and changed since
├── StaleParentError          409   another device was faster
├── MissingFramesError        409   a manifest names what is not there
├── DeletedSessionError       410   deleted until its owner revives it
├── HeldSessionError          409   must not be deleted
├── DeletionPendingError      503   deleted, but not all of it yet
└── UnknownSessionError       404   nothing was pushed of it
"""

from clew.errors import ClewError
from clew.protocol import (
    OLDEST_PROTOCOL,
    PROTOCOL_VERSION,
    ConsentState,
    FileHead,
    PushFault,
    PushRefusal,
    Tier,
)


class RefusedPushError(ClewError):
    """A request of a laptop cannot be granted."""

    status = 422
    code = "invalid"

    def refusal(self) -> PushRefusal:
        """Return the body of the response."""
        return PushRefusal(error=PushFault(self.code, str(self)))


class NestedMessageError(RefusedPushError):
    """A message is nested more deeply than any can be."""

    status = 400
    code = "bad_request"

    def __init__(self) -> None:
        super().__init__("the message is nested too deeply; install a newer version of clew")


class UnknownVersionError(RefusedPushError):
    """The laptop speaks another version of the protocol."""

    status = 426
    code = "version"

    def __init__(self, version: int) -> None:
        is_newer = version > PROTOCOL_VERSION
        advice = "ask for a newer server" if is_newer else "install a newer version of clew"
        super().__init__(
            f"this server speaks the versions {OLDEST_PROTOCOL} to {PROTOCOL_VERSION} of the "
            f"protocol, and this laptop another one; {advice}"
        )


class UnusableFrameError(RefusedPushError):
    """The bytes are not what they should be: one compressed frame of the named content."""

    code = "bad_frame"

    def __init__(self, reason: str) -> None:
        super().__init__(f"this is not a frame that can be stored: {reason}; send it again")


class FrameTooLargeError(RefusedPushError):
    """A frame has more bytes than one may have."""

    status = 413
    code = "too_large"

    def __init__(self, most: int) -> None:
        super().__init__(f"a frame has at most {most:,} bytes; send it in several frames")


class UncommittedLimitError(RefusedPushError):
    """A device has sent many frames that no manifest names."""

    status = 429
    code = "uncommitted"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"this device has sent {most:,} bytes that no manifest names; send manifests first"
        )


class QuotaExceededError(RefusedPushError):
    """The member or the organisation has no storage left."""

    status = 507
    code = "quota"

    def __init__(self) -> None:
        super().__init__(
            "no storage is left for you on this server; delete sessions, or ask an administrator "
            "for a larger quota"
        )


class NoConsentError(RefusedPushError):
    """The member has not allowed that this leaves their laptop."""

    status = 403
    code = "no_consent"

    def __init__(self, tier: Tier, allowed: Tier) -> None:
        super().__init__(
            f"the consent for this project allows {allowed}, not {tier}; run `clew consent`"
        )


class OldEpochError(RefusedPushError):
    """The consent has changed since."""

    status = 409
    code = "old_epoch"

    def __init__(self, consent: ConsentState) -> None:
        super().__init__("the consent for this project has changed; run `clew push` again")
        self.consent = consent

    # typing.override comes with Python 3.12
    def refusal(self) -> PushRefusal:  # type: ignore[explicit-override]
        """Return the body of the response, with the consent."""
        return PushRefusal(error=PushFault(self.code, str(self)), consent=self.consent)


class StaleParentError(RefusedPushError):
    """The file has changed on the server since the laptop looked."""

    status = 409
    code = "stale_parent"

    def __init__(self, head: FileHead | None) -> None:
        super().__init__("another push has changed this file; run `clew push` again")
        self.head = head

    def refusal(self) -> PushRefusal:  # type: ignore[explicit-override]
        """Return the body of the response, with what the server has."""
        return PushRefusal(error=PushFault(self.code, str(self)), head=self.head)


class MissingFramesError(RefusedPushError):
    """A manifest names frames that this member has not sent, or that are lost."""

    status = 409
    code = "missing_frames"

    def __init__(self, missing: list[str]) -> None:
        noun = "frame is" if len(missing) == 1 else "frames are"
        super().__init__(f"{len(missing):,} {noun} missing; run `clew push` again")
        self.missing = missing

    def refusal(self) -> PushRefusal:  # type: ignore[explicit-override]
        """Return the body of the response, with the frames to send."""
        return PushRefusal(error=PushFault(self.code, str(self)), missing=self.missing)


class DeletedSessionError(RefusedPushError):
    """The session was deleted on the server."""

    status = 410
    code = "deleted"

    def __init__(self) -> None:
        super().__init__(
            "this session was deleted on the server; `clew consent revive` lets it in again"
        )


class DeletionPendingError(RefusedPushError):
    """What a changed consent deleted is not deleted everywhere yet."""

    status = 503
    code = "being_deleted"

    def __init__(self) -> None:
        super().__init__("the earlier copy of this session is being deleted; try again in a minute")


class HeldSessionError(RefusedPushError):
    """A session must not be deleted."""

    status = 409
    code = "held"

    def __init__(self) -> None:
        super().__init__(
            "an administrator holds this session, so it cannot be deleted; ask them to release it"
        )


class UnknownSessionError(RefusedPushError):
    """Nothing was pushed of a session."""

    status = 404
    code = "not_found"

    def __init__(self) -> None:
        super().__init__("you have pushed no session of this id; check it with `clew list`")
