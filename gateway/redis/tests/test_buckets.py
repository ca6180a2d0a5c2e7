"""Buckets in the process, for as long as Redis is away. Those in Redis, and the way from one to the other: the
throttle's tests."""

import secrets
import time
from concurrent.futures import ThreadPoolExecutor

from gateway.redis.buckets import CELLS, ROWS, Debts, Rate

# So slow that nothing comes back within a test.
SLOW = Rate(capacity=10, restore=0.000_001)


def test_client_takes_what_it_has_and_no_more() -> None:
    debts = Debts()

    taken = [debts.take("192.0.2.1", 4, SLOW) for _ in range(3)]
    rest = debts.take("192.0.2.1", 2, SLOW)

    assert [(each.allowed, round(each.left)) for each in (*taken, rest)] == [
        (True, 6),
        (True, 2),
        (False, 2),
        (True, 0),
    ]


def test_points_come_back_with_time() -> None:
    debts = Debts()
    rate = Rate(capacity=10, restore=1_000)
    assert debts.take("192.0.2.1", 10, rate).allowed

    time.sleep(0.02)

    assert debts.take("192.0.2.1", 10, rate).allowed


def test_debtor_is_not_forgotten_however_many_addresses_come_after_it() -> None:
    debts = Debts()
    debtors = [secrets.token_hex(8) for _ in range(20)]
    for debtor in debtors:
        debts.take(debtor, 10, SLOW)

    for number in range(50_000):
        debts.take(f"2001:db8:{number:x}::/64", 10, SLOW)

    assert [debts.take(debtor, 1, SLOW).allowed for debtor in debtors] == [False] * 20


def test_memory_is_the_same_for_any_number_of_clients() -> None:
    debts = Debts()
    before = [len(debts._owed), len(debts._at)]

    for number in range(5_000):
        debts.take(str(number), 1, SLOW)

    assert [len(debts._owed), len(debts._at)] == before == [ROWS * CELLS] * 2


def test_thousand_debtors_hardly_hinder_others() -> None:
    debts = Debts()
    for number in range(1_000):
        debts.take(f"debtor-{number}", 10, SLOW)

    hindered = [number for number in range(1_000) if not debts.take(f"other-{number}", 1, SLOW).allowed]

    # One in a hundred thousand is to be expected.
    assert len(hindered) <= 1


def test_clients_of_one_cell_do_not_pay_for_each_other() -> None:
    """Everybody spends one point: a cell holds the largest debt of those who share it, not the sum."""
    debts = Debts()
    for number in range(50_000):
        debts.take(f"client-{number}", 1, SLOW)

    assert max(debts._owed) <= 8
    assert debts.take("somebody-new", 1, SLOW).allowed


def test_threads_at_once_take_no_more_than_there_is() -> None:
    debts = Debts()
    rate = Rate(capacity=500, restore=0.000_001)

    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda _: debts.take("192.0.2.1", 1, rate).allowed, range(4_000)))

    assert sum(taken) == 500
