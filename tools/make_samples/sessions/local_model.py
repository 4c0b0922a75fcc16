"""A model without a price, served at home."""

from typing import Final

from tools.make_samples.calls import bash
from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.projects import homelab
from tools.make_samples.prose import code
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace

MODEL: Final = "kestrel-coder-32b"

_PRUNE: Final = code("""
#!/bin/sh
# Remove old backups: keep the last 7 days, and each Sunday of the last 5 weeks.
set -eu

cd "${1:-/mnt/backup}"
for day in 20??-??-??; do
    age=$(( ($(date +%s) - $(date -d "$day" +%s)) / 86400 ))
    if [ "$age" -lt 7 ]; then continue; fi
    if [ "$age" -lt 35 ] && [ "$(date -d "$day" +%u)" = 7 ]; then continue; fi
    echo "$day"
done
""")


def build() -> Scene:
    """Act the session."""
    setting = Setting(at="2026-11-09T19:41:33Z", title="Prune old backups", model=MODEL)
    scene = open_scene("local-model", Workspace(homelab.ROOT, homelab.FILES), setting)
    files = scene.workspace
    scene.prompt(
        """
        Write `backup/prune.sh`: keep the daily backups of a week and the Sundays of five weeks. It
        shall only print what may go; I remove by hand at first.
        """,
        after=0,
    )
    scene.act(files.write("backup/prune.sh", _PRUNE + "\n"))
    scene.act(
        bash(
            "mkdir -p try && cd try && for n in 0 3 6 7 8 15 22 29 36; do mkdir -p $(date -d "
            '"2026-11-09 -$n days" +%F); done; ls -x; echo --; sh ../backup/prune.sh .',
            "2026-10-04  2026-10-11  2026-10-18  2026-10-25  2026-11-01  2026-11-02\n"
            "2026-11-03  2026-11-06  2026-11-09\n"
            "--\n"
            "2026-10-04\n"
            "2026-11-02",
            told="Try it on empty folders",
        ),
        say="I will try it on folders that are empty, with today as Monday, 9 November.",
    )
    scene.answer(
        """
        It prints two of nine, and both are right:

        - `2026-11-02`, a Monday, is 7 days old, and the week that is kept ends the day before.
        - `2026-10-04` is a Sunday, but 36 days old.

        The Sundays `10-11`, `10-18`, `10-25` and `11-01` stay, and so does everything from
        `11-03` on.
        """
    )
    return scene.end()
