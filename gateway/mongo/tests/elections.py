"""Elections as tests cause them."""

from pymongo import MongoClient

from deploy.local.start.stack import Stack
from gateway.mongo.client import Document

# For so long the member that was primary stands for no election.
STEPPED_DOWN_SECONDS = 10


def step_down(stack: Stack, shard: str) -> None:
    """Have the shard's primary give up its place; another member takes it after a moment without any."""
    port = stack.port_of(stack.primary_of(shard))
    with MongoClient[Document]("127.0.0.1", port, directConnection=True) as primary:
        primary.admin.command("replSetStepDown", STEPPED_DOWN_SECONDS, force=True)
