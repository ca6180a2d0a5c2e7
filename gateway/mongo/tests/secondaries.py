"""Members of a shard that are alive, and do not follow their primary."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from pymongo import MongoClient

from deploy.local.start.stack import Stack
from gateway.mongo.client import Document


@contextmanager
def frozen_secondaries(stack: Stack, shard: str) -> Iterator[None]:
    """Secondaries that apply nothing new; a read that is sent to them waits until they thaw."""
    with ExitStack() as undo:
        for name in secondaries(stack, shard):
            member: MongoClient[Document] = undo.enter_context(
                MongoClient("127.0.0.1", stack.port_of(name), directConnection=True)
            )
            member.admin.command("fsync", lock=True)
            undo.callback(member.admin.command, "fsyncUnlock")
        yield


def secondaries(stack: Stack, shard: str) -> list[str]:
    return [name for name in stack.members_of(shard) if name != stack.primary_of(shard)]
