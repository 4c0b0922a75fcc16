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
    from clew.push.project_choice import (
        ProjectChoice,
        UnknownProjectError,
        describe_choice,
        find_project,
        list_choices,
    )
    from clew.push.pull_sessions import PulledItem, PullProblem, PullReport, pull
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
    from clew.push.push_example import PushExample, make_example
    from clew.push.push_files import PushFiles, find_push_files
    from clew.push.push_report import (
        HeldBack,
        OnPushProgress,
        PushItem,
        PushProblem,
        PushProgress,
        PushReport,
    )
    from clew.push.push_sessions import preview_push, push
    from clew.push.server_heads import ask_consents
    from clew.push.server_url import ServerAddressError, normalise_server
    from clew.push.team_client import FEW_TRIES, TeamClient
    from clew.push.withdraw import NotPushedError, delete_pushed, revive_pushed

__all__ = [
    "EVENTS",
    "FEW_TRIES",
    "Consents",
    "HeldBack",
    "HookSettingsError",
    "InstalledHook",
    "LoginExpiredError",
    "LoginOutcome",
    "LoginRefusedError",
    "Logins",
    "NotLoggedInError",
    "NotPushedError",
    "OnPushProgress",
    "ProjectChoice",
    "ProjectConsent",
    "PullProblem",
    "PullReport",
    "PulledItem",
    "PushBusyError",
    "PushError",
    "PushExample",
    "PushFiles",
    "PushItem",
    "PushPackagesMissingError",
    "PushProblem",
    "PushProgress",
    "PushReport",
    "ServerAddressError",
    "ServerLogin",
    "ServerRefusedError",
    "ServerUnreachableError",
    "SettingsChange",
    "TeamClient",
    "UnknownProjectError",
    "apply_change",
    "are_hooks_off",
    "ask_consents",
    "delete_pushed",
    "describe_choice",
    "find_project",
    "find_push_files",
    "hook_command",
    "last_runs",
    "list_choices",
    "log_in",
    "log_in_with_token",
    "log_out",
    "make_example",
    "normalise_server",
    "plan_install",
    "plan_remove",
    "preview_push",
    "pull",
    "push",
    "read_hooks",
    "revive_pushed",
    "settings_path",
]

import_lazily(__name__)
