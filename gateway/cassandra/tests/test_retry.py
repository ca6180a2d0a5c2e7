"""Which requests the driver may repeat."""

import pytest
from cassandra import ConsistencyLevel, WriteType
from cassandra.connection import ConnectionShutdown
from cassandra.policies import RetryPolicy
from cassandra.query import SimpleStatement

from gateway.cassandra.driver.retry import CarefulRetryPolicy

POLICY = CarefulRetryPolicy()
QUORUM = ConsistencyLevel.LOCAL_QUORUM
READ = SimpleStatement("SELECT", is_idempotent=True)
UPSERT = SimpleStatement("INSERT", is_idempotent=True)
COUNT = SimpleStatement("UPDATE counter", is_idempotent=False)
RETHROW = (RetryPolicy.RETHROW, None)
NEXT_HOST = (RetryPolicy.RETRY_NEXT_HOST, None)


@pytest.mark.parametrize(
    "write_type", [WriteType.SIMPLE, WriteType.BATCH, WriteType.UNLOGGED_BATCH, WriteType.BATCH_LOG]
)
def test_write_that_timed_out_is_not_repeated(write_type: int) -> None:
    for statement in (UPSERT, COUNT):
        decision = POLICY.on_write_timeout(
            statement,
            consistency=QUORUM,
            write_type=write_type,
            required_responses=2,
            received_responses=1,
            retry_num=0,
        )
        assert decision == RETHROW


def test_request_whose_connection_broke_goes_to_the_next_host_once_if_idempotent() -> None:
    broken = ConnectionShutdown("gone")
    assert POLICY.on_request_error(UPSERT, QUORUM, error=broken, retry_num=0) == NEXT_HOST
    assert POLICY.on_request_error(UPSERT, QUORUM, error=broken, retry_num=1) == RETHROW
    assert POLICY.on_request_error(COUNT, QUORUM, error=broken, retry_num=0) == RETHROW


def test_too_few_replicas_alive_for_this_coordinator_asks_another_once_if_idempotent() -> None:
    counts = {"consistency": QUORUM, "required_replicas": 2, "alive_replicas": 1}
    assert POLICY.on_unavailable(READ, retry_num=0, **counts) == NEXT_HOST
    assert POLICY.on_unavailable(READ, retry_num=1, **counts) == RETHROW
    assert POLICY.on_unavailable(COUNT, retry_num=0, **counts) == RETHROW


@pytest.mark.parametrize(
    ("received", "data_retrieved", "retry_num", "decision"),
    [
        (2, False, 0, (RetryPolicy.RETRY, QUORUM)),
        (2, False, 1, RETHROW),
        (2, True, 0, RETHROW),
        (1, False, 0, RETHROW),
    ],
)
def test_read_is_repeated_once_when_enough_replicas_answered_without_the_data(
    received: int, data_retrieved: bool, retry_num: int, decision: tuple[int, int | None]
) -> None:
    assert decision == POLICY.on_read_timeout(
        READ,
        consistency=QUORUM,
        required_responses=2,
        received_responses=received,
        data_retrieved=data_retrieved,
        retry_num=retry_num,
    )
