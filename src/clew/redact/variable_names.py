"""A variable's name → what it promises of its value: a password, a secret, a key, or nothing."""

import re
from enum import Enum
from functools import lru_cache
from typing import Final


class Expectation(Enum):
    """What a name says about its value."""

    NOTHING = 0
    KEY = 1
    SECRET = 2
    PASSWORD = 3


NAME_WORDS: Final = ("pass", "pwd", "pw", "secret", "token", "key", "cred", "auth")

_LONGEST: Final = 40
_ENVIRONMENT: Final = re.compile(
    r"[_-]?(?:base|prod|production|dev|development|staging|test|live|main|primary|secondary|value"
    r"|string|plain|plaintext|raw|default|old|new|current|\d{1,3})\Z",
    re.IGNORECASE,
)
_PASSWORD: Final = re.compile(
    r"(?:password|passwd|passphrase|passcode|passwort|pwd)\Z", re.IGNORECASE
)
_PASS: Final = re.compile(
    r"(?:[A-Za-z0-9][_-]pass|[A-Z0-9_]PASS|[a-z]Pass|(?:\A|[_-])pw|(?:\A|_)PW)\Z"
)
_SECRET: Final = re.compile(
    r"(?:secret|token|credentials?|creds|[_-]auth|basicauth|authcode|(?:api|app|access|secret|private"
    r"|auth|encryption|encrypt|decryption|signing|sign|signature|master|account|shared|sharedaccess"
    r"|service|license|licence|deploy|session|hmac|jwt|aes|server|admin|write|client|consumer"
    r"|subscription|webhook|root|rsa|ssh|bot|vault|role|integration|ingest|dsn|openai|anthropic"
    r"|claude|gemini|mistral|groq|stripe|sendgrid|github|gitlab|datadog|dd|sentry|secretkey)key)\Z"
)
# Test runners print `PASS:` in capitals.
_WHOLE_NAMES: Final = frozenset({"auth", "_auth", "AUTH", "Auth", "pass"})
_NOT_SECRET: Final = re.compile(
    r"(?:next|page|nextpage|continuation|prev|previous|sync|cursor|eos|bos|pad|unk|sep|cls|mask|stop"
    r"|start|end|color|design|theme|special|first|last|perl|per|input|output|total|max|num|count)"
    r"token\Z"
)
_NOT_KEY: Final = re.compile(
    r"(?:public|pub|cache|primary|foreign|sort|partition|index|idempotency|object|row|map|dict|query"
    r"|host|hot|short|lookup|group|unique|registry|route|dedupe|known|mon|tur|don|turn|s3|data|bucket"
    r"|verification|verify|publishable|peer|anon|compressed|ephemeral)key\Z"
)


def expectation_of(name: str) -> Expectation:
    """Return what the last words of a name say: `DB_PASSWORD`, `apiKey`, `SECRET_KEY_BASE`."""
    return _promise_of(name[-_LONGEST:])


@lru_cache(maxsize=4096)
def _promise_of(name: str) -> Expectation:
    if name in {"PWD", "OLDPWD"}:
        return Expectation.NOTHING
    stem = _ENVIRONMENT.sub("", name, count=1)
    flat = re.sub(r"[_\-.]", "", stem.lower())
    if _PASSWORD.search(flat) or _PASS.search(stem):
        return Expectation.PASSWORD
    if _NOT_SECRET.search(flat) or _NOT_KEY.search(flat):
        return Expectation.NOTHING
    if _SECRET.search(flat) or stem in _WHOLE_NAMES:
        return Expectation.SECRET
    return Expectation.KEY if flat.endswith("key") else Expectation.NOTHING
