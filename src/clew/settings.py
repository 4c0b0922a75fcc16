"""Settings: which archive to use, from options, environment variables and the settings file.

The settings file is read only if nothing that comes before it decides.
"""

import os
import re
import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import msgspec

from clew.errors import UsageError

ARCHIVE: Final = "CLEW_ARCHIVE"
BLOBS: Final = "CLEW_BLOBS"
CONFIG: Final = "CLEW_CONFIG"
HOME: Final = "CLEW_HOME"
# Where a value comes from, besides the variables above.
ARGUMENT: Final = "--archive"
FILE: Final = "settings file"
DEFAULT: Final = "default"

_RANKS: Final = {ARGUMENT: 0, ARCHIVE: 1, BLOBS: 1, FILE: 2, HOME: 3, DEFAULT: 3}
_DATABASE: Final = ("postgresql", "postgres")
_ALLOWED: Final = {
    "archive": "a postgresql:// address or the absolute path of a directory",
    "blobs": "s3://BUCKET/PREFIX or the absolute path of a directory",
}
_DIGEST: Final = "digest"
_HIGHEST_COST: Final = 100_000
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://").match
# Up to the last @: somebody may forget to escape one in a password, or a slash.
_PASSWORD: Final = re.compile(r"(://[^:@/?]*):.*@", re.DOTALL)
_PASSWORD_PARAMETER: Final = re.compile(r"([?&][a-z]*password=)[^&]*", re.IGNORECASE)


class SettingsError(UsageError):
    """A setting has a value that cannot be used."""


class SettingValue(msgspec.Struct, frozen=True):
    """A value that is in force, and what set it: an option, a variable or the settings file."""

    value: str
    source: str


class ArchiveChoice(msgspec.Struct, frozen=True):
    """The archive that is in use; one in a directory keeps its blobs there (`blobs` is None)."""

    archive: SettingValue
    blobs: SettingValue | None = None


class DigestSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who writes digests: nobody but this machine itself as long as no model is set.

    Costs are in dollars. A key in an environment variable comes before `api_key`.
    """

    model: str = ""
    base_url: str = ""
    api_key: str = ""
    max_cost_per_run: float = 1.0
    max_cost_per_day: float = 5.0
    redact: bool = True


class UserSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What the settings file says; empty values are not set."""

    archive: str = ""
    blobs: str = ""
    digest: DigestSettings = DigestSettings()


class SettingsFile:
    """The user's settings file, which need not exist."""

    def __init__(self, environ: Mapping[str, str], user_home: Path) -> None:
        self.path = _settings_path(environ, user_home)
        self._is_named = bool(environ.get(CONFIG))

    @cached_property
    def values(self) -> UserSettings:
        """What it says.

        Raises:
            SettingsError: It cannot be read as settings.
        """
        if not self.path.exists():
            if self._is_named:
                raise SettingsError(
                    f"there is no file {self.path}; create it, or change {CONFIG}, which names it"
                )
            return UserSettings()
        return _decode(self.path)


def choose_archive(
    environ: Mapping[str, str], user_home: Path, archive: str = "", blobs: str = ""
) -> ArchiveChoice:
    """Return the archive to use: the one that is given, else the one that is set.

    Raises:
        SettingsError: A setting cannot be used, or blobs are set where they cannot be, or are not
            where they must be.
    """
    file = SettingsFile(environ, user_home)
    chosen = _choose_address(environ, user_home, archive, file)
    if is_database(chosen.value):
        return ArchiveChoice(chosen, _absolute(_choose_blobs(environ, blobs, file, chosen)))
    _refuse_blobs(environ, blobs, file, chosen)
    return ArchiveChoice(_absolute(chosen))


def is_database(address: str) -> bool:
    """Return whether an address of an archive is that of a database, not a directory.

    Raises:
        SettingsError: It is neither.
    """
    scheme = _SCHEME(address)
    if scheme is None:
        return False
    if scheme[1].lower() not in _DATABASE:
        raise SettingsError(
            f"{hide_password(address)} is not an archive; use a directory or a postgresql:// "
            f"address (s3:// addresses go into {BLOBS})"
        )
    return True


def hide_password(address: str) -> str:
    """Return an address as it may be shown: without its password."""
    return _PASSWORD_PARAMETER.sub(r"\1***", _PASSWORD.sub(r"\1:***@", address))


def data_folder(environ: Mapping[str, str], user_home: Path) -> Path:
    """Return the platform's folder for data of ours."""
    if sys.platform == "darwin":
        return user_home / "Library" / "Application Support" / "clew"
    if os.name == "nt":
        base = environ.get("LOCALAPPDATA") or str(user_home / "AppData" / "Local")
        return Path(base) / "clew"
    base = environ.get("XDG_DATA_HOME") or str(user_home / ".local" / "share")
    return Path(base) / "clew"


def _settings_path(environ: Mapping[str, str], user_home: Path) -> Path:
    if environ.get(CONFIG):
        return Path(environ[CONFIG]).expanduser().absolute()
    if sys.platform == "darwin":
        folder = user_home / "Library" / "Application Support" / "clew"
    elif os.name == "nt":
        base = environ.get("APPDATA") or str(user_home / "AppData" / "Roaming")
        folder = Path(base) / "clew"
    else:
        base = environ.get("XDG_CONFIG_HOME") or str(user_home / ".config")
        folder = Path(base) / "clew"
    return folder / "config.toml"


def _absolute(place: SettingValue) -> SettingValue:
    """Return a setting whose directory does not depend on where a command runs."""
    if _SCHEME(place.value):
        return place
    folder = Path(place.value).expanduser().absolute()
    return msgspec.structs.replace(place, value=str(folder))


def _choose_address(
    environ: Mapping[str, str], user_home: Path, archive: str, file: SettingsFile
) -> SettingValue:
    if archive:
        return SettingValue(archive, ARGUMENT)
    if environ.get(ARCHIVE):
        return SettingValue(environ[ARCHIVE], ARCHIVE)
    if file.values.archive:
        return SettingValue(file.values.archive, FILE)
    if environ.get(HOME):
        return SettingValue(environ[HOME], HOME)
    return SettingValue(str(data_folder(environ, user_home)), DEFAULT)


def _choose_blobs(
    environ: Mapping[str, str], blobs: str, file: SettingsFile, archive: SettingValue
) -> SettingValue:
    if blobs:
        return SettingValue(blobs, ARGUMENT)
    if environ.get(BLOBS):
        return SettingValue(environ[BLOBS], BLOBS)
    # The two values of the file belong together: another database has other blobs.
    if file.values.blobs and file.values.archive in ("", archive.value):
        return SettingValue(file.values.blobs, FILE)
    raise SettingsError(
        f"no place is set for the files of {hide_password(archive.value)}; set {BLOBS} to "
        "s3://BUCKET/PREFIX or a directory"
    )


def _refuse_blobs(
    environ: Mapping[str, str], blobs: str, file: SettingsFile, archive: SettingValue
) -> None:
    """Refuse blobs beside a directory, unless they were set for an archive that it replaces."""
    rank = _RANKS[archive.source]
    if blobs:
        found = "blobs"
    elif environ.get(BLOBS) and rank >= _RANKS[BLOBS]:
        found = BLOBS
    elif rank >= _RANKS[FILE] and file.values.blobs:
        found = f"`blobs` in {file.path}"
    else:
        return
    raise SettingsError(
        f"an archive in a directory keeps its files there ({archive.value}); remove {found}, or "
        "choose a postgresql:// archive"
    )


def _decode(path: Path) -> UserSettings:
    # Few people have a settings file, and everybody's commands shall start fast.
    import tomllib  # noqa: PLC0415

    try:
        found = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML ({error}); correct it") from error
    digest = _read_digest(path, found.pop(_DIGEST, {}))
    for key, value in found.items():
        _check(path, key, value)
    return UserSettings(**found, digest=digest)


def _read_digest(path: Path, values: Any) -> DigestSettings:
    """Read the section about digests, and refuse what it does not allow."""
    try:
        found = msgspec.convert(values, DigestSettings)
    except msgspec.ValidationError as error:
        reason = str(error).replace("`", "'")
        names = ", ".join(DigestSettings.__struct_fields__)
        raise SettingsError(f"{path}: [{_DIGEST}]: {reason}; its settings are: {names}") from error
    for name in ("max_cost_per_run", "max_cost_per_day"):
        if not 0 <= getattr(found, name) <= _HIGHEST_COST:
            raise SettingsError(
                f"{path}: [{_DIGEST}]: {name} must be an amount in dollars, up to {_HIGHEST_COST:,}"
            )
    return found


def _check(path: Path, key: str, value: Any) -> None:
    """Refuse a key that does not exist, and a value that it does not allow."""
    if key not in _ALLOWED:
        names = ", ".join([*_ALLOWED, _DIGEST])
        raise SettingsError(f"{path}: there is no setting {key!r}; the settings are: {names}")
    is_text = isinstance(value, str) and value
    if not is_text or not (_SCHEME(value) or Path(value).expanduser().is_absolute()):
        raise SettingsError(f"{path}: {key} must be {_ALLOWED[key]}, in quotes")
