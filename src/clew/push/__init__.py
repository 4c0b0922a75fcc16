"""local archive → a team server: consent, what may leave, the push itself, hooks.

Nothing leaves a laptop before its user has allowed it for a project.
"""
