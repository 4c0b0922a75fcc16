"""Who decided, and what, in words for people."""

from typing import Final

DECIDERS: Final = {
    "person": "a person",
    "rule": "a rule",
    "hook": "a hook",
    "mode": "the permission mode",
    "classifier": "the safety check of auto mode",
    "nobody": "nobody was present",
    "settings": "settings",
    "unknown": "unknown",
}
"""Who decides about a call."""
ANSWERS: Final = {
    "accepted": "accepted",
    "accepted_once": "accepted once",
    "accepted_session": "accepted for the session",
    "accepted_always": "accepted from now on",
    "refused": "refused",
    "refused_with_remark": "refused with a remark",
}
"""What was decided."""
