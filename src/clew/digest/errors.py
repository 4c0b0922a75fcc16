"""Errors of digests.

DigestError                    1   no digest could be made
└── ReplyError                 1   a model's reply is no digest
"""

from clew.errors import ClewError


class DigestError(ClewError):
    """No digest could be made."""


class ReplyError(DigestError):
    """A model replied with something that is no digest."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the model's reply is no digest: {reason}")
        self.reason = reason
