"""The sessions, one module each, in the order in which they were held."""

from tools.make_samples.scene import Scene
from tools.make_samples.sessions import (
    branch,
    chinese,
    errors,
    flaky_test,
    headless,
    local_model,
    long_day,
    mcp_tool,
    notebook,
    plan,
    question,
    refactoring,
    release,
    retry_bug,
    web_search,
    worktree,
)

__all__ = ["build_all"]


def build_all() -> list[Scene]:
    """Act all sessions."""
    return [
        question.build(),
        notebook.build(),
        flaky_test.build(),
        plan.build(),
        branch.build(),
        mcp_tool.build(),
        web_search.build(),
        chinese.build(),
        errors.build(),
        long_day.build(),
        retry_bug.build(),
        release.build(),
        headless.build(),
        local_model.build(),
        worktree.build(),
        refactoring.build(),
    ]
