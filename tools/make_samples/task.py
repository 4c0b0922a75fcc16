"""Commands in the background, and what the client tells when they end."""

import msgspec


class Task(msgspec.Struct, frozen=True):
    """A command that runs in the background."""

    id: str
    call_id: str
    told: str
    file: str

    def notice(self, outcome: str) -> str:
        """Tell how it ended."""
        lines = [
            "<task-notification>",
            f"<task-id>{self.id}</task-id>",
            f"<tool-use-id>{self.call_id}</tool-use-id>",
            f"<output-file>{self.file}</output-file>",
            "<status>completed</status>",
            f'<summary>Background command "{self.told}" {outcome}</summary>',
            "</task-notification>",
        ]
        return "\n".join(lines)
