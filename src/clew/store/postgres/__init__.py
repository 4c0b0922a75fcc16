"""The database and the index of a team: PostgreSQL.

Only this package knows the library, and it is imported only for such an archive.
"""
