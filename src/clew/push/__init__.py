"""local archive → a team server: consent, what may leave, the push itself, hooks.

Nothing leaves a laptop before its user has allowed it for a project.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.push.background import last_runs
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

__all__ = [
    "EVENTS",
    "HookSettingsError",
    "InstalledHook",
    "SettingsChange",
    "apply_change",
    "are_hooks_off",
    "hook_command",
    "last_runs",
    "plan_install",
    "plan_remove",
    "read_hooks",
    "settings_path",
]

import_lazily(__name__)
