"""`clew admin`: manage the archive of a team."""

from typing import Final

import click

from clew.cli.admin_audit import audit
from clew.cli.admin_devices import device
from clew.cli.admin_digests import digests
from clew.cli.admin_members import member
from clew.cli.admin_organisations import org
from clew.cli.admin_projects import project
from clew.cli.admin_restore import replay, verify
from clew.cli.admin_work import hold, release, retry, status

_HELP: Final = """\
Manage the archive of a team.

These commands work directly on the database that --archive or CLEW_ARCHIVE names, also while no
server runs. Every change is written to the audit log.

\b
Examples:
  clew admin org create acme                     create an organisation
  clew admin member invite ada --role admin      print a link for a new member
  clew admin project create github.com/acme/api  create a project
  clew admin project add github.com/acme/api ada let a member see it
  clew admin member disable ada                  refuse a member from now on
  clew admin audit                               show who did what
  clew admin status                              show what is due or failed
  clew admin retry --all                         try failed sessions again
  clew admin digests on --model claude-haiku-4-5 let a model write digests
  clew admin verify                              verify all files

\b
Exit codes:
  0  success
  1  the database cannot be reached
  2  usage error
  3  no such organisation, member, project, device or session
  4  `clew admin verify` found damage
"""


@click.group("admin", help=_HELP)
def command() -> None:
    """Group the commands about a team's archive; each is in a module of its own."""


_ACCOUNTS: Final = (org, member, device, project, audit)
_WORK: Final = (status, digests, retry, hold, release, replay, verify)

for _each in (*_ACCOUNTS, *_WORK):
    command.add_command(_each)
