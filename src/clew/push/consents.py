"""What the user allows to leave, for each project and server: decided and written here.

The server has a copy of each decision with a number, its epoch, which rises with every change. It
refuses what was made under an earlier one.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from clew.protocol import ConsentChange, ConsentState, Tier, Visibility
from clew.push.push_files import (
    PushFiles,
    UnreadablePushFileError,
    hide_name,
    laptop_key,
    read_toml,
    write_private,
)
from clew.push.team_client import TeamClient
from clew.push.toml_text import toml_lines

_HEAD: Final = """\
# What leaves this laptop for team servers, by project. `clew consent set` changes this file.
# Projects that are not listed send nothing.
"""


class ProjectConsent(msgspec.Struct, frozen=True, kw_only=True):
    """What a user allows for a project on one server.

    `server_project` is its name there, if the user chose one. `epoch` is 0 until the server knows
    of it, and `sent` is what it knows: whoever edits the file changes the rest only.
    """

    server: str
    path: str
    tier: Tier
    visibility: Visibility = Visibility.PRIVATE
    server_project: str = ""
    epoch: int = 0
    sent: str = ""

    @property
    def is_sent(self) -> bool:
        """Whether the server knows of the latest change."""
        return self.sent == self._words

    @property
    def concerns_server(self) -> bool:
        """Whether a server has to know of it: that nothing leaves, only if something did."""
        return self.tier is not Tier.NOTHING or (self.epoch > 0 and not self.is_sent)

    def as_sent(self, epoch: int) -> "ProjectConsent":
        """Return the same decision, which the server now knows under a number."""
        return msgspec.structs.replace(self, epoch=epoch, sent=self._words)

    @property
    def _words(self) -> str:
        return f"{self.tier} {self.visibility} {self.server_project}".strip()


class Consents:
    """The file of decisions."""

    def __init__(self, files: PushFiles) -> None:
        self._files = files

    def all(self, server: str = "") -> list[ProjectConsent]:
        """Return all decisions, or those for one server.

        Raises:
            UnreadablePushFileError: The file was changed by hand, and cannot be read any longer.
        """
        path = self._files.consents
        try:
            found = msgspec.convert(read_toml(path).get("project", []), list[ProjectConsent])
        except msgspec.ValidationError as error:
            raise UnreadablePushFileError(path, str(error)) from error
        return [each for each in found if server in ("", each.server)]

    def find(self, server: str, path: str) -> ProjectConsent | None:
        """Return the decision for a project, if there is one."""
        return next((each for each in self.all(server) if each.path == path), None)

    def save(self, changed: Iterable[ProjectConsent]) -> None:
        """Write decisions in place of those for the same projects."""
        table = {(each.server, each.path): each for each in self.all()}
        table.update({(each.server, each.path): each for each in changed})
        self._write(table.values())

    def undo(self, changed: ProjectConsent, before: ProjectConsent | None) -> None:
        """Write what was decided before a change, which may be nothing."""
        place = (changed.server, changed.path)
        others = [each for each in self.all() if (each.server, each.path) != place]
        self._write(others if before is None else [*others, before])

    def _write(self, consents: Iterable[ProjectConsent]) -> None:
        ordered = sorted(consents, key=lambda each: (each.server, each.path))
        texts = [f"[[project]]\n{toml_lines(_values(each))}" for each in ordered]
        write_private(self._files.consents, "\n".join([_HEAD, *texts]))

    @property
    def key(self) -> bytes:
        """The key of this laptop."""
        return laptop_key(self._files)

    def key_of(self, consent: ProjectConsent) -> str:
        """Return the name under which the server knows a project: it says nothing about it."""
        return hide_name(self.key, "project", consent.server, consent.path)

    def send(
        self, client: TeamClient, consent: ProjectConsent, *, purge: bool = False
    ) -> ConsentState:
        """Tell the server of a decision, and remember its epoch.

        Args:
            client: Speaks to the server.
            consent: The decision, as it is in the file.
            purge: Let the server delete what it has of the project beyond the tier.
        """
        change = ConsentChange(
            tier=consent.tier,
            visibility=consent.visibility,
            project=consent.server_project or None,
            purge=purge,
        )
        state = client.put(f"/push/consents/{self.key_of(consent)}", change, ConsentState)
        self.save([consent.as_sent(state.epoch)])
        return state

    def agree(
        self, client: TeamClient, known: Iterable[ConsentState]
    ) -> tuple[list[ProjectConsent], list[str]]:
        """Bring the server's copies up to date; return what applies to it, and notes for the user.

        A server that was restored from a backup has older copies. One with a later decision got it
        in another way: it may lower the tier, but never raise it.
        """
        states = {state.project_key: state for state in known}
        agreed, notes = [], []
        for consent in self.all(client.server):
            found = states.get(self.key_of(consent))
            if found is None and consent.tier is Tier.NOTHING:
                continue
            is_newer = found is not None and consent.is_sent and found.epoch > consent.epoch
            if found is not None and is_newer and found.tier.rank < consent.tier.rank:
                notes.append(
                    f"{consent.path}: the server allows {found.tier} only; run `clew consent set` "
                    "to decide again"
                )
                agreed.append(msgspec.structs.replace(consent, tier=found.tier, epoch=found.epoch))
                continue
            if not _is_known(consent, found):
                found = self.send(client, consent)
            if found is not None:
                agreed.append(consent.as_sent(found.epoch))
        self._save_epochs(agreed)
        return agreed, notes

    def _save_epochs(self, agreed: Iterable[ProjectConsent]) -> None:
        """Remember the epochs of decisions that did not change otherwise."""
        before = {(each.server, each.path): each for each in self.all()}
        changed = []
        for each in agreed:
            old = before.get((each.server, each.path))
            if old is not None and old.tier is each.tier and old != each:
                changed.append(each)
        if changed:
            self.save(changed)


def _is_known(consent: ProjectConsent, found: ConsentState | None) -> bool:
    """Return whether the server has a decision as it is now."""
    return (
        found is not None
        and consent.is_sent
        and found.tier is consent.tier
        and found.epoch >= consent.epoch
    )


def _values(consent: ProjectConsent) -> dict[str, str | int | bool | None]:
    return {
        "path": consent.path,
        "server": consent.server,
        "tier": str(consent.tier),
        "visibility": str(consent.visibility),
        "server_project": consent.server_project,
        "epoch": consent.epoch,
        "sent": consent.sent,
    }
