"""local archive → a team server: consent, what may leave, the push itself, hooks.

Nothing leaves a laptop before its user has allowed it for a project.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.push.background import last_runs
    from clew.push.consents import Consents, ProjectConsent
    from clew.push.hooks import (
        EVENTS,
        HookSettingsError,
        InstalledHook,
        SettingsChange,
        apply_change,
        are_hooks_off,
        hook_command,
        plan_install,
        plan_remove,
        read_hooks,
        settings_path,
    )
    from clew.push.login import LoginOutcome, log_in, log_in_with_token, log_out
    from clew.push.logins import Logins, ServerLogin
    from clew.push.push_errors import (
        LoginExpiredError,
        LoginRefusedError,
        NotLoggedInError,
        PushBusyError,
        PushError,
        PushPackagesMissingError,
        ServerRefusedError,
        ServerUnreachableError,
    )
    from clew.push.push_files import PushFiles, find_push_files
    from clew.push.server_url import ServerAddressError, normalise_server

__all__ = [
    "EVENTS",
    "Consents",
    "HookSettingsError",
    "InstalledHook",
    "LoginExpiredError",
    "LoginOutcome",
    "LoginRefusedError",
    "Logins",
    "NotLoggedInError",
    "ProjectConsent",
    "PushBusyError",
    "PushError",
    "PushFiles",
    "PushPackagesMissingError",
    "ServerAddressError",
    "ServerLogin",
    "ServerRefusedError",
    "ServerUnreachableError",
    "SettingsChange",
    "apply_change",
    "are_hooks_off",
    "find_push_files",
    "hook_command",
    "last_runs",
    "log_in",
    "log_in_with_token",
    "log_out",
    "normalise_server",
    "plan_install",
    "plan_remove",
    "read_hooks",
    "settings_path",
]

import_lazily(__name__)
