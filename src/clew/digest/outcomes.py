"""Facts → what a session's outcome can be at most."""

from clew.digest.model import DigestFacts, Outcome


def cap_outcome(outcome: Outcome, facts: DigestFacts) -> Outcome:
    """Return an outcome that no fact contradicts.

    A session is not done while work is open, and not given up if its work is proven to be done.
    """
    if outcome is Outcome.DONE and has_open_work(facts):
        return Outcome.PARTLY
    is_done = is_proven(facts) and not has_open_work(facts)
    return Outcome.UNCLEAR if outcome is Outcome.ABANDONED and is_done else outcome


def has_open_work(facts: DigestFacts) -> bool:
    """Return whether the last test failed, a task is open, or the session was cut short."""
    has_failed = bool(facts.tests) and facts.tests[-1].has_passed is False
    has_open_task = any(task.is_open for task in facts.todos)
    return has_failed or has_open_task or facts.is_interrupted or facts.has_final_error


def is_proven(facts: DigestFacts) -> bool:
    """Return whether something shows that the work was done: tests, a commit, or a list.

    They count only after the last prompt, if no file was changed after tests or a commit, and if
    the session ended with an answer. A list is the model's own word: it shows nothing if a change
    was refused.
    """
    changed_at = max((file.at for file in facts.files), default="")
    tests = [test.at for test in facts.tests[-1:] if test.has_passed]
    commits = [commit.at for commit in facts.commits[-1:]]
    checked_at = max([*tests, *commits], default="")
    is_checked = bool(checked_at) and checked_at >= max(changed_at, facts.prompted_at)
    is_listed = bool(facts.todos) and facts.listed_at >= facts.prompted_at
    is_listed = is_listed and not facts.lacks_change
    return facts.has_final_answer and (is_checked or is_listed)
