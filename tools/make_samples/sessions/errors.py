"""A session full of errors: a backup that failed in silence, and an evening that resists."""

from typing import Final

from tests.build import Call
from tools.make_samples.calls import bash, failing, misused, refused
from tools.make_samples.meter import Totals
from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.projects import homelab
from tools.make_samples.prose import code
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace

_LOST: Final = (
    "[Tool call interrupted: the session ended before this call's result was recorded, so its "
    "outcome is unknown. Check whether it took effect before relying on it or running it again.]"
)

_STATUS: Final = """\
\u00d7 backup.service - Copy /srv to the backup disk
     Loaded: loaded (/etc/systemd/system/backup.service; static)
     Active: failed (Result: exit-code) since Thu 2026-10-29 03:11:52 CET; 15h ago
TriggeredBy: ● backup.timer
    Process: 88213 ExecStart=/home/mira/ops/homelab/backup/backup.sh (code=exited, status=11)"""

_JOURNAL: Final = """\
Oct 25 03:10:02 attic systemd[1]: Starting backup.service - Copy /srv to the backup disk...
Oct 25 03:52:40 attic backup.sh[71102]: rsync: write failed: No space left on device (28)
Oct 25 03:52:40 attic systemd[1]: backup.service: Main process exited, status=11
Oct 29 03:10:01 attic systemd[1]: Starting backup.service - Copy /srv to the backup disk...
Oct 29 03:11:52 attic backup.sh[88213]: rsync: write failed: No space left on device (28)
Oct 29 03:11:52 attic systemd[1]: backup.service: Main process exited, status=11"""

_DISKS: Final = """\
Filesystem      Size  Used Avail Use% Mounted on
/dev/nvme0n1p2  229G  229G     0 100% /
/dev/nvme0n1p2  229G  229G     0 100% /"""


def build() -> Scene:
    """Act the session."""
    setting = Setting(
        at="2026-10-29T17:22:03Z", title="Find out why the nightly backup stopped", mode="default"
    )
    scene = open_scene("errors", Workspace(homelab.ROOT, homelab.FILES), setting)
    _look_for_the_cause(scene)
    _be_told_to_wait(scene)
    _look_at_the_disk(scene)
    _mend_the_script(scene)
    _lose_power(scene)
    _come_back(scene)
    _try_again(scene)
    return scene.end()


def _look_for_the_cause(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt(
        """
        The nightly backup has not reported since Sunday. Find out why, and make it speak up the
        next time.
        """,
        after=0,
    )
    scene.retry(529, "Overloaded", 3)
    scene.act(
        failing(
            "systemctl status backup.service --no-pager",
            _STATUS,
            code=3,
            told="Status of the backup",
        ),
        misused(
            "Read",
            {"file_path": files.path("scripts/backup.sh")},
            f"File does not exist. Note: your current working directory is {files.root}.",
        ),
        say="I will look at the unit and at its script.",
    )
    scene.act(
        bash(
            "journalctl -u backup.service --since 2026-10-25 --no-pager | grep -v Failed",
            _JOURNAL,
            told="What the backup said",
        ),
        files.read("backup/backup.sh"),
        say="The unit fails every night, and the script lies in `backup/`.",
    )
    scene.act(
        bash("df -h / /mnt/backup", _DISKS, told="Room on both disks"),
        think="""
        No space left on a disk that is three times as large as /srv? Either it is full, or it is
        not there at all and rsync writes into the empty folder below the mount point. `df` on
        both paths will tell: if they are the same device, nothing is mounted.
        """,
    )


def _be_told_to_wait(scene: Scene) -> None:
    scene.act(
        refused(
            bash("sudo mount /mnt/backup", told="Mount the backup disk"),
            "Wait. That disk threw errors on Sunday. Look at it before you mount it.",
            seconds=11.0,
        ),
        say="""
        There it is: both paths are the same disk. `/mnt/backup` is not mounted, so since Sunday
        the script has copied `/srv` into an empty folder on the system disk, until that was full.
        I will mount the backup disk again.
        """,
    )
    scene.act(
        failing(
            "smartctl -H -A /dev/sdb",
            "Smartctl open device: /dev/sdb failed: Permission denied",
            code=2,
            told="Health of the backup disk",
        ),
        say="Good that you say so. Then its health first.",
    )
    scene.answer(
        """
        That needs root, and I would rather not ask for more than one command at a time. Could you
        run this?

            ! sudo smartctl -H -A /dev/sdb | grep -E 'overall|Reallocated|Pending|CRC'
        """
    )


def _look_at_the_disk(scene: Scene) -> None:
    scene.wait(52)
    scene.builder.bash(
        "sudo smartctl -H -A /dev/sdb | grep -E 'overall|Reallocated|Pending|CRC'",
        stdout="SMART overall-health self-assessment test result: PASSED\n"
        "  5 Reallocated_Sector_Ct   100   0\n"
        "197 Current_Pending_Sector  100   0\n"
        "199 UDMA_CRC_Error_Count    100   214",
    )
    scene.break_off(
        """
        The disk itself is healthy: no reallocated and no pending sectors. What stands out is
        `UDMA_CRC_Error_Count` with 214. Those are errors on the way between disk and board, so I
        would suspect the cable. To go through the other values one by one: *Reallocated Sector
        Count* tells how many sectors the disk has
        """
    )


def _mend_the_script(scene: Scene) -> None:
    files = scene.workspace
    scene.prompt(
        """
        Cable, understood, I just plugged in another one. Remove what was copied to the wrong
        place, mount the disk, and never let the script write into an empty mount point again.
        """,
        after=4.5,
    )
    scene.act(
        bash(
            "findmnt /mnt/backup || { sudo rm -rf /mnt/backup/2026-10-2? && sudo mount "
            "/mnt/backup; }; df -h / /mnt/backup",
            "Filesystem      Size  Used Avail Use% Mounted on\n"
            "/dev/nvme0n1p2  229G  168G   50G  78% /\n"
            "/dev/sdb1       1.8T  612G  1.2T  35% /mnt/backup",
            told="Clear the mount point, then mount",
            seconds=48.0,
        ),
        say="""
        The order matters: once the disk is mounted, the misplaced copies are hidden below it. So
        first remove, and only if nothing is mounted there.
        """,
    )
    scene.act(
        misused(
            "Edit",
            {
                "replace_all": False,
                "file_path": files.path("backup/backup.sh"),
                "old_string": "target=/mnt/backup\ntoday=$(date -I)\n",
                "new_string": 'target=/mnt/backup\nmountpoint -q "$target"\ntoday=$(date -I)\n',
            },
            "String to replace not found in file.\nString: target=/mnt/backup\ntoday=$(date -I)\n",
        )
    )
    scene.act(
        misused(
            "Edit",
            {"file_path": files.path("backup/backup.sh"), "new_string": "mountpoint -q"},
            "InputValidationError: Edit failed due to the following issue:\n"
            "The required parameter `old_string` is missing",
        ),
        say="I remembered that line wrong; it says `date +%F`.",
    )
    scene.act(
        files.edit(
            "backup/backup.sh",
            "target=/mnt/backup\n",
            "target=/mnt/backup\n"
            'mountpoint -q "$target" || { echo "$target is not mounted" >&2; exit 1; }\n',
        ),
        files.edit(
            "backup/backup.service",
            "Description=Copy /srv to the backup disk\n",
            "Description=Copy /srv to the backup disk\n"
            "RequiresMountsFor=/mnt/backup\n"
            "OnFailure=tell-mira@%n.service\n",
        ),
        say="Now with both strings in place:",
    )
    scene.act(
        failing(
            "sh -n backup/backup.sh && systemd-analyze verify backup/backup.service",
            "backup.service: Failed to load unit tell-mira@backup.service.service: not found",
            told="Check script and unit",
        )
    )
    scene.act(
        files.edit(
            "backup/backup.service",
            "OnFailure=tell-mira@%n.service",
            "OnFailure=tell-mira@%p.service",
        ),
        files.write(
            "backup/tell-mira@.service",
            code("""
            [Unit]
            Description=Tell Mira that %i failed

            [Service]
            Type=oneshot
            ExecStart=/usr/bin/mail -s "%i failed on %H" mira@example.org
            StandardInput=null
            """)
            + "\n",
        ),
        say="`%n` ends in `.service` already; `%p` does not. And the unit it names has to exist.",
    )


def _lose_power(scene: Scene) -> None:
    start = "sudo systemctl daemon-reload && sudo systemctl start backup.service && ls /mnt/backup"
    arguments = {"command": start, "description": "Run the backup by hand"}
    scene.act(
        Call("Bash", arguments, "2026-10-24\n2026-10-29", seconds=641.0),
        say="Script and unit are in order. Now a backup by hand, which will take some minutes.",
    )
    _tear_last_row(scene)


def _tear_last_row(scene: Scene) -> None:
    """Leave half of the last row, which was being written when the power went."""
    builder = scene.builder
    torn = builder.rows[-1]
    builder.draft.parent = torn["parentUuid"]
    builder.torn()
    half, builder.draft.tail = builder.draft.tail, b""
    builder.raw(half)


def _come_back(scene: Scene) -> None:
    """Resume: the client counts from zero, and says of the lost call what it knows."""
    builder = scene.builder
    scene.wait(38 * 60)
    scene.totals = Totals()
    builder.draft.spent.clear()
    builder.marker("mode", mode="normal").permission_mode("default")
    call_id = builder.draft.rows[-3]["message"]["content"][0]["id"]
    block = {"type": "tool_result", "content": _LOST, "is_error": True, "tool_use_id": call_id}
    fragment = builder.draft.parent
    builder.draft.say(block, toolUseResult=_LOST, toolDenialKind="interrupted")
    builder.change(sourceToolAssistantUUID=fragment)
    builder.failure("No response requested.").change(isApiErrorMessage=False)
    builder.drop("error", "apiErrorStatus", "apiErrorType", "failedResponseHadNoToolCall")


def _try_again(scene: Scene) -> None:
    scene.prompt("The power was gone for half an hour. Did the backup get through?", after=0.4)
    scene.retry(500, "Internal server error", 2)
    scene.builder.failure(
        "API Error: 500 Internal server error. This is a server-side issue, usually temporary. "
        "Try again in a moment.",
        error="server_error",
        status=500,
    ).turn_duration()
    scene.prompt("Again, please.", after=1.2)
    scene.act(
        bash(
            "findmnt -no SOURCE /mnt/backup; du -sh /mnt/backup/2026-10-2?; systemctl show -p "
            "Result backup.service",
            "/dev/sdb1\n611G\t/mnt/backup/2026-10-24\n17G\t/mnt/backup/2026-10-29\nResult=success",
            told="What is there after the restart",
            seconds=22.0,
        ),
        say="I lost the answer to my last command, so I look instead of trusting it.",
    )
    scene.act(
        bash(
            "sudo rm -rf /mnt/backup/2026-10-29 && sudo systemctl start backup.service && ls "
            "/mnt/backup | tail -2 && journalctl -u backup.service -n 1 -o cat --no-pager",
            "2026-10-24\n2026-10-29\nFinished backup.service - Copy /srv to the backup disk.",
            told="Run the backup again",
            seconds=594.0,
        ),
        say="""
        It did not: 17 of some 30 GB, cut off by the power. `Result=success` only means that
        nothing has failed since the restart. I remove the half copy and start over.
        """,
    )
    scene.answer(
        """
        Now it got through, and the disk came back on its own after the restart.

        - **Why it stopped:** a bad cable took the backup disk offline on Sunday. The script
          copied into the empty mount point until the system disk was full, and told nobody.
        - **What is different:** without the disk the script ends at once, the unit requires the
          mount, and a failure sends you a mail.

        Still to do, on your side: `UDMA_CRC_Error_Count` stands at 214. If it grows with the new
        cable, it is the port.
        """
    )
