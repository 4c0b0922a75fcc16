"""How a call ended → columns: who decided, how long it waited, what it was about, what failed."""

import hashlib
from typing import Any, Final

from clew.conversation import ToolCall
from clew.tools import ToolError, Wait, call_subject, decode_call, read_decision

_ERROR_CHARACTERS: Final = 2_000
_CUT: Final = "\n…\n"
_DIGEST_BYTES: Final = 12
_WRONG: Final = ("failed", "denied")

_Outcome = tuple[Any, ...]


def call_outcome(call: ToolCall, wait: Wait | None, cwd: str) -> _Outcome:
    """Return decided_by, answer, waiting_ms, waiting_quality, subject, error_text, input_digest."""
    decision = read_decision(call)
    is_wrong = call.status in _WRONG
    is_asked = decision is not None and decision.by_person
    return (
        None if decision is None else decision.by,
        None if decision is None else decision.answer,
        None if wait is None else wait.ms,
        None if wait is None else wait.quality,
        call_subject(call.tool, bytes(call.input), cwd) or None if is_wrong or is_asked else None,
        _error_text(call) if is_wrong else None,
        _digest(call) if call.is_error else None,
    )


def _error_text(call: ToolCall) -> str:
    """Return an error; of a long one, its beginning and its end."""
    _, result = decode_call(call)
    text = result.text if isinstance(result, ToolError) else call.error or call.result_text
    bare = text.strip()
    if len(bare) <= _ERROR_CHARACTERS:
        return bare
    half = _ERROR_CHARACTERS // 2
    return f"{bare[:half]}{_CUT}{bare[-half:]}"


def _digest(call: ToolCall) -> str:
    named = call.tool.encode("utf-8", "replace") + b"\0" + bytes(call.input)
    return hashlib.blake2b(named, digest_size=_DIGEST_BYTES).hexdigest()
