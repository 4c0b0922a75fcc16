"""Plan mode with questions and an approval, and a branch that tries another way."""

from typing import Final

from tests.build import Call
from tools.make_samples.calls import ask, bash, find_tools, question
from tools.make_samples.meter import Totals
from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.projects import homelab
from tools.make_samples.prose import code, prose
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace

_SLUG: Final = "move-the-photos-with-quiet-heron"
_PLAN_FILE: Final = f"/home/mira/.claude/plans/{_SLUG}.md"

_PLAN: Final = """\
# Move the photos to the new disk

Uploads rest only while the last changes are copied, which is less than a minute. Looking at photos
works all the time.

1. **Copy while it runs.** `rsync -aH /srv/photos/ /mnt/photos/`, about an hour and a half.
2. **Compare while it runs.** The same with `--checksum`, which may take the night.
3. **Stop uploads and copy again.** This takes only what changed since.
4. **Switch.** `/srv/photos` becomes `/srv/photos.old`, and a bind mount takes its place, now and
   after each start.
5. **Keep the old copy for a week**, then remove it.

Until step 4 nothing is lost by stopping. After it, the way back is to undo the mount and the name.
"""

_SCRIPT: Final = code("""
#!/bin/sh
# Move the photos: `copy` and `compare` as often as you like, then `switch` once.
set -eu

copy() {
    rsync -aH "$@" /srv/photos/ /mnt/photos/
}

case "$1" in
copy)
    copy --info=stats1
    ;;
compare)
    copy --checksum --dry-run --out-format=%n
    ;;
switch)
    systemctl stop gallery-upload.service
    copy --delete
    mv /srv/photos /srv/photos.old
    mkdir /srv/photos
    echo '/mnt/photos /srv/photos none bind 0 0' >> /etc/fstab
    mount /srv/photos
    systemctl start gallery-upload.service
    ;;
esac
""")


def build() -> Scene:
    """Act the session with the plan."""
    return _open().end()


def build_branch() -> Scene:
    """Act the session that branches off from it."""
    scene = _branch_off(_open())
    scene.prompt(
        "The old disk is a logical volume. Could `pvmove` do it without any of this?", after=0.8
    )
    scene.act(
        bash(
            "lsblk -o NAME,SIZE,TYPE,MOUNTPOINTS /dev/sda /dev/sdc",
            "NAME            SIZE TYPE MOUNTPOINTS\n"
            "sda             1.8T disk\n"
            "└─attic-srv     1.1T lvm  /srv\n"
            "sdc             7.3T disk\n"
            "└─sdc1          7.3T part /mnt/photos",
            told="How the disks are laid out",
        )
    )
    scene.answer(
        """
        It could, without a second of downtime: add the new disk to the volume group, `pvmove` the
        extents, take the old disk out. But look at what moves: `attic-srv` is **all** of `/srv`,
        1.1 TB, not the 410 GB of photos. And `/mnt/photos` has a file system already, which would
        have to go.

        | | `rsync` and a mount | `pvmove` |
        |---|---|---|
        | moves | 410 GB | 1.1 TB |
        | uploads rest | under a minute | not at all |
        | way back | a name and a mount | another `pvmove` |
        | afterwards | photos apart from the rest | everything on one disk |

        You wanted the photos on a disk of their own. I would stay with the plan.
        """
    )
    return scene.end()


def _open() -> Scene:
    setting = Setting(
        at="2026-10-16T15:04:26Z", title="Move the photos to the new disk", mode="plan"
    )
    scene = open_scene("plan", Workspace(homelab.ROOT, homelab.FILES), setting)
    scene.builder.slug(_SLUG)
    _look_around(scene)
    _write_the_plan(scene)
    _begin(scene)
    return scene


def _look_around(scene: Scene) -> None:
    scene.prompt(
        """
        The new disk is in. The photos shall move there, and the gallery must not be down for more
        than a minute. Make a plan first.
        """,
        after=0,
    )
    scene.builder.attachment(
        "plan_mode",
        reminderType="full",
        isSubAgent=False,
        planFilePath=_PLAN_FILE,
        planExists=False,
        rendered="Plan mode is on: look and ask, but change nothing but the plan.",
    )
    scene.act(
        bash(
            "du -sh /srv/photos; df -h /srv /mnt/photos; systemctl list-units 'gallery*' --plain "
            "--no-legend",
            "410G\t/srv/photos\n"
            "Filesystem             Size  Used Avail Use% Mounted on\n"
            "/dev/mapper/attic-srv  1.1T  1.0T   43G  97% /srv\n"
            "/dev/sdc1              7.3T   28K  6.9T   1% /mnt/photos\n"
            "gallery.service        loaded active running Photo gallery\n"
            "gallery-upload.service loaded active running Uploads to the gallery",
            told="Sizes, disks and services",
            seconds=9.0,
        )
    )
    scene.act(
        ask(
            [
                question(
                    "Old copy",
                    "How long shall the old copy stay after the move?",
                    {
                        "One week": "Time enough to notice that something is missing",
                        "Until checked": "Removed as soon as all checksums agree",
                        "For good": "A second copy, but /srv stays at 97 %",
                    },
                ),
                question(
                    "Uploads",
                    "May uploads be refused while the last changes are copied?",
                    {
                        "Yes": "Less than a minute, and nothing can slip through",
                        "No": "They are queued, which needs more work",
                    },
                ),
            ],
            ["One week", "Yes"],
            seconds=41.0,
        ),
        say="Uploads run in a service of their own, which helps. Two things only you can decide:",
    )


def _write_the_plan(scene: Scene) -> None:
    scene.act(scene.workspace.write(_PLAN_FILE, _PLAN))
    scene.act(find_tools("ExitPlanMode"))
    approved = (
        "User has approved your plan. You can now start coding.\n\n"
        f"Your plan has been saved to: {_PLAN_FILE}\n\n## Approved Plan:\n{_PLAN}"
    )
    arguments = {"plan": _PLAN, "planFilePath": _PLAN_FILE}
    result = {"plan": _PLAN, "isAgent": False, "filePath": _PLAN_FILE}
    scene.act(Call("ExitPlanMode", arguments, approved, result, seconds=63.0))
    scene.builder.attachment(
        "plan_mode_exit", planFilePath=_PLAN_FILE, planExists=True, rendered="Plan mode is over."
    )
    scene.builder.permission_mode("acceptEdits")


def _begin(scene: Scene) -> None:
    scene.act(scene.workspace.write("gallery/move.sh", _SCRIPT + "\n"))
    scene.act(
        bash(
            "chmod +x gallery/move.sh && sh -n gallery/move.sh && rsync -aHn --stats /srv/photos/ "
            "/mnt/photos/ | head -2",
            "Number of files: 88,412 (reg: 86,907, dir: 1,505)\n"
            "Number of created files: 88,412 (reg: 86,907, dir: 1,505)",
            told="Check the script, and count what it would copy",
            seconds=4.8,
        )
    )
    scene.answer(
        """
        `gallery/move.sh` does steps 1 to 4, and nothing has been copied yet. Tonight:

            sudo gallery/move.sh copy && sudo gallery/move.sh compare

        Both may be interrupted. If nothing is listed in the morning, `sudo gallery/move.sh switch`
        takes less than a minute. It stops at the first thing that is not as it should be.
        """
    )


def _branch_off(scene: Scene) -> Scene:
    """Let the person go on in a copy of the session, as `/branch` makes it."""
    scene.wait(95)
    original = scene.builder.session_id
    builder = scene.builder.fork("sample/branch", marked=True)
    builder.draft.items = [row for row in builder.rows if "uuid" in row]
    builder.draft.spent = {}
    other = Scene(builder, scene.workspace, "branch")
    other.context, other.totals = scene.context, Totals()
    other.workspace.lines_added = other.workspace.lines_removed = 0
    builder.custom_title("photos by pvmove").marker("agent-name", agentName="photos by pvmove")
    told = prose(
        f"""
        Branched conversation "photos by pvmove". You are now in the new branch (session
        {builder.session_id}). Use /resume {original} to return to the original.
        """
    )
    builder.local_command("/branch", "photos by pvmove", stdout=told)
    return other
