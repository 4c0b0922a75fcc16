"""What a server has of the files of a laptop: compared in buckets, so that little is said."""

from collections import defaultdict
from collections.abc import Iterable

from clew.protocol import (
    PROTOCOL_VERSION,
    ConsentState,
    FileHead,
    Hello,
    HelloAnswer,
    bucket_of,
    digest_bucket,
)
from clew.push.team_client import TeamClient


class ServerHeads:
    """The heads of a laptop's files on a server, by root and file."""

    def __init__(self, heads: Iterable[FileHead] = ()) -> None:
        self._heads = {(head.root, head.file): head for head in heads}

    def get(self, root: str, file: str) -> FileHead | None:
        """Return what the server has of a file."""
        return self._heads.get((root, file))

    def set(self, head: FileHead) -> None:
        """Remember what the server has now."""
        self._heads[head.root, head.file] = head

    def forget(self, root: str, file: str) -> None:
        """Remember that the server has nothing of a file."""
        self._heads.pop((root, file), None)

    def greet(self, client: TeamClient, roots: Iterable[str]) -> HelloAnswer:
        """Ask the server which heads differ, and believe what it says of those."""
        buckets: defaultdict[str, list[FileHead]] = defaultdict(list)
        for head in self._heads.values():
            buckets[bucket_of(head.root, head.file)].append(head)
        digests = {bucket: digest_bucket(heads) for bucket, heads in buckets.items()}
        hello = Hello(protocol=PROTOCOL_VERSION, roots=sorted(set(roots)), buckets=digests)
        answer = client.post("/push/hello", hello, HelloAnswer)
        differing = set(answer.differing)
        for head in list(self._heads.values()):
            if bucket_of(head.root, head.file) in differing:
                self.forget(head.root, head.file)
        for head in answer.heads:
            self.set(head)
        return answer


def ask_consents(client: TeamClient) -> list[ConsentState]:
    """Return what a server knows of the user's decisions."""
    hello = Hello(protocol=PROTOCOL_VERSION)
    return client.post("/push/hello", hello, HelloAnswer).consents
