"""Facts → what a session's outcome can be at most."""

from clew.digest.model import DigestFacts, Outcome


def cap_outcome(outcome: Outcome, facts: DigestFacts) -> Outcome:
    """Return an outcome that no fact contradicts: a session is not done while work is open."""
    return Outcome.PARTLY if outcome is Outcome.DONE and has_open_work(facts) else outcome


def has_open_work(facts: DigestFacts) -> bool:
    """Return whether the last test failed, a task is open, or the session was cut short."""
    has_failed = bool(facts.tests) and facts.tests[-1].has_passed is False
    has_open_task = any(task.is_open for task in facts.todos)
    return has_failed or has_open_task or facts.is_interrupted or facts.has_final_error
