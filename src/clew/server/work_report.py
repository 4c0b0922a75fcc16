"""What workers have done."""

import msgspec


class WorkerReport(msgspec.Struct):
    """What a worker has done."""

    sessions_derived: int = 0
    sessions_failed: int = 0
    sessions_waiting: int = 0
    sessions_lost: int = 0
    sessions_deleted: int = 0
    objects_deleted: int = 0
    bytes_read: int = 0
    rows_written: int = 0
    sessions_digested: int = 0
    digests_failed: int = 0
    digests_postponed: int = 0

    def add(self, other: "WorkerReport") -> None:
        """Add what another worker has done."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
