"""OpenID Connect: who somebody is, as an identity provider says it.

This is the authorization code flow with PKCE. A member is known by issuer and subject, never by an
e-mail address, which a provider may let anybody claim.
"""

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, Final
from urllib.parse import quote, urlencode, urlsplit

import jwt
import msgspec

from clew.errors import ClewError
from clew.server.settings import OidcSettings
from clew.web.settings import is_loopback

_ALGORITHMS: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
_LEEWAY_SECONDS: Final = 60
_TIMEOUT_SECONDS: Final = 10
_MAX_ANSWER: Final = 1 << 20
_FRESH_SECONDS: Final = 3_600.0
_PAUSE_SECONDS: Final = 10.0
_MAX_SUBJECT: Final = 255


class OidcError(ClewError):
    """The identity provider cannot be used, or what it says cannot be trusted."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the identity provider's answer cannot be used ({why}); log in again")


class OidcAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """What a browser must come back with, and what it wants.

    With an `invite`, the identity is connected to the member who was invited; with a `member_id`,
    to this member, who is logged in.
    """

    state: str
    nonce: str
    verifier: str
    invite: str = ""
    member_id: int | None = None


class ProviderFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a provider publishes about itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    id_token_signing_alg_values_supported: tuple[str, ...] = ("RS256",)


class TokenAnswer(msgspec.Struct, frozen=True):
    """What a provider answers to a code."""

    id_token: str


class OidcClient:
    """A client of one identity provider, whose facts and keys are asked for when needed."""

    def __init__(self, settings: OidcSettings, redirect_url: str) -> None:
        self._settings = settings
        self._redirect_url = redirect_url
        self._lock = threading.RLock()
        self._facts: ProviderFacts | None = None
        self._keys: list[jwt.PyJWK] = []
        self._facts_until = 0.0
        # Many who log in shall not wait for a provider that does not answer.
        self._facts_after = 0.0
        self._keys_after = 0.0

    def start(self, attempt: OidcAttempt, *, asks_again: bool = False) -> str:
        """Return the URL at the provider to send a browser to.

        With `asks_again`, the provider shall ask who they are even if it knows.
        """
        digest = hashlib.sha256(attempt.verifier.encode()).digest()
        params = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": self._redirect_url,
            "scope": "openid",
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": _base64(digest),
            "code_challenge_method": "S256",
            **({"prompt": "login"} if asks_again else {}),
        }
        endpoint = self._read_facts().authorization_endpoint
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(params)}"

    def finish(self, attempt: OidcAttempt, code: str) -> str:
        """Return the subject that a code stands for.

        Raises:
            OidcError: The provider refuses the code, or its token is not right.
        """
        return self._verify(self._fetch_token(attempt, code), attempt.nonce)

    def _fetch_token(self, attempt: OidcAttempt, code: str) -> str:
        facts = self._read_facts()
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._redirect_url,
            "client_id": self._settings.client_id,
            "code_verifier": attempt.verifier,
        }
        headers = {}
        if self._settings.client_secret:
            if "client_secret_basic" in facts.token_endpoint_auth_methods_supported:
                headers["authorization"] = self._basic()
            else:
                fields["client_secret"] = self._settings.client_secret
        answer = _ask(facts.token_endpoint, urlencode(fields).encode(), headers)
        try:
            return msgspec.json.decode(answer, type=TokenAnswer).id_token
        except msgspec.DecodeError as error:
            raise OidcError("it sent no token") from error

    def _basic(self) -> str:
        pair = f"{quote(self._settings.client_id)}:{quote(self._settings.client_secret)}"
        return f"Basic {base64.b64encode(pair.encode()).decode()}"

    def _verify(self, token: str, nonce: str) -> str:
        """Check all that makes a token ours and new; return its subject."""
        allowed = _ALGORITHMS & set(self._read_facts().id_token_signing_alg_values_supported)
        try:
            header = jwt.get_unverified_header(token)
            algorithm = header.get("alg", "")
            if algorithm not in allowed:
                raise OidcError("it is not signed as it should be")
            claims = jwt.decode(
                token,
                self._key(header.get("kid")),
                algorithms=[algorithm],
                audience=self._settings.client_id,
                issuer=self._settings.issuer,
                leeway=_LEEWAY_SECONDS,
                options={"require": ["exp", "iat", "aud", "iss", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise OidcError("its token is not valid") from error
        return self._read_claims(claims, nonce)

    def _read_claims(self, claims: Mapping[str, Any], nonce: str) -> str:
        shown, subject = claims.get("nonce"), claims["sub"]
        if not isinstance(shown, str) or not hmac.compare_digest(shown.encode(), nonce.encode()):
            raise OidcError("its token belongs to another login")
        if claims.get("azp", self._settings.client_id) != self._settings.client_id:
            raise OidcError("its token is for another program")
        if not isinstance(subject, str) or not 0 < len(subject) <= _MAX_SUBJECT:
            raise OidcError("it does not say who you are")
        return subject

    def _key(self, number: str | None) -> jwt.PyJWK:
        """Return the key of a token; keys are asked for again if it is a new one."""
        with self._lock:
            found = self._find_key(number)
            if found is None and time.monotonic() >= self._keys_after:
                self._keys_after = time.monotonic() + _PAUSE_SECONDS
                self._keys = _read_keys(self._read_facts().jwks_uri)
                found = self._find_key(number)
        if found is None:
            raise OidcError("its key is unknown")
        return found

    def _find_key(self, number: str | None) -> jwt.PyJWK | None:
        if number is None and len(self._keys) == 1:
            return self._keys[0]
        return next((key for key in self._keys if number and key.key_id == number), None)

    def _read_facts(self) -> ProviderFacts:
        with self._lock:
            now = time.monotonic()
            if self._facts is None or now >= self._facts_until:
                if now < self._facts_after:
                    raise OidcError("it cannot be reached")
                self._facts_after = now + _PAUSE_SECONDS
                self._facts = _discover(self._settings.issuer)
                self._facts_until = now + _FRESH_SECONDS
            return self._facts


def make_attempt(*, invite: str = "", member_id: int | None = None) -> OidcAttempt:
    """Return a new attempt, which nobody can guess."""
    return OidcAttempt(
        state=secrets.token_urlsafe(32),
        nonce=secrets.token_urlsafe(32),
        verifier=secrets.token_urlsafe(48),
        invite=invite,
        member_id=member_id,
    )


def pack_attempt(attempt: OidcAttempt) -> str:
    """Return an attempt as a cookie has it."""
    return _base64(msgspec.json.encode(attempt))


def unpack_attempt(text: str) -> OidcAttempt | None:
    """Return the attempt of a cookie, if it is one."""
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        return msgspec.json.decode(packed, type=OidcAttempt)
    except (ValueError, msgspec.DecodeError):
        return None


def _discover(issuer: str) -> ProviderFacts:
    """Ask a provider about itself.

    Raises:
        OidcError: It says that it is another one, or sends secrets without encryption.
    """
    answer = _ask(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    try:
        facts = msgspec.json.decode(answer, type=ProviderFacts)
    except msgspec.DecodeError as error:
        raise OidcError("it does not describe itself") from error
    if facts.issuer != issuer:
        raise OidcError("it has another name than CLEW_OIDC_ISSUER")
    if not _is_safe(facts.authorization_endpoint):
        raise OidcError("its login page is not encrypted")
    return facts


def _read_keys(url: str) -> list[jwt.PyJWK]:
    try:
        found = jwt.PyJWKSet.from_dict(json.loads(_ask(url))).keys
        # What everybody can read proves nothing if it is a shared secret.
        return [key for key in found if key.key_type != "oct"]
    except (ValueError, jwt.PyJWTError, AttributeError) as error:
        raise OidcError("its keys cannot be read") from error


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Secrets go to the provider's own addresses only."""

    def redirect_request(  # type: ignore[explicit-override]
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        """Follow none."""


def _ask(url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> bytes:
    if not _is_safe(url):
        raise OidcError("one of its addresses is not encrypted")
    sent = {"accept": "application/json", **(headers or {})}
    request = urllib.request.Request(url, body, sent)  # noqa: S310 (http or https, see above)
    opener = urllib.request.build_opener(_NoRedirects)
    try:
        with opener.open(request, timeout=_TIMEOUT_SECONDS) as answer:
            found: bytes = answer.read(_MAX_ANSWER + 1)
    except urllib.error.HTTPError as error:
        error.close()
        raise OidcError(f"status {error.code}") from error
    except (OSError, ValueError, HTTPException) as error:
        raise OidcError("it cannot be reached") from error
    if len(found) > _MAX_ANSWER:
        raise OidcError("it is too long")
    return found


def _is_safe(url: str) -> bool:
    """Return whether an address is encrypted, or is on this machine."""
    parts = urlsplit(url)
    is_local = parts.scheme == "http" and is_loopback(parts.hostname or "")
    return parts.scheme == "https" or is_local


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
