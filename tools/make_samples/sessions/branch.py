"""A branch of the session with the plan."""

from tools.make_samples.scene import Scene
from tools.make_samples.sessions import plan


def build() -> Scene:
    """Act the session."""
    return plan.build_branch()
