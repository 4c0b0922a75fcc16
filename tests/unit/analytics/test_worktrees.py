"""Which repository a folder is a worktree of."""

import pytest

from clew.analytics import find_checkout


@pytest.mark.parametrize(
    ("path", "repository", "worktree", "label"),
    [
        ("/home/dev/cli", "/home/dev/cli", "", "cli"),
        ("/home/dev/cli/", "/home/dev/cli/", "", "cli"),
        ("/home/dev/cli/.worktrees/4", "/home/dev/cli", "4", "cli / 4"),
        ("/home/dev/cli/.worktrees/alex/fix", "/home/dev/cli", "alex/fix", "cli / alex/fix"),
        ("/home/dev/cli/.claude/worktrees/wt/src", "/home/dev/cli", "wt", "cli / wt"),
        ("/srv/spotter-worktrees/s-4te/assets", "/srv/spotter", "s-4te", "spotter / s-4te"),
        ("/srv/spotter.worktrees/fix", "/srv/spotter", "fix", "spotter / fix"),
        (r"C:\code\cli\.claude\worktrees\a", r"C:\code\cli", "a", "cli / a"),
        ("/srv/worktrees", "/srv/worktrees", "", "worktrees"),
        ("/srv/experiments/worktrees/x", "/srv/experiments/worktrees/x", "", "x"),
        ("/srv/worktrees/.claude/worktrees/x", "/srv/worktrees", "x", "worktrees / x"),
        ("/.worktrees/x", "/.worktrees/x", "", "x"),
        ("", "", "", ""),
    ],
)
def test_a_worktree_belongs_to_its_repository(
    path: str, repository: str, worktree: str, label: str
) -> None:
    found = find_checkout(path)

    assert (found.repository, found.worktree, found.label) == (repository, worktree, label)
