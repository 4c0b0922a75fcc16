"""ViewOptions: what of a conversation goes on a page, and in what pieces."""

import msgspec

from clew.view.detail import Detail


class ViewOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How much to show.

    Args:
        detail: How much of each message.
        turn: The one turn to show, or the first of several; None shows all.
        last_turn: The last of several turns, from `turn` on.
        with_branches: Whether branches bring their messages, or their first words alone.
        with_hidden_runs: Whether to show agent runs that the client hides, such as
            warm-ups; at detail everything they are shown in any case.
        max_run_depth: How deep runs are shown inside runs; deeper ones are linked.
        section_messages: Approximate maximum of messages in a section.
    """

    detail: Detail = Detail.EVERYTHING
    turn: int | None = None
    last_turn: int | None = None
    with_branches: bool = True
    with_hidden_runs: bool = False
    max_run_depth: int = 2
    section_messages: int = 60
