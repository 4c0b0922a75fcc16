"""Keys from AWS's credentials file, which the library does not read itself."""

import os
from collections.abc import Mapping
from configparser import ConfigParser
from configparser import Error as BadFileError
from pathlib import Path
from typing import Final

# With any of these the library finds keys, or needs none.
_OTHER_WAYS: Final = (
    "AWS_ACCESS_KEY_ID",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_SKIP_SIGNATURE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
)
_NAMES: Final = {
    "aws_access_key_id": "access_key_id",
    "aws_secret_access_key": "secret_access_key",
    "aws_session_token": "session_token",
}


def has_credentials(environ: Mapping[str, str]) -> bool:
    """Tell whether the environment says where keys are."""
    return any(environ.get(name) for name in _OTHER_WAYS)


def read_profile(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the keys of the profile in use, by the library's names; none if there is no file."""
    place = environ.get("AWS_SHARED_CREDENTIALS_FILE") or "~/.aws/credentials"
    parser = ConfigParser(interpolation=None)
    try:
        parser.read(Path(os.path.expandvars(place)).expanduser(), "utf-8")
        found = parser[environ.get("AWS_PROFILE") or "default"]
    except (BadFileError, KeyError, OSError, UnicodeDecodeError):
        return {}
    return {ours: found[name] for name, ours in _NAMES.items() if found.get(name)}
