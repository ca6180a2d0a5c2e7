"""How many wrong guesses are looked at, and whose they are."""

from collections.abc import Callable
from functools import partial
from typing import cast

import pytest
from pymongo.database import Database
from pytest_django import Settings

from deploy.local.start.stack import Stack
from gateway.accounts.errors import TooManyFailures, TooManyRegistrations
from gateway.accounts.models import User
from gateway.accounts.sign_in import attempts
from gateway.accounts.sign_in.known_devices import device_proof, proven_device, remember_network
from gateway.accounts.sign_in.tallies import Full, LocalTallies, Tally
from gateway.domain.errors import Code
from gateway.mongo.client import Document
from gateway.redis import clients as gateway_redis
from gateway.redis.clients import cache_client
from gateway.tests.races import at_once

pytestmark = pytest.mark.usefixtures("database")

PASSWORD = "correct horse battery"
OWNER = "owner@example.com"


@pytest.fixture
def owner(database: Database[Document]) -> User:
    return User.objects.create_user(OWNER, PASSWORD)


def allowed(email: str, client: str, device: str | None = None) -> bool:
    try:
        attempts.begin(email, client, device)
    except TooManyFailures:
        return False
    return True


def kept() -> dict[str, dict[str, str]]:
    """Every tally, as Redis has it."""
    return {key: cast("dict[str, str]", cache_client().hgetall(key)) for key in cache_client().scan_iter("attempts:*")}


def test_failures_at_one_account_are_counted_per_network_in_any_spelling(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 3

    guesses = [allowed(email, "192.0.2.1") for email in ["a@example.com", " A@Example.com "] * 2]

    assert guesses == [True, True, True, False]
    assert allowed("b@example.com", "192.0.2.1")
    assert allowed("a@example.com", "192.0.2.2")


def test_failures_of_all_strangers_together_make_them_wait(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_OF_STRANGERS = 3

    assert [allowed("a@example.com", f"192.0.2.{n}") for n in range(4)] == [True, True, True, False]
    assert allowed("b@example.com", "192.0.2.1")


def test_failures_are_counted_per_address_whatever_the_account(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ADDRESS = 3

    assert [allowed(f"{n}@example.com", "192.0.2.1") for n in range(4)] == [True, True, True, False]
    assert allowed("4@example.com", "192.0.2.2")


def test_refusal_says_when_to_try_again(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ADDRESS = 1
    attempts.begin("a@example.com", "192.0.2.1")

    with pytest.raises(TooManyFailures) as refused:
        attempts.begin("b@example.com", "192.0.2.1")

    assert refused.value.code is Code.RATE_LIMITED
    assert refused.value.message("ru") == "Слишком много неудачных попыток входа. Повторите через 15 мин."
    assert refused.value.message("en") == "Too many failed attempts to sign in. Try again in 15 min."


def test_what_is_refused_raises_no_counter(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 2
    assert [allowed("a@example.com", "192.0.2.1") for _ in range(2)] == [True, True]
    before = kept()

    assert [allowed("a@example.com", "192.0.2.1") for _ in range(50)] == [False] * 50

    assert kept() == before
    assert sorted(tally["number"] for tally in before.values()) == ["2", "2", "2"]


def end_waits() -> list[float]:
    """How long the wait of every tally was that now is over."""
    seconds, microseconds = cache_client().time()
    now, waits = seconds + microseconds / 1e6, []
    for key, tally in kept().items():
        if "free_at" in tally:
            waits.append(round(float(tally["free_at"]) - now))
            cache_client().hset(key, "free_at", "0")
    return sorted(waits)


def test_each_further_failure_waits_longer_and_never_past_the_window(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT, settings.SIGN_IN_FAILURES_OF_STRANGERS = 1, 100
    waits = []
    for _ in range(6):
        assert allowed("a@example.com", "192.0.2.1")
        assert not allowed("a@example.com", "192.0.2.1")
        waits += end_waits()

    assert waits == pytest.approx([60, 120, 240, 480, 900, 900], abs=5)


def test_waits_of_strangers_grow_to_a_minute(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_OF_STRANGERS = 1
    waits = []
    for number in range(8):
        assert allowed("a@example.com", f"192.0.2.{number}")
        waits += end_waits()

    assert waits == pytest.approx([5, 10, 20, 40, 60, 60, 60, 60], abs=2)


def test_success_is_no_failure(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 1

    for _ in range(5):
        attempts.begin("a@example.com", "192.0.2.1").take_back()

    assert allowed("a@example.com", "192.0.2.1")
    assert not allowed("a@example.com", "192.0.2.1")


def test_taking_back_after_the_window_leaves_no_credit() -> None:
    attempt = attempts.begin("a@example.com", "192.0.2.1")
    cache_client().delete(*(tally.key for tally in attempt.tallies))

    attempt.take_back()

    assert kept() == {}


def test_counts_expire_with_the_window_and_are_not_prolonged(settings: Settings) -> None:
    first, *others = attempts.begin("a@example.com", "192.0.2.1").tallies
    cache_client().expire(first.key, 100)

    attempts.begin("a@example.com", "192.0.2.1")

    assert 0 < cache_client().ttl(first.key) <= 100
    assert all(100 < cache_client().ttl(tally.key) <= settings.SIGN_IN_WINDOW_SECONDS for tally in others)


def let_through_at_once(times: int, action: Callable[[int], bool]) -> int:
    """How many of them were let through."""
    return sum(at_once(*[partial(action, number) for number in range(times)], expected=()))


def test_guesses_at_once_never_exceed_the_limit(settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT, settings.SIGN_IN_FAILURES_OF_STRANGERS = 10, 5

    assert let_through_at_once(40, lambda number: allowed("a@example.com", f"192.0.2.{number}")) == 5
    cache_client().flushdb()
    assert let_through_at_once(40, lambda _: allowed("a@example.com", "192.0.2.1")) == 5
    cache_client().flushdb()
    settings.SIGN_IN_FAILURES_OF_STRANGERS = 20
    assert let_through_at_once(40, lambda _: allowed("a@example.com", "192.0.2.1")) == 10


def test_redis_holds_no_addresses_of_accounts(owner: User) -> None:
    attempts.begin(OWNER, "192.0.2.1", device_proof(owner, None))
    attempts.begin(OWNER, "192.0.2.1")

    assert not any("owner" in key for key in cache_client().scan_iter("*"))


def test_accounts_made_from_one_network_are_counted(settings: Settings) -> None:
    settings.REGISTRATIONS_PER_ADDRESS = 2
    attempts.begin_registration("192.0.2.1").take_back()
    for _ in range(2):
        attempts.begin_registration("192.0.2.1")

    with pytest.raises(TooManyRegistrations) as refused:
        attempts.begin_registration("192.0.2.1")

    assert refused.value.message("en") == "Too many accounts were made from your network. Try again in 60 min."
    assert attempts.begin_registration("192.0.2.2")


# ---------------------------------------------------------------- the owner among strangers


def attack(settings: Settings, network: str = "203.0.113.9") -> None:
    """As many guesses as are looked at, from one network and from many."""
    while allowed(OWNER, network):
        pass
    for number in range(settings.SIGN_IN_FAILURES_OF_STRANGERS + 5):
        for key in cache_client().scan_iter("attempts:strangers:*"):
            cache_client().hdel(key, "free_at")
        allowed(OWNER, f"198.51.100.{number}")


def test_owner_on_a_known_device_is_not_kept_out_wherever_it_is(owner: User, settings: Settings) -> None:
    device = device_proof(owner, None)
    attack(settings, "203.0.113.9")

    # On the attacker's own network, whose address has failed too often besides.
    settings.SIGN_IN_FAILURES_PER_ADDRESS = 1
    allowed("somebody@example.com", "203.0.113.9")
    assert [allowed(OWNER, "203.0.113.9", device) for _ in range(11)] == [True] * 10 + [False]


def test_owner_on_a_known_network_is_not_kept_out(owner: User, settings: Settings) -> None:
    remember_network("192.0.2.77", owner)
    attack(settings)

    assert not allowed(OWNER, "192.0.2.78")
    assert [allowed(OWNER, "192.0.2.77") for _ in range(11)] == [True] * 10 + [False]


def test_network_of_an_attacker_waits_alone(owner: User) -> None:
    while allowed(OWNER, "203.0.113.9"):
        pass

    assert allowed(OWNER, "192.0.2.1")


def test_devices_of_one_account_are_counted_apart(owner: User, settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 1
    phone, laptop = device_proof(owner, None), device_proof(owner, None)

    assert [allowed(OWNER, "192.0.2.1", device) for device in (phone, laptop, phone, laptop)] == [True] * 2 + [
        False
    ] * 2


def test_device_of_one_account_proves_nothing_for_another(owner: User, settings: Settings) -> None:
    stranger = User.objects.create_user("stranger@example.com", PASSWORD)
    device = device_proof(stranger, None)
    attack(settings)

    assert proven_device(device, owner) is None
    assert not allowed(OWNER, "198.51.100.200", device)
    assert allowed("stranger@example.com", "198.51.100.200", device)


def test_device_serves_the_accounts_that_sign_in_there_the_latest_five(owner: User) -> None:
    family = [User.objects.create_user(f"{number}@example.com", PASSWORD) for number in range(6)]
    proof = None
    for user in (*family, family[3]):
        proof = device_proof(user, proof)

    assert [proven_device(proof, user) is not None for user in family] == [False] + [True] * 5
    assert len({proven_device(proof, user) for user in family[1:]}) == 1
    assert proven_device(proof, owner) is None


@pytest.mark.parametrize(
    "change",
    [lambda user: user.set_password("another good phrase"), lambda user: setattr(user, "session_generation", 1)],
)
def test_new_password_and_signing_out_everywhere_make_strangers_of_devices_and_networks(
    owner: User, settings: Settings, change: Callable[[User], None]
) -> None:
    device = device_proof(owner, None)
    remember_network("192.0.2.77", owner)
    change(owner)
    owner.save()
    attack(settings)

    assert proven_device(device, User.objects.get(pk=owner.pk)) is None
    assert [allowed(OWNER, "192.0.2.77", device), allowed(OWNER, "192.0.2.77")] == [False, False]


def test_forged_proofs_prove_nothing(owner: User) -> None:
    proof = device_proof(owner, None)
    device, tag = proof.split(".")
    forged = [
        "", ".", device, f"{device}.", f"{device}.{'A' * 22}", f"{'A' * 22}.{tag}", proof[:-1], f"{proof}A",
        f"{proof}\n", f"{device}.{tag.swapcase()}", f"{proof}.x", ".".join([device, *[tag] * 6]), "й" * 22 + "." + tag,
    ]  # fmt: skip

    assert [proven_device(one, owner) for one in forged] == [None] * len(forged)
    assert proven_device(proof, owner) == device


def test_proof_of_an_earlier_secret_key_holds(owner: User, settings: Settings) -> None:
    proof, old = device_proof(owner, None), settings.SECRET_KEY
    settings.SECRET_KEY = "n" * 60
    unknown = proven_device(proof, owner)
    settings.SECRET_KEY_FALLBACKS = [old]

    assert unknown is None
    assert proven_device(proof, owner) == proof.split(".")[0]


def test_unknown_account_is_counted_as_a_known_one(owner: User, settings: Settings) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT, settings.SIGN_IN_FAILURES_OF_STRANGERS = 3, 5
    networks = [f"192.0.2.{number % 3}" for number in range(12)]

    known, unknown = ([allowed(email, network) for network in networks] for email in (OWNER, "nobody@example.com"))

    assert known == unknown
    assert known.count(True) == 5


# ---------------------------------------------------------------- without Redis


def test_without_redis_the_process_counts_by_itself_and_redis_again_when_it_is_back(
    settings: Settings, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway_redis, "RETRY_SECONDS", 0.0)
    settings.SIGN_IN_FAILURES_PER_ACCOUNT, settings.REGISTRATIONS_PER_ADDRESS = 2, 1
    assert allowed("redis@example.com", "192.0.2.1")
    stack.kill("cache")

    away = [allowed("local@example.com", "192.0.2.1") for _ in range(4)]
    attempts.begin("right@example.com", "192.0.2.2").take_back()
    attempts.begin_registration("192.0.2.1")
    with pytest.raises(TooManyRegistrations):
        attempts.begin_registration("192.0.2.1")

    stack.start("cache")
    stack.wait_healthy(timeout=60)
    assert away == [True, True, False, False]
    assert [allowed("local@example.com", "192.0.2.1") for _ in range(3)] == [True, True, False]


def test_full_redis_is_an_absent_one(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway_redis, "RETRY_SECONDS", 0.0)
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 2
    redis = cache_client()
    before = {name: redis.config_get(name)[name] for name in ("maxmemory", "maxmemory-policy")}
    redis.config_set("maxmemory-policy", "noeviction")
    redis.config_set("maxmemory", 1)
    try:
        guesses = [allowed("full@example.com", "192.0.2.1") for _ in range(4)]
    finally:
        for name, value in before.items():
            redis.config_set(name, value or "")

    assert guesses == [True, True, False, False]
    assert kept() == {}


def let_through(local: LocalTallies, tally: Tally) -> bool:
    return local.count([tally]) == 0


def test_local_tallies_follow_the_same_rules() -> None:
    local, tally = LocalTallies(), Tally("a", 2, 900, 60, 900)
    other = Tally("b", 1, 900, 1, 60)

    assert [let_through(local, tally) for _ in range(3)] == [True, True, False]
    assert local.count([tally]) == pytest.approx(60, abs=5)
    # One that is full refuses for all, and nothing is counted in any.
    assert local.count([other, tally]) > 1
    assert let_through(local, other)
    local.take_back([tally])
    assert [let_through(local, tally) for _ in range(2)] == [True, False]


def test_local_tallies_are_bounded_and_forget_the_idle() -> None:
    local = LocalTallies(remembered=100)
    busy = Tally("busy", 1, 900, 900, 900)
    let_through(local, busy)

    for number in range(1000):
        local.count([Tally(f"{number}", 1, 900, 900, 900)])
        assert not let_through(local, busy)

    assert len(local) == 100


def test_local_tallies_at_once_never_exceed_the_limit() -> None:
    local, tally = LocalTallies(), Tally("a", 10, 900, 60, 900)

    assert let_through_at_once(40, lambda _: let_through(local, tally)) == 10


def test_full_says_at_least_a_second() -> None:
    assert (Full(0.01).seconds, Full(59.2).seconds) == (1, 60)
