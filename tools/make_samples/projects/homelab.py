"""homelab: the scripts and units of a small server at home."""

from typing import Final

ROOT: Final = "/home/mira/ops/homelab"

BACKUP: Final = """\
#!/bin/sh
# Copy /srv to the backup disk: one folder for each day, links for what did not change.
set -eu

target=/mnt/backup
today=$(date +%F)
latest=$(ls -1d "$target"/20* 2>/dev/null | tail -n 1 || true)

rsync -a --delete --link-dest="$latest" /srv/ "$target/$today/"
"""

UNIT: Final = """\
[Unit]
Description=Copy /srv to the backup disk

[Service]
Type=oneshot
ExecStart=/home/mira/ops/homelab/backup/backup.sh
"""

FILES: Final = {"backup/backup.sh": BACKUP, "backup/backup.service": UNIT}
